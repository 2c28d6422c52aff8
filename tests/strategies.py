"""Random small forests, scores, counts and gold, for property tests and for seeded ones.

Everything here is made by a `random.Random`. With `random.Random(seed)` that is a repeatable
example; the strategies at the end draw a seed: it shrinks badly, but hardly anything is trivial, as
most is with Hypothesis's own randoms. Forests have at most MOST_DERIVATIONS derivations in all
their nodes, so that `tests.brute.Brute` can list them.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import Random

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.brute import Brute
from treewright.forests import Forest, Grammar, chain, chart
from treewright.forests.build import Sharing

MOST_DERIVATIONS = 3000
SHARINGS: tuple[Sharing, ...] = ("none", "span", "rule")
Floats = NDArray[np.float64]

# Forests


def random_dag(random: Random, most: int = MOST_DERIVATIONS) -> Forest:
    """Any forest at all: edges of 0 to 2 tails, equal tails and equal edges, nodes nobody uses."""
    parts = random.randint(1, 9)
    numbers: list[int] = []
    first_edge, rows = [0], []
    for _ in range(random.randint(1, 8)):
        number = 0
        for _ in range(random.randint(1, 4)):
            tails = _random_tails(random, len(numbers))
            product = math.prod(numbers[t] for t in tails)
            if sum(numbers) + number + product > most - 10:
                tails, product = [], 1
            rows.append((*tails, *[-1] * (2 - len(tails)), random.randint(0, parts - 1)))
            number += product
        numbers.append(number)
        first_edge.append(len(rows))
    left, right, part = np.array(rows, dtype=np.int32).T
    return Forest(np.array(first_edge, dtype=np.int32), left, right, part, parts)


def _random_tails(random: Random, nodes: int) -> list[int]:
    """Up to two nodes, the latest one most often: forests should be deep, too."""
    how_many = min(nodes, random.randint(0, 3))  # 3: twice the same
    tails = [nodes - 1 - random.randint(0, random.randint(0, nodes - 1)) for _ in range(how_many)]
    return tails[:2] if how_many < 3 else tails[:1] * 2


def random_chain(random: Random, most: int = MOST_DERIVATIONS) -> Forest:
    """A chain of order 0, 1 or 2 over a few tags."""
    order = random.randint(0, 2)
    tags = [random.sample(range(4), random.randint(1, 3)) for _ in range(random.randint(1, 8))]
    built = (chain(tags[:words], order).forest for words in range(len(tags), 0, -1))
    return _first_small(built, most)


def random_chart(random: Random, most: int = MOST_DERIVATIONS) -> Forest:
    """A CKY chart of a random grammar with unary rules; parts are shared in any of the ways."""
    symbols = random.randint(1, 3)
    # A skeleton of symbols 0 and 1 lets every sentence be derived: 0 -> 0 0, 0 -> 0 1 or 0 -> 1 0.
    left, right = random.choice([(0, 0), (0, 1), (1, 0)] if symbols > 1 else [(0, 0)])
    symbol = partial(random.randint, 0, symbols - 1)
    binary = [(0, left, right)] + [
        (symbol(), symbol(), symbol()) for _ in range(random.randint(0, 4))
    ]
    pairs = [tuple(sorted((symbol(), symbol()))) for _ in range(random.randint(0, 3))]
    grammar = Grammar.of(symbols, binary, [(a, b) for a, b in pairs if a < b])
    sharing = random.choice(SHARINGS)
    extra = [(random.randint(0, 6), symbol()) for _ in range(random.randint(0, 3))]

    def built(words: int) -> Forest:
        head, other = (0, right) if left == 0 else (words - 1, left)
        entries = [(word, 0 if word == head else other) for word in range(words)]
        entries += [(word, s) for word, s in extra if word < words]
        found = chart(grammar, words, entries, goal=0, sharing=sharing)
        assert found is not None
        return found.forest

    return _first_small(map(built, range(random.randint(1, 7), 0, -1)), most)


def _first_small(found: Iterable[Forest], most: int) -> Forest:
    return next(forest for forest in found if sum(numbers_of_derivations(forest)) <= most)


FAMILIES: dict[str, Callable[..., Forest]] = {
    "chain": random_chain,
    "chart": random_chart,
    "dag": random_dag,
}


def random_forest(random: Random, most: int = MOST_DERIVATIONS) -> Forest:
    """A forest of any of the families."""
    return FAMILIES[random.choice(sorted(FAMILIES))](random, most)


def numbers_of_derivations(forest: Forest) -> list[int]:
    """Every node's number of derivations."""
    numbers: list[int] = []
    for v in range(forest.nodes):
        edges = range(forest.first_edge[v], forest.first_edge[v + 1])
        tails = [[t for t in (forest.left[e], forest.right[e]) if t >= 0] for e in edges]
        numbers.append(sum(math.prod(numbers[t] for t in both) for both in tails))
    return numbers


