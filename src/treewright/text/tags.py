"""The tags of characters: whether a token goes on, or ends and how."""

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Indices, Integers
from treewright.text.characters import Bools, Characters
from treewright.text.raw import RawToken

INSIDE, TOKEN, MULTIWORD, SENTENCE, MULTIWORD_SENTENCE = range(5)
NAMES = ("inside", "token", "multiword", "sentence", "multiword-sentence")
ENDS_TOKEN = np.array([False, True, True, True, True])
ENDS_SENTENCE = np.array([False, False, False, True, True])
IS_MULTIWORD = np.array([False, False, True, False, True])
# Which tags a position may have: any; those that end a token; that end a sentence; only inside; and
# the first two without ends of sentences.
ANY, AT_BLANK, AT_END, WHOLE, WITHIN, WITHIN_AT_BLANK = range(6)
SETS: tuple[tuple[int, ...], ...] = (tuple(range(5)), (1, 2, 3, 4), (3, 4), (0,), (0, 1, 2), (1, 2))


def gold_tags(characters: Characters, tokens: Sequence[RawToken]) -> Indices:
    """The tag of each position of a text whose tokens are known."""
    tags = np.zeros(len(characters), dtype=np.int32)
    ends = np.array([token.end for token in tokens], dtype=np.int64)
    last = np.array([token.last for token in tokens], dtype=np.int64)
    several = np.array([len(token.words) > 1 for token in tokens], dtype=np.int64)
    tags[token_ends(characters, ends) - 1] = TOKEN + several + 2 * last
    return tags


def token_ends(characters: Characters, ends: Integers) -> Integers:
    """The positions, one more than the last of each token, of ends in the text."""
    places: Integers = np.searchsorted(characters.offset, ends)
    return places


def tag_sets(
    characters: Characters, whole: Bools, blanks_inside: bool, by_line: bool = False
) -> Indices:
    """The set of each position.

    whole [positions]: at which no token ends. blanks_inside: whether tokens may have blanks.
    by_line: a sentence ends at the ends of paragraphs, nowhere else.
    """
    sets = np.where(whole, WHOLE, WITHIN if by_line else ANY).astype(np.int32)
    if not blanks_inside:
        sets[characters.spaced] = WITHIN_AT_BLANK if by_line else AT_BLANK
    sets[characters.first[1:] - 1] = AT_END
    return sets
