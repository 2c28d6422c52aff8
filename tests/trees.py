"""All dependency trees of a few words, by enumeration: a reference for searches."""

import itertools
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from treewright.data.dependency import is_projective, top_down

Heads = tuple[int, ...]


@cache
def all_trees(words: int, single_root: bool = False, projective: bool = False) -> list[Heads]:
    return [
        heads
        for heads in itertools.product(range(words + 1), repeat=words)
        if len(top_down(heads)) == words
        and (not single_root or heads.count(0) == 1)
        and (not projective or is_projective(heads))
    ]


def tree_score(scores: np.ndarray, heads: Sequence[int]) -> float:
    return float(sum(scores[head, word] for word, head in enumerate(heads, start=1)))


def ranked(scores: np.ndarray, single_root: bool, projective: bool = False) -> list[float]:
    """The scores of all trees of finite score, best first."""
    found = (
        tree_score(scores, heads) for heads in all_trees(len(scores) - 1, single_root, projective)
    )
    return sorted((score for score in found if score > -np.inf), reverse=True)


def arc_scores(seed: int, words: int) -> np.ndarray:
    """Random scores; some seeds have ties, some forbidden arcs."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(words + 1, words + 1))
    if seed % 3 == 1:
        return np.round(scores)
    if seed % 3 == 2:
        scores[rng.random(scores.shape) < 0.3] = -np.inf
    return scores


def cases() -> Iterator[tuple[np.ndarray, bool]]:
    for seed in range(60):
        yield arc_scores(seed, 1 + seed % 5), seed % 2 == 0
