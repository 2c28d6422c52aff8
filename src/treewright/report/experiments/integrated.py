"""Integrated supertagging and parsing (Auli and Lopez 2011a): tables 4 and 6 on our data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.config import setting
from treewright.errors import ConfigError
from treewright.models.ccg import CcgModel
from treewright.models.ccg_parser import CcgParser
from treewright.models.kinds import load
from treewright.report.ccg_dev import CcgDev, Parsed
from treewright.report.experiment import Beside, Context, Experiment, Result, Table

# The paper's table 4, gold POS, section 00: LF, UF, supertags, by schedule.
PAPER = {
    "pipeline": {"adaptive": (87.38, 93.08, 94.21), "reverse": (87.36, 93.13, 93.99)},
    "BP k=1": {"adaptive": (87.70, 93.28, 94.44), "reverse": (88.35, 93.69, 94.73)},
    "BP k=25": {"adaptive": (87.70, 93.31, 94.44), "reverse": (88.33, 93.72, 94.71)},
    "DD k=1": {"adaptive": (87.40, 93.09, 94.23), "reverse": (87.38, 93.15, 94.03)},
    "DD k=25": {"adaptive": (87.71, 93.32, 94.44), "reverse": (88.29, 93.71, 94.67)},
}
SYSTEMS: dict[str, dict[str, object]] = {
    "pipeline": {"algorithm": "viterbi", "tagger_weight": 0.0},
    "pipeline + tagger's posteriors": {"algorithm": "min-risk"},
    "BP k=1": {"algorithm": "bp", "iterations": 1},
    "BP k=25": {"algorithm": "bp", "iterations": 25},
    "DD k=1": {"algorithm": "dd", "iterations": 1},
    "DD k=25": {"algorithm": "dd", "iterations": 25},
}


@dataclass(frozen=True)
class IntegratedSettings:
    """A trained parser, and what to parse."""

    model: str = setting("runs/ccg/model", "a trained CCG parser")
    dev: str = setting("dev.auto", "derivations to score on")
    sentences: int = setting(0, "the first so many; 0 is all")
    schedules: tuple[str, ...] = setting(("adaptive", "reverse"), "of beams")


def table4(context: Context) -> Iterator[Result]:
    """Accuracy and speed of the pipeline, BP and DD under each schedule."""
    settings = context.settings
    parser = _parser(settings.model)
    dev = CcgDev(settings.dev, settings.sentences)
    for schedule in settings.schedules:
        found = {
            name: dev.parse(parser.with_settings(schedule=schedule, **changes))
            for name, changes in SYSTEMS.items()
        }
        rows = [_row(name, schedule, found, dev) for name in found]
        columns = ("system", "LF", "UF", "ST", "coverage", "p against pipeline", "speed")
        note = "Speed is relative to the pipeline's, by CPU time, tagging included."
        yield Table(f"Integrated models, {schedule} supertagging", columns, rows, note)


def _parser(directory: str) -> CcgParser:
    model = load(directory)
    if not isinstance(model, CcgModel):
        raise ConfigError(f"{directory}: not a model of kind 'ccg'")
    return model.parser


def _row(name: str, schedule: str, found: dict[str, Parsed], dev: CcgDev) -> Sequence[Any]:
    pipeline = found["pipeline"]
    scores = dev.scores(found[name])
    ours = (scores.labelled.f, scores.unlabelled.f, scores.supertags or 0.0)
    paper = PAPER.get(name, {}).get(schedule, (None, None, None))
    besides = [Beside(100 * o, t) for o, t in zip(ours, paper, strict=True)]
    p = None if name == "pipeline" else dev.p_value(found[name], pipeline)
    return (name, *besides, 100 * scores.coverage, p, found[name].speed / pipeline.speed)


EXPERIMENTS = (
    Experiment("integrated/table4", "BP and DD against the pipeline", IntegratedSettings, table4),
)
