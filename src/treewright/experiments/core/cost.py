"""Cost of training: passes over the forests by objective, number of threads, and on Ray workers."""

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from treewright.arrays import Floats
from treewright.config import setting
from treewright.errors import ConfigError
from treewright.experiments.core.toy import ToyParser, sample
from treewright.experiments.experiment import Beside, Context, Experiment, Result, Table
from treewright.forests import ForestStore
from treewright.forests.features import Example
from treewright.losses.settings import ObjectiveSettings
from treewright.machine import peak_rss_mb
from treewright.train.cluster import Cluster
from treewright.train.loop import Trainable
from treewright.train.shards import Shard, cut, local_objective

NAMES = (
    "likelihood",
    "softmax-margin dec-precision",
    "softmax-margin dec-recall",
    "softmax-margin dec-f1",
    "softmax-margin recall",
    "softmax-margin precision",
    "softmax-margin f1",
    "risk f1",
    "hinge f1",
)
# Training with exact losses takes "an order of magnitude" longer (softmax-margin paper, table 4).
EXACT = ("softmax-margin recall", "softmax-margin precision", "softmax-margin f1")
PAPER = dict.fromkeys(EXACT, "about 10")


@dataclass(frozen=True)
class CostSettings:
    """Forests and objectives."""

    store: Path | None = setting(None, "forest store; default: forests of the toy parser")
    sentences: int = setting(
        500, "number of toy sentences, or maximum number of forests from the store"
    )
    objectives: tuple[str, ...] = setting(NAMES, "objectives; the first is the baseline")
    tau: float = setting(1.0, "weight of the loss")
    tolerance: float = setting(1e-4, "tolerance for losses that do not decompose")
    scale: float = setting(0.1, "standard deviation of the random weights")
    repeats: int = setting(5, "number of interleaved passes; the median is reported")
    threads: tuple[int, ...] = setting((1, 2), "numbers of threads for the speed-up")
    workers: int = setting(0, "number of shards on a Ray cluster (needs --ray); 0: none")


def cost(context: Context) -> Iterator[Result]:
    """Seconds, ratios and peak memory of a pass, in one process and in several threads."""
    settings: CostSettings = context.settings
    examples = list(_examples(settings, context.seed, 0, settings.sentences))
    features = 1 + max(int(each.features.vocabulary.max(initial=0)) for each in examples)
    edges = sum(each.forest.edges for each in examples)
    weights = np.random.default_rng(context.seed).normal(scale=settings.scale, size=features)
    yield f"{len(examples)} forests, {edges:,} edges, {features:,} features."
    yield _by_objective(context, examples, weights, edges)
    yield _by_threads(context, examples, weights)
    if context.ray is not None and settings.workers:
        yield _by_workers(context, weights)


def _by_objective(context: Context, examples: list[Example], weights: Floats, edges: int) -> Table:
    settings: CostSettings = context.settings
    made = [
        _settings(each, settings).over(examples, len(weights), 1) for each in settings.objectives
    ]
    seconds = _medians(context, "passes", made, weights, time.process_time)
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        asked = [(settings, context.seed, name, len(weights)) for name in settings.objectives]
        peaks = pool.map(_peak, asked, chunksize=1)
    rows = [
        (name, each, 1e9 * each / edges, Beside(each / seconds[0], PAPER.get(name)), peak)
        for name, each, peak in zip(settings.objectives, seconds, peaks, strict=True)
    ]
    columns = ("objective", "CPU s", "ns per edge", f"times {settings.objectives[0]}", "peak MB")
    return Table("A pass over the forests, one thread", columns, rows, digits=3)


def _by_threads(context: Context, examples: list[Example], weights: Floats) -> Table:
    settings: CostSettings = context.settings
    name = settings.objectives[0]
    made = [_settings(name, settings).over(examples, len(weights), n) for n in settings.threads]
    seconds = _medians(context, "threads", made, weights, time.perf_counter)
    pairs = zip(settings.threads, seconds, strict=True)
    rows = [(threads, each, seconds[0] / each) for threads, each in pairs]
    return Table(f"Wall time, {name}", ("threads", "s", "speed-up"), rows, digits=3)


def _by_workers(context: Context, weights: Floats) -> Table:
    settings: CostSettings = context.settings
    name = settings.objectives[0]
    ends = cut(range(settings.sentences), settings.workers)
    shards = [Shard(_examples, (settings, context.seed, *each)) for each in ends]
    chosen, features = _settings(name, settings), len(weights)
    here = local_objective(chosen, shards, features, settings.workers)
    there = Cluster.at(str(context.ray)).objective(chosen, shards, features)
    seconds = _medians(context, "workers", [here, there], weights, time.perf_counter)
    rows = [
        (f"{settings.workers} threads", seconds[0], 1.0),
        (f"{settings.workers} Ray workers", seconds[1], seconds[1] / seconds[0]),
    ]
    return Table(f"Wall time, {name}", ("", "s", "times threads"), rows, digits=3)


def _medians(
    context: Context,
    title: str,
    objectives: Sequence[Trainable],
    weights: Floats,
    clock: Callable[[], float],
) -> list[float]:
    """Median times of the objectives, interleaved, so that all share the machine's slow phases."""
    repeats = context.settings.repeats
    seconds: list[list[float]] = [[] for _ in objectives]
    with context.progress(title, repeats + 1) as bar:
        for number in range(repeats + 1):
            for times, objective in zip(seconds, objectives, strict=True):
                begin = clock()
                objective.value_and_gradient(weights)
                if number:  # the first pass reads the store
                    times.append(clock() - begin)
            bar.advance()
    return [median(times) for times in seconds]


def _settings(name: str, settings: CostSettings) -> ObjectiveSettings:
    objective, _, loss = name.partition(" ")
    try:
        return ObjectiveSettings(
            objective,  # type: ignore[arg-type]
            loss or "f1",
            settings.tau,
            tolerance=settings.tolerance,
        )
    except ValueError as error:
        raise ConfigError(f"objective {name!r}: {error}") from error


def _examples(settings: CostSettings, seed: int, begin: int, end: int) -> Iterator[Example]:
    if settings.store is not None:
        yield from ForestStore(settings.store)[begin:end]
        return
    parser = ToyParser()
    yield from map(parser.example, sample(settings.sentences, seed)[begin:end])


def _peak(case: tuple[CostSettings, int, str, int]) -> float:
    """The peak memory of a process that only does one pass."""
    settings, seed, name, features = case
    examples = _examples(settings, seed, 0, settings.sentences)
    objective = _settings(name, settings).over(examples, features, 1)
    objective.value_and_gradient(np.zeros(features))
    return peak_rss_mb()


EXPERIMENTS = (
    Experiment("training/cost", "Cost of training objectives", CostSettings, cost, ray=True),
)
