"""Projective trees from others: arcs that cross are lifted (Nivre and Nilsson 2005)."""

from collections.abc import Sequence


def projectivise(heads: Sequence[int]) -> list[int]:
    """The heads of a projective tree: the shortest crossing arc moves up to its head's head."""
    lifted = list(heads)
    while (word := _shortest_crossing(lifted)) is not None:
        lifted[word - 1] = lifted[lifted[word - 1] - 1]
    return lifted


def _shortest_crossing(heads: Sequence[int]) -> int | None:
    """The word whose arc, the shortest such, passes over a word that is not below its head."""
    crossing = [word for word, head in enumerate(heads, start=1) if _crosses(heads, word, head)]
    return min(crossing, key=lambda word: (abs(word - heads[word - 1]), word), default=None)


def _crosses(heads: Sequence[int], word: int, head: int) -> bool:
    if head == 0:
        return False
    first, last = sorted((word, head))
    return any(not _is_below(heads, inner, head) for inner in range(first + 1, last))


def _is_below(heads: Sequence[int], word: int, ancestor: int) -> bool:
    while word not in (0, ancestor):
        word = heads[word - 1]
    return word == ancestor
