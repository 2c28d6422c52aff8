"""Decoding by settings: each name selects the right algorithm."""

from random import Random

import pytest

from tests.joint import random_problem
from treewright.inference import bp, dual, exact
from treewright.inference.minrisk import max_expected_counts
from treewright.inference.settings import InferenceSettings, decode


def test_algorithms() -> None:
    for seed in range(10):
        graph = random_problem(Random(seed), words=4).graph
        parser = graph.factors[-1]
        scores = parser.scores(graph.unary[parser.scope])

        def edges(algorithm: str, graph: object = graph, **more: object) -> list[int]:
            settings = InferenceSettings(algorithm=algorithm, **more)  # type: ignore[arg-type]
            return decode(graph, settings).derivation.edges.tolist()  # type: ignore[arg-type]

        assert edges("viterbi") == exact.viterbi(parser.forest, scores).edges.tolist()
        least = max_expected_counts(parser.forest, scores, penalty=0.5)
        assert edges("min-risk") == least.edges.tolist()
        state = bp.run(graph, 3).state
        assert edges("bp", iterations=3) == state.decode(penalty=0.5).edges.tolist()
        outcome = dual.solve(graph, 50)
        assert edges("dd", iterations=50) == outcome.solution.edges[-1].tolist()
        found = decode(graph, InferenceSettings(algorithm="dd", iterations=50))
        assert (found.converged, found.gap) == (outcome.certified, outcome.gap)
        assert found.iterations == len(outcome.rounds)


@pytest.mark.parametrize("wrong", [{"iterations": 0}, {"step": 0.0}, {"damping": 1.0}])
def test_bad_settings(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="positive"):
        InferenceSettings(**wrong)  # type: ignore[arg-type]
