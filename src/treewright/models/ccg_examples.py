"""Training examples of CCG: charts over the supertagger's beams, gold marked, features numbered.

Gold that a pruned chart does not have (Auli and Lopez 2011, section 4): `drop` leaves the sentence
out, `add-tags` puts the gold entries into the cells and has the margin spare gold, `oracle` trains
towards the derivations of highest F1 in the chart, and `add-tags+oracle` does both. `max-f` trains
towards those everywhere.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright.data.records import Dependency, Derivation
from treewright.forests.ccg import CcgChart, Cells, ChartSettings, Gold, Outcome, ccg_chart
from treewright.forests.ccg_grammar import core_grammar
from treewright.forests.example import Example
from treewright.forests.forest import Forest
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.dependencies import dependencies_of
from treewright.grammar.lexicon import Lexicon
from treewright.inference.oracle import best_f1
from treewright.scores.ccg import CcgScorer
from treewright.train.in_order import in_order

Unreachable = Literal["drop", "add-tags", "oracle", "add-tags+oracle", "max-f"]


@dataclass(frozen=True, eq=False)
class GoldSentence:
    """A training sentence: words, parts of speech, and its gold analysis in numbers."""

    name: str
    words: tuple[str, ...]
    pos: tuple[str, ...]
    gold: Gold


def gold_sentence(
    grammar: CompiledGrammar,
    lexicon: Lexicon,
    derivation: Derivation,
    pos: Sequence[str] | None = None,
    dependencies: Sequence[Dependency] | None = None,
) -> GoldSentence:
    """A derivation as training sees it; `pos` may replace its parts of speech."""
    leaves = derivation.leaves
    due = dependencies_of(derivation) if dependencies is None else dependencies
    gold = Gold.of(grammar, derivation, lexicon.closest(leaves), due)
    tags = tuple(leaf.pos for leaf in leaves) if pos is None else tuple(pos)
    return GoldSentence(derivation.id, tuple(leaf.word for leaf in leaves), tags, gold)


def add_gold(cells: Cells, gold: Gold) -> Cells:
    """Cells with the gold entry of every word that the grammar knows; new ones score lowest."""
    rows: list[list[int]] = []
    scores: list[float] = []
    for word, entry in enumerate(gold.entries.tolist()):
        begin, end = int(cells.first[word]), int(cells.first[word + 1])
        row = cells.entry[begin:end].tolist()
        score = [0.0] * len(row) if cells.score is None else cells.score[begin:end].tolist()
        if entry >= 0 and entry not in row:
            row.append(entry)
            score.append(min(score, default=0.0))
        rows.append(row)
        scores += score
    return replace(Cells.of(rows), score=np.array(scores))


@dataclass
class Utilisation:
    """What became of the sentences of a training set, and how large their forests are."""

    outcomes: Counter[str] = field(default_factory=Counter)
    items: int = 0
    edges: int = 0
    most_items: int = 0

    def count(self, outcome: str, example: Example | None) -> None:
        """One sentence more."""
        self.outcomes[outcome] += 1
        if example is not None:
            self.items += example.forest.nodes
            self.edges += example.forest.edges
            self.most_items = max(self.most_items, example.forest.nodes)

    def record(self) -> dict[str, int]:
        sizes = {"items": self.items, "edges": self.edges, "most items": self.most_items}
        return {**self.outcomes, **sizes}


def training_chart(
    grammar: CompiledGrammar,
    sentence: GoldSentence,
    cells_by_beam: Iterable[Cells],
    settings: ChartSettings,
    unreachable: Unreachable,
) -> CcgChart | None:
    """The first chart of the schedule that is small enough and has a parse."""
    adds = "add-tags" in unreachable
    for cells in cells_by_beam:
        offered = add_gold(cells, sentence.gold) if adds else cells
        chart = ccg_chart(grammar, offered, settings, sentence.gold, keep_gold=adds)
        if chart.outcome is Outcome.PARSED:
            return chart
    return None


def gold_target(chart: CcgChart, unreachable: Unreachable) -> Forest | None:
    """What to train towards: gold, or where it is out of reach the derivation of highest F1."""
    found = None if unreachable == "max-f" else chart.gold_forest
    if found is None and ("oracle" in unreachable or unreachable == "max-f"):
        return chart.forest.restrict(best_f1(chart.forest).edges)
    return found


def gold_keys(
    grammar: CompiledGrammar,
    scorer: CcgScorer,
    sentences: Iterable[GoldSentence],
    settings: ChartSettings,
    cutoff: int,
) -> NDArray[np.uint64]:
    """The features that gold derivations have at least `cutoff` times, in a fixed order."""
    found: list[NDArray[np.uint64]] = []
    for sentence in sentences:
        entries = sentence.gold.entries.tolist()
        cells = Cells.of([[entry] if entry >= 0 else [] for entry in entries])
        chart = ccg_chart(grammar, cells, settings, sentence.gold)
        if not chart.usable or (gold := chart.gold_forest) is None:
            continue
        first, keys = scorer.part_keys(chart, scorer.encode(sentence.words, sentence.pos))
        parts = np.unique(gold.part).tolist()
        found += [keys[first[part] : first[part + 1]] for part in parts]
    if not found:
        return np.zeros(0, dtype=np.uint64)
    keys, counts = np.unique(np.concatenate(found), return_counts=True)
    return keys[counts >= cutoff]


@dataclass(frozen=True, eq=False)
class ExampleMaker:
    """Makes the example of a sentence over its cells, beam by beam; and says what it is."""

    grammar: CompiledGrammar
    scorer: CcgScorer
    chart: ChartSettings
    unreachable: Unreachable
    with_tagger: bool = False

    def __call__(self, offered: tuple[GoldSentence, Iterable[Cells]]) -> tuple[str, Example | None]:
        sentence, cells = offered
        chart = training_chart(self.grammar, sentence, cells, self.chart, self.unreachable)
        if chart is None:
            return "no chart", None
        target = gold_target(chart, self.unreachable)
        if target is None:
            return "gold unreachable", None
        words = self.scorer.encode(sentence.words, sentence.pos)
        features = self.scorer.features(chart, words, with_tagger=self.with_tagger)
        outcome = "gold" if chart.gold_forest is not None else "best F1"
        return outcome, Example(chart.forest, features, target, sentence.name)


def examples(
    make: ExampleMaker,
    sentences: Iterable[tuple[GoldSentence, Iterable[Cells]]],
    used: Utilisation,
    threads: int = 1,
) -> Iterator[Example]:
    """One example a sentence that has a chart and something to train towards."""
    core_grammar(make.grammar)  # before threads ask for it
    # Tables that grow on the way are nothing for several threads.
    threads = threads if make.grammar.closed else 1
    for outcome, example in in_order(make, sentences, threads):
        used.count(outcome, example)
        if example is not None:
            yield example
