"""A network's POS tags and supertags as models of their own.

The posteriors of a log-linear tagger of the same kind can be added
(`treewright.scores.neural.tagger.FeaturedTagger`).
"""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

from treewright.config import from_dict
from treewright.errors import ConfigError
from treewright.models.dependency.tags import BETWEEN
from treewright.models.kinds import kind_named, load
from treewright.models.neural.members import (
    CCG,
    FEATURES,
    SUPER,
    TAG,
    check_weight,
    stored_network,
)
from treewright.models.tagging.model import tagger_bundle, tagger_from_bundle
from treewright.models.tagging.parser import TaggingSettings
from treewright.models.tagging.pos import NAME as POS
from treewright.models.tagging.pos import PosTagger
from treewright.models.tagging.supertagger import NAME as SUPERTAGS
from treewright.models.tagging.supertagger import Supertagger
from treewright.scores.neural.network import KIND as NETWORK
from treewright.scores.neural.network import TrainedNetwork
from treewright.scores.neural.tagger import FeaturedTagger, NetworkTagger
from treewright.scores.tagging.tagger import Tagger
from treewright.storage.bundle import Bundle
from treewright.storage.pruning import FeatureTable, packed_table


@dataclass(frozen=True)
class Features:
    """A log-linear tagger whose posteriors are added, and their weight."""

    tagger: Tagger
    weight: float

    def with_network(self, plain: NetworkTagger) -> FeaturedTagger:
        """The network's tagger with these scores."""
        return FeaturedTagger(plain, self.tagger, self.weight)


@dataclass(frozen=True)
class NetworkTaggerConfig:
    """The saved configuration of a tagger."""

    scorer: str = "neural"
    feature_weight: float = 0.0

    def __post_init__(self) -> None:
        check_weight(self.feature_weight)


def pos_tagger(network: TrainedNetwork) -> NetworkTagger:
    """The tagger of the network's language-specific POS tags."""
    return NetworkTagger(network, TAG, [t.partition(BETWEEN)[2] for t in network.labels[TAG]])


def log_linear_tags(directory: Path, kind: str, pruned: float) -> Tagger:
    """A trained tagger of a kind.

    pruned: the smallest weights are removed, up to this fraction of the sum of squares.
    """
    model = load(directory)
    tagger = model.tagger if isinstance(model, PosTagger | Supertagger) else None
    if model.kind != kind or not isinstance(tagger, Tagger):
        raise ConfigError(f"{directory}: not a log-linear model of kind {kind!r}")
    if not pruned:
        return tagger
    bundle, table = tagger_bundle(kind, tagger), kind_named(kind).table or FeatureTable()
    arrays = packed_table(dict(bundle.arrays), table, pruned)
    return tagger_from_bundle(kind, replace(bundle, arrays=arrays))


def _stored(bundle: Bundle, kind: str) -> Features | None:
    """The features in a tagger's bundle."""
    weight = from_dict(NetworkTaggerConfig, bundle.config, "config.toml").feature_weight
    part = bundle.parts.get(FEATURES)
    return Features(tagger_from_bundle(kind, part), weight) if part else None


def _bundle(kind: str, network: Bundle, features: Features | None) -> Bundle:
    config = NetworkTaggerConfig(feature_weight=features.weight if features else 0.0)
    parts = {NETWORK: network}
    if features is not None:
        parts[FEATURES] = tagger_bundle(kind, features.tagger)
    return Bundle(kind, asdict(config), {}, {}, parts)


class NetworkPosTagger(PosTagger):
    """A POS tagger with a network."""

    def __init__(
        self,
        network: TrainedNetwork,
        settings: TaggingSettings | None = None,
        features: Features | None = None,
    ) -> None:
        self.network, self.features = network, features
        plain = pos_tagger(network)
        super().__init__(features.with_network(plain) if features else plain, settings)

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "NetworkPosTagger":
        return cls(stored_network(bundle), None, _stored(bundle, POS))

    def bundle(self) -> Bundle:
        return _bundle(POS, self.network.only((TAG,)), self.features)

    def _with(self, settings: TaggingSettings) -> "NetworkPosTagger":
        return NetworkPosTagger(self.network, settings, self.features)


class NetworkSupertagger(Supertagger):
    """A supertagger and POS tagger with a network."""

    def __init__(
        self,
        network: TrainedNetwork,
        settings: TaggingSettings | None = None,
        features: Features | None = None,
    ) -> None:
        self.network, self.features = network, features
        plain = NetworkTagger(network, SUPER)
        tagger = features.with_network(plain) if features else plain
        super().__init__(tagger, pos_tagger(network), settings)

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "NetworkSupertagger":
        return cls(stored_network(bundle), None, _stored(bundle, SUPERTAGS))

    def bundle(self) -> Bundle:
        return _bundle(SUPERTAGS, self.network.only(CCG), self.features)

    def _with(self, settings: TaggingSettings) -> "NetworkSupertagger":
        return NetworkSupertagger(self.network, settings, self.features)


N = TypeVar("N", NetworkPosTagger, NetworkSupertagger)


def with_features(model: N, tagger: Tagger, weight: float) -> N:
    """The same model with the posteriors of a log-linear tagger, times a weight."""
    return type(model)(model.network, model.settings, Features(tagger, weight))
