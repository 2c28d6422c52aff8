"""Synthetic CCG-like forests for benchmarks, the same on every machine for a seed.

Ten symbols over every span, one rule for each symbol, every split point: 10 C(n+1, 3) edges, as a
wide-coverage chart has at about ten categories a span. Two neighbouring split points share a part,
as rule instances do whose heads and distances agree. A part has 15 features from a space of a
million. Counts have the ranges of CCG dependencies: d differs by at most half the length.
"""

import numpy as np

from treewright.forests import Example, FeatureMatrix, Forest, Grammar, chart
from treewright.inference import exact

SYMBOLS = 10
FEATURES = 1_000_000
TEMPLATES = 15


def grammar(rng: np.random.Generator) -> Grammar:
    rows = [(s, (s + 1) % SYMBOLS, rng.integers(SYMBOLS)) for s in range(SYMBOLS)]
    return Grammar.of(SYMBOLS, rows)


def example(words: int, seed: int = 0) -> Example:
    """A sentence of so many words, with counts, gold, and features."""
    rng = np.random.default_rng(seed + 1000 * words)
    entries = [(i, s) for i in range(words) for s in range(SYMBOLS)]
    full = chart(grammar(np.random.default_rng(seed)), words, entries, goal=0)
    assert full is not None
    rows = full.parts.copy()
    lexical = rows[:, 0] < 0
    rows[:, 2] = np.where(lexical, rows[:, 2], rows[:, 2] // 2 * 2)
    rows[lexical, 2] = np.flatnonzero(lexical)  # entries stay apart
    keys, first, number = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # numbered as they were made, which is how builders number parts
    keys, place = keys[order], np.argsort(order)
    part = place[number.ravel()].astype(np.int32)[full.forest.part]
    counts = _counts(keys, rng)
    forest = Forest(
        full.forest.first_edge,
        full.forest.left,
        full.forest.right,
        part,
        len(keys),
        counts,
        gold_size=words - 1,
    )
    features = _features(keys, words, rng)
    gold = forest.restrict(exact.sample(forest, rng.normal(size=len(keys)), 1, seed)[0])
    return Example(forest, features, gold, f"{words} words")


def _counts(keys: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One dependency for each binary rule instance, at times two over two words."""
    rule, begin, _, end = keys.T
    d = np.where(rule < 0, 0, 1 + ((end - begin == 2) & (rng.random(len(keys)) < 0.5)))
    n = np.where(rng.random(len(keys)) < 0.3, d, 0)
    c = np.maximum(n, rng.random(len(keys)) < 0.3)
    return np.stack([n, d, c]).astype(np.int16)


def _features(keys: np.ndarray, words: int, rng: np.random.Generator) -> FeatureMatrix:
    """A rule's features with none, one or two of its words, and with distances, hashed."""
    rule, begin, split, end = keys.astype(np.uint64).T
    word = rng.integers(0, 5000, words + 1).astype(np.uint64)
    at = [word[np.minimum(x, words)] for x in (begin, split % np.uint64(words), end)]
    distance = np.minimum(end - begin, np.uint64(4))
    columns = []
    for template in range(TEMPLATES):
        key = rule * np.uint64(31) + np.uint64(template)
        if template in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10):
            key = key * np.uint64(1_000_003) + at[template % 3]
        if template > 4:
            key = key * np.uint64(1_000_003) + at[(template + 1) % 3]
        if template > 10:
            key = key * np.uint64(1_000_003) + distance
        columns.append(_mix(key) % np.uint64(FEATURES))
    table = np.stack(columns, axis=1).astype(np.int32)
    first = np.arange(len(table) + 1) * TEMPLATES
    return FeatureMatrix.from_csr(first, table.ravel())


def _mix(x: np.ndarray) -> np.ndarray:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
