"""Training the graph-based parser on arc forests, by any objective of `treewright.losses`.

One pass takes the sentences in random order; each gives an arc forest, the objective's gradient
over its parts, and one step of AdaGrad on the features of its arcs. Trees that are not projective
have no derivation in the forest: they are left out and counted.
"""

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.dependency import is_projective
from treewright.forests.dependency.arcs import Arcs, arc_forest
from treewright.losses.objective import Objective
from treewright.models.dependency.graph.parser import GraphParser
from treewright.models.dependency.graph.trainer import GraphTrainer, sibling_parts
from treewright.scores.dependency.arcs import all_arcs, columns
from treewright.scores.dependency.encoder import EncodedSentence
from treewright.train.online import Parse


class ForestTrainer(GraphTrainer):
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
