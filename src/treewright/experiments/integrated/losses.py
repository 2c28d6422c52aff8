"""Loss-trained factors combined (Auli and Lopez 2011b, section 4.4: tables 6 and 7)."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.config import setting
from treewright.errors import ConfigError
from treewright.experiments.ccg_figures import FIGURES, PaperFigures, figures
from treewright.experiments.experiment import Cell, Context, Experiment, Result, Table
from treewright.experiments.integrated.systems import PIPELINE, SYSTEMS
from treewright.experiments.softmax_margin.systems import LossBench, LossSettings
from treewright.models.ccg.dev import CcgDev
from treewright.models.ccg.parser import CcgParser
from treewright.models.kinds import load
from treewright.models.tagging.supertagger import Supertagger

BP = "BP"
# By POS and schedule; section 00. The predicted rows name no schedule.
PAPER: dict[tuple[str, str], dict[str, PaperFigures]] = {
    ("gold", "adaptive"): {
        PIPELINE: (87.38, 93.08, 94.21),
        "pipeline + DecF1": (87.67, 93.23, 94.39),
        BP: (87.67, 93.26, 94.43),
        "BP + DecF1": (87.90, 93.40, 94.52),
        "BP + DecF1 + SA": (87.73, 93.28, 94.49),
    },
    ("gold", "reverse"): {
        PIPELINE: (87.36, 93.13, 93.99),
        "pipeline + DecF1": (88.12, 93.52, 94.46),
        BP: (88.35, 93.72, 94.73),
        "BP + DecF1": (88.58, 93.88, 94.79),
        "BP + DecF1 + SA": (88.40, 93.71, 94.75),
    },
    ("predicted", "reverse"): {
        PIPELINE: (85.53, 85.73, 85.33, 91.99, 92.20, 91.77),
        BP: (86.45, 86.75, 86.17, 92.60, 92.92, 92.29),
        "BP + DecF1": (86.73, 87.07, 86.39, 92.79, 93.16, 92.43),
        "BP + DecF1 + SA": (86.51, 86.86, 86.16, 92.60, 92.98, 92.23),
    },
}


@dataclass(frozen=True)
class CombinedSettings(LossSettings):
    """Settings with a second supertagger."""

    loss_supertagger: Path = setting(
        Path("runs/super-sa/model"), "supertagger trained with softmax-margin and Hamming loss"
    )


def losses(context: Context) -> Iterator[Result]:
    """Parsers trained for likelihood and DecF1, supertaggers for likelihood and accuracy."""
    systems, dev = _systems(context)
    for pos in ("gold", "predicted"):
        for schedule in ("adaptive", "reverse"):
            rows = _rows(dev, systems, pos, schedule)
            columns = ("system", *FIGURES, "p, pipeline", "p, BP")
            title = f"Losses in the joint model, {schedule} supertagging, {pos} POS"
            yield Table(title, columns, rows, "BP: one iteration. SA: supertag accuracy.")


def _systems(context: Context) -> tuple[dict[str, CcgParser], CcgDev]:
    bench = LossBench(context)
    settings: Any = context.settings
    other = load(settings.loss_supertagger)
    if not isinstance(other, Supertagger):
        raise ConfigError(f"{settings.loss_supertagger}: not a model of kind 'super'")
    likelihood, dec_f1 = (bench.parser(name, settings.objective(name)) for name in ("CLL", "DecF1"))
    alone, joint = SYSTEMS[PIPELINE], SYSTEMS["BP k=1"]
    return {
        PIPELINE: likelihood.with_settings(**alone),
        "pipeline + DecF1": dec_f1.with_settings(**alone),
        BP: likelihood.with_settings(**joint),
        "BP + SA": likelihood.with_supertagger(other).with_settings(**joint),
        "BP + DecF1": dec_f1.with_settings(**joint),
        "BP + DecF1 + SA": dec_f1.with_supertagger(other).with_settings(**joint),
    }, bench.dev


def _rows(dev: CcgDev, systems: dict[str, CcgParser], pos: str, schedule: str) -> list[list[Cell]]:
    parses = {
        name: dev.parse(parser.with_settings(schedule=schedule), gold_pos=pos == "gold")
        for name, parser in systems.items()
    }
    rows: list[list[Cell]] = []
    for name, parsed in parses.items():
        besides = figures(dev.scores(parsed), PAPER.get((pos, schedule), {}).get(name, ()))
        p = [
            None if other == name else f"{dev.p_value(parsed, parses[other]):.4f}"
            for other in (PIPELINE, BP)
        ]
        rows.append([name, *besides, *p])
    return rows


EXPERIMENTS = (
    Experiment(
        "integrated/losses", "BP with loss-trained factors", CombinedSettings, losses, ray=True
    ),
)
