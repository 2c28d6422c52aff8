"""CCG training examples: charts over the supertagger's beams, with gold marked and features.

If a pruned chart lacks the gold derivation (Auli and Lopez 2011, section 4), `drop` leaves the
sentence out, `add-tags` adds the gold entries to the cells and protects gold from pruning by
margin, `oracle` trains towards the derivations of highest F1 in the chart, and `add-tags+oracle`
does both. `max-f` always trains towards the derivations of highest F1.

With the target `dependencies`, the likelihood sums over all derivations with the gold dependencies,
whatever their categories and rules (the dependency model of Clark and Curran 2007, section 5): the
derivation is latent.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from treewright.data.records import Dependency, Derivation
from treewright.errors import TreewrightError
from treewright.forests.ccg.chart import CcgChart, Cells, ChartSettings, Gold, Outcome, ccg_chart
from treewright.forests.features import Example
from treewright.forests.forest import Forest
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.indices import dependencies_of
from treewright.grammar.lexicon import Lexicon
from treewright.inference.oracle import best_f1, best_f1_forest

Target = Literal["derivation", "dependencies"]
Unreachable = Literal["drop", "add-tags", "oracle", "add-tags+oracle", "max-f"]


@dataclass(frozen=True, eq=False)
class GoldSentence:
    """A training sentence: words, POS tags, and its gold analysis as numbers."""

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
    """Encodes a derivation for training; `pos` replaces its POS tags."""
    leaves = derivation.leaves
    due = dependencies_of(derivation) if dependencies is None else dependencies
    gold = Gold.of(grammar, derivation, lexicon.closest(leaves), due)
    tags = tuple(leaf.pos for leaf in leaves) if pos is None else tuple(pos)
    return GoldSentence(derivation.id, tuple(leaf.word for leaf in leaves), tags, gold)


def add_gold(cells: Cells, gold: Gold) -> Cells:
    """Adds each word's gold entry, if the grammar has it, with the lowest score of its cell."""
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
    """Counts what happened to each training sentence, and the sizes of the forests."""

    outcomes: Counter[str] = field(default_factory=Counter)
    items: int = 0
    edges: int = 0
    most_items: int = 0

    def count(self, outcome: str, example: Example | None) -> None:
        """Counts one sentence."""
        self.outcomes[outcome] += 1
        if example is not None:
            self.items += example.forest.nodes
            self.edges += example.forest.edges
            self.most_items = max(self.most_items, example.forest.nodes)

    def check(self, treebank: object) -> None:
        """Raises an error if there are sentences, but no forest of any of them."""
        if self.outcomes and not self.items:
            what = ", ".join(f"{name}: {count}" for name, count in sorted(self.outcomes.items()))
            hint = (
                "; chart.normal_form = false or grammar.seen_pairs = false allow more derivations"
            )
            more = hint if "no chart" in self.outcomes else ""
            raise TreewrightError(f"{treebank}: no sentence to train on ({what}){more}")

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
    """The first chart of the schedule that has a parse and is not too large."""
    adds = "add-tags" in unreachable
    for cells in cells_by_beam:
        offered = add_gold(cells, sentence.gold) if adds else cells
        chart = ccg_chart(grammar, offered, settings, sentence.gold, keep_gold=adds)
        if chart.outcome is Outcome.PARSED:
            return chart
    return None


def gold_target(
    chart: CcgChart, unreachable: Unreachable, target: Target = "derivation"
) -> tuple[str, Forest] | None:
    """The outcome for a sentence and its target forest; None to drop the sentence."""
    goal = chart.gold_forest if target == "derivation" else _with_gold_dependencies(chart.forest)
    if goal is not None and unreachable != "max-f":
        return "gold", goal
    if "oracle" in unreachable or unreachable == "max-f":
        if target == "dependencies":
            return "best F1", best_f1_forest(chart.forest)[1]
        return "best F1", chart.forest.restrict(best_f1(chart.forest).edges)
    return None


def _with_gold_dependencies(forest: Forest) -> Forest | None:
    """The derivations whose dependencies are exactly the gold ones; None if there are none."""
    f, best = best_f1_forest(forest)
    return best if f == 1.0 else None
