"""Numbers of derivations, log Z, entropy and marginals against closed formulas."""

import math
from math import comb

import numpy as np
import pytest

from treewright.forests import Chart, Forest, ForestBuilder, Grammar, chain, chart
from treewright.forests.build import Sharing
from treewright.inference import exact
from treewright.inference.exact import Semiring

BRACKETING = Grammar.of(1, [(0, 0, 0)])


def catalan(n: int) -> int:
    """Binary trees with n + 1 leaves (OEIS A000108)."""
    return comb(2 * n, n) // (n + 1)


def motzkin(n: int) -> int:
    """Paths of n steps up, down or level that begin and end at 0 and stay above (A001006)."""
    return sum(comb(n, 2 * k) * catalan(k) for k in range(n // 2 + 1))


def little_schroeder(n: int) -> int:
    """Trees with n leaves in which every other node has two children or more (A001003)."""
    inner = range(1, n)  # how many other nodes; by Kirkman and Cayley's formula for dissections
    return sum(comb(n - 2, k - 1) * comb(n + k - 1, k - 1) // k for k in inner) if n > 1 else 1


def parse(grammar: Grammar, words: int, symbols: list[int], sharing: Sharing = "none") -> Chart:
    """The chart of symbol 0 over words that all have the same symbols."""
    entries = [(word, symbol) for word in range(words) for symbol in symbols]
    found = chart(grammar, words, entries, goal=0, sharing=sharing)
    assert found is not None
    return found


def assert_number(forest: Forest, number: int) -> None:
    """Exactly, and rounded as log Z and entropy of the model in which all scores are 0."""
    zeros = np.zeros(forest.parts)
    assert exact.count(forest) == number
    assert exact.inside(forest, zeros, Semiring.COUNT)[-1] == number
    assert exact.log_z(forest, zeros) == pytest.approx(math.log(number), rel=1e-12, abs=1e-12)
    assert exact.entropy(forest, zeros) == pytest.approx(math.log(number), rel=1e-10, abs=1e-12)


# Charts


def test_the_formulas_begin_as_they_should() -> None:
    assert [catalan(n) for n in range(7)] == [1, 1, 2, 5, 14, 42, 132]
    assert [motzkin(n) for n in range(8)] == [1, 1, 2, 4, 9, 21, 51, 127]
    assert [little_schroeder(n) for n in range(1, 8)] == [1, 1, 3, 11, 45, 197, 903]


@pytest.mark.parametrize("sharing", ["none", "span", "rule"])
@pytest.mark.parametrize("words", [1, 2, 3, 10, 40, 80])
def test_binary_trees_are_catalan(words: int, sharing: Sharing) -> None:
    forest = parse(BRACKETING, words, [0], sharing).forest
    assert (forest.nodes, forest.edges) == (comb(words + 1, 2), words + comb(words + 1, 3))
    assert_number(forest, catalan(words - 1))


def test_eighty_words_need_more_than_128_bits() -> None:
    number = exact.count(parse(BRACKETING, 80, [0]).forest)
    assert number == catalan(79) > 2**128


@pytest.mark.parametrize("words", [1, 2, 5, 12])
def test_labels_of_nodes_multiply(words: int) -> None:
    """Each of the 2n - 1 nodes gets one of two unary rules, each word one of three entries."""
    grammar = Grammar.of(2, [(1, 0, 0)], [(0, 1), (0, 1)])
    forest = parse(grammar, words, [1, 1, 1]).forest
    assert_number(forest, catalan(words - 1) * 2 ** (2 * words - 1) * 3**words)


@pytest.mark.parametrize("words", [1, 2, 3, 4, 7, 30])
def test_level_and_nested_words_are_motzkin(words: int) -> None:
    """A path is a step, or a step and a path; a step is level, or opens and closes."""
    path, step, level, opening, closing, rest = range(6)
    binary = [
        (path, step, path),
        (step, opening, closing),
        (step, opening, rest),
        (rest, path, closing),
    ]
    grammar = Grammar.of(6, binary, [(path, step), (step, level)])
    forest = parse(grammar, words, [level, opening, closing]).forest
    assert_number(forest, motzkin(words))


@pytest.mark.parametrize("words", [1, 2, 3, 4, 7, 30])
def test_trees_of_any_arity_are_schroeder(words: int) -> None:
    """A tree is a word, or a tree and its sisters: one tree or more."""
    tree, sisters = range(2)
    grammar = Grammar.of(2, [(tree, tree, sisters), (sisters, tree, sisters)], [(sisters, tree)])
    assert_number(parse(grammar, words, [tree]).forest, little_schroeder(words))


@pytest.mark.parametrize("words", [2, 5, 20])
def test_left_branching_has_one_tree(words: int) -> None:
    entries = [(0, 0), *((word, 1) for word in range(1, words))]
    found = chart(Grammar.of(2, [(0, 0, 1)]), words, entries, goal=0)
    assert found is not None
    assert_number(found.forest, 1)


@pytest.mark.parametrize("words", [2, 7, 40])
def test_spans_of_equally_likely_trees(words: int) -> None:
    """A span of w words is in C(w - 1) C(n - w) of the C(n - 1) trees."""
    found = parse(BRACKETING, words, [0])
    widths = (found.nodes[:, 1] - found.nodes[:, 0]).tolist()
    share = [catalan(w - 1) * catalan(words - w) / catalan(words - 1) for w in widths]
    marginals = exact.marginals(found.forest, np.zeros(found.forest.parts))
    assert marginals.nodes == pytest.approx(share, rel=1e-10)


def test_a_rule_shared_by_all_spans_is_used_once_for_every_pair_of_neighbours() -> None:
    forest = parse(BRACKETING, 12, [0], "rule").forest
    scores = np.linspace(-1, 1, forest.parts)
    found = exact.marginals(forest, scores)
    assert found.parts == pytest.approx([1] * 12 + [11])
    assert found.log_z == pytest.approx(math.log(catalan(11)) + scores[:12].sum() + 11 * scores[12])


# Chains


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("sizes", [[1], [3], [2, 1, 4], [3, 5, 2, 7, 1, 6], [4, 3] * 40])
def test_chains_are_products_of_candidates(sizes: list[int], order: int) -> None:
    built = chain([range(size) for size in sizes], order)
    assert_number(built.forest, math.prod(sizes))


@pytest.mark.parametrize("order", [0, 1, 2])
def test_a_long_chain_counts_exactly(order: int) -> None:
    """Powers of ten have nothing to do with powers of two or with the moduli behind the counts."""
    assert exact.count(chain([range(10)] * 60, order).forest) == 10**60


@pytest.mark.parametrize("words", [1, 2, 3, 20, 120])
def test_strings_without_two_ones_in_a_row_are_fibonacci(words: int) -> None:
    built = chain([[0, 1]] * words)
    scores = np.zeros(built.forest.parts)
    scores[built.candidates :][(built.ngrams == 1).all(axis=1)] = -math.inf
    a, b = 1, 2
    for _ in range(words - 1):
        a, b = b, a + b
    assert exact.inside(built.forest, scores, Semiring.COUNT)[-1] == b
    assert exact.log_z(built.forest, scores) == pytest.approx(math.log(b))


def test_log_z_of_independent_positions_is_a_sum() -> None:
    rng = np.random.default_rng(3)
    sizes = [2, 5, 3, 4]
    forest = chain([range(size) for size in sizes], order=0).forest
    scores = rng.normal(size=forest.parts)
    positions = np.split(scores, np.cumsum(sizes)[:-1])
    expected = sum(math.log(np.exp(s).sum()) for s in positions)
    assert exact.log_z(forest, scores) == pytest.approx(expected)
    shares = np.concatenate([np.exp(s) / np.exp(s).sum() for s in positions])
    assert exact.marginals(forest, scores).parts == pytest.approx(shares)


# Other forests


def test_squares() -> None:
    """Each node is a pair of the one before it: 3 ** (2 ** k) derivations."""
    builder = ForestBuilder()
    below = builder.node([(0,), (1,), (2,)])
    for _ in range(7):
        below = builder.node([(3, below, below)])
    forest = builder.build()
    assert_number(forest, 3**128)
    assert exact.inside(forest, np.zeros(4), Semiring.COUNT).tolist() == [
        3 ** (2**k) for k in range(8)
    ]


def test_nodes_may_have_more_derivations_than_the_goal() -> None:
    builder = ForestBuilder()
    below = builder.node([(0,), (1,), (2,)])
    for _ in range(7):
        below = builder.node([(3, below, below)])
    builder.node([(0,)])
    found = exact.inside(builder.build(), np.zeros(4), Semiring.COUNT)
    assert found[-2:].tolist() == [3**128, 1]


def test_coins() -> None:
    """Thirty of them, of heads with probability 0.3, as one chain of nodes."""
    builder, coins, p = ForestBuilder(), 30, 0.3
    below = builder.node([(2,)])
    for _ in range(coins):
        below = builder.node([(0, below), (1, below)])
    forest = builder.build()
    assert_number(forest, 2**coins)
    scores = np.array([math.log(p), math.log(1 - p), 0.0])
    found = exact.marginals(forest, scores)
    assert found.log_z == pytest.approx(0, abs=1e-12)
    assert found.parts == pytest.approx([coins * p, coins * (1 - p), 1])
    of_one = -p * math.log(p) - (1 - p) * math.log(1 - p)
    assert exact.entropy(forest, scores) == pytest.approx(coins * of_one)
    assert exact.divergence(forest, scores, np.zeros(3)) == pytest.approx(
        coins * (math.log(2) - of_one)
    )
