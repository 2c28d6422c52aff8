"""The constituency parser as a kind of model (kind "const")."""

from treewright.models.constituency.evaluation import EVALUATION, ORACLE
from treewright.models.constituency.parser import ConstParser
from treewright.models.constituency.settings import NAME, ConstSettings
from treewright.models.constituency.training import train
from treewright.models.kinds import Kind
from treewright.storage.pruning import FeatureTable

KIND = Kind(
    NAME,
    ConstSettings,
    train,
    ConstParser.from_bundle,
    ray=True,
    evaluation=EVALUATION,
    oracle=ORACLE,
    table=FeatureTable(),
    rounded=("spans", "weights"),  # weights of rules have no keys
    metric="F1",
    scorers={"neural": "treewright.models.neural.scorers:CONSTITUENCY"},
)
