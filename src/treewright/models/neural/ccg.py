"""CCG parsing with a network: supertags, rules, and the word that fills each functor's slot.

The score of a derivation is a weighted sum of log p(entry | word) over its words, of its dependency
scores (`treewright.scores.neural.slots`) and rule scores (`treewright.scores.neural.rules`), and
optionally of the feature scores of a log-linear parser and of the dependency trees of the same
network.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from treewright.config import from_dict, setting
from treewright.errors import StoreError
from treewright.forests.ccg.chart import ChartSettings
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.stored import grammar_arrays, grammar_texts, stored_grammar
from treewright.inference.settings import InferenceSettings
from treewright.models.ccg.parser import GRAMMAR, NAME, CcgParser, SearchSettings, under
from treewright.models.neural.dependency import NetworkTrees
from treewright.models.neural.members import (
    ARCS,
    CCG,
    RULES,
    SLOTS,
    shared_parts,
    stored_network,
    stored_tokeniser,
)
from treewright.models.neural.tagging import NetworkSupertagger
from treewright.scores.ccg.scorer import CcgScorer
from treewright.scores.neural.network import TrainedNetwork
from treewright.scores.neural.rules import RuleScorer
from treewright.scores.neural.slots import SlotScorer
from treewright.storage.bundle import Bundle

WEIGHTS = ("keys", "weights")


@dataclass(frozen=True)
class NeuralCcgConfig:
    """Settings of charts and search."""

    slot_weight: float = setting(1.0, "weight of dependency scores")
    feature_weight: float = setting(0.5, "weight of feature scores, if the model has features")
    rule_weight: float = setting(0.3, "weight of rule scores, if the network has them")
    arc_weight: float = setting(0.5, "weight of dependency trees, if the network predicts them")
    chart: ChartSettings = setting(
        ChartSettings(margin=8.0, cell_margin=8.0, max_items=50_000), "chart size and pruning"
    )
    search: SearchSettings = setting(
        SearchSettings(schedule="0.0001,0.001,0.01,0.075", tagger_weight=1.0), "search"
    )
    inference: InferenceSettings = setting(InferenceSettings("min-risk", penalty=0.3), "decoding")


@dataclass(frozen=True)
class StoredConfig(NeuralCcgConfig):
    """The saved configuration of a parser; the first models had neither of these weights."""

    rule_weight: float = 0.0
    arc_weight: float = 0.0
    scorer: str = "neural"
    templates: list[str] = field(default_factory=list)


class NeuralCcgParser(CcgParser):
    """A CCG parser whose supertags and dependencies are scored by a network."""

    supertagger: NetworkSupertagger
    scorer: SlotScorer

    @classmethod
    def of(
        cls,
        network: TrainedNetwork,
        grammar: CompiledGrammar,
        config: NeuralCcgConfig,
        features: CcgScorer | None = None,
    ) -> "NeuralCcgParser":
        """Creates a parser with a network's scores."""
        weights = config.slot_weight, features, config.feature_weight
        arcs = NetworkTrees(network).arcs if ARCS in network.labels else None
        rules = RuleScorer(network, RULES) if RULES in network.labels else None
        scorer = SlotScorer(
            network, SLOTS, *weights, arcs, config.arc_weight, rules, config.rule_weight
        )
        how = (config.chart, config.search, config.inference)
        return cls(grammar, NetworkSupertagger(network), scorer, *how)

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "NeuralCcgParser":
        if bundle.kind != NAME:
            raise StoreError(f"a model of kind {bundle.kind!r} where {NAME!r} is needed")
        config = from_dict(StoredConfig, bundle.config, "config.toml")
        grammar = stored_grammar(under(GRAMMAR, bundle.texts), under(GRAMMAR, bundle.arrays))
        features = None
        if config.templates:
            features = CcgScorer(config.templates, *(bundle.arrays[name] for name in WEIGHTS))
        made = cls.of(stored_network(bundle), grammar, config, features)
        return made.with_tokeniser(stored_tokeniser(bundle))

    @property
    def config(self) -> NeuralCcgConfig:
        """Settings of charts and search."""
        how = self.scorer
        weights = how.weight, how.feature_weight, how.rule_weight, how.arc_weight
        return NeuralCcgConfig(*weights, self.chart, self.settings, self.inference)

    def with_config(self, config: NeuralCcgConfig) -> "NeuralCcgParser":
        """The same network and grammar with other settings."""
        made = self.of(self.supertagger.network, self.grammar, config, self.scorer.features)
        return made.with_tokeniser(self.tokeniser)

    def bundle(self) -> Bundle:
        features = self.scorer.features
        templates = list(features.templates) if features else []
        config = StoredConfig(**vars(self.config), templates=templates)
        arrays: dict[str, Any] = {
            GRAMMAR + name: array for name, array in grammar_arrays(self.grammar).items()
        }
        if features is not None:
            arrays |= dict(zip(WEIGHTS, (features.keys, features.weights), strict=True))
        texts = {GRAMMAR + name: text for name, text in grammar_texts(self.grammar).items()}
        used = {RULES: self.scorer.rule_weight, ARCS: self.scorer.arc_weight}
        heads = (*CCG, *(name for name, weight in used.items() if weight))
        parts = shared_parts(self.supertagger.network, heads, self.tokeniser)
        return Bundle(NAME, asdict(config), arrays, texts, parts)
