"""Training the graph-based parser by likelihood or softmax-margin, an arc's labels folded.

    log sum_y exp(score(y) + tau * wrong(y)) - score(gold)

which is likelihood for tau = 0 and softmax-margin with the attachment loss otherwise. The sum is
over projective trees by the Eisner forest, or over all trees by the matrix-tree theorem (Koo et al.
2007, Smith and Smith 2007), which leaves no tree of the treebank out.
"""

import numpy as np

from treewright.data.dependency import is_projective
from treewright.inference.labelled_arcs import fold, projective_marginals, spanning_marginals
from treewright.models.graph import GraphParser
from treewright.models.graph_trainer import GraphTrainer
from treewright.scores.arcs import Floats32, all_arcs
from treewright.scores.encoding import EncodedSentence
from treewright.train.online import Parse


class SumTrainer(GraphTrainer):
    """Learns by sums over first-order trees: as `ForestTrainer` does, on smaller forests.

    Args:
        parser: one without siblings that learns by "adagrad".
        tau: what a wrong arc adds to a tree's score; 0 is likelihood.
        labelled: whether an arc with a wrong label is wrong.
        rate: AdaGrad's.
    """

    def __init__(
        self, parser: GraphParser, tau: float = 0.0, labelled: bool = True, rate: float = 0.1
    ) -> None:
        super().__init__(parser, rate)
        self.tau, self.labelled = tau, labelled
        self._projective = parser.decoder == "projective"

    def can_learn(self, gold: Parse) -> bool:
        return not self._projective or is_projective(gold.heads.tolist())

    def step(self, sentence: EncodedSentence, gold: Parse) -> float:
        value, gradient = self.value_and_gradient(sentence, gold)
        self.descend(sentence, gradient)
        self.parser.tick()
        return value

    def value_and_gradient(self, sentence: EncodedSentence, gold: Parse) -> tuple[float, Floats32]:
        """The value, and its gradient over the scores of `all_arcs`, float32 [arcs, labels]."""
        scores = self.parser.scores(sentence).astype(np.float64)
        right = gold.heads, np.arange(1, len(sentence) + 1), gold.labels
        best = float(scores[right].sum())
        # As good as a cost for what is wrong: what is right costs the less.
        scores[right if self.labelled else right[:2]] -= self.tau
        folded = fold(scores)
        sums = projective_marginals if self._projective else spanning_marginals
        log_z, arcs = sums(folded.arcs, self.parser.settings.single_root)
        slope = arcs[..., None] * folded.share
        slope[right] -= 1.0
        rows = all_arcs(len(sentence))
        value = log_z + self.tau * len(sentence) - best
        return value, slope[rows.head, rows.word].astype(np.float32)
