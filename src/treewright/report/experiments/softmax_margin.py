"""Softmax-margin CCG parsing (Auli and Lopez 2011b): table 4, table 5 and figure 6 on our data.

All models are trained on the same forests, kept once in the experiment's directory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.config import setting
from treewright.losses.settings import ObjectiveSettings
from treewright.metrics.ccgdeps import CcgScores
from treewright.models.ccg_parser import CcgParser
from treewright.models.ccg_settings import CcgSettings
from treewright.models.ccg_training import Prepared, fit, prepare
from treewright.report.ccg_dev import CcgDev, Parsed
from treewright.report.experiment import Beside, Context, Experiment, Plot, Result, Table

# The paper's table 4, CCGbank section 00: LF, LP, LR, UF, UP, UR.
TABLE_4 = {
    "CLL": (86.76, 87.16, 86.36, 92.73, 93.16, 92.30),
    "DecP": (87.18, 87.93, 86.44, 92.93, 93.73, 92.14),
    "DecR": (87.31, 87.55, 87.07, 93.00, 93.26, 92.75),
    "DecF1": (87.27, 87.78, 86.77, 93.04, 93.58, 92.50),
    "P": (87.25, 87.85, 86.66, 92.99, 93.63, 92.36),
    "R": (87.34, 87.51, 87.16, 92.98, 93.17, 92.80),
    "F1": (87.34, 87.74, 86.94, 93.05, 93.47, 92.62),
}
LOSSES = {
    "DecP": "dec-precision",
    "DecR": "dec-recall",
    "DecF1": "dec-f1",
    "P": "precision",
    "R": "recall",
    "F1": "f1",
}
# Table 5, section 00: LF with adaptive and with reverse supertagging.
TABLE_5 = {
    "CLL": (87.38, 87.36),
    "DecP": (87.35, 87.75),
    "DecR": (87.48, 87.70),
    "DecF1": (87.67, 88.12),
}


@dataclass(frozen=True)
class LossSettings:
    """Data, and how long to train."""

    model: CcgSettings = setting(CcgSettings(), "the parser, but for its objective")
    dev: str = setting("dev.auto", "derivations to score on")
    dev_sentences: int = setting(0, "the first so many; 0 is all")
    tau: float = setting(1.0, "the weight of decomposable losses")
    exact_tau: float = setting(5.0, "the weight of precision, recall and F1")
    taus: tuple[float, ...] = setting((1.0, 3.0, 10.0), "of figure 6")


def objective_named(
    name: str, settings: LossSettings, tau: float | None = None
) -> ObjectiveSettings:
    """What a row of the tables is trained for."""
    if name == "CLL":
        return ObjectiveSettings("likelihood")
    usual = settings.tau if name.startswith("Dec") else settings.exact_tau
    return ObjectiveSettings("softmax-margin", LOSSES[name], usual if tau is None else tau)


class Bench:
    """The forests, kept in the experiment's directory, and the dev sentences."""

    def __init__(self, context: Context) -> None:
        self.context, self.settings = context, context.settings
        self.run = context.run("forests")
        self.prepared: Prepared = prepare(self.settings.model, self.run)
        self.dev = CcgDev(self.settings.dev, self.settings.dev_sentences)

    def parser(self, name: str, objective: ObjectiveSettings) -> CcgParser:
        how = replace(self.settings.model, objective=objective)
        kept = self.run.kept(f"trained-{name}")
        if kept is not None:
            return self.prepared.parser(how, kept["weights"])
        found = fit(self.prepared, how, self.run, name)
        weights = [*found.scorer.weights, found.settings.tagger_weight]
        self.run.keep(f"trained-{name}", {"weights": np.array(weights)})
        return found


def _figures(scores: CcgScores) -> tuple[float, ...]:
    both = (scores.labelled, scores.unlabelled)
    return tuple(100 * value for each in both for value in (each.f, each.p, each.r))


def table4(context: Context) -> Iterator[Result]:
    """Every loss against likelihood; then decomposable losses under both schedules."""
    bench = Bench(context)
    rows: list[Sequence[Any]] = []
    wide: list[Sequence[Any]] = []
    baseline: Parsed | None = None
    for name, paper in TABLE_4.items():
        parser = bench.parser(name, objective_named(name, bench.settings))
        found = bench.dev.parse(parser)
        baseline = baseline or found
        scores = bench.dev.scores(found)
        besides = [Beside(o, t) for o, t in zip(_figures(scores), paper, strict=True)]
        p = None if name == "CLL" else bench.dev.p_value(found, baseline)
        rows.append((name, *besides, 100 * (scores.supertags or 0.0), p))
        if name in TABLE_5:
            wide.append((name, *_schedules(bench, parser, TABLE_5[name])))
    columns = ("trained for", "LF", "LP", "LR", "UF", "UP", "UR", "ST", "p against CLL")
    note = "p: approximate randomisation on labelled F1."
    yield Table("Losses and metrics (the paper's table 4)", columns, rows, note)
    yield Table("Adaptive and reverse supertagging (table 5)", ("", "adaptive", "reverse"), wide)


def _schedules(bench: Bench, parser: CcgParser, paper: Sequence[float]) -> list[Beside]:
    found = []
    for schedule, theirs in zip(("adaptive", "reverse"), paper, strict=True):
        parsed = bench.dev.parse(parser.with_settings(schedule=schedule))
        found.append(Beside(100 * bench.dev.scores(parsed).labelled.f, theirs))
    return found


def figure6(context: Context) -> Iterator[Result]:
    """Labelled F, P and R over tau, for each of the three exact losses."""
    bench = Bench(context)
    curves: dict[str, list[tuple[float, ...]]] = {"F1": [], "P": [], "R": []}
    rows = []
    for name, curve in curves.items():
        for tau in bench.settings.taus:
            parser = bench.parser(f"{name}-{tau:g}", objective_named(name, bench.settings, tau))
            scores = bench.dev.scores(bench.dev.parse(parser))
            curve.append(_figures(scores)[:3])
            rows.append((name, tau, *curve[-1], 100 * (scores.supertags or 0.0)))
    yield Table("Exact losses over tau", ("trained for", "tau", "LF", "LP", "LR", "ST"), rows)

    def draw(figure: Any) -> None:
        for i, title in enumerate(("labelled F", "precision", "recall")):
            axes = figure.add_subplot(1, 3, i + 1, title=title, xlabel="tau")
            for name, curve in curves.items():
                axes.plot(bench.settings.taus, [point[i] for point in curve], "o-", label=name)
            axes.legend()

    yield Plot("figure6", "Exact losses over tau", draw, 12.0)


EXPERIMENTS = (
    Experiment("softmax-margin/table4", "Losses and metrics, CCG", LossSettings, table4),
    Experiment("softmax-margin/figure6", "The weight of the loss, CCG", LossSettings, figure6),
)
