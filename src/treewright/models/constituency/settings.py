"""The settings of a constituency parser, and the configuration saved with its model."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from treewright.config import from_dict, setting
from treewright.forests.constituency.chart import ConstGrammar
from treewright.grammar.binarise import Binariser, Direction, head_child
from treewright.losses.settings import ObjectiveSettings
from treewright.models.constituency.decode import Decoder
from treewright.models.tagging.settings import POS_FOLDS, PosTaggerSettings
from treewright.scores.constituency.spans import SpanClasses, SpanModel, SpanSettings
from treewright.scores.constituency.templates import SETS, SpanEncoder
from treewright.storage.bundle import Bundle
from treewright.train.cutting_planes import SvmSettings
from treewright.train.folds import check_folds
from treewright.train.settings import OptimiserSettings


@dataclass(frozen=True)
class BinariseSettings:
    """Binarisation of trees."""

    direction: Direction = setting(
        "right", "direction: right, left, or head (outwards from the head child)"
    )
    horizontal: int = setting(
        0, "horizontal markovisation: number of siblings in artificial labels"
    )
    vertical: int = setting(
        1, "vertical markovisation: 2 adds parent annotation, 3 also the grandparent"
    )

    def make(self) -> Binariser:
        """The binariser with these settings."""
        return Binariser(self.direction, self.horizontal, self.vertical, head_child)


def feature_templates(name: str, more: Sequence[str]) -> list[str]:
    """A named set of feature templates with additional ones."""
    return [*SETS[name], *more]


@dataclass(frozen=True)
class ConstSettings:
    """All settings of a constituency parser."""

    train: Path = setting(Path("train.mrg"), "training trees (brackets)")
    dev: Path | None = setting(None, "dev trees (brackets), scored during training")
    max_words: int = setting(40, "maximum length of training sentences")
    sentences: int = setting(0, "number of training sentences, sampled at even intervals; 0: all")
    model: Literal["rich", "rules", "pcfg"] = setting(
        "rich", "rich: features; rules: weighted grammar; pcfg: PCFG"
    )
    features: Literal["full", "spans"] = setting("full", "feature set")
    templates: list[str] = setting(
        [], "additional feature templates, such as 'span: word@begin pos@end'"
    )
    word_count: int = setting(2, "minimum word frequency; rarer words are replaced by word classes")
    feature_count: int = setting(1, "rich: minimum frequency of a feature in gold trees")
    shared_bits: int = setting(
        -1, "rich: hash all other features into 2^bits weights; -1: drop them"
    )
    folds: int = setting(4, "number of folds for pruning training charts with held-out models")
    counting: Literal["plain", "collins", "new"] = setting(
        "plain", "constituents that losses count: all, or those of EVALB's COLLINS.prm or new.prm"
    )
    binarised: bool = setting(False, "compute losses on binarised trees")
    decoder: Literal["viterbi", "max-constituents", "max-f1"] = setting("viterbi", "decoder")
    solver: Literal["optimiser", "svm"] = setting(
        "optimiser",
        "svm: structured SVM, solved in one process; with --ray, workers share the charts",
    )
    binarise: BinariseSettings = setting(BinariseSettings(), "binarisation")
    pruning: SpanSettings = setting(SpanSettings(), "span model for chart pruning")
    objective: ObjectiveSettings = setting(ObjectiveSettings(), "training objective")
    optimiser: OptimiserSettings = setting(
        OptimiserSettings(iterations=60, prior=0.7), "optimiser, for solver = optimiser"
    )
    svm: SvmSettings = setting(SvmSettings(), "structured SVM, for solver = svm")
    tagger: bool = setting(True, "also train a POS tagger, for text without tags")
    pos: PosTaggerSettings = setting(PosTaggerSettings(), "POS tagger")
    pos_train: Path | None = setting(
        None,
        "more sentences for the POS tagger (CoNLL-U with XPOS); those with tags that the trees\n"
        "lack are skipped",
    )
    pos_folds: int = setting(0, f"{POS_FOLDS};\nif not 0, dev is scored with predicted tags")

    def __post_init__(self) -> None:
        self.optimiser.check_dev(self.dev)
        check_folds("pos_folds", self.pos_folds)
        if (self.pos_folds or self.pos_train) and not self.tagger:
            raise ValueError(f"pos_{'folds' if self.pos_folds else 'train'} needs tagger = true")
        if self.tagger:
            self.pos.chain.check_dev(self.dev)
        if min(self.sentences, self.folds) < 0 or self.max_words < 1:
            raise ValueError("sentences and folds must not be negative, max_words positive")
        if self.solver == "svm":
            self._check_svm()
        if self.model == "pcfg" and self.decoder != "viterbi":
            raise ValueError("a PCFG only supports decoder = viterbi")

    def _check_svm(self) -> None:
        if self.objective.name not in ("hinge", "hinge-slack"):
            raise ValueError("solver = svm needs objective.name = hinge or hinge-slack")
        self.svm.check_dev(self.dev)


NAME = "const"


@dataclass(frozen=True)
class ConstConfig:
    """The saved configuration of a parser; threshold and bits are those of its span model."""

    model: Literal["rich", "rules", "pcfg"] = "rich"
    decoder: Decoder = "viterbi"
    threshold: float = 0.0
    bits: int = 0
    shared_bits: int = -1
    templates: list[str] = field(default_factory=list)


def stored_config(bundle: Bundle) -> ConstConfig:
    """The configuration in a parser's bundle."""
    return from_dict(ConstConfig, bundle.config, "config.toml")


def make_bundle(
    settings: ConstSettings,
    grammar: ConstGrammar,
    encoder: SpanEncoder,
    arrays: dict[str, Any],
    classes: SpanClasses | None = None,
) -> Bundle:
    """The bundle of a parser."""
    texts = {
        "grammar.txt": grammar.rules.lines(),
        "words.txt": "".join(f"{word}\n" for word in encoder.vocabulary.words),
        "classes.txt": "".join(f"{name}\n" for name in (classes.names if classes else ())),
    }
    config = ConstConfig(
        model=settings.model,
        decoder=settings.decoder,
        threshold=settings.pruning.threshold,
        bits=settings.pruning.bits,
        shared_bits=settings.shared_bits,
        templates=list(encoder.texts),
    )
    return Bundle(NAME, asdict(config), arrays, texts)


def span_bundle(model: SpanModel) -> Bundle:
    """The bundle of a span model."""
    names = "".join(f"{name}\n" for name in model.classes.names)
    return Bundle("spans", {"bits": model.bits}, {"spans": model.weights()}, {"classes.txt": names})


def span_model(bundle: Bundle, encoder: SpanEncoder) -> SpanModel:
    """The span model in a bundle of its own or in a parser's."""
    classes = SpanClasses(tuple(bundle.texts["classes.txt"].split("\n")[:-1]))
    model = SpanModel(classes, int(str(bundle.config["bits"])), encoder.templates)
    model.core.set_weights(np.ascontiguousarray(bundle.arrays["spans"]).ravel())
    return model