# What lies on forests


def plain(random: Random) -> float:
    return random.uniform(-3, 3)


def whole(random: Random) -> float:
    """Sums of these are exact, and often equal."""
    return float(random.randint(-2, 2))


def tenths(random: Random) -> float:
    """Sums of these are often equal but for the last bit."""
    return random.randint(-9, 9) / 10


def wide(random: Random) -> float:
    return random.uniform(-1e4, 1e4)


def shifted(random: Random) -> float:
    """Large, but close to each other."""
    return random.choice([1e4, -1e4]) + random.uniform(-1, 1)


def forbidding(random: Random) -> float:
    return -math.inf if random.randint(0, 5) == 0 else random.uniform(-3, 3)


SCORES = (plain, whole, tenths, wide, shifted, forbidding)


def random_scores(
    random: Random, parts: int, kinds: Sequence[Callable[[Random], float]] = (plain,)
) -> Floats:
    """float64 [parts], all of one of these kinds."""
    kind = random.choice(kinds)
    return np.array([kind(random) for _ in range(parts)], dtype=np.float64)


def with_random_counts(random: Random, forest: Forest) -> Forest:
    """The forest with counts n <= d, and with gold_size at least every derivation's n."""
    d = [random.randint(0, 2) for _ in range(forest.parts)]
    n = [random.randint(0, most) for most in d]
    c = [random.randint(0, 2) for _ in range(forest.parts)]
    counts = np.array([n, d, c], dtype=np.int16)
    totals = [sum(n[p] for p in forest.part[list(e)]) for e in Brute(forest, d).derivations]
    return forest.with_counts(counts, gold_size=max(totals) + random.randint(0, 2))


def random_gold(random: Random, forest: Forest) -> Forest:
    """The sub-forest of the edges of one to three derivations."""
    edges = [e for _ in range(random.randint(1, 3)) for e in random_derivation(random, forest)]
    return forest.restrict(edges)


def random_derivation(random: Random, forest: Forest) -> list[int]:
    """The edges of a derivation, goal first, left before right."""
    edges, agenda = [], [forest.goal]
    while agenda:
        v = agenda.pop()
        e = random.randint(int(forest.first_edge[v]), int(forest.first_edge[v + 1]) - 1)
        edges.append(e)
        agenda += [int(t) for t in (forest.right[e], forest.left[e]) if t >= 0]
    return edges


def random_model(
    random: Random,
    kinds: Sequence[Callable[[Random], float]] = (plain,),
    family: str | None = None,
    counts: bool = False,
    most: int = MOST_DERIVATIONS,
) -> Brute:
    """A forest, of one family or any, with scores of one of the kinds, ready to be enumerated."""
    forest = (FAMILIES[family] if family else random_forest)(random, most)
    forest = with_random_counts(random, forest) if counts else forest
    return Brute(forest, random_scores(random, forest.parts, kinds))


# Strategies


def forests(most: int = MOST_DERIVATIONS) -> st.SearchStrategy[Forest]:
    """Chains, CKY charts and any other forests."""
    return randoms().map(lambda random: random_forest(random, most))


def models(
    *kinds: Callable[[Random], float], counts: bool = False, most: int = MOST_DERIVATIONS
) -> st.SearchStrategy[Brute]:
    """Such forests with scores of one of the kinds (`plain` by default), as brute-force twins."""
    return randoms().map(lambda r: random_model(r, kinds or (plain,), counts=counts, most=most))


def golden_models(*kinds: Callable[[Random], float]) -> st.SearchStrategy[tuple[Brute, Brute]]:
    """Models with counts, each with the model of the same scores on a gold sub-forest."""

    def with_gold(random: Random) -> tuple[Brute, Brute]:
        model = random_model(random, kinds or (plain,), counts=True)
        return model, Brute(random_gold(random, model.forest), model.scores)

    return randoms().map(with_gold)


def randoms() -> st.SearchStrategy[Random]:
    return st.integers(0, 2**32 - 1).map(Random)
