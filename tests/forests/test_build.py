"""Chains and charts against plain lists of tag sequences and a plain counting CKY parser."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.brute import Brute
from tests.strategies import SHARINGS, numbers_of_derivations
from treewright.errors import ForestError
from treewright.forests import Chain, Chart, Grammar, chain, chart
from treewright.forests.build import Sharing

# Chains

lattices = st.lists(
    st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True), min_size=1, max_size=5
)


def ngrams_of(tags: tuple[int, ...], order: int) -> Counter[tuple[int, ...]]:
    """Those of a tag sequence with one boundary after it and `order` before it."""
    padded = (-1,) * order + tags + (-1,)
    return Counter(padded[i : i + order + 1] for i in range(len(tags) + 1)) if order else Counter()


def derivations(built: Chain) -> list[tuple[list[int], Counter[tuple[int, ...]]]]:
    """The emissions and the n-grams of every derivation."""
    twin = Brute(built.forest, np.zeros(built.forest.parts))
    found = []
    for parts in map(twin.parts_of, twin.derivations):
        ngrams = [tuple(built.ngrams[p - built.candidates]) for p in parts if p >= built.candidates]
        found.append((sorted(p for p in parts if p < built.candidates), Counter(ngrams)))
    return found


@pytest.mark.parametrize("order", [0, 1, 2])
@given(candidates=lattices)
def test_a_chain_has_each_tag_sequence_once_with_its_ngrams(
    order: int, candidates: list[list[int]]
) -> None:
    built = chain(candidates, order)
    position_of = [(i, tag) for i, tags in enumerate(candidates) for tag in tags]
    assert built.candidates == len(position_of)
    found = derivations(built)
    assert len(found) == math.prod(map(len, candidates))
    sequences = []
    for emissions, ngrams in found:
        positions, tags = zip(*(position_of[p] for p in emissions), strict=True)
        assert positions == tuple(range(len(candidates)))
        assert ngrams == ngrams_of(tags, order)
        sequences.append(tags)
    assert sorted(sequences) == sorted(product(*candidates))


@pytest.mark.parametrize("order", [0, 1, 2])
@given(candidates=lattices)
def test_positions_share_transitions(order: int, candidates: list[list[int]]) -> None:
    built = chain(candidates, order)
    rows = list(map(tuple, built.ngrams))
    assert built.ngrams.shape == (built.forest.parts - built.candidates, order + 1)
    assert len(set(rows)) == len(rows)
    assert not len(built.forest.unreachable_parts())


def test_a_chain_grows_with_its_order() -> None:
    candidates = [range(3)] * 4
    sizes = [chain(candidates, order).forest.edges for order in (0, 1, 2)]
    # Emissions, transitions into the first, second and later positions, and those out of the last.
    assert sizes == [12, 12 + 3 + 3 * 9 + 3, 12 + 3 + 9 + 2 * 27 + 9]


def test_a_long_chain_is_counted_exactly() -> None:
    forest = chain([range(2)] * 100, order=2).forest
    assert numbers_of_derivations(forest)[-1] == 2**100


@pytest.mark.parametrize(
    ("candidates", "order", "message"),
    [
        ([[0]], 3, "order is 0, 1 or 2"),
        ([[0]], -1, "order is 0, 1 or 2"),
        ([], 1, "at least one position"),
        ([[0], [], [1]], 1, "position 1 has no candidate"),
        ([[0], [3, 1, 3]], 1, "position 1 has tag 3 twice"),
        ([[0], [-1]], 1, "position 1 has tag -1, outside 0 to"),
        ([[0], [2**20]], 1, "position 1 has tag 1048576"),
        ([[0], np.array([2**32])], 1, "position 1 has values that do not fit"),
        ([[0], [0.5]], 1, "position 1 must hold integers"),
        ([[0], [[1, 2]]], 1, "position 1 must have 1 dimension"),
    ],
)
def test_a_malformed_lattice_is_refused(candidates: Any, order: int, message: str) -> None:
    with pytest.raises(ForestError, match=message):
        chain(candidates, order)


def test_a_chain_keeps_to_its_number_of_edges() -> None:
    needed = chain([[0, 1]] * 3, 1).forest.edges
    assert chain([[0, 1]] * 3, 1, max_edges=needed).forest.edges == needed
    with pytest.raises(ForestError, match=f"more than {needed - 1} edges"):
        chain([[0, 1]] * 3, 1, max_edges=needed - 1)


# Charts

Rows = Sequence[tuple[int, ...]]
SYMBOLS = 4
symbols = st.integers(0, SYMBOLS - 1)
binary_rules = st.lists(st.tuples(symbols, symbols, symbols), max_size=8)
# A parent is above its child in this order, so that there is no cycle; a rule may come twice.
ORDER = [2, 0, 3, 1]
pairs = st.tuples(symbols, symbols).filter(lambda p: p[0] < p[1])
unary_rules = st.lists(pairs.map(lambda p: (ORDER[p[0]], ORDER[p[1]])), max_size=4)
sentences = st.lists(st.lists(symbols, max_size=3), min_size=1, max_size=6)


class Counting:
    """Numbers of derivations by the definition, item by item."""

    def __init__(self, binary: Rows, unary: Rows, entries: Rows) -> None:
        self.binary, self.unary, self.entries = binary, unary, entries
        self.count = cache(self._count)

    def _count(self, begin: int, end: int, symbol: int) -> int:
        total = self.entries.count((begin, symbol)) if end == begin + 1 else 0
        for parent, left, right in self.binary:
            if parent == symbol:
                splits = range(begin + 1, end)
                total += sum(self.count(begin, k, left) * self.count(k, end, right) for k in splits)
        return total + sum(self.count(begin, end, b) for a, b in self.unary if a == symbol)


def entries_of(sentence: list[list[int]]) -> Rows:
    return [(word, symbol) for word, found in enumerate(sentence) for symbol in found]


def a_chart(
    binary: Rows, unary: Rows, sentence: list[list[int]], sharing: Sharing = "none"
) -> Chart | None:
    grammar = Grammar.of(SYMBOLS, binary, unary)
    return chart(grammar, len(sentence), entries_of(sentence), goal=0, sharing=sharing)


@given(binary_rules, unary_rules, sentences)
def test_every_node_counts_as_plain_cky_does(
    binary: Rows, unary: Rows, sentence: list[list[int]]
) -> None:
    built = a_chart(binary, unary, sentence)
    counting = Counting(binary, unary, entries_of(sentence))
    expected = counting.count(0, len(sentence), 0)
    if built is None:
        assert expected == 0
        return
    items = [tuple(map(int, row)) for row in built.nodes]
    assert len(set(items)) == len(items)
    assert items[-1] == (0, len(sentence), 0)
    numbers = numbers_of_derivations(built.forest)
    assert numbers == [counting.count(*item) for item in items]
    assert numbers[-1] == expected


def test_the_counting_is_not_idle() -> None:
    """The random grammars above are often ambiguous; this one is, and with unary rules."""
    binary, unary = [(0, 0, 0), (0, 1, 0), (3, 0, 0)], [(0, 1), (1, 3), (1, 3)]
    sentence = [[0], [3], [0, 1], [0]]
    built = a_chart(binary, unary, sentence)
    assert built is not None
    expected = Counting(binary, unary, entries_of(sentence)).count(0, 4, 0)
    assert expected > 100
    assert numbers_of_derivations(built.forest)[-1] == expected


@pytest.mark.parametrize("words", [1, 2, 3, 7, 12, 40])
def test_one_binary_rule_makes_catalan_numbers(words: int) -> None:
    built = chart(Grammar.of(1, [(0, 0, 0)]), words, [(i, 0) for i in range(words)], goal=0)
    assert built is not None
    n = words - 1
    assert numbers_of_derivations(built.forest)[-1] == math.comb(2 * n, n) // (n + 1)
    assert built.forest.edges == words + math.comb(words + 1, 3)


@pytest.mark.parametrize("sharing", SHARINGS)
@given(binary=binary_rules, unary=unary_rules, sentence=sentences)
def test_parts_say_what_their_edges_are(
    sharing: Sharing, binary: Rows, unary: Rows, sentence: list[list[int]]
) -> None:
    built = a_chart(binary, unary, sentence, sharing)
    plain = a_chart(binary, unary, sentence)
    if built is None or plain is None:
        assert built is plain
        return
    # Sharing changes the parts and nothing else.
    for name in ("first_edge", "left", "right"):
        assert np.array_equal(getattr(built.forest, name), getattr(plain.forest, name))
    assert np.array_equal(built.nodes, plain.nodes)

    entries = entries_of(sentence)
    rows = [tuple(map(int, row)) for row in built.parts]
    assert len(rows) == built.forest.parts
    assert rows[: len(entries)] == [(-1, word, -1, word + 1) for word, _ in entries]
    for edge in range(built.forest.edges):
        part = int(built.forest.part[edge])
        rule, begin, split, end = described(built, edge, [*binary, *unary], entries)
        expected = {
            "none": (rule, begin, split, end),
            "span": (rule, begin, -1, end),
            "rule": (rule, -1, -1, -1),
        }
        assert rows[part] == (expected[sharing] if rule >= 0 else (-1, begin, -1, end))
    instances = rows[len(entries) :]
    if sharing == "none":
        assert len(instances) == int((built.forest.left >= 0).sum())
    else:
        assert len(set(instances)) == len(instances)


def described(chart: Chart, edge: int, rules: Rows, entries: Rows) -> tuple[int, int, int, int]:
    """The rule, begin, split and end of an edge by its nodes; checks that the rule fits them."""
    forest = chart.forest
    part = int(forest.part[edge])
    begin, end, symbol = map(int, chart.nodes[forest.head[edge]])
    tails = [
        tuple(map(int, chart.nodes[t])) for t in (forest.left[edge], forest.right[edge]) if t >= 0
    ]
    if not tails:
        assert entries[part] == (begin, symbol)
        assert end == begin + 1
        return -1, begin, -1, end
    rule = int(chart.parts[part][0])
    assert rules[rule] == (symbol, *(tail[2] for tail in tails))
    assert tails[0][0] == begin
    assert tails[-1][1] == end
    assert tails[0][1] == tails[-1][0] or len(tails) == 1
    return rule, begin, tails[0][1] if len(tails) == 2 else -1, end


@given(binary_rules, unary_rules, sentences)
def test_a_chart_holds_only_what_its_goal_uses(
    binary: Rows, unary: Rows, sentence: list[list[int]]
) -> None:
    built = a_chart(binary, unary, sentence)
    if built is not None:
        unused = built.forest.unreachable_parts()
        assert (built.parts[unused, 0] == -1).all()  # only entries: their parts are numbered first
        everything = built.forest.restrict(range(built.forest.edges))
        assert (everything.nodes, everything.edges) == (built.forest.nodes, built.forest.edges)


@pytest.mark.parametrize(
    ("entries", "goal"),
    [([], 0), ([(0, 0)], 0), ([(0, 1), (1, 1)], 0), ([(0, 0), (1, 0)], 1)],
)
def test_no_derivation_is_none(entries: Rows, goal: int) -> None:
    assert chart(Grammar.of(2, [(0, 0, 0)]), 2, entries, goal) is None


@pytest.mark.parametrize(
    ("symbols", "binary", "unary", "message"),
    [
        (0, [], [], "at least one symbol"),
        (2, [(0, 1, 2)], [], "binary rule 0 names symbol 2, but there are 2"),
        (2, [(0, 1, 1), (-1, 0, 0)], [], "binary rule 1 names symbol -1"),
        (2, [(0, 1, 1)], [(0, 2)], "unary rule 1 names symbol 2"),
        (2, [], [(0, 0)], "symbol 0 is on or above a unary cycle"),
        (3, [], [(1, 0), (2, 1), (0, 2)], "unary cycle"),
        (2, [(0, 1)], [], "binary rules must have 3 columns"),
        (2, [(0, 1), (1, 0), (0, 0)], [], "binary rules must have 3 columns"),
        (2, [], [(0, 1, 1)], "unary rules must have 2 columns"),
        (2, [], [0, 1], "unary rules must have 2 columns"),
        (2, np.array([[0, 1, 2**32]]), [], "binary rules has values that do not fit"),
    ],
)
def test_a_malformed_grammar_is_refused(
    symbols: int, binary: Any, unary: Any, message: str
) -> None:
    with pytest.raises(ForestError, match=message):
        Grammar.of(symbols, binary, unary)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"words": 0}, "1 to 2000 words"),
        ({"words": 2001}, "1 to 2000 words"),
        ({"words": -1}, "1 to 2000 words"),
        ({"goal": 2}, "the goal names symbol 2, but there are 2"),
        ({"goal": -1}, "the goal names symbol -1"),
        ({"entries": [(0, 0), (3, 0)]}, "entry 1 is on word 3 of 3"),
        ({"entries": [(-1, 0)]}, "entry 0 is on word -1 of 3"),
        ({"entries": [(0, 0), (1, 2)]}, "entry 1 names symbol 2"),
        ({"entries": [(0, 1, 2), (0, 0, 0)]}, "entries must have 2 columns"),
        ({"entries": [(0, 0.5)]}, "entries must hold integers"),
        ({"sharing": "all"}, "unknown sharing"),
        ({"max_edges": 6}, "the chart needs more than 6 edges"),
    ],
)
def test_a_malformed_chart_is_refused(changed: dict[str, Any], message: str) -> None:
    sound: dict[str, Any] = {"words": 3, "entries": [(0, 0), (1, 0), (2, 0)], "goal": 0}
    grammar = Grammar.of(2, [(0, 0, 0)])
    built = chart(grammar, **sound, max_edges=7)
    assert built is not None
    assert built.forest.edges == 7
    with pytest.raises(ForestError, match=message):
        chart(grammar, **(sound | changed))


# Factored grammars


@pytest.mark.parametrize("words", [1, 2, 4])
def test_a_factored_grammar_has_the_same_derivations(words: int) -> None:
    rng = np.random.default_rng(words)
    binary = [row for row in product(range(3), repeat=3) if rng.random() < 0.7]
    plain = Grammar.of(4, binary, [(3, 0), (3, 1), (1, 0)])
    factored, stands_for = plain.factored()
    rule_scores = np.append(rng.normal(size=len(binary) + 3), 0.0)  # the last one is for -1
    entries = [(i, s) for i in range(words) for s in range(3)]
    found = []
    for grammar, rules in ((plain, np.arange(len(binary) + 3)), (factored, stands_for)):
        built = chart(grammar, words, entries, 3, sharing="rule")
        assert built is not None
        of_parts = built.parts[:, 0]
        scores = np.where(of_parts < 0, 0.5, rule_scores[rules[np.maximum(of_parts, 0)]])
        twin = Brute(built.forest, scores)
        found.append((twin.number, twin.log_z))
    assert found[0][0] == found[1][0]
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-12)


def test_factoring_makes_dense_charts_small() -> None:
    plain = Grammar.of(6, list(product(range(6), repeat=3)))
    entries = [(i, s) for i in range(12) for s in range(6)]
    sizes = []
    for grammar in (plain, plain.factored()[0]):
        built = chart(grammar, 12, entries, 0, sharing="rule")
        assert built is not None
        sizes.append(built.forest.edges)
    assert sizes[1] < sizes[0] / 2
