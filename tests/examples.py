"""Random and complete training examples, stores of them, and a check for equality."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.strategies import random_forest, random_gold, with_random_counts
from treewright.forests import Example, FeatureMatrix, ForestStore

NAMES = ("", "wsj_0001.1", "süß 樹 🌲", "two\nlines\0", "lone \ud800 half", "x" * 5000)
STRUCTURE = ("first_edge", "left", "right", "part", "counts")
MATRIX = ("first", "local", "vocabulary", "value")


def random_example(random: Random) -> Example:
    """A random forest, with or without counts, gold, features and values."""
    forest = random_forest(random, most=200)
    if random.random() < 0.7:
        forest = with_random_counts(random, forest)
    gold = random_gold(random, forest) if random.random() < 0.7 else None
    numbers = [random.randint(0, 3) for _ in range(forest.parts)]
    features = [random.randint(0, 99) for _ in range(sum(numbers))]
    values = [random.uniform(-2, 2) for _ in features] if random.random() < 0.5 else None
    matrix = FeatureMatrix.from_csr(np.cumsum([0, *numbers]), features, values)
    return Example(forest, matrix, gold, random.choice(NAMES))


def some_examples(number: int, seed: int = 0) -> list[Example]:
    random = Random(seed)
    return [replace(random_example(random), name=f"s.{i}") for i in range(number)]


def full_example(name: str = "full") -> Example:
    """An example with all optional arrays."""
    random = Random(5)
    forest = with_random_counts(random, random_forest(random, most=200))
    rows, entries = range(0, 2 * forest.parts + 1, 2), range(2 * forest.parts)
    features = FeatureMatrix.from_csr(rows, entries, np.linspace(-1, 1, len(entries)))
    return Example(forest, features, random_gold(random, forest), name)


def written(path: Path, examples: Sequence[Example]) -> Path:
    with ForestStore.create(path) as writer:
        for each in examples:
            writer.add(each)
    return path


def arrays_of(example: Example) -> dict[str, Any]:
    found = {name: getattr(example.features, name) for name in MATRIX}
    for prefix, forest in (("", example.forest), ("gold ", example.gold)):
        found |= {prefix + name: getattr(forest, name, None) for name in STRUCTURE}
    return found


def assert_same(found: Example, expected: Example) -> None:
    assert found.name == expected.name
    assert (found.gold is None) == (expected.gold is None)
    for a, b in ((found.forest, expected.forest), (found.gold, expected.gold)):
        assert getattr(a, "gold_size", None) == getattr(b, "gold_size", None)
        assert getattr(a, "parts", None) == getattr(b, "parts", None)
    others = arrays_of(expected)
    for name, array in arrays_of(found).items():
        assert (array is None) == (others[name] is None)
        if array is not None:
            assert array.dtype == others[name].dtype
            assert np.array_equal(array, others[name])


def all_of(path: Path) -> list[Example]:
    with ForestStore(path) as store:
        return list(store)
