"""The k best derivations of a joint model, certified by dual decomposition.

With multipliers u that sum to 0 over the factors, the joint score of a derivation D of the primary
factor is at most

    score_primary(D) + u_primary(D) + sum over the other factors f of max_z [score_f(z) + u_f(z)]

Derivations are listed by the first two terms, best first, and rescored jointly: as soon as the
bound of the next one is below the k-th best joint score, the list is complete. A ranking by
messages of belief propagation has no such stopping criterion.
"""

from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ForestError
from treewright.inference import dual, exact
from treewright.inference.exact import Derivation
from treewright.inference.factors import FactorGraph

ROUNDS = 25  # iterations of dual decomposition for the multipliers
MOST = 2048  # maximum number of listed derivations per requested one
GROWTH = 4


class JointList(NamedTuple):
    """Derivations with their joint scores, best first, and whether they are certainly the best."""

    derivations: list[Derivation]
    certified: bool


class JointScorer:
    """Joint scores of the primary factor's derivations, cached by their values.

    The score adds the best score of the other factors for the derivation's values. With more than
    two factors, it is the best that was found.
    """

    def __init__(self, graph: FactorGraph) -> None:
        self.graph = graph
        primary = graph.forest_factor(graph.primary)
        self.scores = primary.scores(np.zeros(len(primary.scope)))
        self.part, self.value_of_part = primary.forest.part, primary.value_of_part
        self._known: dict[bytes, float] = {}

    def __call__(self, each: Derivation) -> float:
        """The joint score of a derivation; -inf if the other factors forbid its values."""
        part = self.part[each.edges]
        values = np.sort(self.value_of_part[part]).tobytes()
        own = float(self.scores[part].sum())
        if values not in self._known:
            solution = dual.completed(self.graph, each.edges)
            self._known[values] = -np.inf if solution is None else solution.score - own
        return own + self._known[values]


def kbest(graph: FactorGraph, k: int, most: int = MOST) -> JointList:
    """At most k derivations of the primary factor with the highest joint scores, best first.

    Args:
        graph: the joint model.
        k: the number of derivations.
        most: maximum number of listed derivations per requested one.
    """
    if k < 1:
        if k < 0:
            raise ForestError(f"k is negative: {k}")
        return JointList([], certified=True)
    scores, rest = _relaxed(graph)
    forest, joint = graph.forest_factor(graph.primary).forest, JointScorer(graph)
    length = 2 * k
    while True:
        listed = exact.kbest(forest, scores, length)
        best = sorted((Derivation(joint(d), d.edges) for d in listed), key=lambda d: -d.score)
        best = [each for each in best if each.score > -np.inf]
        bound = listed[-1].score + rest if len(listed) == length else -np.inf
        certified = bound == -np.inf or (len(best) >= k and best[k - 1].score >= bound)
        if certified or length >= most * k:
            return JointList(best[:k], certified and len(graph.factors) <= 2)
        length = min(length * GROWTH, most * k)


def _relaxed(graph: FactorGraph) -> tuple[Floats, float]:
    """The primary factor's scores with its multipliers, and a bound on the others' scores."""
    outcome = dual.solve(graph, ROUNDS)
    messages = dual.base_messages(graph) + outcome.multipliers.rows
    rows = [row[f.scope] for row, f in zip(messages, graph.factors, strict=True)]
    others = (f for f in range(len(graph.factors)) if f != graph.primary)
    rest = sum(graph.factors[f].solve(rows[f]).score for f in others)
    return graph.forest_factor(graph.primary).scores(rows[graph.primary]), rest
