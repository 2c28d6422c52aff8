"""CCG parsing with a network: supertags, and for every functor and slot the word that fills it.

The score of a derivation is a weighted sum of log p(entry | word) over its words, of its dependency
scores (`treewright.scores.neural.slots`), and optionally of the feature scores of a log-linear
parser.
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
from treewright.models.neural.members import (
    CCG,
    SLOTS,
    shared_parts,
    stored_network,
    stored_tokeniser,
)
from treewright.models.neural.tagging import NetworkSupertagger
from treewright.scores.ccg.scorer import CcgScorer
from treewright.scores.neural.network import TrainedNetwork
from treewright.scores.neural.slots import SlotScorer
from treewright.storage.bundle import Bundle

WEIGHTS = ("keys", "weights")


@dataclass(frozen=True)
class NeuralCcgConfig:
    """How charts are scored and searched."""

    slot_weight: float = setting(1.0, "weight of dependency scores")
    feature_weight: float = setting(0.5, "weight of feature scores, if the model has features")
    chart: ChartSettings = setting(
        ChartSettings(margin=8.0, cell_margin=8.0, max_items=50_000), "chart size and pruning"
    )
    search: SearchSettings = setting(
        SearchSettings(schedule="0.0001,0.001,0.01,0.075", tagger_weight=1.0), "search"
    )
    inference: InferenceSettings = setting(InferenceSettings("min-risk", penalty=0.3), "decoding")


@dataclass(frozen=True)
class StoredConfig(NeuralCcgConfig):
    """The saved configuration of a parser."""

    scorer: str = "neural"
    templates: list[str] = field(default_factory=list)


class NeuralCcgParser(CcgParser):
    """A CCG parser whose supertags and dependencies a network scores."""

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
        """A parser with a network's scores."""
        weights = config.slot_weight, features, config.feature_weight
        scorer = SlotScorer(network, SLOTS, *weights)
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

    def bundle(self) -> Bundle:
        scorer, features = self.scorer, self.scorer.features
        how = (scorer.weight, scorer.feature_weight, self.chart, self.settings, self.inference)
        config = StoredConfig(*how, templates=list(features.templates) if features else [])
        arrays: dict[str, Any] = {
            GRAMMAR + name: array for name, array in grammar_arrays(self.grammar).items()
        }
        if features is not None:
            arrays |= dict(zip(WEIGHTS, (features.keys, features.weights), strict=True))
        texts = {GRAMMAR + name: text for name, text in grammar_texts(self.grammar).items()}
        parts = shared_parts(self.supertagger.network, CCG, self.tokeniser)
        return Bundle(NAME, asdict(config), arrays, texts, parts)
