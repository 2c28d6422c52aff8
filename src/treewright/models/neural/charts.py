"""CCG charts to train a network on, built once with another parser and stored on disk."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from treewright.arrays import Indices
from treewright.data.records import Sentence
from treewright.errors import ConfigError
from treewright.forests import ForestStore
from treewright.forests.ccg.chart import CcgChart
from treewright.forests.ccg.grammar import core_grammar
from treewright.forests.ccg.rules import RuleLabels
from treewright.forests.features import Example
from treewright.forests.tables import chart_example
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.lexicon import Lexicon
from treewright.models.ccg.examples import (
    GoldSentence,
    Unreachable,
    gold_sentence,
    gold_target,
    training_chart,
)
from treewright.models.ccg.parser import CcgParser
from treewright.models.kinds import load, stored_kind
from treewright.models.neural.data import Corpus, numbers, training_derivations
from treewright.models.neural.forests import Forests, held_forests
from treewright.models.neural.members import RULES, SLOTS, SUPER
from treewright.models.neural.settings import CcgHeadSettings
from treewright.storage.bundle import Bundle
from treewright.torch.forests import ForestLoss
from treewright.train.run import Run
from treewright.train.shards import Shard, store_items

STORE = "charts.store"
PIECE = 16  # sentences per task of a worker
Named = tuple[str, GoldSentence]  # the number of a sentence, and its gold analysis


def training_charts(how: CcgHeadSettings, corpus: Corpus, run: Run) -> Forests | None:
    """Charts by sentence number, if there are any; those in the run directory are loaded."""
    if how.charts is None:
        return None
    if how.train is None or not corpus.labels.keys() >= {SUPER, SLOTS}:
        raise ConfigError("charts: only CCG parsers are trained on charts")
    path = run.directory / STORE
    if not path.exists():
        parser = load(how.charts)
        if not isinstance(parser, CcgParser):
            raise ConfigError(f"{how.charts}: not a model of kind 'ccg'")
        tags, slots, rules = (corpus.labels.get(name, ()) for name in (SUPER, SLOTS, RULES))
        maker = ChartMaker(parser, tags, len(slots), rules)
        made = maker.pieces(list(_sentences(how, corpus, parser.grammar)))
        # And an open grammar must number its rules in one process.
        grows = not parser.grammar.closed
        with ForestStore.create(path) as out:
            for charts in run.map("charts", maker, made, size=len, alone=grows):
                for chart in filter(None, charts):
                    out.add(chart)
    examples = ForestStore(path)
    run.record(charts=len(examples), edges=examples.info().edges)
    if not examples:
        return None
    found = {int(each.name): each for each in examples}
    words = {number: len(corpus.train.words[number]) for number in found}
    if run.ray is not None:
        shard = lambda hand: Shard(store_items, (path.resolve(), hand))  # noqa: E731
        return held_forests(how.objective, words, shard, run)
    gold = {number: (words[number], each) for number, each in found.items()}
    return Forests(ForestLoss(how.objective.make(), threads=1), gold)


def _sentences(how: CcgHeadSettings, corpus: Corpus, grammar: CompiledGrammar) -> Iterator[Named]:
    """The number of each sentence, and its gold analysis; duplicates are skipped."""
    derivations = training_derivations(how)
    lexicon = Lexicon().learn(derivations)
    first = {each.sentence.words: each for each in reversed(derivations)}
    for words, derivation in first.items():
        number = corpus.train.number(words)
        yield str(number), gold_sentence(grammar, lexicon, derivation)


class ChartMaker:
    """Builds the charts of sentences from the supertags of a parser, in threads or on workers.

    Args:
        parser: a parser whose grammar, supertagger, beams and limits are used.
        tags: the supertags that the network scores.
        slots: the number of slots that it scores.
        rules: the labels of rules that it scores, if any.
    """

    def __init__(
        self, parser: CcgParser, tags: Sequence[str], slots: int, rules: Sequence[str] = ()
    ) -> None:
        self.parser, self.tags, self.sizes = parser, tuple(tags), (len(tags), slots)
        self.rules = RuleLabels(rules) if rules else None
        number = numbers(self.tags)
        entries = (number.get(str(entry), -1) for entry in parser.grammar.tables.entries)
        self.tag_of_entry: Indices = np.fromiter(entries, np.int32)
        core_grammar(parser.grammar)  # computed before several threads need it

    def __reduce__(self) -> tuple[Callable[..., "ChartMaker"], tuple[object, ...]]:
        """Objects of the core cannot be pickled; workers rebuild them from plain data."""
        rules = self.rules.names if self.rules else ()
        return _remade, (self.parser.bundle(), self.tags, self.sizes[1], rules)

    def pieces(self, sentences: Sequence[Named]) -> list[Sequence[Named]]:
        """Splits sentences into batches."""
        return [sentences[begin : begin + PIECE] for begin in range(0, len(sentences), PIECE)]

    def __call__(self, piece: Sequence[Named]) -> list[Example | None]:
        """The example of each sentence, if it has one."""
        return [self.example(sentence, name) for name, sentence in piece]

    def chart(self, sentence: GoldSentence, unreachable: Unreachable) -> CcgChart | None:
        """The first chart of the parser's schedule with a parse, with gold marked."""
        (lattice,) = self.parser.lattices([Sentence.of(sentence.words, sentence.pos)])
        cells = map(lattice.cells, self.parser.schedule.beams)
        grammar, how = self.parser.grammar, self.parser.chart
        how = replace(how, spans=how.spans or self.rules is not None)
        return training_chart(grammar, sentence, cells, how, unreachable)

    def example(self, sentence: GoldSentence, name: str) -> Example | None:
        """The chart with gold entries added, and the target of training: gold, or the best F1."""
        chart = self.chart(sentence, "add-tags")
        target = None if chart is None else gold_target(chart, "add-tags+oracle")
        if chart is None or target is None:
            return None
        return chart_example(chart, self.tag_of_entry, *self.sizes, target[1], name, self.rules)


def _remade(bundle: Bundle, tags: Sequence[str], slots: int, rules: Sequence[str]) -> ChartMaker:
    parser = stored_kind(bundle).load(bundle)
    assert isinstance(parser, CcgParser)
    return ChartMaker(parser, tags, slots, rules)
