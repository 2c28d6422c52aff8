"""Softmax-margin CCG parsing (Auli and Lopez 2011b): table 4, table 5 and figure 6 on our data.

All models are trained on the same forests, which are stored once in the experiment's directory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.config import setting
from treewright.experiments.ccg_figures import FIGURES, PaperFigures, figures, percentages
from treewright.experiments.experiment import Context, Experiment, Plot, Result, Table
from treewright.experiments.softmax_margin.systems import WIDE, LossBench, LossSettings
from treewright.models.ccg.dev import Parsed
from treewright.models.ccg.settings import CcgSettings

# The paper's table 4, CCGbank section 00: LF, LP, LR, UF, UP, UR.
TABLE_4: dict[str, PaperFigures] = {
    "CLL": (86.76, 87.16, 86.36, 92.73, 93.16, 92.30),
    "DecP": (87.18, 87.93, 86.44, 92.93, 93.73, 92.14),
    "DecR": (87.31, 87.55, 87.07, 93.00, 93.26, 92.75),
    "DecF1": (87.27, 87.78, 86.77, 93.04, 93.58, 92.50),
    "P": (87.25, 87.85, 86.66, 92.99, 93.63, 92.36),
    "R": (87.34, 87.51, 87.16, 92.98, 93.17, 92.80),
    "F1": (87.34, 87.74, 86.94, 93.05, 93.47, 92.62),
    "R, sized": (),
    "F1, sized": (),
}
# Table 5, section 00: LF, UF and supertags with adaptive and with reverse supertagging.
TABLE_5 = {
    "CLL": ((87.38, 93.08, 94.21), (87.36, 93.13, 93.99)),
    "DecP": ((87.35, 92.99, 94.25), (87.75, 93.25, 94.22)),
    "DecR": ((87.48, 93.00, 94.34), (87.70, 93.16, 94.30)),
    "DecF1": ((87.67, 93.23, 94.39), (88.12, 93.52, 94.46)),
}
NOTE = "p: approximate randomisation on labelled F1."
DECODING = {"Viterbi": {"algorithm": "viterbi"}, "minimum risk": {"algorithm": "min-risk"}}


@dataclass(frozen=True)
class WideSettings(LossSettings):
    """The paper's large training beams and charts."""

    model: CcgSettings = setting(WIDE, "parser settings, without the objective")


@dataclass(frozen=True)
class TauSettings(LossSettings):
    """Settings with the loss weights to try."""

    taus: tuple[float, ...] = setting((1.0, 3.0, 10.0, 30.0), "values of tau for figure 6")


def table4(context: Context) -> Iterator[Result]:
    """Every loss against likelihood."""
    bench = LossBench(context)
    parsers = {name: bench.parser(name, bench.settings.objective(name)) for name in TABLE_4}
    columns = ("trained for", *FIGURES, "p against CLL")
    for title, changes in DECODING.items():
        parses = {name: bench.dev.parse(p.with_settings(**changes)) for name, p in parsers.items()}
        rows = [_row(bench, name, parses) for name in parses]
        yield Table(f"Losses and metrics, {title} (the paper's table 4)", columns, rows, NOTE)


def _row(bench: LossBench, name: str, parsed: dict[str, Parsed]) -> Sequence[Any]:
    besides = figures(bench.dev.scores(parsed[name]), TABLE_4[name])
    p = None if name == "CLL" else bench.dev.p_value(parsed[name], parsed["CLL"])
    return (name, *besides, p)


def table5(context: Context) -> Iterator[Result]:
    """Decomposable losses on the forests of wide beams, under both schedules."""
    bench = LossBench(context)
    for which, schedule in enumerate(("adaptive", "reverse")):
        yield _by_schedule(bench, schedule, which)


def _by_schedule(bench: LossBench, schedule: str, which: int) -> Table:
    how = {"schedule": schedule, "algorithm": "viterbi"}
    parsed: dict[str, Parsed] = {}
    rows: list[tuple[Any, ...]] = []
    for name, paper in TABLE_5.items():
        parser = bench.parser(name, bench.settings.objective(name))
        parsed[name] = bench.dev.parse(parser.with_settings(**how))
        besides = figures(bench.dev.scores(parsed[name]), paper[which])
        p = None if name == "CLL" else bench.dev.p_value(parsed[name], parsed["CLL"])
        rows.append((name, *besides, p))
    columns = ("trained for", *FIGURES, "p against CLL")
    return Table(f"Wide forests, {schedule}, Viterbi (the paper's table 5)", columns, rows, NOTE)


def figure6(context: Context) -> Iterator[Result]:
    """Labelled F, P, R and supertags over tau, for each of the three exact losses."""
    bench = LossBench(context)
    taus = context.settings.taus
    rows: list[tuple[Any, ...]] = [("CLL", None, *_point(bench, "CLL", None))]
    for name in ("F1", "P", "R"):
        rows += [(name, tau, *_point(bench, name, tau)) for tau in taus]
    columns = ("trained for", "tau", "LF", "LP", "LR", "ST")
    yield Table("Exact losses over tau, Viterbi", columns, rows)

    def draw(figure: Any) -> None:
        for i, title in enumerate(("labelled F", "precision", "recall", "supertags")):
            axes = figure.add_subplot(1, 4, i + 1, title=title, xlabel="tau", xscale="log")
            axes.axhline(rows[0][2 + i], color="grey", label="CLL")
            for name in ("F1", "P", "R"):
                points = [row[2 + i] for row in rows if row[0] == name]
                axes.plot(taus, points, "o-", label=name)
            axes.legend()

    yield Plot("figure6", "Exact losses over tau", draw, 14.0)


def _point(bench: LossBench, name: str, tau: float | None) -> list[float]:
    title = name if tau is None else f"{name}-{tau:g}"
    parser = bench.parser(title, bench.settings.objective(name, tau))
    scores = bench.dev.scores(bench.dev.parse(parser.with_settings(algorithm="viterbi")))
    return [*list(percentages(scores))[:3], 100 * (scores.supertags or 0.0)]


EXPERIMENTS = (
    Experiment("softmax-margin/table4", "Losses and metrics, CCG", LossSettings, table4, ray=True),
    Experiment(
        "softmax-margin/table5", "Losses on wide forests, CCG", WideSettings, table5, ray=True
    ),
    Experiment(
        "softmax-margin/figure6", "The weight of the loss, CCG", TauSettings, figure6, ray=True
    ),
)
