"""Softmax-margin with a loss of the whole corpus's counts: the paper's appendix A.

    - sum_s score_s(gold) + log sum over all tuples of derivations of
                                exp(sum_s score_s(D_s) + tau * loss(N, D, |Y|))

where N and D are the corpus's sums. Sentence-level F1 only approximates this.

For optimisers the loss is that of a minibatch of m sentences as a whole. It lies in [0, 1] while
the scores' sums grow with m; its weight is tau times m, so that a minibatch of one is
sentence-level training.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from treewright import _core
from treewright.arrays import Floats, Indices, Integers
from treewright.errors import ForestError
from treewright.forests.features import Example
from treewright.forests.forest import Forest
from treewright.inference import exact
from treewright.inference.corpus import CorpusMethod, corpus_sum
from treewright.losses.batch import SparseGradient
from treewright.losses.costs import Loss, as_loss, gold_size
from treewright.losses.objective import check_tau


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
        method: CorpusMethod = "auto",
        tolerance: float = 1e-4,
    ) -> None:
        loss = as_loss(loss)
        if loss.of_counts is None:
            raise ForestError(f"{loss.name} is not a function of the corpus's counts")
        self.formula = loss.of_counts
        check_tau(tau)
        self.loss, self.tau, self.method, self.tolerance = loss, tau, method, tolerance

    def value_and_gradient(
        self, forests: Sequence[Forest], scores: Sequence[Floats], golds: Sequence[Forest]
    ) -> tuple[float, list[Floats]]:
        """The value, and its gradient over every sentence's scores, float64 [parts] each."""
        size = sum(gold_size(forest, self.loss.name) for forest in forests)
        expected = corpus_sum(
            list(zip(forests, scores, strict=True)),
            lambda n, d: self.tau * np.asarray(self.formula(n, d, size)),
            self.method,
            self.tolerance,
            falling=self.loss.falling and self.tau >= 0,
        )
        value = expected.log_sum
        gradients = []
        for score, gold, masses in zip(scores, golds, expected.masses, strict=True):
            right = exact.marginals(gold, score)
            value -= right.log_z
            gradients.append(masses - right.parts)
        return value, gradients


class CorpusBatchObjective:
    """Softmax-margin on the counts of minibatches; the whole corpus is one for L-BFGS.

    Args:
        loss: a count loss.
        tau: its weight for one sentence.
        examples: with gold.
        features: the length of the weight vector.
        tolerance, method: see `treewright.inference.corpus`.
    """

    def __init__(
        self,
        loss: Loss | str,
        tau: float,
        examples: Iterable[Example],
        features: int,
        tolerance: float = 1e-4,
        method: CorpusMethod = "auto",
    ) -> None:
        self.loss, self.tau, self.features = as_loss(loss), tau, features
        self.tolerance, self.method = tolerance, method
        self.examples = list(examples)
        for number, example in enumerate(self.examples):
            if example.gold is None:
                where = example.name or f"example {number}"
                raise ForestError(f"{where}: no gold derivation in the forest")
            if example.features.vocabulary.max(initial=-1) >= features:
                raise ForestError(f"{example.name or f'example {number}'}: too few features")
        self._features = _core.FeatureBatch(
            [each.features.core for each in self.examples], features
        )

    def __len__(self) -> int:
        return len(self.examples)

    def uses(self) -> Indices:
        """How many examples have each feature: [features]."""
        counts = np.zeros(self.features, dtype=np.int32)
        for example in self.examples:
            counts[example.features.vocabulary] += 1
        return counts

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        """The value of all examples as one corpus, and its gradient [features]."""
        sparse = self.value_and_gradient_on(np.arange(len(self.examples)), weights)
        gradient = np.zeros(self.features)
        gradient[sparse.features] = sparse.gradient
        return sparse.value, gradient

    def value_and_gradient_on(self, examples: Integers, weights: Floats) -> SparseGradient:
        """The value of some examples as one corpus, and its gradient where they have features."""
        numbers: list[int] = examples.tolist()
        chosen = [self.examples[i] for i in numbers]
        tau = self.tau * len(chosen)
        objective = CorpusSoftmaxMargin(self.loss, tau, self.method, self.tolerance)
        scores = self._features.scores(numbers, np.ascontiguousarray(weights, dtype=np.float64))
        forests, golds = [example.forest for example in chosen], [_gold(each) for each in chosen]
        value, over_parts = objective.value_and_gradient(forests, scores, golds)
        touched, gradient, uses = self._features.add_up(numbers, over_parts)
        return SparseGradient(value, touched, gradient, uses)


def _gold(example: Example) -> Forest:
    assert example.gold is not None
    return example.gold
