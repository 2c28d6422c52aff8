"""Attributes of words and parts of speech: what feature templates can see of a position.

An attribute is a string (a suffix, a shape) as a 64-bit number, its BLAKE2 hash: no vocabulary is
needed, and what training never saw has a number that no feature was made of. Attributes are
computed once for each distinct word and kept in a table; a sentence is a gather from it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from threading import Lock

import numpy as np

from treewright.arrays import Keys
from treewright.errors import ConfigError

FIRST_KEY = 16  # lower numbers stand for what is outside of the sentence
MOST_KEPT = 1 << 20  # distinct words, after which the table starts anew
RUNS = re.compile(r"(.)\1+")


def key_of(text: str) -> int:
    """The number of a string."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return max(int.from_bytes(digest, "little"), FIRST_KEY)


def shape(word: str) -> str:
    """Letters as X or x, digits as 0, all else as it is: `McGill-2` is `XxXxxx-0`."""
    return "".join(_letter(c) for c in word[:16])


def _letter(character: str) -> str:
    if character.isdigit():
        return "0"
    if not character.isalpha():
        return character
    return "x" if character.islower() else "X"


def brief_shape(word: str) -> str:
    """The shape without repetition: `XxXx-0`."""
    return RUNS.sub(r"\1", shape(word))


def _prefix(length: int) -> Callable[[str], str]:
    return lambda word: word.lower()[:length] if len(word) >= length else ""


def _suffix(length: int) -> Callable[[str], str]:
    return lambda word: word.lower()[-length:] if len(word) >= length else ""


# What a word has by itself; further columns come from training (see `Attributes`).
WORD_COLUMNS: dict[str, Callable[[str], str]] = {
    "word": str,
    "lower": str.lower,
    "digits": lambda word: re.sub(r"\d", "0", word.lower()),
    "shape": shape,
    "brief": brief_shape,
    **{f"prefix{n}": _prefix(n) for n in range(1, 8)},
    **{f"suffix{n}": _suffix(n) for n in range(1, 8)},
}
POS_COLUMNS: dict[str, Callable[[str], str]] = {
    "pos": str,
    "coarse": lambda pos: pos[:2] if pos[:1].isalpha() else "punctuation",
}


class AttributeTable:
    """Strings as rows of attributes, each computed once; threads may share a table."""

    def __init__(self, columns: Sequence[Callable[[str], str]]) -> None:
        self._columns = tuple(columns)
        self._numbers: dict[str, int] = {}
        self._table: Keys = np.zeros((1024, len(self._columns)), dtype=np.uint64)
        self._lock = Lock()

    def attributes(self, strings: Sequence[str]) -> Keys:
        """The attributes of the strings, uint64 [strings, columns]."""
        with self._lock:
            rows = self._rows(strings)  # may replace the table by a larger one
            return self._table[np.array(rows, dtype=np.int64)]

    def _rows(self, strings: Sequence[str]) -> list[int]:
        known = self._numbers
        try:
            return [known[string] for string in strings]
        except KeyError:
            if len(known) + len(strings) > MOST_KEPT:
                known.clear()
            return [self._row(string) for string in strings]

    def _row(self, string: str) -> int:
        number = self._numbers.get(string)
        if number is None:
            number = self._numbers[string] = len(self._numbers)
            if number >= len(self._table):
                self._table = np.concatenate((self._table, np.zeros_like(self._table)))
            self._table[number] = [key_of(column(string)) for column in self._columns]
        return number


def word_columns(
    names: Iterable[str], learnt: Mapping[str, Callable[[str], str]]
) -> list[Callable[[str], str]]:
    """The functions of named columns of words; `learnt` has those that come from training."""
    known = {**WORD_COLUMNS, **learnt}
    found = []
    for name in names:
        if name not in known:
            raise ConfigError(f"unknown column {name!r}: one of {', '.join(known)}")
        found.append(known[name])
    return found
