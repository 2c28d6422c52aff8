"""The constituency parser as a kind of model (kind "const")."""

from treewright.models.constituency.evaluation import EVALUATION
from treewright.models.constituency.oracle import ORACLE
from treewright.models.constituency.parser import ConstParser
from treewright.models.constituency.settings import ConstSettings
from treewright.models.constituency.storage import NAME
from treewright.models.constituency.training import train
from treewright.models.contract import Analysis, Parser
from treewright.models.kinds import Kind
from treewright.storage.bundle import Bundle
from treewright.storage.pruning import FeatureTable


def load(bundle: Bundle) -> Parser[Analysis]:
    """The parser of a bundle, log-linear or neural."""
    if bundle.config.get("scorer") == "neural":
        from treewright.models.neural.constituency import NeuralConstParser

        return NeuralConstParser.from_bundle(bundle)
    return ConstParser.from_bundle(bundle)


KIND = Kind(
    NAME,
    ConstSettings,
    train,
    load,
    ray=True,
    evaluation=EVALUATION,
    oracle=ORACLE,
    table=FeatureTable(),
    rounded=("spans", "weights"),  # weights without keys: those of rules
)
