"""The CCG parser as a kind of model (kind "ccg")."""

from treewright.models.ccg.evaluation import EVALUATION
from treewright.models.ccg.oracle import ORACLE
from treewright.models.ccg.parser import NAME, CcgParser
from treewright.models.ccg.settings import CcgSettings
from treewright.models.ccg.training import train_ccg
from treewright.models.contract import Analysis, Parser
from treewright.models.kinds import Kind
from treewright.storage.bundle import Bundle
from treewright.storage.pruning import FeatureTable


def load(bundle: Bundle) -> Parser[Analysis]:
    """The parser of a bundle, log-linear or neural."""
    if bundle.config.get("scorer") == "neural":
        from treewright.models.neural.ccg import NeuralCcgParser

        return NeuralCcgParser.from_bundle(bundle)
    return CcgParser.from_bundle(bundle)


KIND = Kind(
    NAME,
    CcgSettings,
    train_ccg,
    load,
    ray=True,
    evaluation=EVALUATION,
    oracle=ORACLE,
    table=FeatureTable(),
)
