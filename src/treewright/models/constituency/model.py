"""Constituency parsers from and to model directories."""

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.forests.build import Chart
from treewright.forests.constituency.chart import ConstGrammar, Layout
from treewright.forests.features import FeatureMatrix
from treewright.grammar.treebank import TreebankRules
from treewright.grammar.words import Vocabulary
from treewright.models.constituency.parser import ConstParser, PcfgParser
from treewright.models.constituency.prune import Pruner
from treewright.models.constituency.settings import ConstSettings, feature_templates
from treewright.models.tagging.pos import PosTagger
from treewright.scores.constituency.encoder import SpanEncoder, Tokens
from treewright.scores.constituency.features import ConstFeatures
from treewright.scores.constituency.spans import SpanClasses, SpanModel
from treewright.storage.bundle import Bundle

NAME = "const"


class Featuriser:
    """Features and scores of parts, for either model."""

    def __init__(self, grammar: ConstGrammar, rich: ConstFeatures | None) -> None:
        self.rich, self.rules = rich, grammar.rules.size

    @property
    def layout(self) -> Layout:
        """Of the charts that it has features for."""
        return "rules" if self.rich is None else "spans"

    def __len__(self) -> int:
        return self.rules if self.rich is None else len(self.rich)

    def matrix(self, tokens: Tokens, chart: Chart) -> FeatureMatrix:
        """The parts' features: their rule alone in a weighted grammar."""
        if self.rich is not None:
            return self.rich.matrix(tokens, chart)
        rule = chart.parts[:, 0]
        first = np.concatenate(([0], np.cumsum(rule >= 0))).astype(np.int32)
        return FeatureMatrix.from_csr(first, rule[rule >= 0])

    def scores(self, tokens: Tokens, chart: Chart, weights: Floats) -> Floats:
        """The parts' scores."""
        if self.rich is not None:
            return self.rich.scores(tokens, chart, weights)
        rule = chart.parts[:, 0]
        return np.where(rule >= 0, weights[rule], 0.0)


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
    return Bundle(NAME, asdict(settings), arrays, texts)


def span_bundle(model: SpanModel) -> Bundle:
    """A span model for a model directory."""
    names = "".join(f"{name}\n" for name in model.classes.names)
    return Bundle(
        "spans", {"bits": model.bits}, {"weights": model.weights()}, {"classes.txt": names}
    )


def span_model(bundle: Bundle, encoder: SpanEncoder) -> SpanModel:
    """The span model that `span_bundle` put there."""
    model = SpanModel(
        SpanClasses(tuple(bundle.texts["classes.txt"].split("\n")[:-1])),
        int(str(bundle.config["bits"])),
        encoder.templates,
    )
    model.core.set_weights(np.ascontiguousarray(bundle.arrays["weights"]).ravel())
    return model


def assemble(
    bundle: Bundle | None,
    grammar: ConstGrammar,
    encoder: SpanEncoder,
    pruner: Pruner,
    features: Featuriser,
    weights: Floats,
) -> ConstParser:
    """A parser of its pieces; without a bundle it cannot be saved."""
    return ConstParser(
        grammar,
        encoder,
        pruner,
        features.layout,
        lambda tokens, chart: features.scores(tokens, chart, weights),
        bundle,
        str(bundle.config["decoder"]) if bundle else "viterbi",
    )


def load(bundle: Bundle) -> ConstParser | PcfgParser:
    """The parser of a model directory."""
    config: Any = bundle.config
    grammar = ConstGrammar(TreebankRules.from_lines(bundle.texts["grammar.txt"]))
    weights = bundle.arrays["weights"]
    tagger = PosTagger.from_bundle(bundle.parts["pos"]).tag if "pos" in bundle.parts else None
    if config["model"] == "pcfg":
        return PcfgParser(grammar, weights, bundle, tagger)
    vocabulary = Vocabulary(tuple(bundle.texts["words.txt"].split("\n")[:-1]))
    encoder = SpanEncoder(vocabulary, feature_templates(config["features"], config["templates"]))
    spans = replace_bits(bundle, encoder)
    pruner = Pruner(grammar, spans, float(config["pruning"]["threshold"]))
    rich = None
    if config["model"] == "rich":
        keys, bits = bundle.arrays["keys"], int(config["shared_bits"])
        rich = ConstFeatures(grammar, encoder.templates, keys, bits)
    features = Featuriser(grammar, rich)
    parser = assemble(bundle, grammar, encoder, pruner, features, weights)
    parser.tagger = tagger
    return parser


def replace_bits(bundle: Bundle, encoder: SpanEncoder) -> SpanModel:
    """The span model inside a parser's bundle."""
    config: Any = bundle.config
    bits = {"bits": config["pruning"]["bits"]}
    return span_model(
        replace(bundle, config=bits, arrays={"weights": bundle.arrays["spans"]}), encoder
    )
