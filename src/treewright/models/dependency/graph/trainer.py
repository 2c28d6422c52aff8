"""What the trainers of graph-based parsers share: passes, one sentence a step, by AdaGrad."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import starmap

import numpy as np

from treewright.arrays import Floats32
from treewright.errors import TreewrightError
from treewright.forests.dependency.arcs import Arcs
from treewright.models.dependency.graph.parser import GraphParser
from treewright.scores.dependency.arc_labels import ArcLabels
from treewright.scores.dependency.arcs import Rows, all_arcs, columns
from treewright.scores.dependency.encoder import EncodedSentence
from treewright.train.learner import Step
from treewright.train.online import Parse, Passes, shuffled

Pair = tuple[EncodedSentence, Parse]  # a sentence and its gold tree
NEGLIGIBLE = 1e-3  # gradients of an arc below this are left out: most arcs are all but impossible


class GraphTrainer(ABC):
    """Learns from trees, a sentence at a time.

    Args:
        parser: one that learns by "adagrad".
        rate: AdaGrad's.
    """

    def __init__(self, parser: GraphParser, rate: float) -> None:
        self.parser, self.rate = parser, rate

    @abstractmethod
    def step(self, sentence: EncodedSentence, gold: Parse) -> float:
        """One sentence: the objective's value before the step."""

    def can_learn(self, gold: Parse) -> bool:  # noqa: ARG002 - for subclasses
        """Whether the parser's trees hold this one."""
        return True

    def learner(self, trees: Sequence[Pair], passes: int, seed: int = 0) -> Passes[Pair]:
        """Passes over the trees that can be learned; a pass's figure is how many are left out."""
        usable = [(s, gold) for s, gold in trees if len(s) and self.can_learn(gold)]
        if not usable:
            raise TreewrightError("no tree of the treebank can be learned: none is projective")
        if self.parser.allowed is None:
            found = ((s, g.heads, g.labels) for s, g in usable)
            self.parser.allowed = ArcLabels.of_trees(found, self.parser.labels)
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
        """A step against a gradient over the arcs of `all_arcs` and their labels."""
        table[np.abs(table) < NEGLIGIBLE] = 0.0
        rows = all_arcs(len(sentence))
        self.parser.arcs.descend(columns(sentence), rows, table, self.rate)

    def descend_pairs(self, sentence: EncodedSentence, forest: Arcs, slope: Floats32) -> None:
        """A step against a gradient over the sibling parts of a forest."""
        assert self.parser.siblings is not None
        pairs = np.where(np.abs(slope) < NEGLIGIBLE, np.float32(0), slope)[:, None]
        self.parser.siblings.descend(columns(sentence), sibling_parts(forest), pairs, self.rate)


def sibling_parts(forest: Arcs) -> Rows:
    """The sibling parts of a forest as rows with features."""
    return Rows(*np.ascontiguousarray(forest.siblings.T))
