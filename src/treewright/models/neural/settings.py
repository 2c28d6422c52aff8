"""The settings of a network with several heads: kind "neural"."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treewright.config import setting
from treewright.losses.settings import ObjectiveSettings
from treewright.models.ccg.settings import GrammarSettings
from treewright.models.neural.ccg import NeuralCcgConfig
from treewright.neural.settings import NeuralSettings
from treewright.text.settings import TokeniserSettings


@dataclass(frozen=True)
class TreebankSettings:
    """A treebank to learn from; without `train` the heads of its formalism are left out."""

    train: Path | None = setting(None, "The treebank.")
    dev: Path | None = setting(None, "Sentences to score on after every pass.")
    repeat: int = setting(1, "How often a pass sees every sentence.")
    max_words: int = setting(200, "Longer training sentences are left out.")

    def __post_init__(self) -> None:
        if self.repeat < 1 or self.max_words < 1:
            raise ValueError("repeat and max_words must be positive")


@dataclass(frozen=True)
class DependencyHeadSettings(TreebankSettings):
    """Labelled arcs, UPOS and XPOS, FEATS and lemmas of a CoNLL-U file."""

    objective: ObjectiveSettings = setting(
        ObjectiveSettings(loss="hamming"), "Of the arcs, over all trees."
    )
    local: bool = setting(False, "Train arcs word by word instead, by cross entropy.")


@dataclass(frozen=True)
class CcgHeadSettings(TreebankSettings):
    """Supertags and the arguments of functors, of an AUTO file."""

    grammar: GrammarSettings = setting(GrammarSettings(), "Rules and entries.")
    features: Path | None = setting(
        None, "A log-linear CCG parser, whose weights of features are added."
    )
    charts: Path | None = setting(
        None, "A CCG parser; charts of its supertags are trained on, beside every word alone."
    )
    objective: ObjectiveSettings = setting(ObjectiveSettings(), "Of derivations, over the charts.")
    pruned: float = setting(0.0, "Share of their sum of squares that the smallest weights lose.")


@dataclass(frozen=True)
class ConstituencyHeadSettings(TreebankSettings):
    """Labelled spans and parts of speech of a file of bracketed trees."""

    objective: ObjectiveSettings = setting(ObjectiveSettings(), "Of the trees, over all trees.")
    local: bool = setting(False, "Train spans one by one instead, by cross entropy.")
    label_cutoff: int = setting(3, "A label, or chain of labels, must occur this often.")


@dataclass(frozen=True)
class JointSettings:
    """One encoder, and heads for one to three treebanks."""

    dep: DependencyHeadSettings = setting(DependencyHeadSettings(), "Dependency trees.")
    ccg: CcgHeadSettings = setting(CcgHeadSettings(), "CCG derivations.")
    const: ConstituencyHeadSettings = setting(ConstituencyHeadSettings(), "Constituency trees.")
    neural: NeuralSettings = setting(NeuralSettings(), "The encoder, the heads, the training.")
    tokeniser: bool = setting(True, "Train a tokeniser on dep.train, for raw text.")
    tokens: TokeniserSettings = setting(TokeniserSettings(), "Of the tokeniser.")
    parser: NeuralCcgConfig = setting(NeuralCcgConfig(), "Charts and search of the CCG parser.")

    def __post_init__(self) -> None:
        if not any(each.train for each in (self.dep, self.ccg, self.const)):
            raise ValueError("give dep.train, ccg.train or const.train")


@dataclass(frozen=True)
class ScorerSettings(NeuralSettings):
    """`[scorer]` of a configuration whose kind is a single formalism."""

    kind: Literal["neural"] = setting("neural", "log-linear: weights of features instead.")


@dataclass(frozen=True)
class NeuralDependencySettings(DependencyHeadSettings):
    """Kind "dep" with a neural scorer."""

    tokeniser: bool = setting(True, "Train a tokeniser, for raw text.")
    scorer: ScorerSettings = setting(ScorerSettings(), "The encoder, the heads, the training.")


@dataclass(frozen=True)
class NeuralCcgSettings(CcgHeadSettings):
    """Kinds "ccg", "super" and "pos" with a neural scorer."""

    parser: NeuralCcgConfig = setting(NeuralCcgConfig(), "ccg: charts and search.")
    scorer: ScorerSettings = setting(ScorerSettings(), "The encoder, the heads, the training.")


@dataclass(frozen=True)
class NeuralConstituencySettings(ConstituencyHeadSettings):
    """Kind "const" with a neural scorer."""

    scorer: ScorerSettings = setting(ScorerSettings(), "The encoder, the heads, the training.")
