"""POS tags as a third factor: future work of Auli and Lopez (2011a)."""

from collections.abc import Iterator
from dataclasses import dataclass

from treewright.config import setting
from treewright.experiments.experiment import Cell, Context, Experiment, Result, Table
from treewright.experiments.integrated.systems import SYSTEMS, IntegratedSettings, parser_in
from treewright.models.ccg.dev import CcgDev, Parsed
from treewright.models.ccg.parser import CcgParser

TWO = "supertagger and parser, k=1"


@dataclass(frozen=True)
class PosSettings(IntegratedSettings):
    """Settings with the number of POS tags."""

    pos_beta: float = setting(
        0.01, "keep POS tags with at least this probability relative to the best"
    )
    iterations: int = setting(5, "iterations of belief propagation for messages to the POS tagger")


def three_factors(context: Context) -> Iterator[Result]:
    """Predicted POS tags: the best ones, or several as variables of the joint model."""
    settings = context.settings
    dev = CcgDev(settings.dev, settings.sentences)
    for schedule in settings.schedules:
        parser = parser_in(settings.model).with_settings(schedule=schedule, **SYSTEMS["BP k=1"])
        systems = _systems(dev, parser, settings)
        rows: list[list[Cell]] = []
        for name, parsed in systems.items():
            scores = dev.scores(parsed)
            figures = (scores.labelled.f, scores.unlabelled.f, scores.supertags or 0.0)
            p = None if name == TWO else f"{dev.p_value(parsed, systems[TWO]):.4f}"
            speed = parsed.speed / systems[TWO].speed
            pos = 100 * dev.pos_accuracy(parsed)
            rows.append([name, pos, *(100 * figure for figure in figures), p, speed])
        columns = ("factors", "POS", "LF", "UF", "ST", "p", "speed")
        note = "p and speed: against the first row; the last row's tags are given."
        yield Table(f"Three factors, {schedule} supertagging, predicted POS", columns, rows, note)


def _systems(dev: CcgDev, parser: CcgParser, settings: PosSettings) -> dict[str, Parsed]:
    """Two factors, three factors, a second pass with corrected tags, and gold tags."""
    k = settings.iterations
    joint = parser.with_settings(pos_beta=settings.pos_beta)
    mended = dev.parse(joint.with_settings(iterations=k), gold_pos=False)
    return {
        TWO: dev.parse(parser, gold_pos=False),
        "and POS tagger, k=1": dev.parse(joint, gold_pos=False),
        f"and POS tagger, k={k}": mended,
        f"the first row with the tags of k={k}": dev.parse(parser, pos=mended.pos),
        "the first row with gold tags": dev.parse(parser),
    }


EXPERIMENTS = (
    Experiment("integrated/pos", "POS tags as a third factor", PosSettings, three_factors),
)
