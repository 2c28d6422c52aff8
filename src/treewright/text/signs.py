"""Signs inside words and numbers, such as the hyphen of `all-day` and the slash of `1/2`.

A treebank separates most signs from both sides or from neither. A tokeniser that decides each
position by itself also makes `all-` and `day`. This module learns which signs are never separated
from one side only, and decides about both sides of these together: by the higher product of the
probabilities of both ends and of neither. An apostrophe is usually not such a sign (`soldiers' `),
nor is the hyphen in French (`va`, `-t-il`).
"""

from collections import Counter
from collections.abc import Collection, Iterable
from unicodedata import category

import numpy as np

from treewright.arrays import Indices, Integers
from treewright.scores.tagging.base import Posteriors
from treewright.text.characters import DIGIT, LETTER, OTHER, Bools, Characters
from treewright.text.segments import ENDS_TOKEN, INSIDE

ENOUGH, EXCEPTIONS = 10, 0.02  # occurrences, and the proportion of those with one end
LENGTH = 3  # of the name of a sign; that of a category is longer
SIDES = {LETTER: "a", DIGIT: "9"}


def signs(characters: Characters) -> tuple[Integers, list[str]]:
    """The positions of signs between letters or digits, and their names, such as `a-a`, `9/9`."""
    broad = characters.facts.broad
    beside = (broad == LETTER) | (broad == DIGIT)
    inner = (broad[1:-1] == OTHER) & beside[:-2] & beside[2:]
    places = 1 + np.flatnonzero(inner & ~characters.spaced[:-2] & ~characters.spaced[1:-1])
    around = zip(broad[places - 1].tolist(), broad[places + 1].tolist(), strict=True)
    points = characters.points[places].tolist()
    names = [SIDES[a] + chr(point) + SIDES[b] for point, (a, b) in zip(points, around, strict=True)]
    return places, names


def general(name: str) -> str:
    """The name of all signs of a Unicode category: `aPda` for `a-a` and other dashes."""
    return name[0] + category(name[1]) + name[2]


def learn_paired(texts: Iterable[tuple[Characters, Bools]]) -> tuple[str, ...]:
    """The names of the signs that have token ends on both sides or on neither.

    A category stands for its rare signs if that is true of all others in it.
    texts: characters, and a mask of the positions at which a token ends.
    """
    seen: Counter[str] = Counter()
    odd: Counter[str] = Counter()
    for characters, ends in texts:
        places, names = signs(characters)
        one = ends[places - 1] != ends[places]
        for name, is_one in zip(names, one.tolist(), strict=True):
            seen.update((name, general(name)))
            odd.update((name, general(name)) * is_one)
    often = [name for name, count in seen.items() if count >= ENOUGH]
    paired = {name for name in often if odd[name] <= EXCEPTIONS * seen[name]}
    signs_of = [name for name in often if len(name) == LENGTH]
    wrong = {general(name) for name in signs_of if name not in paired}
    return tuple(sorted(paired - wrong))


def settle(
    tags: Indices, posteriors: Posteriors, characters: Characters, paired: Collection[str]
) -> None:
    """Changes the tags at signs that now have one end to the more probable of both and neither."""
    places, names = signs(characters)
    known = np.array([name in paired or general(name) in paired for name in names], dtype=np.bool_)
    odd = ENDS_TOKEN[tags[places - 1]] != ENDS_TOKEN[tags[places]]
    for place in places[known & odd].tolist():
        both, neither = np.array([_sides(posteriors, at) for at in (place - 1, place)]).prod(axis=0)
        for at in (place - 1, place):
            if both > neither and not ENDS_TOKEN[tags[at]]:
                tags[at] = _best_end(posteriors, at)
            elif neither > both:
                tags[at] = INSIDE


def _sides(posteriors: Posteriors, at: int) -> tuple[float, float]:
    """The probabilities that a token ends at a position, and that it does not."""
    rows = slice(posteriors.first[at], posteriors.first[at + 1])
    ends = ENDS_TOKEN[posteriors.tag[rows]]
    probability = posteriors.probability[rows]
    return float(probability[ends].sum()), float(probability[~ends].sum())


def _best_end(posteriors: Posteriors, at: int) -> int:
    rows = slice(posteriors.first[at], posteriors.first[at + 1])
    tag = posteriors.tag[rows]
    return int(tag[np.argmax(posteriors.probability[rows] * ENDS_TOKEN[tag])])
