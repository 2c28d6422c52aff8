"""Integrated supertagging and parsing (Auli and Lopez 2011a): tables 2, 4, 5 and 6 on our data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.config import setting
from treewright.experiments.ccg_figures import FIGURES, PaperFigures, figures
from treewright.experiments.experiment import Beside, Context, Experiment, Result, Table
from treewright.experiments.integrated.systems import (
    MIN_RISK,
    PIPELINE,
    SYSTEMS,
    IntegratedSettings,
    parser_in,
)
from treewright.metrics.counts import Score
from treewright.models.ccg.dev import CcgDev, Parsed
from treewright.models.ccg.oracle import OracleRow, ccg_oracle, gold_oracle, oracle_charts
from treewright.models.ccg.search import schedule_named

# Table 2, gold POS, section 00: LF, LP, LR of the parser alone, the best and the worst parses.
TABLE_2: dict[str, tuple[PaperFigures, ...]] = {
    "adaptive": ((87.38, 87.83, 86.93), (94.35, 95.24, 93.49), (54.31, 54.81, 53.83)),
    "reverse": ((87.36, 87.55, 87.17), (97.65, 98.21, 97.09), (18.09, 17.75, 18.43)),
}
# With gold supertags: section 3 only gives the best F.
PERFECT: tuple[PaperFigures, ...] = ((None,) * 3, (97.73, None, None), (None,) * 3)
# Table 4, gold POS, section 00: LF, UF, supertags, by schedule.
TABLE_4: dict[str, dict[str, PaperFigures]] = {
    PIPELINE: {"adaptive": (87.38, 93.08, 94.21), "reverse": (87.36, 93.13, 93.99)},
    MIN_RISK: {},
    "BP k=1": {"adaptive": (87.70, 93.28, 94.44), "reverse": (88.35, 93.69, 94.73)},
    "BP k=25": {"adaptive": (87.70, 93.31, 94.44), "reverse": (88.33, 93.72, 94.71)},
    "DD k=1": {"adaptive": (87.40, 93.09, 94.23), "reverse": (87.38, 93.15, 94.03)},
    "DD k=25": {"adaptive": (87.71, 93.32, 94.44), "reverse": (88.29, 93.71, 94.67)},
}
# Table 5, predicted POS, section 00: LF, LP, LR, UF, UP, UR; the paper does not name the schedule.
TABLE_5: dict[str, dict[str, PaperFigures]] = {
    PIPELINE: {"reverse": (85.53, 85.73, 85.33, 91.99, 92.20, 91.77)},
    MIN_RISK: {},
    "BP k=1": {"reverse": (86.44, 86.74, 86.14, 92.54, 92.86, 92.23)},
    "BP k=25": {},
    "DD k=1": {},
    "DD k=25": {"reverse": (86.35, 86.65, 86.05, 92.52, 92.85, 92.20)},
}
# Table 6, section 00: sentences per second.
TABLE_6: dict[str, dict[str, float]] = {
    PIPELINE: {"adaptive": 65.8, "reverse": 5.9},
    MIN_RISK: {},
    "BP k=1": {"adaptive": 60.8, "reverse": 5.8},
    "BP k=5": {"adaptive": 46.7, "reverse": 4.7},
    "BP k=25": {"adaptive": 35.3, "reverse": 3.5},
    "DD k=1": {"adaptive": 64.6, "reverse": 5.9},
    "DD k=5": {"adaptive": 41.9, "reverse": 3.1},
    "DD k=25": {"adaptive": 32.5, "reverse": 1.9},
}
PIECE = 100  # sentences that all systems parse in turn
NOTE = "p: approximate randomisation on labelled F over the sentences that both parse."


@dataclass(frozen=True)
class OracleSettings(IntegratedSettings):
    """Settings with pruning."""

    margin: float = setting(10.0, "pruning margin of the oracle charts; inf: no pruning")
    max_items: int = setting(1_000_000, "maximum number of items in an oracle chart")


@dataclass(frozen=True)
class SpeedSettings(IntegratedSettings):
    """Settings with the number of repetitions."""

    rounds: int = setting(3, "number of interleaved timing rounds; the best time is reported")


def table2(context: Context) -> Iterator[Result]:
    """The best and the worst parses in the charts, and those of the parser alone."""
    settings: OracleSettings = context.settings
    parser = parser_in(settings.model).with_settings(**SYSTEMS[PIPELINE])
    dev = CcgDev(settings.dev, settings.sentences)
    schedules = [schedule_named(name) for name in settings.schedules]
    charts = oracle_charts(parser, settings.margin, settings.max_items)
    oracles = ccg_oracle(parser, dev.derivations, schedules, charts)
    rows: list[Sequence[Any]] = []
    for schedule, row in zip(settings.schedules, oracles, strict=True):
        alone = dev.scores(dev.parse(parser.with_settings(schedule=schedule))).labelled
        rows += _extremes(schedule, row, TABLE_2.get(schedule, ((None,) * 3,) * 3), alone)
    rows += _extremes("gold supertags", gold_oracle(parser, dev.derivations, charts), PERFECT)
    columns = ("supertags", "parses", "LF", "LP", "LR", "categories per word", "coverage")
    yield Table("The best and the worst parses, gold POS", columns, rows)


def _extremes(
    name: str, row: OracleRow, paper: Sequence[PaperFigures], alone: Score | None = None
) -> Iterator[Sequence[Any]]:
    """The parses of the parser alone, if given, and the best and worst ones."""
    scores = (PIPELINE, alone), ("best", row.best.score()), ("worst", row.worst.score())
    for (which, score), theirs in zip(scores, paper, strict=True):
        if score is not None:
            rest = (row.categories, 100 * row.coverage)
            yield (name, which, *_percentages(score, theirs), *rest)


def _percentages(score: Score, paper: PaperFigures) -> list[Beside]:
    ours = (score.f, score.p, score.r)
    return [Beside(100 * o, t) for o, t in zip(ours, paper, strict=True)]


def table4(context: Context) -> Iterator[Result]:
    """Accuracy with gold POS tags."""
    yield from _accuracy(context.settings, TABLE_4, gold_pos=True)


def table5(context: Context) -> Iterator[Result]:
    """Accuracy with the parser's own POS tags."""
    yield from _accuracy(context.settings, TABLE_5, gold_pos=False)


