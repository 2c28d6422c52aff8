"""The settings of a constituency parser, and what its model directory keeps."""

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
    """How trees become binary."""

    direction: Direction = setting("right", "right, left, or head: outwards from the head child")
    horizontal: int = setting(0, "number of siblings that an artificial label names")
    vertical: int = setting(1, "2: labels name their parent; 3: and its parent")

    def make(self) -> Binariser:
        """The binariser."""
        return Binariser(self.direction, self.horizontal, self.vertical, head_child)


def feature_templates(name: str, more: Sequence[str]) -> list[str]:
    """A named set of templates, and further ones."""
    return [*SETS[name], *more]


@dataclass(frozen=True)
class ConstSettings:
    """All settings of a constituency parser."""

    train: Path = setting(Path("train.mrg"), "a bracket file to train on")
    dev: Path | None = setting(None, "a bracket file to score on while training")
    max_words: int = setting(40, "longer sentences are left out of training")
    sentences: int = setting(0, "number of training sentences, evenly spread; 0: all")
    model: Literal["rich", "rules", "pcfg"] = setting("rich", "features, weighted rules, or a PCFG")
    features: Literal["full", "spans"] = setting("full", "a named set of feature templates")
    templates: list[str] = setting([], "further templates: lines like 'span: word@begin pos@end'")
    word_count: int = setting(2, "rarer words are replaced by their class")
    feature_count: int = setting(1, "rich: features that gold trees have less often are left out")
    shared_bits: int = setting(-1, "rich: all other features share 2^bits weights; -1: none")
    folds: int = setting(4, "training charts are pruned by models of the other folds")
    counting: Literal["plain", "collins", "new"] = setting(
        "plain", "how losses count constituents: all, or as EVALB's COLLINS.prm or new.prm"
    )
    binarised: bool = setting(False, "losses count the nodes of binarised trees instead")
    decoder: Literal["viterbi", "max-constituents", "max-f1"] = setting(
        "viterbi", "how to choose a tree"
    )
    solver: Literal["optimiser", "svm"] = setting(
        "optimiser",
        "svm: a structured SVM, solved in one process; with --ray, workers share the charts",
    )
    binarise: BinariseSettings = setting(BinariseSettings(), "how to make trees binary")
    pruning: SpanSettings = setting(SpanSettings(), "the span model that prunes charts")
    objective: ObjectiveSettings = setting(ObjectiveSettings(), "objective to minimise")
    optimiser: OptimiserSettings = setting(
        OptimiserSettings(iterations=60, prior=0.7), "how to minimise it, with solver optimiser"
    )
    svm: SvmSettings = setting(SvmSettings(), "how to minimise it, with solver svm")
    tagger: bool = setting(True, "train a part-of-speech tagger, too, for text without tags")
    pos: PosTaggerSettings = setting(
        PosTaggerSettings(), "features and training of the part-of-speech tagger"
    )
    pos_folds: int = setting(0, f"{POS_FOLDS}; dev is then scored without gold ones")

    def __post_init__(self) -> None:
        self.optimiser.check_dev(self.dev)
        check_folds("pos_folds", self.pos_folds)
        if self.pos_folds and not self.tagger:
            raise ValueError("pos_folds needs tagger = true")
        if self.tagger:
            self.pos.chain.check_dev(self.dev)
        if min(self.sentences, self.folds) < 0 or self.max_words < 1:
            raise ValueError("sentences and folds must not be negative, max_words positive")
        if self.solver == "svm":
            self._check_svm()
        if self.model == "pcfg" and self.decoder != "viterbi":
            raise ValueError("a PCFG has no decoder but viterbi")

    def _check_svm(self) -> None:
        if self.objective.name not in ("hinge", "hinge-slack"):
            raise ValueError("the solver svm needs objective.name = hinge or hinge-slack")
        self.svm.check_dev(self.dev)


NAME = "const"


@dataclass(frozen=True)
class ConstConfig:
    """The saved configuration of a parser: threshold and bits are those of its span model."""

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
    """All that a parser is made of."""
    texts = {
        "grammar.txt": grammar.rules.lines(),
        "words.txt": "".join(f"{word}\n" for word in encoder.vocabulary.words),
        "classes.txt": "".join(f"{name}\n" for name in (classes.names if classes else ())),
    }
    pruning = settings.pruning
    how = (settings.model, settings.decoder, pruning.threshold, pruning.bits, settings.shared_bits)
    return Bundle(NAME, asdict(ConstConfig(*how, list(encoder.texts))), arrays, texts)


def span_bundle(model: SpanModel) -> Bundle:
    """A span model for a model directory."""
    names = "".join(f"{name}\n" for name in model.classes.names)
    return Bundle("spans", {"bits": model.bits}, {"spans": model.weights()}, {"classes.txt": names})


def span_model(bundle: Bundle, encoder: SpanEncoder) -> SpanModel:
    """The span model of `span_bundle`, or the one inside a parser's bundle."""
    classes = SpanClasses(tuple(bundle.texts["classes.txt"].split("\n")[:-1]))
    model = SpanModel(classes, int(str(bundle.config["bits"])), encoder.templates)
    model.core.set_weights(np.ascontiguousarray(bundle.arrays["spans"]).ravel())
    return model
