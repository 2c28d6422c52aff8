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
TRANSITIONS = ("arc-eager", "arc-hybrid")  # all other algorithms are graph-based


@dataclass(frozen=True)
class TransitionModelSettings:
    """The settings that are saved with a transition-based parser: features and search."""

    features: str = setting("rich", "feature set: paper, zhang-nivre or rich")
    templates: list[str] = setting([], "additional feature templates, such as 'word@s0 xpos@b0'")
    beam: int = setting(8, "beam size in training, and the default in parsing")
    temperature: float = setting(1.0, "softmax temperature for probabilities")

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise ValueError(f"temperature must be positive, not {self.temperature}")


@dataclass(frozen=True)
class TransitionSettings(TransitionModelSettings):
    """Features, search and updates of a transition-based parser."""

    update: Literal["max-violation", "early"] = setting("max-violation", "update strategy")
    aggressiveness: float = setting(
        0.0, "0: perceptron updates; otherwise the maximum step size of passive-aggressive updates"
    )
    reduce_early: bool = setting(False, "arc-eager: reduce as early as possible in gold sequences")
    oracle: Literal["static", "dynamic"] = setting(
        "static", "dynamic: train with exploration; needs arc-hybrid and beam = 1"
    )
    exploration: float = setting(0.9, "dynamic: probability of following a wrong prediction")
    pseudo_projective: bool = setting(
        False, "pseudo-projective parsing: lift non-projective arcs, and restore them after parsing"
    )
    threshold: float = setting(
        1.5, "drop averaged weights up to this size, at most up to 1/32 of the largest"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.features not in SETS:
            raise ValueError(f"features must be one of {', '.join(SETS)}, not {self.features!r}")
        if not 1 <= self.beam <= MAX_BEAM:
            raise ValueError(f"beam must be from 1 to {MAX_BEAM}, not {self.beam}")
        if self.oracle == "dynamic" and self.beam != 1:
            raise ValueError("oracle = dynamic needs beam = 1")
        steps = self.update, self.aggressiveness
        if self.oracle == "dynamic" and steps != ("max-violation", 0.0):
            raise ValueError("oracle = dynamic does not support update or aggressiveness")
        if not 0 <= self.exploration <= 1:
            raise ValueError(f"exploration must be from 0 to 1, not {self.exploration}")
        for name in ("aggressiveness", "threshold"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must not be negative, not {getattr(self, name)}")


@dataclass(frozen=True)
class GraphModelSettings:
    """The settings that are saved with a graph-based parser: features and search."""

    features: str = setting("rich", "feature set: paper or rich")
    templates: list[str] = setting(
        [], "additional feature templates, such as 'word@head xpos@dep[-1]'"
    )
    bits: int = setting(22, "size of the weight table: 2^bits entries")
    second_order: bool = setting(True, "eisner: second-order model with sibling features")
    single_root: bool = setting(True, "allow only one root per tree")
    label_variants: bool = setting(
        False, "include trees that differ only in labels in k-best lists"
    )


@dataclass(frozen=True)
class GraphSettings(GraphModelSettings):
    """Features, search and loss of a graph-based parser."""

    decoding: Literal["viterbi", "min-risk"] = setting(
        "viterbi", "decoder: the best tree, or the tree with the highest expected attachment score"
    )
    labelled: bool = setting(True, "count an arc with a wrong label as an error in the loss")

    def __post_init__(self) -> None:
        if self.features not in NAMED:
            raise ValueError(f"features must be one of {', '.join(NAMED)}, not {self.features!r}")
        if not 10 <= self.bits <= 30:
            raise ValueError(f"bits must be from 10 to 30, not {self.bits}")


@dataclass(frozen=True)
class DependencySettings:
    """All settings of a dependency parser."""

    train: Path = setting(Path("train.conllu"), "training trees (CoNLL-U)")
    dev: Path | None = setting(None, "dev trees (CoNLL-U), scored after each epoch")
    algorithm: Literal["arc-eager", "arc-hybrid", "mst", "eisner"] = setting(
        "arc-eager", "parsing algorithm; arc-* are transition-based, mst and eisner graph-based"
    )
    tagger: bool = setting(True, "train taggers for text without tags")
    pos_folds: int = setting(
        5,
        "number of folds for tagger jackknifing: train on predicted tags, as in parsing, and\n"
        "score dev with predicted tags; 0: gold tags",
    )
    tokeniser: bool = setting(True, "train a tokeniser for raw text; needs CoNLL-U input")
    form_cutoff: int = setting(1, "treat forms and affixes with at most this frequency as unknown")
    transition: TransitionSettings = setting(TransitionSettings(), "arc-eager and arc-hybrid")
    graph: GraphSettings = setting(GraphSettings(), "mst and eisner")
    objective: ObjectiveSettings = setting(
        ObjectiveSettings("perceptron", "hamming"),
        "training objective; arc-eager, arc-hybrid: perceptron (variants: see transition);\n"
        "mst: perceptron, likelihood, or softmax-margin with loss = hamming; eisner: all",
    )
    optimiser: OptimiserSettings = setting(
        OptimiserSettings("adagrad", inf, 6, rate=0.2, batch=1, patience=3),
        "optimiser, one sentence at a time; the perceptron ignores the rate",
    )
    augment: list[AugmentSettings] = setting([], "additional data sets, each with its loss")
    pos: MorphologySettings = setting(
        MorphologySettings(), "taggers for UPOS and XPOS, FEATS, and lemmas"
    )
    tokens: TokeniserSettings = setting(TokeniserSettings(), "tokeniser")

    def __post_init__(self) -> None:
        if self.form_cutoff < 0:
            raise ValueError(f"form_cutoff must not be negative, not {self.form_cutoff}")
        check_folds("pos_folds", self.pos_folds)
        if self.tagger:
            self.pos.chain.check_dev(self.dev)
        if self.transition.oracle == "dynamic" and self.algorithm != "arc-hybrid":
            raise ValueError("oracle = dynamic needs algorithm = arc-hybrid")
        if self.algorithm == "eisner" and self.graph.second_order and self.graph.label_variants:
            raise ValueError("eisner with graph.second_order does not support graph.label_variants")
        if self.lifts and self.augment:
            raise ValueError("transition.pseudo_projective does not support [[augment]]")
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
            raise ValueError(f"the objective {name!r} does not support [[augment]]")
        if self.objective.level == "corpus":
            raise ValueError("dependency parsers do not support level = corpus")
        if self.algorithm == "mst" and not (
            name == "likelihood" or (name == "softmax-margin" and loss == "hamming")
        ):
            raise ValueError(
                f"mst has no objective {name!r} with the loss {loss!r}: the matrix-tree theorem"
                " gives likelihood, or softmax-margin with the loss hamming; eisner has all others"
            )

    def _check_optimiser(self) -> None:
        o = self.optimiser
        if (o.name, o.prior, o.batch, o.averaging, o.decay) != ("adagrad", inf, 1, True, 0.0):
            raise ValueError(
                "[optimiser]: a dependency parser learns one sentence at a time: name = adagrad,"
                " prior = inf, batch = 1, averaging = true, decay = 0"
            )

    @property
    def retags(self) -> bool:
        """Whether training replaces gold tags by predicted ones."""
        return self.tagger and self.pos_folds > 0

    @property
    def lifts(self) -> bool:
        """Whether training trees are made pseudo-projective."""
        return self.transition.pseudo_projective and self.algorithm in TRANSITIONS


T = TypeVar("T")
Decoder = Literal["viterbi", "min-risk"]


@dataclass(frozen=True)
class DependencyConfig:
    """The saved configuration of a parser.

    tags: the tags that it was trained on.
    lifts: whether its trees are pseudo-projective.
    """

    algorithm: Literal["arc-eager", "arc-hybrid", "mst", "eisner"]
    tags: Literal["gold", "automatic"]
    decoder: Decoder
    lifts: bool
    transition: TransitionModelSettings
    graph: GraphModelSettings


def saved_config(settings: DependencySettings) -> DependencyConfig:
    """The saved part of the training settings."""
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
    """The fields of a base class of the settings."""
    return cls(**{field.name: getattr(settings, field.name) for field in fields(cls)})  # type: ignore[arg-type]
