"""One small example of every structure that networks score, with the size of its table."""

from collections.abc import Callable
from random import Random

from tests.strategies import random_gold, random_model
from treewright.forests.features import Example, FeatureMatrix
from treewright.forests.tables import arc_example, span_example, tag_example

CHAINS = [("A",), ("B",), ("A", "B")]
Sized = tuple[Example, int]


def tags(order: int) -> Sized:
    return tag_example([2, 0, 1], 3, order), 9 + 4 ** (order + 1)


def arcs() -> Sized:
    return arc_example([2, 0, 2], [0, 1, 1], 2), 4 * 4 * 2


def spans() -> Sized:
    return span_example([(0, 4, 2), (0, 2, 0), (3, 4, 1)], 4, CHAINS), 5 * 5 * 3


def chart() -> Sized:
    """A CKY chart of a random grammar; parts share table entries."""
    random = Random(4)
    forest = random_model(random, family="chart", counts=True, most=200).forest
    columns = [random.randrange(10) for _ in range(2 * forest.parts)]
    rows = range(0, len(columns) + 1, 2)
    features = FeatureMatrix.from_csr(rows, columns)
    return Example(forest, features, random_gold(random, forest), "chart"), 10


STRUCTURES: dict[str, Callable[[], Sized]] = {
    "tags": lambda: tags(0),
    "bigrams": lambda: tags(1),
    "trigrams": lambda: tags(2),
    "arcs": arcs,
    "spans": spans,
    "chart": chart,
}
