"""Constituency parsing: accuracy against a markovised PCFG, and speed by length.

All parsers are trained on the same sentences by the same code; gold tags, and tags of a tagger that
is trained on the same sentences.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from typing import Any

from treewright.config import setting
from treewright.data.brackets import Bracketed
from treewright.grammar.binarise import Binariser
from treewright.metrics import constituency as metrics
from treewright.metrics.brackets import bracket_counts, match_trees
from treewright.metrics.significance import paired_bootstrap
from treewright.models.const_data import Item, read_items
from treewright.models.const_settings import ConstSettings
from treewright.models.const_training import train_pos
from treewright.models.pos import PosTagger
from treewright.models.tagger_settings import PosTaggerSettings
from treewright.report.experiment import Cell, Context, Experiment, Result, Table
from treewright.train.facts import peak_rss_mb
from treewright.train.settings import OptimiserSettings

Parse = Callable[[Item, Sequence[str]], Bracketed | None]
LENGTHS = (0, 10, 20, 30, 40, 60)


@dataclass(frozen=True)
class AccuracySettings:
    """What to train and to score on."""

    train: str = setting("../shared/data/const-craft/train.mrg", "a bracket file")
    test: str = setting("../shared/data/const-craft/dev.mrg", "another")
    max_words: int = setting(40, "longer sentences are left out")
    sentences: int = setting(0, "to train on, evenly spread; 0 is all")
    objectives: tuple[str, ...] = setting(("likelihood",), "of the models with rich features")
    tau: float = setting(3.0, "softmax-margin's multiplier")
    passes: int = setting(8, "of AdaGrad")
    automatic: bool = setting(True, "score with automatic tags, too")
    tagger: PosTaggerSettings = setting(
        PosTaggerSettings(local_passes=4, order=1, chain=OptimiserSettings(iterations=15)),
        "the tagger's training",
    )


def configuration(settings: Any, objective: str | None) -> dict[str, object]:
    """The configuration of a parser with rich features, or of the PCFG."""
    common: dict[str, object] = {
        "kind": "const",
        "train": settings.train,
        "max_words": settings.max_words,
        "sentences": settings.sentences,
    }
    if objective is None:
        return common | {"model": "pcfg", "binarise": {"horizontal": 1, "vertical": 2}}
    return common | {
        "shared_bits": 20,
        "folds": 2,
        "objective": {"name": objective, "loss": "f1", "tau": settings.tau},
        "optimiser": {
            "name": "adagrad",
            "iterations": settings.passes,
            "prior": 1.0,
            "rate": 0.15,
            "batch": 32,
        },
    }


def accuracy(context: Context) -> Iterator[Result]:
    """EVALB's figures (COLLINS.prm) of all parsers, failures as misses."""
    settings: AccuracySettings = context.settings
    items = read_items(settings.test, Binariser(), settings.max_words)
    tags: dict[str, Sequence[Sequence[str]]] = {"gold": [item.tags for item in items]}
    if settings.automatic:
        tags["automatic"] = _tagger(context).tag_batch([list(item.words) for item in items])
        yield f"The tagger is right on {_agreement(tags):.2%} of the words."
    rows = [row for kind, given in tags.items() for row in _scored(context, items, kind, given)]
    columns = ("tags", "parser", "P", "R", "F1", "exact", "gain", "p", "sentences/s")
    size = f"{len(items)} sentences of at most {settings.max_words} words"
    note = f"{size}; gain over the PCFG, p by the paired bootstrap."
    yield Table("Brackets as EVALB counts them", columns, rows, note)


def _agreement(tags: Mapping[str, Sequence[Sequence[str]]]) -> float:
    pairs = zip(
        chain.from_iterable(tags["gold"]), chain.from_iterable(tags["automatic"]), strict=True
    )
    same = [a == b for a, b in pairs]
    return sum(same) / len(same)


def _scored(
    context: Context, items: Sequence[Item], kind: str, tags: Sequence[Sequence[str]]
) -> Iterator[Sequence[Cell]]:
    """A row for each parser; the first is what the others are compared with."""
    gold, baseline = [item.tree for item in items], None
    for name, parse in _parsers(context):
        began = time.process_time()
        trees = [parse(item, row) for item, row in zip(items, tags, strict=True)]
        seconds = time.process_time() - began
        scores = metrics.score(trees, gold)
        total, counts = scores.brackets_all, bracket_counts(match_trees(trees, gold))
        figures = (
            100 * total.p,
            100 * total.r,
            100 * total.f,
            100 * (scores.everything.complete or 0),
        )
        gain: tuple[float | None, float | None] = (None, None)
        if baseline is None:
            baseline = counts
        else:
            test = paired_bootstrap(counts, baseline, samples=1000)
            gain = (100 * test.difference, test.p_value)
        yield kind, name, *figures, *gain, len(items) / seconds


def _parsers(context: Context) -> Iterator[tuple[str, Parse]]:
    settings: AccuracySettings = context.settings
    pcfg: Any = context.train("pcfg", configuration(settings, None))
    yield "PCFG, h=1, v=2", lambda item, tags: pcfg.parse(item.words, tags)
    for objective in settings.objectives:
        model: Any = context.train(objective, configuration(settings, objective))
        for decoder in ("viterbi", "max-constituents"):
            yield f"{objective}, {decoder}", partial(_parse, model, decoder)


def _parse(model: Any, decoder: str, item: Item, tags: Sequence[str]) -> Bracketed:
    tree: Bracketed = model.parse(item.words, tags, decoder).tree
    return tree


def _tagger(context: Context) -> PosTagger:
    settings: AccuracySettings = context.settings
    run = context.run("pos")
    config = ConstSettings(train=settings.train, tagger=settings.tagger)

    def make() -> Any:
        items = read_items(settings.train, Binariser(), settings.max_words)
        step = max(1, len(items) // settings.sentences) if settings.sentences else 1
        return train_pos(items[::step], config, run).bundle()

    return PosTagger.from_bundle(run.stage("pos", make))


@dataclass(frozen=True)
class SpeedSettings(AccuracySettings):
    """The same models, measured."""

    max_words: int = setting(40, "longer sentences are left out of training")
    most: int = setting(150, "sentences of each length to measure")


def speed(context: Context) -> Iterator[Result]:
    """Sentences a second by length, gold tags, one thread, CPU time; memory."""
    settings: SpeedSettings = context.settings
    items = read_items(settings.test, Binariser(), LENGTHS[-1])
    bins = [
        [item for item in items if low < len(item.words) <= high][: settings.most]
        for low, high in pairwise(LENGTHS)
    ]
    rows = []
    for name, parse in _parsers(context):
        rates: list[float | None] = []
        for group in bins:
            began = time.process_time()
            for item in group:
                parse(item, item.tags)
            rates.append(len(group) / max(1e-9, time.process_time() - began) if group else None)
        rows.append((name, *rates))
    columns = ("parser", *(f"{low + 1} to {high} words" for low, high in pairwise(LENGTHS)))
    yield Table("Sentences a second", columns, rows, digits=0)
    yield f"Peak memory of the process with all models: {peak_rss_mb():.0f} MB."


EXPERIMENTS = (
    Experiment("max-margin/accuracy", "Accuracy against a PCFG", AccuracySettings, accuracy),
    Experiment("max-margin/speed", "Speed by length", SpeedSettings, speed),
)
