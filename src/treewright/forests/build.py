"""Builders of forests from integers: chains of tags, and CKY charts from rule tables.

Formalisms encode words, categories and rules as integers and call these builders.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from treewright import _core
from treewright.arrays import Indices
from treewright.forests.forest import Forest, frozen, integers, table

MAX_EDGES = 50_000_000
Sharing = Literal["none", "span", "rule"]


@dataclass(frozen=True, eq=False)
class Chain:
    """A lattice of tags as a forest.

    Parts 0 .. candidates-1 are the emissions, in order; part candidates + i is the transition
    `ngrams[i]`: order + 1 tags, oldest first, -1 outside the sentence. Positions share transitions.
    """

    forest: Forest
    candidates: int
    ngrams: Indices


def chain(candidates: Sequence[ArrayLike], order: int = 1, max_edges: int = MAX_EDGES) -> Chain:
    """A chain of the given order (0, 1 or 2) over the candidate tags of each position."""
    tags = [integers(t, np.int32, f"position {i}") for i, t in enumerate(candidates)]
    first_tag = np.concatenate(([0], np.cumsum([len(t) for t in tags]))).astype(np.int32)
    all_tags = np.concatenate(tags) if tags else np.zeros(0, dtype=np.int32)
    built = _core.build_chain(first_tag, all_tags, order, max_edges)
    return Chain(Forest(*frozen(built[:5])), len(all_tags), built[5])


@dataclass(frozen=True, eq=False)
class Grammar:
    """Binary and unary rules over symbols 0 .. symbols-1, numbered in that order.

    binary: [rules, 3], parent, left, right; unary: [rules, 2], parent, child, without cycles.
    """

    symbols: int
    binary: Indices
    unary: Indices
    core: _core.Grammar

    @classmethod
    def of(cls, symbols: int, binary: ArrayLike, unary: ArrayLike = ()) -> "Grammar":
        two, one = table(binary, 3, "binary rules"), table(unary, 2, "unary rules")
        core = _core.Grammar(symbols, two.ravel(), one.ravel())
        return cls(symbols, two, one, core)

    def factored(self) -> tuple["Grammar", Indices]:
        """An equivalent grammar that sums over split points before it applies rules.

        Each right-hand side B C becomes a symbol, with [B C] -> B C, and A -> B C becomes the unary
        rule A -> [B C]: for R rules with P right-hand sides, a span with k split points has R + k P
        edges instead of k R. Rule scores must not depend on the split point.

        Returns:
            The grammar, and for each of its rules the original rule, -1 for [B C] -> B C.
        """
        pairs, pair = np.unique(self.binary[:, 1:], axis=0, return_inverse=True)
        names = self.symbols + np.arange(len(pairs))
        of_pairs = np.column_stack((names, pairs))
        of_rules = np.column_stack((self.binary[:, 0], self.symbols + pair.ravel()))
        unary = np.concatenate((of_rules, self.unary))
        stands_for = np.concatenate((np.full(len(pairs), -1), np.arange(len(unary))))
        grammar = Grammar.of(self.symbols + len(pairs), of_pairs, unary)
        return grammar, stands_for.astype(np.int32)


@dataclass(frozen=True, eq=False)
class Chart:
    """A CKY chart as a forest, with the meaning of its nodes and parts.

    nodes: [nodes, 3], begin, end, symbol. parts: [parts, 4], rule, begin, split, end; the parts of
    the entries come first, in order, with rule -1; fields that vary within a shared part are -1.
    """

    forest: Forest
    nodes: Indices
    parts: Indices


def chart(
    grammar: Grammar,
    words: int,
    entries: ArrayLike,
    goal: int,
    sharing: Sharing = "none",
    max_edges: int = MAX_EDGES,
) -> Chart | None:
    """All derivations of the goal symbol over the sentence; None if there is none.

    Args:
        grammar: the rules.
        words: the length of the sentence.
        entries: [entries, 2], a word's position and a symbol for it.
        goal: the symbol that spans the sentence.
        sharing: whether rule instances share a part: never, over the same span, or always.
        max_edges: a larger chart is an error.
    """
    word, symbol = np.ascontiguousarray(table(entries, 2, "entries").T)
    built = _core.build_chart(grammar.core, words, word, symbol, goal, sharing, max_edges)
    nodes, parts = built[5:]
    return Chart(Forest(*frozen(built[:5])), nodes, parts) if len(nodes) else None
