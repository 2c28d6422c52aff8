"""What model directories keep of constituency parsers."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from treewright.config import from_dict
from treewright.forests.constituency.chart import ConstGrammar
from treewright.models.constituency.decode import Decoder
from treewright.models.constituency.settings import ConstSettings
from treewright.scores.constituency.encoder import SpanEncoder
from treewright.scores.constituency.spans import SpanClasses, SpanModel
from treewright.storage.bundle import Bundle

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
