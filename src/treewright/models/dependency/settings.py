"""The settings of a dependency parser."""

from dataclasses import dataclass, fields
from math import inf
from pathlib import Path
from typing import Any, Literal, TypeVar

from treewright.config import setting
from treewright.losses.settings import ObjectiveSettings
from treewright.models.tagging.settings import MorphologySettings
from treewright.scores.dependency.arc_templates import NAMED
from treewright.scores.dependency.state_sets import SETS
from treewright.text.settings import TokeniserSettings
from treewright.train.folds import check_folds
from treewright.train.settings import OptimiserSettings
from treewright.train.supervision import AugmentSettings

MAX_BEAM = 1000
TRANSITIONS = ("arc-eager", "arc-hybrid")  # algorithms by transitions; the others are graph-based


@dataclass(frozen=True)
class TransitionModelSettings:
    """What a trained transition parser keeps: features and search."""

    features: str = setting("rich", "a named set of templates: paper, zhang-nivre or rich")
    templates: list[str] = setting([], "further templates: lines like 'word@s0 xpos@b0'")
    beam: int = setting(8, "states kept at each step, in training and by default in parsing")
    temperature: float = setting(
        1.0, "scores are divided by this where probabilities are made of them"
    )

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise ValueError(f"temperature must be positive, not {self.temperature}")


