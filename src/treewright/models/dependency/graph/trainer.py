"""Online training of graph-based parsers with AdaGrad, one step per sentence.

For likelihood and softmax-margin, the weights of an arc's labels are summed, and the objective is

    log sum_y exp(score(y) + tau * wrong(y)) - score(gold)

which is likelihood for tau = 0 and softmax-margin with the attachment loss otherwise. The sum is
over projective trees (Eisner), or over all trees by the matrix-tree theorem (Koo et al. 2007, Smith
and Smith 2007), which can learn from every tree of the treebank. All other objectives of
`treewright.losses` work on arc forests. Non-projective trees have no derivation there: they are
left out and counted.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import starmap

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Floats32
from treewright.data.dependency import is_projective
from treewright.errors import TreewrightError
from treewright.forests.dependency.arcs import Arcs, arc_forest
from treewright.inference.labelled_arcs import projective_marginals, spanning_marginals, sum_labels
from treewright.losses.objective import Objective
from treewright.models.dependency.graph.parser import GraphParser, sibling_rows
from treewright.scores.dependency.arcs import ArcLabels, Rows, all_arcs, columns
from treewright.scores.dependency.encoder import EncodedSentence
from treewright.train.loop import Step
from treewright.train.online import Parse, Passes, shuffled

Pair = tuple[EncodedSentence, Parse]  # a sentence and its gold tree
NEGLIGIBLE = 1e-3  # smaller gradients are ignored: most arcs have a probability near 0


class GraphTrainer(ABC):
    """Trains a parser one sentence at a time.

    Args:
        parser: a parser that learns by "adagrad".
        rate: the learning rate of AdaGrad.
    """

    def __init__(self, parser: GraphParser, rate: float) -> None:
        self.parser, self.rate = parser, rate

    @abstractmethod
    def step(self, sentence: EncodedSentence, gold: Parse) -> float:
        """Takes a step on one sentence and returns the value of the objective before it."""

    def can_learn(self, gold: Parse) -> bool:  # noqa: ARG002 - for subclasses
        """Whether the parser can derive this tree."""
        return True

    def learner(self, trees: Sequence[Pair], passes: int, seed: int = 0) -> Passes[Pair]:
        """Epochs over the usable trees; each reports how many were left out."""
        usable = [(s, gold) for s, gold in trees if len(s) and self.can_learn(gold)]
        if not usable:
            raise TreewrightError("the treebank has no projective trees to train on")
        if self.parser.allowed is None:
            seen = ((s, g.heads, g.labels) for s, g in usable)
            self.parser.allowed = ArcLabels.of_trees(seen, self.parser.labels)
        left_out = {"left_out": len(trees) - len(usable)}
        return Passes(
            self.parser,
            shuffled(usable, np.random.default_rng(seed)),
            len(usable),
            lambda some: {"value": sum(starmap(self.step, some))},
            lambda number, sums: Step(number, sums["value"] / len(usable), left_out),
            passes,
        )

    def descend(self, sentence: EncodedSentence, table: Floats32) -> None:
        """Takes a step against a gradient over the arcs of `all_arcs` and their labels."""
        table[np.abs(table) < NEGLIGIBLE] = 0.0
        rows = all_arcs(len(sentence))
        self.parser.arcs.descend(columns(sentence), rows, table, self.rate)

    def descend_pairs(self, sentence: EncodedSentence, forest: Arcs, slope: Floats32) -> None:
        """Takes a step against a gradient over the sibling parts of a forest."""
        assert self.parser.siblings is not None
        pairs = np.where(np.abs(slope) < NEGLIGIBLE, np.float32(0), slope)[:, None]
        self.parser.siblings.descend(columns(sentence), sibling_parts(forest), pairs, self.rate)


def sibling_parts(forest: Arcs) -> Rows:
    """The sibling parts of a forest as rows with features."""
    return Rows(*np.ascontiguousarray(forest.siblings.T))


class ForestTrainer(GraphTrainer):
    """Trains with a forest objective.

    Args:
        parser: a projective parser that learns by "adagrad".
        objective: the objective to minimise; losses count arcs.
        labelled: whether losses count an arc with a wrong label as wrong.
        rate: the learning rate of AdaGrad.
    """

    def __init__(
        self, parser: GraphParser, objective: Objective, labelled: bool = True, rate: float = 0.1
    ) -> None:
        super().__init__(parser, rate)
        self.objective, self.labelled = objective, labelled

    def can_learn(self, gold: Parse) -> bool:
        return is_projective(gold.heads.tolist())

    def step(self, sentence: EncodedSentence, gold: Parse) -> float:
        arcs, row = self.forest(sentence)
        counted = arcs.counted(gold.heads, gold.labels if self.labelled else None)
        value, gradient = self.objective.value_and_gradient(
            counted.forest,
            self.part_scores(sentence, arcs, row),
            counted.gold(gold.heads, gold.labels),
        )
        self._descend(sentence, arcs, row, gradient)
        self.parser.tick()
        return value

    def forest(self, sentence: EncodedSentence) -> tuple[Arcs, NDArray[np.intp]]:
        """The forest of a sentence's trees, and for each of its arcs the row in `all_arcs`."""
        rows = all_arcs(len(sentence))
        assert self.parser.allowed is not None
        row, label = np.nonzero(self.parser.allowed.of_arcs(sentence, rows))
        second = self.parser.siblings is not None
        root = self.parser.settings.single_root
        arcs = arc_forest(len(sentence), rows.head[row], rows.word[row], label, second, root)
        return arcs, row

    def part_scores(self, sentence: EncodedSentence, arcs: Arcs, row: NDArray[np.intp]) -> Floats:
        """The scores of a forest's parts: float64 [parts]."""
        attributes = columns(sentence)
        scores = np.zeros(arcs.forest.parts)
        every = self.parser.arcs.scores(attributes, all_arcs(len(sentence)))
        scores[: len(arcs)] = every[row, arcs.label]
        if self.parser.siblings is not None:
            pairs = self.parser.siblings.scores(attributes, sibling_parts(arcs))
            scores[len(arcs) : -1] = pairs[:, 0]
        return scores

    def _descend(
        self, sentence: EncodedSentence, arcs: Arcs, row: NDArray[np.intp], gradient: Floats
    ) -> None:
        slope = gradient.astype(np.float32)
        table = np.zeros((len(all_arcs(len(sentence))), self.parser.labels), np.float32)
        table[row, arcs.label] = slope[: len(arcs)]
        self.descend(sentence, table)
        if self.parser.siblings is not None:
            self.descend_pairs(sentence, arcs, slope[len(arcs) : -1])


