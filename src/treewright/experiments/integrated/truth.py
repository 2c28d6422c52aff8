"""BP and DD compared with exact inference, by intersection of chart and chain on short sentences.

The chain has the supertagger's own order, 2 by default.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treewright.config import setting
from treewright.errors import ForestError
from treewright.experiments.experiment import Cell, Context, Experiment, Result, Table
from treewright.experiments.integrated.systems import IntegratedSettings, parser_in
from treewright.inference import bp, dual
from treewright.models.ccg.dev import CcgDev
from treewright.models.ccg.parser import Problem


@dataclass(frozen=True)
class TruthSettings(IntegratedSettings):
    """Limits on the length of sentences."""

    max_words: int = setting(12, "maximum sentence length")
    max_edges: int = setting(5_000_000, "maximum number of edges in an intersection")
    iterations: tuple[int, ...] = setting((1, 5, 25), "iterations of belief propagation")
    rounds: int = setting(100, "maximum number of dual decomposition iterations")
    tagger_weight: float = setting(1.0, "weight of the supertagger in the joint model")


def truth(context: Context) -> Iterator[Result]:
    """The errors of BP's beliefs and DD's solutions."""
    settings: TruthSettings = context.settings
    parser = parser_in(settings.model).with_settings(tagger_weight=settings.tagger_weight)
    every = CcgDev(settings.dev, settings.sentences).sentences
    short = [each for each in every if len(each.words) <= settings.max_words]
    of_dual: list[list[Cell]] = []
    of_beliefs: list[list[Cell]] = []
    for schedule in settings.schedules:
        measured = _measured(settings, parser.with_settings(schedule=schedule).problems(short))
        size = len(measured["edges"])
        means = {name: float(np.mean(values)) for name, values in measured.items() if values}
        of_dual.append([
            schedule, len(short), size, means.get("growth"), 100 * means.get("certified", 0.0),
            100 * means.get("optimal", 0.0), int(sum(measured["wrong"])),
        ])  # fmt: skip
        for k in settings.iterations:
            mean, top = means.get(f"mean {k}"), means.get(f"top {k}", 0.0)
            most = max(measured[f"most {k}"], default=None)
            of_beliefs.append([schedule, k, mean, most, 100 * top])
    sizes = ("sentences", "intersected", "edges, ratio")
    columns = ("schedule", *sizes, "certified", "optimal", "wrong certificates")
    note = f"Sentences of at most {settings.max_words} words. Per cent of those intersected."
    yield Table("Dual decomposition and the joint optimum", columns, of_dual, note)
    heads = ("schedule", "iterations", "mean error", "largest error", "same best tag")
    note = "Errors of supertags' probabilities; best tags in per cent of words."
    yield Table("Beliefs and the joint marginals", heads, of_beliefs, note, digits=4)


def _measured(settings: TruthSettings, problems: Iterator[Problem]) -> dict[str, list[float]]:
    """The measurements for each sentence with an intersection."""
    figures: dict[str, list[float]] = defaultdict(list)
    for problem in problems:
        try:
            exact = problem.intersection(settings.max_edges)
        except ForestError:
            continue
        figures["edges"].append(exact.forest.edges)
        figures["growth"].append(exact.forest.edges / exact.parser.forest.edges)
        best, outcome = exact.best().score, dual.solve(problem.graph, settings.rounds)
        optimal = outcome.solution.score >= best - 1e-6
        figures["certified"].append(outcome.certified)
        figures["optimal"].append(optimal)
        figures["wrong"].append(outcome.certified and not optimal)
        _, marginals, _ = exact.marginals()
        for k in settings.iterations:
            state = bp.run(problem.graph, k, threshold=0.0).state
            error = np.abs(state.beliefs - marginals)
            figures[f"mean {k}"].append(float(error.mean()))
            figures[f"most {k}"].append(float(error.max()))
            tops = _top(problem, state.beliefs) == _top(problem, marginals)
            figures[f"top {k}"].append(float(tops.mean()))
    return figures


def _top(problem: Problem, beliefs: np.ndarray) -> np.ndarray:
    """The most probable tag of each word; ties: the first."""
    rows = np.split(beliefs, problem.graph.variables.first[1:-1])
    return np.array([row.argmax() for row in rows])


EXPERIMENTS = (
    Experiment("integrated/exact", "BP, DD and exact joint inference", TruthSettings, truth),
)
