"""Networks with several heads as a kind of model (kind "neural").

The model contains the network and a parser for each treebank. `treewright.load(DIRECTORY, "ccg")`
or the path `DIRECTORY/ccg` loads one of them.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treewright.data import conllu
from treewright.errors import ConfigError
from treewright.grammar.lexicon import Lexicon
from treewright.models.ccg.examples import gold_sentence
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.training import read_treebank, treebank_grammar
from treewright.models.contract import Analysis, Parser
from treewright.models.dependency.parser import TAGS
from treewright.models.dependency.tags import DependencyTagger, train_dependency_tagger
from treewright.models.kinds import Kind
from treewright.models.kinds import load as load_model
from treewright.models.neural.arc_features import log_linear_arcs
from treewright.models.neural.ccg import NeuralCcgParser
from treewright.models.neural.chart_features import log_linear_charts
from treewright.models.neural.constituency import NeuralConstConfig, NeuralConstParser
from treewright.models.neural.dependency import NeuralDependencyConfig, NeuralDependencyParser
from treewright.models.neural.lemmas import ENDINGS, learnt_endings
from treewright.models.neural.members import LEMMA, SHARED, member
from treewright.models.neural.settings import ConstituencyHeadSettings, JointSettings
from treewright.models.tagging.settings import MorphologySettings
from treewright.scores.ccg.scorer import CcgScorer, log_linear
from treewright.scores.neural.network import KIND as NETWORK
from treewright.scores.neural.network import TrainedNetwork
from treewright.storage.bundle import Bundle
from treewright.storage.pruning import FeatureTable, packed_table
from treewright.storage.tensors import Arrays
from treewright.text.tokeniser import Tokeniser, tokeniser_bundle, tokeniser_from_bundle
from treewright.text.training import train_tokeniser
from treewright.train.run import Run

NAME = "neural"
NO_RAY = (
    "a cluster only builds forests and sums over them, and this training has none: CCG charts "
    "(`ccg.charts`) or constituency trees (without `local`)"
)
PARSERS: Mapping[str, type[Parser[Analysis]]] = {
    "dep": NeuralDependencyParser,
    "ccg": NeuralCcgParser,
    "const": NeuralConstParser,
}


@dataclass(frozen=True)
class Family:
    """Parsers that share a network."""

    network: TrainedNetwork
    parsers: Mapping[str, Parser[Analysis]]

    def bundle(self) -> Bundle:
        """The bundle of the network and of each parser's own data."""
        bundles = {name: each.bundle() for name, each in self.parsers.items()}
        shared: dict[str, Bundle] = {}
        own: dict[str, Bundle] = {}
        for name, each in bundles.items():
            shared |= {k: part for k, part in each.parts.items() if k in SHARED}
            rest = {k: part for k, part in each.parts.items() if k not in SHARED}
            own[name] = replace(each, parts=rest)
        return Bundle(NAME, {}, {}, {}, {**shared, NETWORK: self.network.bundle, **own})


def load(bundle: Bundle) -> Parser[Analysis]:
    """Loads the first parser of a family: dep, ccg or const."""
    chosen = member(bundle)
    return PARSERS[chosen.kind].from_bundle(chosen)


def train(settings: JointSettings, run: Run) -> Family:
    """Trains a network, and a parser per treebank."""
    dep, const = settings.dep, settings.const
    # These are loaded before the network is trained, so that unusable ones are found at once.
    arcs = None if dep.features is None else log_linear_arcs(dep.features, dep.pruned)
    charts = None if const.features is None else log_linear_charts(const.features, const.pruned)
    network = trained_network(settings, run)
    tokeniser = _tokeniser(settings, run)
    parsers: dict[str, Parser[Analysis]] = {}
    if dep.train is not None:
        plain = NeuralDependencyParser(
            NeuralDependencyConfig(), network, tagger=_tagger(settings, run)
        )
        parsers["dep"] = plain if arcs is None else plain.with_features(arcs, dep.feature_weight)
    if settings.ccg.train is not None:
        parsers["ccg"] = ccg_parser(settings, network)
    if const.train is not None:
        bare = NeuralConstParser(NeuralConstConfig(), network)
        parsers["const"] = (
            bare if charts is None else bare.with_features(charts, const.feature_weight)
        )
    return Family(network, {k: each.with_tokeniser(tokeniser) for k, each in parsers.items()})