@dataclass(frozen=True)
class TransitionSettings(TransitionModelSettings):
    """Features, search and updates of a transition parser."""

    update: Literal["max-violation", "early"] = setting(
        "max-violation", "where in a sequence of transitions to update"
    )
    aggressiveness: float = setting(
        0.0, "0: steps of size 1; otherwise passive-aggressive steps up to this size"
    )
    reduce_early: bool = setting(False, "arc-eager: gold sequences reduce as soon as they can")
    oracle: Literal["static", "dynamic"] = setting(
        "static", "dynamic: greedy learning that explores its own mistakes; arc-hybrid, beam 1"
    )
    exploration: float = setting(0.9, "dynamic: the share of mistakes that are followed")
    pseudo_projective: bool = setting(
        False, "mark words whose arcs are lifted, and move them back after parsing"
    )
    threshold: float = setting(1.5, "averaged weights up to this size are dropped")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.features not in SETS:
            raise ValueError(f"features must be one of {', '.join(SETS)}, not {self.features!r}")
        if not 1 <= self.beam <= MAX_BEAM:
            raise ValueError(f"beam must be from 1 to {MAX_BEAM}, not {self.beam}")
        if self.oracle == "dynamic" and self.beam != 1:
            raise ValueError("oracle = dynamic learns without a beam: set beam to 1")
        steps = self.update, self.aggressiveness
        if self.oracle == "dynamic" and steps != ("max-violation", 0.0):
            raise ValueError("oracle = dynamic has steps of its own: no update or aggressiveness")
        if not 0 <= self.exploration <= 1:
            raise ValueError(f"exploration must be from 0 to 1, not {self.exploration}")
        for name in ("aggressiveness", "threshold"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must not be negative, not {getattr(self, name)}")


@dataclass(frozen=True)
class GraphModelSettings:
    """What a trained graph-based parser keeps: features and search."""

    features: str = setting("rich", "a named set of templates: paper or rich")
    templates: list[str] = setting([], "further templates: lines like 'word@head xpos@dep[-1]'")
    bits: int = setting(22, "the table of weights has 2^bits entries")
    second_order: bool = setting(True, "eisner: also score neighbouring dependents")
    single_root: bool = setting(True, "exactly one word depends on the root")
    label_variants: bool = setting(False, "k-best lists hold trees that differ in labels alone")


@dataclass(frozen=True)
class GraphSettings(GraphModelSettings):
    """Features, search and loss of a graph-based parser."""

    decoding: Literal["viterbi", "min-risk"] = setting(
        "viterbi", "the best tree, or the one with the most correct words in expectation"
    )
    labelled: bool = setting(True, "whether the loss counts an arc with a wrong label as wrong")

    def __post_init__(self) -> None:
        if self.features not in NAMED:
            raise ValueError(f"features must be one of {', '.join(NAMED)}, not {self.features!r}")
        if not 10 <= self.bits <= 30:
            raise ValueError(f"bits must be from 10 to 30, not {self.bits}")


@dataclass(frozen=True)
class DependencySettings:
    """All settings of a dependency parser."""

    train: Path = setting(Path("train.conllu"), "trees to learn from")
    dev: Path | None = setting(None, "trees to score on after each pass")
    algorithm: Literal["arc-eager", "arc-hybrid", "mst", "eisner"] = setting(
        "arc-eager", "transition-based or graph-based"
    )
    tagger: bool = setting(True, "train taggers for text without tags")
    pos_folds: int = setting(
        5,
        "with tagger: 0 trains on gold tags; n trains on those of n taggers, each of which has\n"
        "not seen what it tags, and scores dev with the tagger's, since text has no gold tags",
    )
    tokeniser: bool = setting(True, "train a tokeniser for raw text; needs CoNLL-U")
    form_cutoff: int = setting(1, "forms and affixes that occur at most this often are unknown")
    transition: TransitionSettings = setting(
        TransitionSettings(), "settings of arc-eager and arc-hybrid"
    )
    graph: GraphSettings = setting(GraphSettings(), "settings of mst and eisner")
    objective: ObjectiveSettings = setting(
        ObjectiveSettings("perceptron", "hamming"),
        "objective to minimise. arc-eager, arc-hybrid: perceptron (variants: see transition);\n"
        "mst: perceptron, likelihood, or softmax-margin with the loss hamming; eisner: all",
    )
    optimiser: OptimiserSettings = setting(
        OptimiserSettings("adagrad", inf, 6, rate=0.2, batch=1, patience=3),
        "how to minimise it: one sentence at a time. The perceptron has steps of 1, and no rate",
    )
    augment: list[AugmentSettings] = setting([], "further data sets, each with its loss")
    pos: MorphologySettings = setting(
        MorphologySettings(), "taggers of UPOS and XPOS, of FEATS, and of lemmas"
    )
    tokens: TokeniserSettings = setting(
        TokeniserSettings(), "the tokeniser's features and training"
    )

    def __post_init__(self) -> None:
        if self.form_cutoff < 0:
            raise ValueError(f"form_cutoff must not be negative, not {self.form_cutoff}")
        check_folds("pos_folds", self.pos_folds)
        if self.tagger:
            self.pos.chain.check_dev(self.dev)
        if self.transition.oracle == "dynamic" and self.algorithm != "arc-hybrid":
            raise ValueError("only algorithm = arc-hybrid has a dynamic oracle")
        if self.algorithm == "eisner" and self.graph.second_order and self.graph.label_variants:
            raise ValueError("graph.label_variants goes with no graph.second_order in eisner")
        if self.lifts and self.augment:
            raise ValueError("transition.pseudo_projective goes with no [[augment]]")
        self._check_objective()
        self._check_optimiser()

    def _check_objective(self) -> None:
        name, loss = self.objective.name, self.objective.loss
        if name == "perceptron":
            return
        if self.algorithm in TRANSITIONS:
            raise ValueError(
                f"{self.algorithm} has no objective {name!r}: a beam sums over no forest, so it"
                " learns by the perceptron (variants: transition.update, aggressiveness, oracle)."
                " The algorithms mst and eisner have other objectives"
            )
        if self.augment:
            raise ValueError(f"the objective {name!r} goes with no [[augment]]")
        if self.objective.level == "corpus":
            raise ValueError("a dependency parser learns sentence by sentence: no level = corpus")
        if self.algorithm == "mst" and not (
            name == "likelihood" or (name == "softmax-margin" and loss == "hamming")
        ):
            raise ValueError(
                f"mst has no objective {name!r} with the loss {loss!r}: the matrix-tree theorem"
                " gives likelihood, or softmax-margin with the loss hamming; eisner has all others"
            )

    def _check_optimiser(self) -> None:
        how = self.optimiser
        if (how.name, how.prior, how.batch, how.averaging, how.decay) != (
            "adagrad", inf, 1, True, 0.0,
        ):  # fmt: skip
            raise ValueError(
                "[optimiser]: a dependency parser learns one sentence at a time: name = adagrad,"
                " prior = inf, batch = 1, averaging = true, decay = 0"
            )

    @property
    def retags(self) -> bool:
        """Whether automatic tags take the place of gold ones in training."""
        return self.tagger and self.pos_folds > 0

    @property
    def lifts(self) -> bool:
        """Whether trees are pseudo-projective."""
        return self.transition.pseudo_projective and self.algorithm in TRANSITIONS


T = TypeVar("T")
Decoder = Literal["viterbi", "min-risk"]


@dataclass(frozen=True)
class DependencyConfig:
    """The saved configuration of a parser.

    tags: what it was trained on. lifts: whether its trees are pseudo-projective.
    """

    algorithm: Literal["arc-eager", "arc-hybrid", "mst", "eisner"]
    tags: Literal["gold", "automatic"]
    decoder: Decoder
    lifts: bool
    transition: TransitionModelSettings
    graph: GraphModelSettings


def saved_config(settings: DependencySettings) -> DependencyConfig:
    """What parsing needs of the settings of a training."""
    decoder = "viterbi" if settings.algorithm in TRANSITIONS else settings.graph.decoding
    return DependencyConfig(
        settings.algorithm,
        "automatic" if settings.retags else "gold",
        decoder,
        settings.lifts,
        _part(TransitionModelSettings, settings.transition),
        _part(GraphModelSettings, settings.graph),
    )


def _part(cls: type[T], settings: Any) -> T:
    """The fields of a base class."""
    return cls(**{field.name: getattr(settings, field.name) for field in fields(cls)})  # type: ignore[arg-type]
