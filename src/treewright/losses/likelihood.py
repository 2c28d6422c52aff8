"""Conditional log-likelihood: the softmax-margin paper's equation 2, negated."""

from treewright import _core
from treewright.forests.forest import Forest
from treewright.losses.objective import Compiled, Objective


class Likelihood(Objective):
    """-log P(gold): with several gold derivations, the log of their summed probability."""

    def compile(self, forest: Forest) -> Compiled:  # noqa: ARG002 - the same for every forest
        return Compiled(_core.CompiledObjective("log-sum"), None)
