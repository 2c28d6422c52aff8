"""Constituency parsing: accuracy against a markovised PCFG.

All parsers are trained on the same sentences by the same code, with gold tags and with tags of a
tagger trained on the same sentences.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from treewright.config import setting
from treewright.data.brackets import Bracketed
from treewright.data.records import Sentence
from treewright.experiments.constituency.bench import BracketSettings
from treewright.experiments.experiment import Cell, Context, Experiment, Result, Table
from treewright.grammar.binarise import Binariser
from treewright.metrics import constituency as metrics
from treewright.metrics.brackets import bracket_counts, match_trees
from treewright.metrics.counts import Counts
from treewright.metrics.significance import paired_bootstrap
from treewright.models.constituency.data import Item, read_items
from treewright.models.constituency.parser import ConstParser
from treewright.models.constituency.settings import ConstSettings
from treewright.models.constituency.training import train_pos
from treewright.models.tagging.pos import PosTagger
from treewright.models.tagging.settings import PosTaggerSettings
from treewright.train.settings import OptimiserSettings

Parse = Callable[[Item, Sequence[str]], Bracketed | None]


@dataclass(frozen=True)
class AccuracySettings(BracketSettings):
    """Training and test data."""

    objectives: tuple[str, ...] = setting(
        ("likelihood",), "objectives of the models with rich features"
    )
    tau: float = setting(3.0, "tau of softmax-margin")
    passes: int = setting(8, "number of AdaGrad epochs")
    automatic: bool = setting(True, "also score with predicted tags")
    tagger: PosTaggerSettings = setting(
        PosTaggerSettings(local_passes=4, order=1, chain=OptimiserSettings(iterations=15)),
        "POS tagger",
    )


def configuration(settings: Any, objective: str | None) -> dict[str, object]:
    """The configuration of a parser with rich features, or of the PCFG."""
    common: dict[str, object] = {
        "kind": "const",
        "tagger": False,
        "train": str(settings.train),
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
    """EVALB's figures (COLLINS.prm) of all parsers, with failures as misses."""
    settings: AccuracySettings = context.settings
    items = read_items(settings.test, Binariser(), settings.max_words)
    tags: dict[str, Sequence[Sequence[str]]] = {"gold": [item.tags for item in items]}
    if settings.automatic:
        parses = _tagger(context).parse_many(item.words for item in items)
        tags["predicted"] = [each.tags for each in parses]
        yield f"The tagger is right on {_agreement(tags):.2%} of the words."
    rows = [row for kind, given in tags.items() for row in _scored(context, items, kind, given)]
    columns = (
        *("tags", "parser", "P", "R", "F1", "exact"),
        *("gain over PCFG", "p", "gain over first objective", "p", "sentences/s"),
    )
    size = f"{len(items)} sentences of at most {settings.max_words} words"
    note = f"{size}; p by the paired bootstrap, decoders compared with themselves."
    yield Table("Brackets as EVALB counts them", columns, rows, note)


def _agreement(tags: Mapping[str, Sequence[Sequence[str]]]) -> float:
    pairs = zip(
        chain.from_iterable(tags["gold"]), chain.from_iterable(tags["predicted"]), strict=True
    )
    same = [a == b for a, b in pairs]
    return sum(same) / len(same)


def _scored(
    context: Context, items: Sequence[Item], kind: str, tags: Sequence[Sequence[str]]
) -> Iterator[Sequence[Cell]]:
    """A row per parser, compared with the first parser and with the first objective."""
    gold, before = [item.tree for item in items], dict[str, Counts]()
    for name, parse in parsers(context):
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
        decoder = name.rpartition(", ")[2]
        gains = [_gain(counts, before.get(key)) for key in ("PCFG", decoder)]
        before.setdefault("PCFG" if not before else decoder, counts)
        yield kind, name, *figures, *gains[0], *gains[1], len(items) / seconds


def _gain(counts: Counts, before: Counts | None) -> tuple[float | None, float | None]:
    """The gain in F1 over another parser, and its p-value."""
    if before is None:
        return None, None
    test = paired_bootstrap(counts, before, samples=1000)
    return 100 * test.difference, test.p_value


def parsers(context: Context) -> Iterator[tuple[str, Parse]]:
    """The PCFG, then each objective's model with two decoders; finished runs are loaded."""
    settings: AccuracySettings = context.settings
    pcfg: Any = context.train("pcfg", configuration(settings, None))
    yield "PCFG, h=1, v=2", partial(_parse, pcfg)
    for objective in settings.objectives:
        model: Any = context.train(objective, configuration(settings, objective))
        for decoder in ("viterbi", "max-constituents"):
            yield f"{objective}, {decoder}", partial(_parse, model.with_settings(decoder=decoder))


def _parse(model: ConstParser, item: Item, tags: Sequence[str]) -> Bracketed | None:
    return model.parse(Sentence.of(item.words, tags)).tree


def _tagger(context: Context) -> PosTagger:
    settings: AccuracySettings = context.settings
    run = context.run("pos")
    config = ConstSettings(train=settings.train, pos=settings.tagger)

    def make() -> Any:
        items = read_items(settings.train, Binariser(), settings.max_words)
        step = max(1, len(items) // settings.sentences) if settings.sentences else 1
        return train_pos(items[::step], config, run).bundle()

    return PosTagger.from_bundle(run.stage("pos", make))


EXPERIMENTS = (
    Experiment("max-margin/accuracy", "Accuracy against a PCFG", AccuracySettings, accuracy),
)
