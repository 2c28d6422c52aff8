"""Packed forests, the data structure for inference, losses and training."""

from treewright.forests.build import Chain, Chart, Grammar, chain, chart
from treewright.forests.features import Example, FeatureMatrix
from treewright.forests.forest import Forest, ForestBuilder
from treewright.forests.store.store import ForestStore

__all__ = [
    "Chain",
    "Chart",
    "Example",
    "FeatureMatrix",
    "Forest",
    "ForestBuilder",
    "ForestStore",
    "Grammar",
    "chain",
    "chart",
]
