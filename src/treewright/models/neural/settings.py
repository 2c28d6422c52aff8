"""The settings of a network with several heads: kind "neural"."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treewright.config import setting
from treewright.losses.settings import ObjectiveSettings
from treewright.models.ccg.settings import GrammarSettings
from treewright.models.neural.ccg import NeuralCcgConfig
from treewright.models.neural.members import check_weight
from treewright.neural.settings import NeuralSettings
from treewright.text.settings import TokeniserSettings


@dataclass(frozen=True)
class TreebankSettings:
    """A training treebank; without `train`, the network has no heads for its formalism."""

    train: Path | None = setting(None, "training treebank")
    dev: Path | None = setting(None, "dev treebank, scored after every epoch")
    repeat: int = setting(1, "number of times that each sentence is used per epoch")
    max_words: int = setting(200, "maximum length of training sentences")

    def __post_init__(self) -> None:
        if self.repeat < 1 or self.max_words < 1:
            raise ValueError("repeat and max_words must be positive")
        objective = getattr(self, "objective", None)
        if isinstance(objective, ObjectiveSettings) and objective.level == "corpus":
            raise ValueError("networks are not trained with level = corpus")


@dataclass(frozen=True)
class FeatureSettings(TreebankSettings):
    """Scores of a trained log-linear parser, added to those of the network."""

    features: Path | None = setting(None, "log-linear model of this kind whose scores are added")
    feature_weight: float = setting(0.3, "weight of feature scores, if there are features")
    pruned: float = setting(
        0.0, "prune the smallest feature weights, up to this fraction of the sum of squares"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_weight(self.feature_weight)
        if not 0 <= self.pruned < 1:
            raise ValueError(f"pruned must be from 0 up to 1, not {self.pruned}")


@dataclass(frozen=True)
class DependencyHeadSettings(FeatureSettings):
    """Labelled arcs, UPOS and XPOS, FEATS and lemmas, from a CoNLL-U file."""

    objective: ObjectiveSettings = setting(
        ObjectiveSettings(loss="hamming"), "training objective over all trees"
    )
    local: bool = setting(False, "train with cross entropy on the head of each word instead")


@dataclass(frozen=True)
class CcgHeadSettings(TreebankSettings):
    """Supertags, arguments of functors and rules, from an AUTO file."""

    grammar: GrammarSettings = setting(GrammarSettings(), "rules and lexical entries")
    rule_cutoff: int = setting(
        10,
        "minimum frequency of results of rules that the network tells apart, and of unary rules;\n"
        "0: the network does not score rules",
    )
    features: Path | None = setting(None, "log-linear model of this kind whose scores are added")
    charts: Path | None = setting(
        None, "CCG parser whose supertags build charts to train on, in addition to single words"
    )
    objective: ObjectiveSettings = setting(ObjectiveSettings(), "training objective over charts")
    pruned: float = setting(
        0.0, "prune the smallest feature weights, up to this fraction of the sum of squares"
    )


@dataclass(frozen=True)
class ConstituencyHeadSettings(FeatureSettings):
    """Labelled spans and POS tags, from a bracket file."""

    objective: ObjectiveSettings = setting(ObjectiveSettings(), "training objective over all trees")
    local: bool = setting(False, "train with cross entropy on each span instead")
    label_cutoff: int = setting(3, "minimum frequency of a label or chain of labels")


@dataclass(frozen=True)
class JointSettings:
    """One encoder, with heads for one to three treebanks."""

    dep: DependencyHeadSettings = setting(DependencyHeadSettings(), "dependency parser")
    ccg: CcgHeadSettings = setting(CcgHeadSettings(), "CCG parser")
    const: ConstituencyHeadSettings = setting(ConstituencyHeadSettings(), "constituency parser")
    neural: NeuralSettings = setting(NeuralSettings(), "encoder, scoring layers and training")
    tokeniser: bool = setting(True, "train a tokeniser for raw text on dep.train")
    tagger: bool = setting(True, "encoder.tags: train taggers for text without tags on dep.train")
    tokens: TokeniserSettings = setting(TokeniserSettings(), "tokeniser")
    parser: NeuralCcgConfig = setting(NeuralCcgConfig(), "charts and search of the CCG parser")

    def __post_init__(self) -> None:
        if not any(each.train for each in (self.dep, self.ccg, self.const)):
            raise ValueError("give dep.train, ccg.train or const.train")
        if self.neural.encoder.tags and (self.ccg.train or self.const.train):
            raise ValueError("encoder.tags: only dependency parsers take tags")


@dataclass(frozen=True)
class ScorerSettings(NeuralSettings):
    """`[scorer]` of a configuration whose kind is a single formalism."""

    kind: Literal["neural"] = setting("neural", "neural or log-linear")


@dataclass(frozen=True)
class NeuralDependencySettings(DependencyHeadSettings):
    """Kind "dep" with a neural scorer."""

    tokeniser: bool = setting(True, "train a tokeniser for raw text")
    tagger: bool = setting(True, "encoder.tags: train taggers for text without tags")
    scorer: ScorerSettings = setting(ScorerSettings(), "encoder, scoring layers and training")


@dataclass(frozen=True)
class NeuralCcgSettings(CcgHeadSettings):
    """Kinds "ccg", "super" and "pos" with a neural scorer."""

    parser: NeuralCcgConfig = setting(NeuralCcgConfig(), "charts and search of the CCG parser")
    scorer: ScorerSettings = setting(ScorerSettings(), "encoder, scoring layers and training")


@dataclass(frozen=True)
class NeuralConstituencySettings(ConstituencyHeadSettings):
    """Kind "const" with a neural scorer."""

    scorer: ScorerSettings = setting(ScorerSettings(), "encoder, scoring layers and training")
