"""Constituency parsing: speed by length, time and memory of training, and the share of the QP."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from treewright.config import setting
from treewright.experiments.constituency.accuracy import AccuracySettings, Parse, parsers
from treewright.experiments.constituency.bench import ConstBench
from treewright.experiments.experiment import Cell, Context, Experiment, Result, Table
from treewright.grammar.binarise import Binariser
from treewright.losses.settings import ObjectiveSettings
from treewright.machine import peak_rss_mb
from treewright.models.constituency.data import Item, read_items
from treewright.models.constituency.settings import BinariseSettings, ConstSettings
from treewright.scores.constituency.spans import SpanSettings
from treewright.train.cutting_planes import SvmSettings
from treewright.train.history import read_history
from treewright.train.loop import finish
from treewright.train.svm import svm_learner

LENGTHS = (0, 10, 20, 30, 40, 60)


@dataclass(frozen=True)
class SpeedSettings(AccuracySettings):
    """The models of max-margin/accuracy, and solvers of structured SVMs."""

    max_words: int = setting(40, "maximum length of training sentences")
    most: int = setting(150, "number of sentences per length")
    svm_sentences: int = setting(300, "number of sentences of up to 20 words for comparing solvers")
    svm_rounds: int = setting(60, "maximum number of rounds or epochs")
    c: float = setting(100.0, "C of the structured SVMs")


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
    yield from _solvers(context)


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


def _solvers(context: Context) -> Iterator[Result]:
    """The solvers on the same charts of a weighted grammar, slack rescaling with F1."""
    s: SpeedSettings = context.settings
    config = ConstSettings(
        tagger=False,
        train=s.train,
        max_words=20,
        sentences=s.svm_sentences,
        model="rules",
        folds=2,
        binarise=BinariseSettings("right", 1, 2),
        pruning=SpanSettings(bits=16),
    )
    bench = ConstBench(config, context.run("solvers"), 0, s.test)
    rows = [_solver(bench, method, s) for method in ("one-slack", "n-slack", "frank-wolfe")]
    columns = ("method", "rounds", "objective", "gap", "s per round", "s in all", "QP's share")
    note = (
        f"{len(bench.train)} sentences of at most 20 words, C = {s.c:g}, F1 with slack rescaling; "
        f"CPU time. The gap is the objective less its lower bound, as a share of it; a method "
        f"stops at a violation of 0.001 or after {s.svm_rounds} rounds."
    )
    yield Table("Structured SVMs", columns, rows, note, digits=3)


def _solver(bench: ConstBench, method: str, s: SpeedSettings) -> Sequence[Cell]:
    svm = SvmSettings(method, s.c, 1e-3, s.svm_rounds)  # type: ignore[arg-type]
    objective = ObjectiveSettings("hinge-slack", "f1")
    size = len(bench.features)
    last = finish(svm_learner(objective, svm, bench.examples(), size, bench.run))[-1]
    figures, value = last.figures, float(last.value or 0)
    seconds, gap = figures["cpu_seconds"], figures.get("gap", value - figures.get("dual", 0.0))
    each, share = seconds / last.iteration, figures.get("qp_seconds", 0.0) / seconds
    return method, last.iteration, value, gap / value, each, seconds, share


EXPERIMENTS = (Experiment("max-margin/speed", "Speed and memory", SpeedSettings, speed),)
