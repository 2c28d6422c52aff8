"""Pseudo-projective parsing (Nivre and Nilsson 2005, their scheme "head").

A tree with crossing arcs is made projective by lifting arcs, and the relation of a lifted word
encodes its original head: `obj^xcomp` is an `obj` of an `xcomp` further down. After parsing, the
word is attached to the nearest such word below its head, breadth first.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence


def projectivise(heads: Sequence[int]) -> list[int]:
    """The heads of a projective tree: crossing arcs are lifted, the shortest first."""
    lifted = list(heads)
    while (word := _shortest_crossing(lifted)) is not None:
        lifted[word - 1] = lifted[lifted[word - 1] - 1]
    return lifted


def _shortest_crossing(heads: Sequence[int]) -> int | None:
    """The word with the shortest arc over a word that is not a descendant of its head."""
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


MARK = "^"


def encode(heads: Sequence[int], relations: Sequence[str]) -> tuple[list[int], list[str]]:
    """A projective tree, with lifted words marked by the relation of their head."""
    lifted = projectivise(heads)
    marked = [
        relation if new == old else f"{relation}{MARK}{relations[old - 1]}"
        for new, old, relation in zip(lifted, heads, relations, strict=True)
    ]
    return lifted, marked


def decode(heads: Sequence[int], relations: Sequence[str]) -> tuple[list[int], list[str]]:
    """Attaches marked words where their marks point to, if possible, and removes marks."""
    lowered = list(heads)
    plain = [relation.partition(MARK)[0] for relation in relations]
    for word, relation in enumerate(relations, start=1):
        _, _, wanted = relation.partition(MARK)
        if wanted:
            below = (each for each in _below(lowered, word) if plain[each - 1] == wanted)
            lowered[word - 1] = next(below, lowered[word - 1])
    return lowered, plain


def _below(heads: Sequence[int], word: int) -> Iterator[int]:
    """The descendants of a word's head, breadth first, without the word's own subtree."""
    dependents = defaultdict(list)
    for dependent, head in enumerate(heads, start=1):
        if dependent != word:
            dependents[head].append(dependent)
    level = dependents[heads[word - 1]]
    while level:
        yield from level
        level = [each for above in level for each in dependents[above]]
