"""Constituency forests: from candidate spans to charts, and from derivations to trees.

A node represents a symbol over a span. In the layout `spans`, each symbol over a span has a part
for the features that do not depend on the split, and each rule with its split has another; in the
layout `rules`, each rule over a span is one part, as in a weighted grammar.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.arrays import Floats, Indices, Integers
from treewright.data.brackets import Bracketed, Phrase, Tagged, fold
from treewright.errors import ForestError
from treewright.forests.build import MAX_EDGES, Chart
from treewright.forests.forest import Forest, frozen, table
from treewright.grammar.binarise import label_of
from treewright.grammar.treebank import Span, TreebankRules

Layout = Literal["spans", "rules"]
WORD_PART, FIRST_SPAN_PART = -1, -2


@dataclass(frozen=True, eq=False)
class ConstGrammar:
    """A treebank grammar, compiled for the core."""

    rules: TreebankRules

    @cached_property
    def core(self) -> _core.TreebankGrammar:
        r = self.rules
        size = len(r.symbols)
        return _core.TreebankGrammar(len(r.tags), size, r.binary.ravel(), r.unary.ravel(), r.root)

    def tag_numbers(self, tags: Sequence[str]) -> Indices:
        """The numbers of tags: int32 [words]."""
        known = self.rules.tag_number
        missing = next((tag for tag in tags if tag not in known), None)
        if missing is not None:
            raise ForestError(f"the grammar has no tag {missing!r}")
        return np.array([known[tag] for tag in tags], dtype=np.int32)

    def candidates(self, spans: Sequence[Span]) -> Indices:
        """Spans as rows (begin, end, label); labels that are not in the grammar are left out."""
        known = self.rules.number
        return table(
            [(b, e, known[name]) for b, e, name in spans if name in known], 3, "candidates"
        )

    def chart(
        self, tags: Indices, candidates: ArrayLike, layout: Layout = "spans", most: int = MAX_EDGES
    ) -> Chart | None:
        """All derivations over candidate rows (begin, end, label); None if there is none."""
        rows = table(candidates, 3, "candidates")
        built = _core.build_pruned(self.core, tags, rows.ravel(), layout == "spans", most)
        nodes, parts = built[5:]
        return Chart(Forest(*frozen(built[:5])), nodes, parts) if len(nodes) else None

    @cached_property
    def _rule_number(self) -> dict[tuple[int, ...], int]:
        r = self.rules
        rows = [*r.binary.tolist(), *r.unary.tolist(), *([symbol] for symbol in r.root.tolist())]
        return {tuple(row): number for number, row in enumerate(rows)}

    def parts_of(self, tree: Bracketed, layout: Layout = "spans") -> Indices:
        """The parts of a binarised tree, as rows of a chart: rule, begin, split, end."""
        known, rows = self.rules.number, []
        place = count()

        def leaf(word: Tagged) -> tuple[int, int, int]:
            begin = next(place)
            rows.append((WORD_PART, begin, -1, begin + 1))
            return self.rules.tag_number[label_of(word.label)], begin, begin + 1

        def node(phrase: Phrase, below: list[tuple[int, int, int]]) -> tuple[int, int, int]:
            symbol, begin, end = known[phrase.label], below[0][1], below[-1][2]
            rule = self._rule_number[(symbol, *(child for child, _, _ in below))]
            if layout == "rules":
                rows.append((rule, begin, -1, end))
            else:
                rows.append((FIRST_SPAN_PART - symbol, begin, -1, end))
                if len(below) == 2:
                    rows.append((rule, begin, below[0][2], end))
            return symbol, begin, end

        try:
            root, begin, end = fold(tree, leaf, node)
            rows.append((self._rule_number[(root,)], begin, -1, end))
        except KeyError as error:
            raise ForestError(f"the grammar lacks {error} of a tree") from error
        return np.array(rows, dtype=np.int32)

    def tree(
        self, chart: Chart, edges: Indices, words: Sequence[str], tags: Sequence[str]
    ) -> Bracketed:
        """The binarised tree of a derivation; its edges come goal first, left before right."""
        rows = chart.nodes[chart.forest.head[edges]]
        # The goal comes first; a span part is above its node (begin, end, ~symbol).
        own = (chart.parts[chart.forest.part[edges], 0] <= FIRST_SPAN_PART) & (
            rows[:, 1] - rows[:, 0] > 1
        )
        kept = rows[~own][1:]
        kept = np.column_stack((kept[:, :2], np.where(kept[:, 2] < 0, ~kept[:, 2], kept[:, 2])))
        return self.tree_of_nodes(kept, words, tags)

    def best_nodes(self, tags: Indices, scores: Floats) -> tuple[float, Indices]:
        """Score and nodes of the best tree under rule scores, by dense CKY.

        No nodes if there is none.
        """
        places = np.arange(len(tags), dtype=np.int32)
        none = np.zeros(len(tags))
        return _core.cky_best(self.core, scores, len(tags), places, tags, none)

    def all_candidates(self, words: int) -> Indices:
        """All labels over all spans, as rows (begin, end, label)."""
        first, last = len(self.rules.tags), len(self.rules.symbols)
        begin, end = np.triu_indices(words)
        rows = np.stack((begin, end + 1), axis=1).repeat(last - first, axis=0)
        labels = np.tile(np.arange(first, last), len(begin))
        return np.column_stack((rows, labels)).astype(np.int32)

    def tree_of_nodes(self, nodes: Indices, words: Sequence[str], tags: Sequence[str]) -> Bracketed:
        """The binarised tree of rows (begin, end, symbol), parents first, left before right."""
        names, first_label = self.rules.symbols, len(self.rules.tags)
        done: list[Bracketed] = []
        for begin, end, symbol in reversed(nodes.tolist()):
            if symbol < first_label:
                done.append(Tagged(tags[begin], words[begin]))
            else:
                below = tuple(done.pop() for _ in range(1 if end - begin == 1 else 2))
                done.append(Phrase(names[symbol], below))
        return done[0]


def gold_edges(chart: Chart, gold: Indices) -> NDArray[np.bool_]:
    """A mask of a chart's edges whose part is one of the rows `gold`."""
    is_gold = np.isin(_part_keys(chart.parts), _part_keys(gold))
    return np.asarray(is_gold[chart.forest.part])


def _part_keys(parts: Indices) -> Integers:
    rule, begin, split, end = parts.astype(np.int64).T
    return np.asarray(((rule + (1 << 24)) << 33) + (begin << 22) + ((split + 1) << 11) + end)
