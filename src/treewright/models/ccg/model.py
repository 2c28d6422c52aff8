"""The CCG parser as a kind of model (kind "ccg")."""

from treewright.models.ccg.evaluation import EVALUATION
from treewright.models.ccg.oracle import ORACLE
from treewright.models.ccg.parser import NAME, CcgParser
from treewright.models.ccg.settings import CcgSettings
from treewright.models.ccg.training import train_ccg
from treewright.models.kinds import Kind
from treewright.storage.pruning import FeatureTable

KIND = Kind(
    NAME,
    CcgSettings,
    train_ccg,
    CcgParser.from_bundle,
    ray=True,
    evaluation=EVALUATION,
    oracle=ORACLE,
    table=FeatureTable(),
    metric="labelled F1",
    scorers={"neural": "treewright.models.neural.scorers:CCG"},
)