def trained_network(
    settings: JointSettings, run: Run, heads: Collection[str] = ()
) -> TrainedNetwork:
    """Trains a network with some heads, or with those of all treebanks."""
    from treewright.models.neural.training import exported_network, train_joint

    weights = run.stage(NETWORK, lambda: train_joint(settings, run, heads))
    made = run.stage("exported", lambda: exported_network(weights, settings.neural))
    return _with_endings(TrainedNetwork.from_bundle(made), settings)


def _with_endings(network: TrainedNetwork, settings: JointSettings) -> TrainedNetwork:
    """The network with the table of endings for its lemmas, if it has lemmas."""
    if LEMMA not in network.labels or settings.dep.train is None:
        return network
    text = learnt_endings(list(conllu.read(settings.dep.train)), network.labels[LEMMA])
    texts = {**network.bundle.texts, ENDINGS: text}
    return TrainedNetwork.from_bundle(replace(network.bundle, texts=texts))


def _tokeniser(settings: JointSettings, run: Run) -> Tokeniser | None:
    if not settings.tokeniser or settings.dep.train is None:
        return None
    trees = list(conllu.read(settings.dep.train))
    dev = list(conllu.read(settings.dep.dev)) if settings.dep.dev else []

    def make() -> Bundle:
        return tokeniser_bundle(train_tokeniser(trees, settings.tokens, run, dev))

    return tokeniser_from_bundle(run.stage("tok", make))


def _tagger(settings: JointSettings, run: Run) -> DependencyTagger | None:
    """Trains a tagger for untagged text, for a parser that takes tags."""
    if not (settings.neural.encoder.tags and settings.tagger and settings.dep.train):
        return None
    trees = list(conllu.read(settings.dep.train))

    def make() -> Bundle:
        return train_dependency_tagger(trees, MorphologySettings(), run).bundle()

    return DependencyTagger.from_bundle(run.stage(TAGS, make))


def ccg_parser(settings: JointSettings, network: TrainedNetwork) -> NeuralCcgParser:
    """Creates a parser with the treebank's grammar, or with that of the log-linear parser."""
    if settings.ccg.features is not None:
        return _with_features(settings, settings.ccg.features, network)
    assert settings.ccg.train is not None
    derivations = read_treebank(settings.ccg.train, settings.ccg.grammar)
    lexicon = Lexicon().learn(derivations)
    grammar = treebank_grammar(derivations, lexicon, settings.ccg.grammar)
    for derivation in derivations:
        gold_sentence(grammar, lexicon, derivation)  # the grammar learns categories from it
    return NeuralCcgParser.of(network, grammar, settings.parser)


def _with_features(
    settings: JointSettings, directory: Path, network: TrainedNetwork
) -> NeuralCcgParser:
    """A parser with the grammar and feature weights of another, pruned of small weights."""
    other = load_model(directory)
    if not isinstance(other, CcgParser):
        raise ConfigError(f"{directory}: not a model of kind 'ccg'")
    scorer = log_linear(other.scorer)
    arrays: Arrays = {"keys": scorer.keys, "weights": scorer.weights}
    kept = packed_table(arrays, FeatureTable(), settings.ccg.pruned)
    features = CcgScorer(scorer.templates, kept["keys"], kept["weights"])
    return NeuralCcgParser.of(network, other.grammar, settings.parser, features)


def has_forests(settings: Any) -> bool:
    """Whether training sums over forests, which a cluster can do."""
    ccg, const = (getattr(settings, name, settings) for name in ("ccg", "const"))
    spans = isinstance(const, ConstituencyHeadSettings) and const.train is not None
    return getattr(ccg, "charts", None) is not None or (spans and not const.local)


KIND = Kind(NAME, JointSettings, train, load, has_forests, NO_RAY, part=member)  # type: ignore[arg-type]
