"""Training the graph-based parser by likelihood or softmax-margin, an arc's labels folded.

    log sum_y exp(score(y) + tau * wrong(y)) - score(gold)

which is likelihood for tau = 0 and softmax-margin with the attachment loss otherwise. The sum is
over projective trees by the Eisner forest, or over all trees by the matrix-tree theorem (Koo et al.
2007, Smith and Smith 2007), which leaves no tree of the treebank out.
"""

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Floats32
from treewright.data.dependency import is_projective
from treewright.forests.dependency.arcs import Arcs
from treewright.inference.labelled_arcs import fold, projective_marginals, spanning_marginals
from treewright.models.dependency.graph.parser import GraphParser, sibling_rows
from treewright.models.dependency.graph.trainer import GraphTrainer
from treewright.scores.dependency.arcs import all_arcs
from treewright.scores.dependency.encoder import EncodedSentence
from treewright.train.online import Parse


class SumTrainer(GraphTrainer):
    """Learns by sums over trees: as `ForestTrainer` does, on smaller forests that are kept.

    Args:
        parser: one that learns by "adagrad".
        tau: what a wrong arc adds to a tree's score; 0 is likelihood.
        labelled: whether an arc with a wrong label is wrong.
        rate: AdaGrad's.
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
        """The value, and its gradient over the scores of `all_arcs` [arcs, labels] and siblings."""
        scores = self.parser.scores(sentence).astype(np.float64)
        right = gold.heads, np.arange(1, len(sentence) + 1), gold.labels
        best = float(scores[right].sum())
        # As good as a cost for what is wrong: what is right costs the less.
        scores[right if self.labelled else right[:2]] -= self.tau
        folded = fold(scores)
        log_z, arcs, pairs = self._sums(sentence, gold, folded.arcs)
        slope = arcs[..., None] * folded.share
        slope[right] -= 1.0
        rows = all_arcs(len(sentence))
        value = log_z + self.tau * len(sentence) - best
        return value, slope[rows.head, rows.word].astype(np.float32), pairs.astype(np.float32)

    def _sums(
        self, sentence: EncodedSentence, gold: Parse, arcs: Floats
    ) -> tuple[float, Floats, Floats]:
        """log Z less gold's siblings, the marginals of arcs, and the slopes of siblings."""
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
    """Which sibling parts a tree has."""
    rows = sibling_rows(gold.heads)
    size = np.array([(forest.words + 2) ** 2, forest.words + 2, 1])
    of_tree = np.stack((rows.head, rows.word, rows.sibling), axis=1)
    return np.isin((forest.siblings + 1) @ size, (of_tree + 1) @ size)
