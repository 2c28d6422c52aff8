"""The `[inference]` section of a configuration, and decoding with these settings."""

from dataclasses import dataclass
from typing import Literal, get_args

from treewright.arrays import Indices
from treewright.config import setting
from treewright.errors import ForestError
from treewright.inference import bp, dual, exact
from treewright.inference.exact import Derivation
from treewright.inference.factors import FactorGraph
from treewright.inference.minrisk import Events, max_expected_counts

Algorithm = Literal["viterbi", "min-risk", "bp", "dd"]


@dataclass(frozen=True)
class InferenceSettings:
    """Settings of decoding; some apply only to some algorithms."""

    algorithm: Algorithm = setting(
        "bp", "viterbi and min-risk use the parser alone; bp and dd combine it with the supertagger"
    )
    iterations: int = setting(
        1, "bp, dd: maximum number of iterations; 1 is enough for bp, dd needs about 25"
    )
    threshold: float = setting(1e-4, "bp: convergence threshold for the change in beliefs")
    damping: float = setting(0.0, "bp: damping factor, the weight of the old message")
    step: float = setting(1.3, "dd: initial step size, or multiplier of the Polyak step")
    stepping: dual.Stepping = setting("polyak", "dd: step size rule")
    penalty: float = setting(0.5, "min-risk, bp: penalty per predicted event")
    temperature: float = setting(
        1.0, "viterbi, min-risk: marginals are for scores divided by this; above 1: less confident"
    )

    def __post_init__(self) -> None:
        for value, known in ((self.algorithm, Algorithm), (self.stepping, dual.Stepping)):
            if value not in get_args(known):
                raise ValueError(f"{value!r} is not one of {', '.join(get_args(known))}")
        if self.iterations < 1 or not self.step > 0 or not 0 <= self.damping < 1:
            raise ValueError("iterations and step must be positive, damping within [0, 1)")
        if not self.temperature > 0:
            raise ValueError(f"temperature must be positive, not {self.temperature}")


@dataclass(frozen=True, eq=False)
class Decoded:
    """The primary factor's derivation, the iterations used, and whether they converged.

    gap: dd: a bound on the improvement that the optimum could bring. state: the last state of bp.
    solution: the solution of dd.
    """

    derivation: Derivation
    iterations: int = 0
    converged: bool = True
    gap: float = 0.0
    state: bp.State | None = None
    solution: dual.Solution | None = None

    @property
    def values(self) -> Indices:
        """The value of each variable: the most probable one for bp, that of the solution for dd."""
        if self.solution is not None:
            return self.solution.values
        if self.state is None:
            raise ForestError("decoding with the parser alone chooses no values of variables")
        return self.state.likeliest()


def decode(
    graph: FactorGraph, settings: InferenceSettings, events: Events | None = None
) -> Decoded:
    """Decodes the graph's primary factor."""
    if settings.algorithm == "bp":
        outcome = bp.run(graph, settings.iterations, settings.threshold, damping=settings.damping)
        decision = outcome.state.decode(events, settings.penalty)
        iteration, converged = outcome.state.iteration, outcome.converged
        return Decoded(decision, iteration, converged, state=outcome.state)
    if settings.algorithm == "dd":
        solved = dual.solve(graph, settings.iterations, settings.step, settings.stepping)
        best = solved.solution
        decision = Derivation(best.score, best.edges[graph.primary])
        rounds = len(solved.rounds)
        return Decoded(decision, rounds, solved.certified, solved.gap, solution=best)
    primary = graph.forest_factor(graph.primary)
    scores = primary.scores(graph.unary[primary.scope])
    if settings.algorithm == "viterbi":
        return Decoded(exact.viterbi(primary.forest, scores))
    return Decoded(max_expected_counts(primary.forest, scores, events, settings.penalty))