class SumTrainer(GraphTrainer):
    """Trains with sums over trees: equivalent to `ForestTrainer`, on smaller cached forests.

    Args:
        parser: a parser that learns by "adagrad".
        tau: the cost of a wrong arc; 0: likelihood.
        labelled: whether an arc with a wrong label is wrong.
        rate: the learning rate of AdaGrad.
    """

    def __init__(
        self, parser: GraphParser, tau: float = 0.0, labelled: bool = True, rate: float = 0.1
    ) -> None:
        super().__init__(parser, rate)
        self.tau, self.labelled = tau, labelled

    def can_learn(self, gold: Parse) -> bool:
        return self.parser.decoder == "spanning" or is_projective(gold.heads.tolist())

    def step(self, sentence: EncodedSentence, gold: Parse) -> float:
        value, gradient, pairs = self.value_and_gradient(sentence, gold)
        self.descend(sentence, gradient)
        if self.parser.siblings is not None:
            forest = self.parser.sibling_forest(len(sentence))
            self.descend_pairs(sentence, forest, pairs)
        self.parser.tick()
        return value

    def value_and_gradient(
        self, sentence: EncodedSentence, gold: Parse
    ) -> tuple[float, Floats32, Floats32]:
        """The value and its gradients over the scores of `all_arcs` [arcs, labels] and siblings."""
        scores = self.parser.scores(sentence).astype(np.float64)
        right = gold.heads, np.arange(1, len(sentence) + 1), gold.labels
        best = float(scores[right].sum())
        # Equivalent to adding tau to the scores of wrong arcs.
        scores[right if self.labelled else right[:2]] -= self.tau
        summed = sum_labels(scores)
        log_z, arcs, pairs = self._sums(sentence, gold, summed.arcs)
        slope = arcs[..., None] * summed.share
        slope[right] -= 1.0
        rows = all_arcs(len(sentence))
        value = log_z + self.tau * len(sentence) - best
        return value, slope[rows.head, rows.word].astype(np.float32), pairs.astype(np.float32)

    def _sums(
        self, sentence: EncodedSentence, gold: Parse, arcs: Floats
    ) -> tuple[float, Floats, Floats]:
        """log Z minus the score of gold's siblings, arc marginals, and sibling gradients."""
        parser, root = self.parser, self.parser.settings.single_root
        if parser.decoder == "spanning":
            return *spanning_marginals(arcs, root), np.zeros(0)
        if parser.siblings is None:
            return projective_marginals(arcs, root)
        second = parser.sibling_scores(sentence, parser.siblings)
        marginals = projective_marginals(arcs, root, second)
        of_gold = _has_pairs(parser.sibling_forest(len(sentence)), gold)
        return marginals.log_z - second[of_gold].sum(), marginals.arcs, marginals.siblings - of_gold


def _has_pairs(forest: Arcs, gold: Parse) -> NDArray[np.bool_]:
    """A mask of the sibling parts in a tree."""
    rows = sibling_rows(gold.heads)
    size = np.array([(forest.words + 2) ** 2, forest.words + 2, 1])
    of_tree = np.stack((rows.head, rows.word, rows.sibling), axis=1)
    return np.isin((forest.siblings + 1) @ size, (of_tree + 1) @ size)
