"""Cost of exact losses by tau, on training forests, with zero and trained weights.

Forests are those of a store (of a CCG parser), or the training charts of a constituency parser.
Times are CPU times of one thread, and ratios are within a run: the objectives are interleaved, so
that all share the machine's slow phases.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from treewright.arrays import Floats, Integers
from treewright.config import setting
from treewright.errors import ConfigError, ForestError
from treewright.experiments.core.toy import ToyParser, sample
from treewright.experiments.experiment import Context, Experiment, Result, Table
from treewright.forests import ForestStore
from treewright.forests.features import Example
from treewright.losses import BatchObjective, Likelihood, Objective, SoftmaxMargin
from treewright.losses.corpus import CorpusBatchObjective
from treewright.losses.settings import ObjectiveSettings
from treewright.machine import peak_rss_mb
from treewright.models.constituency.settings import ConstSettings
from treewright.models.constituency.training import Trainer, features_of
from treewright.storage.tensors import read_tensors
from treewright.train.settings import OptimiserSettings

COLUMNS = (
    "loss",
    "tau",
    "CPU s",
    "times likelihood",
    "median forest",
    "worst forest",
    "its name",
    "its edges",
)


@dataclass(frozen=True)
class TauSettings:
    """Forests, weights, losses and taus."""

    store: Path | None = setting(None, "forest store; default: forests of the toy parser")
    weights: Path | None = setting(None, "trained weights, such as RUN/model/weights.safetensors")
    trees: Path | None = setting(
        None, "treebank (brackets): use the training charts of a constituency parser"
    )
    epochs: int = setting(4, "trees: AdaGrad epochs for the trained weights")
    forests: int = setting(300, "number of forests, sampled at even intervals")
    losses: tuple[str, ...] = setting(("f1", "precision", "f2"), "losses that do not decompose")
    taus: tuple[float, ...] = setting((1.0, 3.0, 10.0, 30.0), "weights of the loss")
    tolerance: float = setting(1e-4, "certified error of value and gradient")
    batches: tuple[int, ...] = setting((), "sizes of minibatches for corpus-level F1")
    repeats: int = setting(
        3, "number of passes; the median is reported, for single forests the fastest"
    )


def tau(context: Context) -> Iterator[Result]:
    """Every loss and tau against likelihood: all forests together, and the worst forest."""
    settings: TauSettings = context.settings
    trained: dict[str, Floats] = {}
    if settings.trees is not None:
        examples, trained["trained weights"] = _charts(settings.trees, context)
    else:
        examples = _examples(settings, context.seed)
    features = 1 + max(int(each.features.vocabulary.max(initial=0)) for each in examples)
    edges = [each.forest.edges for each in examples]
    yield f"{len(examples)} forests, {sum(edges):,} edges, {max(edges):,} in the largest."
    for title, weights in (_weights(settings.weights, features) | trained).items():
        yield _table(context, f"Exact losses over tau, {title}", examples, weights)
        if settings.batches:
            yield _minibatches(context, f"F1 of minibatches, {title}", examples, weights)
    yield f"Peak RSS: {peak_rss_mb():,.0f} MB."


def _charts(path: Path, context: Context) -> tuple[list[Example], Floats]:
    """The charts of examples/const.toml, and weights after a few epochs of likelihood."""
    count, run = context.settings.forests, context.run("charts")
    settings = ConstSettings(path, sentences=count, folds=2, shared_bits=20, tagger=False)
    trainer = Trainer(settings, run)
    features = features_of(trainer, trainer.items)
    charts = trainer.examples(trainer.span_models(), features, "plain", binarised=False)
    examples = list(charts)
    objective = run.objective_over("charts", ObjectiveSettings(), examples, len(features))
    epochs = context.settings.epochs
    how = OptimiserSettings(name="adagrad", iterations=epochs, prior=1.0, rate=0.15, batch=32)
    return examples, run.optimise("weights", objective, how)


def _examples(settings: TauSettings, seed: int) -> list[Example]:
    if settings.store is None:
        return list(map(ToyParser().example, sample(settings.forests, seed)))
    store = ForestStore(settings.store)
    step = max(1, len(store) // settings.forests)
    return [store[i] for i in range(0, len(store), step)][: settings.forests]


def _weights(path: Path | None, features: int) -> dict[str, Floats]:
    weights = {"zero weights": np.zeros(features)}
    if path is not None:
        arrays, _ = read_tensors(path)
        if "weights" not in arrays or len(arrays["weights"]) < features:
            raise ConfigError(f"{path}: no weights for the {features:,} features of the forests")
        weights["trained weights"] = arrays["weights"][:features].astype(np.float64)
    return weights


def _table(context: Context, title: str, examples: list[Example], weights: Floats) -> Table:
    settings: TauSettings = context.settings
    cases = [(loss, tau) for loss in settings.losses for tau in settings.taus]
    objectives: list[Objective] = [Likelihood()]
    objectives += [SoftmaxMargin(*case, tolerance=settings.tolerance) for case in cases]
    batches = [BatchObjective(each, examples, len(weights), 1) for each in objectives]
    passes = np.zeros((settings.repeats, len(batches)))
    forests = np.zeros((settings.repeats, len(batches), len(examples)))
    for batch in batches:
        batch.value_and_gradient(weights)  # reads the store
    with context.progress(title, settings.repeats) as bar:
        for whole, single in zip(passes, forests, strict=True):
            for k, batch in enumerate(batches):
                whole[k] = _seconds(partial(batch.value_and_gradient, weights))
                single[k] = [_alone(batch, number, weights) for number in range(len(examples))]
            bar.advance()
    totals, best = np.median(passes, axis=0), forests.min(axis=0)
    rows: list[tuple[Any, ...]] = [("likelihood", None, float(totals[0]), 1.0, *(None,) * 4)]
    for (loss, tau), total, each in zip(cases, totals[1:], best[1:] / best[0], strict=True):
        worst = int(each.argmax())
        name = examples[worst].name or str(worst)
        columns = (float(np.median(each)), float(each[worst]), name, examples[worst].forest.edges)
        rows.append((loss, tau, float(total), float(total / totals[0]), *columns))
    return Table(title, COLUMNS, rows, digits=2)


def _minibatches(context: Context, title: str, examples: list[Example], weights: Floats) -> Table:
    """Corpus-level F1 of random minibatches, with tau per sentence; infeasible ones are counted."""
    settings: TauSettings = context.settings
    likelihood = BatchObjective(Likelihood(), examples, len(weights), 1)
    likelihood.value_and_gradient(weights)  # reads the store
    rows: list[tuple[Any, ...]] = []
    for size, tau in product(settings.batches, settings.taus):
        order = np.random.default_rng(context.seed).permutation(len(examples))
        parts = np.array_split(order, max(1, len(examples) // size))
        corpus = CorpusBatchObjective("f1", tau, examples, len(weights), settings.tolerance)
        certified = _certified(corpus, parts, weights)  # makes the tables of counts
        passes = np.zeros((settings.repeats, 2))
        for each in passes:
            each[0] = _seconds(partial(likelihood.value_and_gradient, weights))
            each[1] = _seconds(partial(_certified, corpus, parts, weights))
        base, total = np.median(passes, axis=0)
        rows.append((size, tau, len(parts), certified, float(total), float(total / base)))
    columns = ("sentences", "tau", "minibatches", "certified", "CPU s", "times likelihood")
    return Table(title, columns, rows, digits=2)


def _certified(corpus: CorpusBatchObjective, parts: list[Integers], weights: Floats) -> int:
    """Values and gradients of all minibatches; how many are within the tolerance."""
    certified = 0
    for part in parts:
        try:
            corpus.value_and_gradient_on(part, weights)
            certified += 1
        except ForestError:
            continue
    return certified


def _alone(batch: BatchObjective, number: int, weights: Floats) -> float:
    return _seconds(partial(batch.value_and_gradient_on, np.array([number]), weights))


def _seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


EXPERIMENTS = (Experiment("training/tau", "Cost of exact losses by tau", TauSettings, tau),)
