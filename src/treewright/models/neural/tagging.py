"""A network's POS tags and supertags as models of their own."""

from treewright.models.dependency.tags import BETWEEN
from treewright.models.neural.members import CCG, SUPER, TAG, stored_network
from treewright.models.tagging.parser import TaggingSettings
from treewright.models.tagging.pos import NAME as POS
from treewright.models.tagging.pos import PosTagger
from treewright.models.tagging.supertagger import NAME as SUPERTAGS
from treewright.models.tagging.supertagger import Supertagger
from treewright.scores.neural.network import KIND as NETWORK
from treewright.scores.neural.network import TrainedNetwork
from treewright.scores.neural.tagger import NetworkTagger
from treewright.storage.bundle import Bundle

CONFIG: dict[str, object] = {"scorer": "neural"}


def pos_tagger(network: TrainedNetwork) -> NetworkTagger:
    """The tagger of the network's language-specific POS tags."""
    return NetworkTagger(network, TAG, [t.partition(BETWEEN)[2] for t in network.labels[TAG]])


class NetworkPosTagger(PosTagger):
    """A POS tagger with a network."""

    def __init__(self, network: TrainedNetwork, settings: TaggingSettings | None = None) -> None:
        self.network = network
        super().__init__(pos_tagger(network), settings)

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "NetworkPosTagger":
        return cls(stored_network(bundle))

    def bundle(self) -> Bundle:
        return Bundle(POS, CONFIG, {}, {}, {NETWORK: self.network.only((TAG,))})

    def _with(self, settings: TaggingSettings) -> "NetworkPosTagger":
        return NetworkPosTagger(self.network, settings)


class NetworkSupertagger(Supertagger):
    """A supertagger and POS tagger with a network."""

    def __init__(self, network: TrainedNetwork, settings: TaggingSettings | None = None) -> None:
        self.network = network
        super().__init__(NetworkTagger(network, SUPER), pos_tagger(network), settings)

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "NetworkSupertagger":
        return cls(stored_network(bundle))

    def bundle(self) -> Bundle:
        return Bundle(SUPERTAGS, CONFIG, {}, {}, {NETWORK: self.network.only(CCG)})

    def _with(self, settings: TaggingSettings) -> "NetworkSupertagger":
        return NetworkSupertagger(self.network, settings)
