"""Extracts derivation trees, dependencies and constituents from CCG charts."""

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.data.records import FRAGMENTS, Dependency, Leaf, Node, Sentence, Tree
from treewright.forests.ccg.chart import CcgChart, PartKind
from treewright.grammar.compiled import CompiledRule
from treewright.grammar.schema import Schema
from treewright.grammar.treebank import Span
from treewright.inference import exact
from treewright.inference.minrisk import Events


def supertags_of(chart: CcgChart, parts: Floats) -> list[dict[str, float]]:
    """The probabilities of each word's categories, given the parts' posteriors."""
    supertags: list[dict[str, float]] = [{} for _ in range(chart.cells.words)]
    lexical = chart.parts[:, 0] == PartKind.LEXICAL
    entries = chart.grammar.tables.entries
    rows = zip(chart.parts[lexical, 1:3].tolist(), parts[lexical].tolist(), strict=True)
    for (cell, word), p in rows:
        category = entries[int(chart.cells.entry[cell])].category.text
        supertags[word][category] = supertags[word].get(category, 0.0) + p
    return supertags


def constituents_of(chart: CcgChart, scores: Floats) -> dict[Span, float]:
    """The posterior probability of each constituent in the chart."""
    probabilities: dict[Span, float] = {}
    posterior = exact.marginals(chart.forest, scores).nodes
    for (begin, end, symbol), p in zip(chart.nodes.tolist(), posterior.tolist(), strict=True):
        if symbol >= 0 and p > 0:
            span = Span(begin, end, chart.grammar.tables.symbols[symbol].category.text)
            probabilities[span] = min(1.0, probabilities.get(span, 0.0) + p)
    return probabilities


def dependency_events(chart: CcgChart) -> tuple[Events, Indices]:
    """The dependencies of each part as events, and the rows of the events in the chart."""
    first, filled = chart.filled
    rows, row_of = chart.dependencies
    return Events(first, row_of[filled]), rows


def dependencies_in(chart: CcgChart, rows: Indices) -> list[Dependency]:
    """The dependencies in rows of `chart.dependencies`."""
    relations = chart.grammar.tables.relations
    return [
        Dependency(functor, *relations[relation], argument)
        for functor, relation, argument in rows.tolist()
    ]


def trees_of(
    chart: CcgChart, best: exact.Derivation, sentence: Sentence
) -> tuple[tuple[Tree, ...], dict[Node, Schema]]:
    """Builds trees from a derivation's edges (goal first, left before right), and their schemas."""
    forest = chart.forest
    rows = chart.parts[forest.part[best.edges]].tolist()
    arity = ((forest.left[best.edges] >= 0).astype(int) + (forest.right[best.edges] >= 0)).tolist()
    heads = forest.head[best.edges]
    symbols = chart.nodes[heads, 2].tolist()
    stack: list[Tree] = []
    schemas: dict[Node, Schema] = {}
    for (kind, what, *_), size, symbol in reversed(list(zip(rows, arity, symbols, strict=True))):
        if kind == PartKind.LEXICAL:
            stack.append(_leaf(chart, what, sentence))
        elif kind in (PartKind.UNARY, PartKind.BINARY):
            children = tuple(stack.pop() for _ in range(size))
            category = chart.grammar.tables.symbols[symbol].category.text
            stack.append(made := Node(category, children, chart.tables.rules[what].head))
            if size == 2:
                schemas[made] = _schema(chart, chart.tables.rules[what])
    return tuple(reversed(stack)), schemas


def _leaf(chart: CcgChart, cell: int, sentence: Sentence) -> Leaf:
    word = int(np.searchsorted(chart.cells.first, cell, side="right")) - 1
    token = sentence.tokens[word]
    entry = chart.grammar.tables.entries[int(chart.cells.entry[cell])]
    pos = token.pos or ""
    return Leaf(entry.category.text, token.word, pos, pos)


def _schema(chart: CcgChart, rule: CompiledRule) -> Schema:
    return Schema(chart.grammar.tables.symbols[rule.result], rule.head, rule.maps, rule.variables)


def joined(trees: Sequence[Tree]) -> Tree:
    """Joins constituents under one root, left to right."""
    root = Node(FRAGMENTS, (trees[0],))
    for tree in trees[1:]:
        root = Node(FRAGMENTS, (root, tree))
    return root
