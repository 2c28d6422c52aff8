"""Training examples of CCG: charts over the supertagger's beams, gold marked, features numbered.

Gold that a pruned chart does not have (Auli and Lopez 2011, section 4): `drop` leaves the sentence
out, `add-tags` puts the gold entries into the cells, `oracle` trains towards the derivations of
highest F1 in the chart, and `add-tags+oracle` does both. `max-f` trains towards those everywhere.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright.data.records import Dependency, Derivation
from treewright.forests.ccg import CcgChart, Cells, ChartSettings, Gold, Outcome, ccg_chart
from treewright.forests.example import Example
from treewright.forests.forest import Forest
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.dependencies import dependencies_of
from treewright.grammar.lexicon import Lexicon
from treewright.inference.oracle import best_f1
from treewright.models.ccg_search import Beam
from treewright.scores.ccg import CcgScorer

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
    """What became of the sentences of a training set."""

    outcomes: Counter[str] = field(default_factory=Counter)

    def record(self) -> dict[str, int]:
        return dict(self.outcomes)


def training_chart(
    grammar: CompiledGrammar,
    sentence: GoldSentence,
    cells_by_beam: Iterable[Cells],
    settings: ChartSettings,
    unreachable: Unreachable,
) -> CcgChart | None:
    """The first chart of the schedule that is small enough and has a parse."""
    for cells in cells_by_beam:
        offered = add_gold(cells, sentence.gold) if "add-tags" in unreachable else cells
        chart = ccg_chart(grammar, offered, settings, sentence.gold)
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


@dataclass(frozen=True)
class TrainingBeams:
    """Beams that training charts go through, from wide to narrow, and what they may hold."""

    beams: tuple[Beam, ...]
    chart: ChartSettings
    unreachable: Unreachable


def examples(
    grammar: CompiledGrammar,
    scorer: CcgScorer,
    sentences: Iterable[tuple[GoldSentence, Iterable[Cells]]],
    settings: ChartSettings,
    unreachable: Unreachable,
    used: Utilisation,
    with_tagger: bool = False,
) -> Iterator[Example]:
    """One example a sentence that has a chart and something to train towards."""
    for sentence, cells in sentences:
        chart = training_chart(grammar, sentence, cells, settings, unreachable)
        if chart is None:
            used.outcomes["no chart"] += 1
            continue
        target = gold_target(chart, unreachable)
        if target is None:
            used.outcomes["gold unreachable"] += 1
            continue
        used.outcomes["gold" if chart.gold_forest is not None else "best F1"] += 1
        words = scorer.encode(sentence.words, sentence.pos)
        features = scorer.features(chart, words, with_tagger=with_tagger)
        yield Example(chart.forest, features, target, sentence.name)
