"""Training examples of CCG: charts over the supertagger's beams, gold marked, features numbered.

Gold that a pruned chart does not have (Auli and Lopez 2011, section 4): `drop` leaves the sentence
out, `add-tags` puts the gold entries into the cells and has the margin spare gold, `oracle` trains
towards the derivations of highest F1 in the chart, and `add-tags+oracle` does both. `max-f` trains
towards those everywhere.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from treewright.data.records import Dependency, Derivation
from treewright.forests.ccg.chart import CcgChart, Cells, ChartSettings, Gold, Outcome, ccg_chart
from treewright.forests.example import Example
from treewright.forests.forest import Forest
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.dependencies import dependencies_of
from treewright.grammar.lexicon import Lexicon
from treewright.inference.oracle import best_f1

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
