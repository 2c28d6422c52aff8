"""Constituency parsing: speed by length, time and memory of training."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from treewright.config import setting
from treewright.experiments.constituency.accuracy import AccuracySettings, Parse, parsers
from treewright.experiments.experiment import Cell, Context, Experiment, Result, Table
from treewright.grammar.binarise import Binariser
from treewright.machine import peak_rss_mb
from treewright.models.constituency.data import Item, read_items
from treewright.train.history import read_history

LENGTHS = (0, 10, 20, 30, 40, 60)


@dataclass(frozen=True)
class SpeedSettings(AccuracySettings):
    """The models of max-margin/accuracy."""

    max_words: int = setting(40, "maximum length of training sentences")
    most: int = setting(150, "number of sentences per length")


def speed(context: Context) -> Iterator[Result]:
    """Sentences per second by length (gold tags, one thread, CPU time); training; memory."""
    settings: SpeedSettings = context.settings
    items = read_items(settings.test, Binariser(), LENGTHS[-1])
    bins = [
        [item for item in items if low < len(item.words) <= high][: settings.most]
        for low, high in pairwise(LENGTHS)
    ]
    rows = [(name, *(_rate(parse, group) for group in bins)) for name, parse in parsers(context)]
    columns = ("parser", *(f"{low + 1} to {high} words" for low, high in pairwise(LENGTHS)))
    yield Table("Sentences a second", columns, rows, digits=0)
    yield f"Peak memory of a process with all models, parsing: {peak_rss_mb():.0f} MB."
    yield _training(context)


def _rate(parse: Parse, items: Sequence[Item]) -> float | None:
    began = time.process_time()
    for item in items:
        parse(item, item.tags)
    return len(items) / max(1e-9, time.process_time() - began) if items else None


def _training(context: Context) -> Table:
    """Wall time of training steps, from the runs' records."""
    settings: SpeedSettings = context.settings
    rows: list[Sequence[Cell]] = []
    for objective in settings.objectives:
        history = read_history(context.run(objective).directory)
        seconds = [each["seconds"] for each in history.curves["weights"]]
        passes = sorted(b - a for a, b in pairwise(seconds))
        middle = passes[len(passes) // 2] if passes else None
        memory = max(each["peak_rss_mb"] for each in history.records)
        rows.append((objective, history.seconds, middle, memory))
    columns = ("objective", "all of training, s", "a pass (median), s", "peak memory, MB")
    return Table("Training, rich features", columns, rows, "Wall time.", digits=1)


EXPERIMENTS = (Experiment("max-margin/speed", "Speed and memory", SpeedSettings, speed),)
