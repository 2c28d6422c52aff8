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

from treewright.arrays import Floats, Indices, Integers
from treewright.errors import ForestError
from treewright.forests.features import Example
from treewright.forests.forest import Forest
from treewright.inference import exact
from treewright.inference.corpus import CorpusMethod, corpus_expectation
from treewright.losses.batch import SparseGradient
from treewright.losses.costs import Loss, as_loss, gold_size
from treewright.losses.objective import check_tau


class CorpusSoftmaxMargin:
    """Softmax-margin on corpus counts.

    Args:
        loss: a count loss.
        tau: weight of the loss. The loss of a corpus is within [0, 1], while sums of scores grow
            with the corpus: tau equal to the number of sentences matches sentence-level training.
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
            raise ForestError(f"{loss.name} is not a function of the corpus's counts")
        self.formula = loss.of_counts
        check_tau(tau)
        self.loss, self.tau, self.method, self.tolerance = loss, tau, method, tolerance

    def value_and_gradient(
        self, forests: Sequence[Forest], scores: Sequence[Floats], golds: Sequence[Forest]
    ) -> tuple[float, list[Floats]]:
        """The value, and its gradient over the scores of each sentence, float64 [parts]."""
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


class CorpusBatchObjective:
    """Softmax-margin on the counts of minibatches; L-BFGS uses the whole corpus as one.

    Args:
        loss: a count loss.
        tau: weight of the loss per sentence.
        examples: examples with gold.
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
        method: CorpusMethod = "expsum",
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

    def __len__(self) -> int:
        return len(self.examples)

    def uses(self) -> Indices:
        """The number of examples with each feature: [features]."""
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
        """The value of some examples as one corpus, and its gradient at their features."""
        chosen = [self.examples[i] for i in examples.tolist()]
        tau = self.tau * len(chosen)
        objective = CorpusSoftmaxMargin(self.loss, tau, self.method, self.tolerance)
        scores = [example.features.scores(weights) for example in chosen]
        forests, golds = [example.forest for example in chosen], [_gold(each) for each in chosen]
        value, over_parts = objective.value_and_gradient(forests, scores, golds)
        vocabularies = [example.features.vocabulary for example in chosen]
        features, place = np.unique(np.concatenate(vocabularies), return_inverse=True)
        gradient, uses = np.zeros(len(features)), np.zeros(len(features), dtype=np.int32)
        pairs = zip(chosen, over_parts, strict=True)
        parts = [example.features.core.backpropagate(each) for example, each in pairs]
        np.add.at(gradient, place, np.concatenate(parts))
        np.add.at(uses, place, 1)
        return SparseGradient(value, features.astype(np.int32), gradient, uses)


def _gold(example: Example) -> Forest:
    assert example.gold is not None
    return example.gold
