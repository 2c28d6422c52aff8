"""Losses of derivations, and training objectives."""

from treewright.losses.batch import BatchObjective
from treewright.losses.corpus import CorpusSoftmaxMargin
from treewright.losses.costs import Loss, count_loss, loss_named
from treewright.losses.hinge import Hinge, Perceptron
from treewright.losses.objective import Likelihood, Objective
from treewright.losses.settings import objective_named
from treewright.losses.softmax_margin import Risk, SoftmaxMargin

__all__ = [
    "BatchObjective",
    "CorpusSoftmaxMargin",
    "Hinge",
    "Likelihood",
    "Loss",
    "Objective",
    "Perceptron",
    "Risk",
    "SoftmaxMargin",
    "count_loss",
    "loss_named",
    "objective_named",
]