def _accuracy(
    settings: IntegratedSettings, paper: Mapping[str, Mapping[str, PaperFigures]], gold_pos: bool
) -> Iterator[Result]:
    parser = parser_in(settings.model)
    dev = CcgDev(settings.dev, settings.sentences)
    for schedule in settings.schedules:
        parses = {
            name: dev.parse(parser.with_settings(schedule=schedule, **SYSTEMS[name]), gold_pos)
            for name in paper
        }
        rows = [_row(name, paper[name].get(schedule, ()), parses, dev) for name in parses]
        columns = ("system", *FIGURES, "coverage", "p, pipeline", "p, minimum risk")
        pos = "gold" if gold_pos else "predicted"
        yield Table(f"{schedule.capitalize()} supertagging, {pos} POS", columns, rows, NOTE)


def _row(
    name: str, paper: PaperFigures, parsed: Mapping[str, Parsed], dev: CcgDev
) -> Sequence[Any]:
    scores = dev.scores(parsed[name])
    alone = (PIPELINE, MIN_RISK)
    p = [
        None if name == other or (name in alone and other == MIN_RISK)
        else f"{dev.p_value(parsed[name], parsed[other]):.4f}"
        for other in alone
    ]  # fmt: skip
    return (name, *figures(scores, paper), 100 * scores.coverage, *p)


def table6(context: Context) -> Iterator[Result]:
    """Speed by iterations, relative to the pipeline's."""
    settings = context.settings
    parser = parser_in(settings.model)
    dev = CcgDev(settings.dev, settings.sentences)
    rows: dict[str, list[Any]] = {name: [name] for name in TABLE_6}
    for schedule in settings.schedules:
        speed = _speeds(dev, parser, schedule, settings.rounds)
        for name, row in rows.items():
            theirs = TABLE_6[name].get(schedule)
            base = TABLE_6[PIPELINE].get(schedule, 1.0)
            ratio = Beside(speed[name] / speed[PIPELINE], theirs and theirs / base)
            row += [Beside(speed[name], theirs), ratio]
    columns = ["system"]
    for schedule in settings.schedules:
        columns += [f"{schedule}, sentences/s", "relative"]
    note = f"CPU time of one core, tagging and dependencies included, best of {settings.rounds}."
    yield Table("Speed by iterations", columns, list(rows.values()), note)


def _speeds(dev: CcgDev, parser: Any, schedule: str, rounds: int) -> dict[str, float]:
    systems = {name: parser.with_settings(schedule=schedule, **SYSTEMS[name]) for name in TABLE_6}
    seconds = dict.fromkeys(systems, 0.0)
    # In small pieces, so that all systems share the machine's slow phases.
    for piece in dev.pieces(PIECE):
        best = dict.fromkeys(systems, float("inf"))
        for _ in range(rounds):
            for name, each in systems.items():
                best[name] = min(best[name], piece.parse(each).seconds)
        seconds = {name: seconds[name] + best[name] for name in systems}
    return {name: len(dev.derivations) / each for name, each in seconds.items()}


EXPERIMENTS = (
    Experiment("integrated/table2", "Oracle F1 by beams", OracleSettings, table2),
    Experiment("integrated/table4", "BP and DD, gold POS", IntegratedSettings, table4),
    Experiment("integrated/table5", "BP and DD, predicted POS", IntegratedSettings, table5),
    Experiment("integrated/table6", "Speed by iterations", SpeedSettings, table6),
)
