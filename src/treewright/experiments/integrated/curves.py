"""Integrated models from iteration to iteration (Auli and Lopez 2011a, figures 4 and 6)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.config import setting
from treewright.experiments.experiment import Beside, Cell, Context, Experiment, Plot, Result, Table
from treewright.experiments.integrated.convergence import Curve, bp_curve, dual_curve
from treewright.experiments.integrated.systems import (
    PIPELINE,
    SYSTEMS,
    IntegratedSettings,
    parser_in,
)
from treewright.inference import bp, dual
from treewright.inference.exact import Derivation
from treewright.inference.factors import FactorGraph
from treewright.models.ccg.dev import CcgDev
from treewright.models.ccg.extraction import dependency_events
from treewright.models.ccg.parser import CcgParser, Problem

# Table 6 has the labelled F of figure 4 after some iterations.
PAPER = {
    ("BP", "adaptive"): {1: 87.70, 5: 87.70, 25: 87.70},
    ("BP", "reverse"): {1: 88.35, 5: 88.34, 25: 88.33},
    ("DD", "adaptive"): {1: 87.40, 5: 87.65, 25: 87.71},
    ("DD", "reverse"): {1: 87.38, 5: 88.09, 25: 88.29},
}
# Section 5.2 of the paper describes some of figure 6.
PAPER_CONVERGED = {("BP", "reverse"): {1: 1.5}, ("DD", "reverse"): {1000: 97.4}}
Curves = dict[tuple[str, str], Curve]


@dataclass(frozen=True)
class CurveSettings(IntegratedSettings):
    """Settings of figure 4."""

    iterations: int = setting(25, "number of iterations")


@dataclass(frozen=True)
class ConvergenceSettings(CurveSettings):
    """Settings of figure 6."""

    sentences: int = setting(300, "use only the first sentences; 0: all")
    iterations: int = setting(1000, "number of iterations")


class _Problems:
    """The problems of the dev set in order; counts are those of the current one."""

    def __init__(self, dev: CcgDev, parser: CcgParser) -> None:
        self.dev, self.parser = dev, parser
        self.current: Problem | None = None

    def __iter__(self) -> Iterator[FactorGraph]:
        for problem in self.parser.problems(self.dev.sentences):
            self.current = problem
            yield problem.graph

    def counts(self, best: Derivation) -> Sequence[int]:
        """Correct, found and due dependencies."""
        assert self.current is not None
        dependencies = set(self.current.solved(best).dependencies)
        due = self.dev.gold[self.current.analysis.sentence.id].dependencies
        return len(dependencies & due), len(dependencies), len(due)

    def of_state(self, _: int, state: bp.State) -> Sequence[int]:
        """The counts of belief propagation's parse."""
        assert self.current is not None
        assert self.current.analysis.chart is not None
        events = dependency_events(self.current.analysis.chart)[0]
        return self.counts(state.decode(events, self.parser.inference.penalty))

    def of_round(self, _: int, each: dual.Round) -> Sequence[int]:
        """The counts of dual decomposition's best parse so far."""
        assert each.solution is not None
        return self.counts(Derivation(each.solution.score, each.solution.edges[-1]))


def _curves(settings: CurveSettings, at: Sequence[int], measured: bool) -> Curves:
    parser = parser_in(settings.model)
    dev = CcgDev(settings.dev, settings.sentences)
    curves: Curves = {}
    for schedule in settings.schedules:
        problems = _Problems(dev, parser.with_settings(schedule=schedule, tagger_weight=1.0))
        of_state = problems.of_state if measured else _nothing
        of_round = problems.of_round if measured else _nothing
        curves["BP", schedule] = bp_curve(problems, at, of_state, parser.inference.threshold)
        curves["DD", schedule] = dual_curve(problems, at, of_round)
    return curves


def _nothing(_: int, __: object) -> Sequence[int]:
    return ()


def figure4(context: Context) -> Iterator[Result]:
    """Labelled F after every iteration."""
    settings = context.settings
    at = range(1, settings.iterations + 1)
    curves = _curves(settings, at, measured=True)
    shown = {key: 100 * curve.f_measure() for key, curve in curves.items()}
    rows: list[Sequence[Cell]] = [
        [k, *(Beside(float(f[k - 1]), PAPER.get(key, {}).get(k)) for key, f in shown.items())]
        for k in at
        if k <= 5 or k % 5 == 0
    ]
    columns = ("iteration", *(f"{name}, {schedule}" for name, schedule in curves))
    yield Table("Labelled F1 by iteration", columns, rows, "Over the sentences with a parse.")
    base = _baselines(settings)

    def draw(figure: Any) -> None:
        axes = figure.add_subplot(xlabel="iterations", ylabel="labelled F")
        for (name, schedule), f in shown.items():
            axes.plot(at, f, "o-" if name == "BP" else "s--", label=f"{name}, {schedule}", ms=3)
        for schedule, height in base.items():
            axes.axhline(height, linestyle=":", color="grey")
            axes.annotate(f"pipeline, {schedule}", (at[-1], height), ha="right", va="bottom")
        axes.legend()

    yield Plot("figure4", "Labelled F1 by iteration", draw)


def _baselines(settings: CurveSettings) -> dict[str, float]:
    """The pipeline's labelled F under each schedule."""
    parser, dev = parser_in(settings.model), CcgDev(settings.dev, settings.sentences)
    alone = {s: parser.with_settings(schedule=s, **SYSTEMS[PIPELINE]) for s in settings.schedules}
    return {s: 100 * dev.scores(dev.parse(each)).labelled.f for s, each in alone.items()}


def figure6(context: Context) -> Iterator[Result]:
    """The proportion of sentences that converged, by iterations."""
    settings = context.settings
    last = settings.iterations
    at = [k for k in (1, 2, 5, 10, 25, 50, 100, 250, 500) if k < last] + [last]
    curves = _curves(settings, [last], measured=False)
    rows = [
        [k]
        + [
            Beside(100 * float(curve.share_converged([k])[0]), PAPER_CONVERGED.get(key, {}).get(k))
            for key, curve in curves.items()
        ]
        for k in at
    ]
    columns = ("iterations", *(f"{name}, {schedule}" for name, schedule in curves))
    note = "Per cent. BP: no belief changes by more than the threshold; DD: certified."
    yield Table("Converged sentences", columns, rows, note, 1)

    def draw(figure: Any) -> None:
        axes = figure.add_subplot(xlabel="iterations", ylabel="converged, %", xscale="log")
        every = np.unique(np.geomspace(1, last, 60).astype(int))
        for (name, schedule), curve in curves.items():
            share = 100 * curve.share_converged(every.tolist())
            axes.plot(every, share, "-" if name == "BP" else "--", label=f"{name}, {schedule}")
        axes.legend()

    yield Plot("figure6", "Converged sentences by iterations", draw)


EXPERIMENTS = (
    Experiment("integrated/figure4", "F1 by iteration", CurveSettings, figure4),
    Experiment("integrated/figure6", "Convergence", ConvergenceSettings, figure6),
)
