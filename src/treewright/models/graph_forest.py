"""Training the graph-based parser on arc forests, by any objective of `treewright.losses`.

One pass takes the sentences in random order; each gives an arc forest, the objective's gradient
over its parts, and one step of AdaGrad on the features of its arcs. Trees that are not projective
have no derivation in the forest: they are left out and counted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.data.dependency import is_projective
from treewright.forests.arcs import Arcs, arc_forest
from treewright.losses.objective import Objective
from treewright.models.graph import GraphParser
from treewright.scores.arc_labels import ArcLabels
from treewright.scores.arcs import Rows, all_arcs, columns
from treewright.scores.encoding import EncodedSentence
from treewright.train.online import Parse

Floats = NDArray[np.float64]
NEGLIGIBLE = 1e-4  # gradients of an arc below this are left out: most arcs are all but impossible


@dataclass(frozen=True, eq=False)
class ForestPass:
    """A finished pass: its number, the mean objective, and how many trees it left out."""

    number: int
    value: float
    left_out: int


class ForestTrainer:
    """Learns from trees by a forest objective.

    Args:
        parser: a projective one that learns by "adagrad".
        objective: what to minimise; losses count arcs.
        labelled: whether losses count an arc with a wrong label as wrong.
        rate: AdaGrad's.
    """

    def __init__(
        self, parser: GraphParser, objective: Objective, labelled: bool = True, rate: float = 0.1
    ) -> None:
        self.parser, self.objective, self.labelled, self.rate = parser, objective, labelled, rate

    def train(
        self,
        trees: Sequence[tuple[EncodedSentence, Parse]],
        passes: int,
        seed: int = 0,
        on_pass: Callable[[ForestPass], bool | None] | None = None,
        on_example: Callable[[], None] | None = None,
    ) -> None:
        """Passes over trees, until `on_pass` says to stop."""
        usable = [(s, gold) for s, gold in trees if is_projective(gold.heads.tolist())]
        if self.parser.allowed is None:
            found = ((s, g.heads, g.labels) for s, g in usable)
            self.parser.allowed = ArcLabels.of_trees(found, self.parser.labels)
        rng = np.random.default_rng(seed)
        for number in range(1, passes + 1):
            value = 0.0
            for i in rng.permutation(len(usable)):
                value += self.step(*usable[i])
                if on_example is not None:
                    on_example()
            done = ForestPass(number, value / len(usable), len(trees) - len(usable))
            if on_pass is not None and on_pass(done):
                return

    def step(self, sentence: EncodedSentence, gold: Parse) -> float:
        """One sentence: the objective's value before the step."""
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
        """The sentence's trees, and for each of their arcs its row of `all_arcs`."""
        rows = all_arcs(len(sentence))
        assert self.parser.allowed is not None
        row, label = np.nonzero(self.parser.allowed.of_arcs(sentence))
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
            pairs = self.parser.siblings.scores(attributes, _pairs(arcs))
            scores[len(arcs) : -1] = pairs[:, 0]
        return scores

    def _descend(
        self, sentence: EncodedSentence, arcs: Arcs, row: NDArray[np.intp], gradient: Floats
    ) -> None:
        attributes, small = columns(sentence), np.abs(gradient) < NEGLIGIBLE
        slope = np.where(small, 0.0, gradient).astype(np.float32)
        rows = all_arcs(len(sentence))
        table = np.zeros((len(rows), self.parser.labels), np.float32)
        table[row, arcs.label] = slope[: len(arcs)]
        self.parser.arcs.descend(attributes, rows, table, self.rate)
        if self.parser.siblings is not None:
            pairs = slope[len(arcs) : -1, None].copy()
            self.parser.siblings.descend(attributes, _pairs(arcs), pairs, self.rate)


def _pairs(arcs: Arcs) -> Rows:
    return Rows(*np.ascontiguousarray(arcs.siblings.T))
