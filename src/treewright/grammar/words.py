"""Vocabularies, plain forms of words, and classes of unknown words.

Models read typographic variants of apostrophes and hyphens as plain ones, which most treebanks
prefer. The class of an unknown word consists of its capitals, digits, punctuation and ending,
similar to the lexicons of Klein and Manning (2003) and Petrov et al. (2006).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.arrays import Indices

SORTS = ("other", "conjunction", "comma", "open", "close", "verb", "colon")
_OF_TAG = {
    "CC": "conjunction",
    ",": "comma",
    **dict.fromkeys(("-LRB-", "(", "``"), "open"),
    **dict.fromkeys(("-RRB-", ")", "''"), "close"),
    **dict.fromkeys(("VB", "VBD", "VBP", "VBZ", "MD", "VBN", "VBG", "TO"), "verb"),
    ":": "colon",
}


def sort_of_tag(tag: str) -> int:
    """The index of the tag's sort in SORTS."""
    return SORTS.index(_OF_TAG.get(tag, "other"))


# The right quotation mark, modifier letter and full-width apostrophe; the hyphen, the non-breaking
# and the full-width one.
VARIANTS = {**dict.fromkeys("\u2019\u02bc\uff07", "'"), **dict.fromkeys("\u2010\u2011\uff0d", "-")}
_TABLE = str.maketrans(VARIANTS)


def plain(word: str) -> str:
    """A word with plain apostrophes and hyphens; its length is the same."""
    return word.translate(_TABLE)


def as_listed(word: str) -> str:
    """A word in the form of tables: lower case, with plain signs."""
    return plain(word).lower()


SUFFIX = 3


def word_class(word: str) -> str:
    """The class of an unknown word: capitals, digits, punctuation, and its last letters."""
    marks = "".join(sorted({char for char in word if not char.isalnum()}))[:3]
    capital = "X" if word[:1].isupper() and word[1:].islower() else "x"
    if any(char.isupper() for char in word[1:]):
        capital = "XX"
    digit = "0" if any(char.isdigit() for char in word) else ""
    letters = word.lower()
    suffix = letters[-SUFFIX:] if len(letters) > SUFFIX and letters[-SUFFIX:].isalpha() else ""
    return f"{capital}{digit}{marks}-{suffix}"


@dataclass(frozen=True)
class Vocabulary:
    """The words with a number of their own."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, words: Iterable[str], least: int = 2) -> "Vocabulary":
        """The words that occur at least `least` times, sorted."""
        counts = Counter(map(plain, words))
        return cls(tuple(sorted(word for word, count in counts.items() if count >= least)))

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._known


def sorts(tags: Sequence[str]) -> Indices:
    """The sort of each tag in the shape of spans: int32 [words]."""
    return np.array([sort_of_tag(tag) for tag in tags], dtype=np.int32)
