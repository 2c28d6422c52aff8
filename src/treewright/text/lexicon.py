"""The lexicon of a tokeniser: known words and their case.

Words are looked up as sequences of units. A unit is a run of characters, or a single character in a
language without spaces between words (`dense`). In training, each part of the text is looked up in
the lexicon of the other parts, because all its own words would be known.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Bytes, Integers, Keys
from treewright.text.characters import LETTER, UPPER, Bools, Characters
from treewright.text.runs import Divided, Stretches, combined, runs

UNKNOWN, LOWER_CASE, EITHER, UPPER_CASE = range(4)  # case of a word within sentences
LONGEST = 6  # maximum units of a word


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Sorted keys of words, of runs of letters with their case, and of runs that were split."""

    dense: bool
    words: Keys
    cased: Keys
    case: Bytes
    cut: Keys

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in ("words", "cased", "case", "cut")}

    def whole(self, characters: Characters, run: Divided) -> Bools:
        """A mask of the positions at which no token ends: inside runs that were never split."""
        first = run.first[:-1]
        if self.dense or not len(characters):
            return np.zeros(len(characters), dtype=np.bool_)
        keys = WordKeys(characters).of(first, run.first[1:])
        fixed = (characters.facts.broad[first] == LETTER) & ~_find(self.cut, keys)[1]
        inside: Bools = fixed[run.of] & (np.arange(1, len(characters) + 1) < run.end)
        return inside

    def cases(self, keys: Keys) -> Keys:
        """The case of runs: UNKNOWN, LOWER_CASE, ..."""
        at, known = _find(self.cased, keys)
        return np.where(known, self.case[at] if len(self.case) else 0, UNKNOWN).astype(np.uint64)

    def units(self, characters: Characters, run: Divided) -> Divided:
        size = len(characters)
        return Divided(np.arange(size + 1), np.arange(size)) if self.dense else run

    def longest(self, keys: "WordKeys", unit: Divided) -> tuple[Integers, Integers, Integers]:
        """The length in units of the longest known word around each unit.

        Three arrays [units]: of a word that ends with it, one that starts after it, and one that
        contains both it and the next.
        """
        count = len(unit)
        ends, starts, across = np.zeros((3, count + 1), dtype=np.int64)
        for size in range(1, min(LONGEST, count) + 1):
            begin = np.arange(count - size + 1)
            wanted = keys.of(unit.first[begin], unit.first[begin + size])
            at = begin[_find(self.words, wanted)[1]]
            ends[at + size - 1] = size
            starts[at] = size
            for inside in range(size - 1):
                across[at + inside] = size
        return ends[:-1], starts[1:], across[:-1]


class WordKeys:
    """Keys of position sequences as words: lower case, whitespace as one space."""

    def __init__(self, characters: Characters) -> None:
        self._lower = characters.facts.lower
        flagged = self._lower * np.uint64(2) + characters.spaced.astype(np.uint64)
        self._stretches = Stretches(flagged)

    def of(self, begin: Integers, end: Integers) -> Keys:
        return combined(self._stretches.hash(begin, end - 1), self._lower[end - 1])


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The contribution of a part of the training text to a lexicon.

    words: keys of its tokens. lower, upper: keys of runs in lower case, and with a capital letter
    within a sentence. cut: keys of runs in which a token ends, once per occurrence. inner: the
    number of gaps within runs of letters.
    """

    words: Keys
    lower: Keys
    upper: Keys
    cut: Keys
    inner: int


def occurrences(characters: Characters, ends: Integers, sentence_ends: Integers) -> Occurrences:
    """The contribution of a text with the given ends of tokens and sentences."""
    begins = np.concatenate(([0], ends[:-1]))
    run = runs(characters)
    first = run.first[:-1]
    keys = WordKeys(characters).of(first, run.first[1:])
    is_word = characters.facts.broad[first] == LETTER
    upper = characters.facts.case[first] == UPPER
    initial = np.isin(first, np.concatenate(([0], sentence_ends)))
    inside = is_word[run.of] & (np.arange(1, len(characters) + 1) < run.end)
    token_end = np.zeros(len(characters), dtype=np.bool_)
    token_end[ends - 1] = True
    return Occurrences(
        WordKeys(characters).of(begins, ends),
        keys[is_word & ~upper],
        keys[is_word & upper & ~initial],
        keys[run.of[inside & token_end]],
        int(inside.sum()),
    )


DENSE = 0.05  # minimum proportion of gaps between letters with a token end for letters to be units


def learn_lexicon(parts: Sequence[Occurrences]) -> Lexicon:
    """Learns the lexicon of some texts."""
    lower, lower_count = np.unique(_joined([p.lower for p in parts]), return_counts=True)
    upper, upper_count = np.unique(_joined([p.upper for p in parts]), return_counts=True)
    cased = np.union1d(lower, upper)
    counts = np.zeros((2, len(cased)))
    counts[0, np.searchsorted(cased, lower)] = lower_count
    counts[1, np.searchsorted(cased, upper)] = upper_count
    share = counts[1] / np.maximum(counts.sum(axis=0), 1)
    case = np.where(share < 0.2, LOWER_CASE, np.where(share > 0.8, UPPER_CASE, EITHER))
    cut, inner = _joined([p.cut for p in parts]), sum(p.inner for p in parts)
    words = np.unique(_joined([p.words for p in parts]))
    return Lexicon(len(cut) > DENSE * inner, words, cased, case.astype(np.uint8), np.unique(cut))


def _joined(arrays: Sequence[Keys]) -> Keys:
    return np.concatenate([np.zeros(0, np.uint64), *arrays])


def _find(table: Keys, keys: Keys) -> tuple[Integers, NDArray[np.bool_]]:
    """The indices of keys in a sorted table, and a mask of those in it."""
    if not len(table):
        return np.zeros(len(keys), np.int64), np.zeros(len(keys), np.bool_)
    at = np.minimum(np.searchsorted(table, keys), len(table) - 1)
    return at, table[at] == keys
