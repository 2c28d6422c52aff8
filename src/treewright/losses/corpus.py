"""Softmax-margin with a loss of the whole corpus's counts: the paper's appendix A.

    - sum_s score_s(gold) + log sum over all tuples of derivations of
                                exp(sum_s score_s(D_s) + tau * loss(N, D, |Y|))

where N and D are the corpus's sums. Sentence-level F1 only approximates this.
"""

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ForestError
from treewright.forests.forest import Forest
from treewright.inference import exact
from treewright.inference.corpus import CorpusMethod, corpus_expectation
from treewright.losses.costs import Loss, as_loss, gold_size


class CorpusSoftmaxMargin:
    """Softmax-margin on corpus counts.

    Args:
        loss: a count loss.
        tau: its weight. The corpus's loss stays within [0, 1] while the scores' sums grow with the
            corpus: a tau of the number of sentences weighs them as sentence-level training does.
        method, tolerance: see `treewright.inference.corpus`.
    """

    def __init__(
        self,
        loss: Loss | str,
        tau: float = 1.0,
        method: CorpusMethod = "expsum",
        tolerance: float = 1e-4,
    ) -> None:
        loss = as_loss(loss)
        if loss.of_counts is None:
            raise ForestError(f"{loss.name} is no function of the corpus's counts")
        self.formula = loss.of_counts
        self.loss, self.tau, self.method, self.tolerance = loss, tau, method, tolerance

    def value_and_gradient(
        self, forests: Sequence[Forest], scores: Sequence[Floats], golds: Sequence[Forest]
    ) -> tuple[float, list[Floats]]:
        """The value, and its gradient over every sentence's scores, float64 [parts] each."""
        size = sum(gold_size(forest, self.loss.name) for forest in forests)
        expected = corpus_expectation(
            list(zip(forests, scores, strict=True)),
            lambda n, d: np.exp(self.tau * self.formula(n, d, size)),
            self.method,
            self.tolerance / 2,
        )
        value = expected.log_value
        gradients = []
        for forest, score, gold, masses in zip(
            forests, scores, golds, expected.masses, strict=True
        ):
            right = exact.marginals(gold, score)
            value += exact.log_z(forest, score) - right.log_z
            gradients.append(masses - right.parts)
        return value, gradients
