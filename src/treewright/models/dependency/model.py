"""Dependency parsers as a kind of model (kind "dep")."""

from treewright.models.dependency.evaluation import EVALUATION, ORACLE
from treewright.models.dependency.parser import NAME, DependencyParser
from treewright.models.dependency.settings import DependencySettings
from treewright.models.dependency.training import train_dependency
from treewright.models.kinds import Kind
from treewright.storage.pruning import FeatureTable

NO_RAY = (
    "it learns online: each step needs the weights of the step before. Several machines can"
    " train several seeds or settings at once"
)
TABLE = FeatureTable(first="first", columns=("actions",), share=0.05)
KIND = Kind(
    NAME,
    DependencySettings,
    train_dependency,
    DependencyParser.from_bundle,
    no_ray=NO_RAY,
    evaluation=EVALUATION,
    oracle=ORACLE,
    table=TABLE,  # in transition-based parsers
    rounded=("arcs.value", "siblings.value"),  # in graph-based parsers
    metric="LAS",
    scorers={"neural": "treewright.models.neural.scorers:DEPENDENCY"},
)
