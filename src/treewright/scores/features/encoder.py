"""Encodes words as rows of integers for the core, one column per attribute.

An attribute is a string derived from a word's form (`word`) or from one of its tags. This module
has all attributes; the templates of a formalism can use those of its words. A value is represented
by the BLAKE2 hash of its string, so no vocabulary is needed, and unseen values match no feature.
Attributes with a vocabulary have small numbers instead, with one number for all other values. Rows
are computed once per distinct word and cached in a table; encoding a sentence is a gather from it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Keys
from treewright.errors import ConfigError
from treewright.grammar.words import plain, word_class
from treewright.machine import shared_lock

SHAPE_LENGTH = 16


@dataclass(frozen=True)
class Attribute:
    """A function of a word's form or of one of its tags."""

    source: str
    function: Callable[[str], str]


def shape(word: str, run: int = SHAPE_LENGTH) -> str:
    """Letters as X or x, digits as 0, long runs shortened: `McGill-2` is `XxXxxx-0`."""
    letters = "".join(_letter(c) for c in word[:SHAPE_LENGTH])
    return re.sub(rf"(.)\1{{{run},}}", lambda match: match[1] * run, letters)


def _letter(character: str) -> str:
    if character.isdigit():
        return "0"
    if not character.isalpha():
        return character
    return "x" if character.islower() else "X"


def _affixes(length: int) -> dict[str, Callable[[str], str]]:
    """Prefixes and suffixes are empty for shorter words.

    The start and the end are the whole word.
    """
    return {
        f"prefix{length}": lambda word: word.lower()[:length] if len(word) >= length else "",
        f"suffix{length}": lambda word: word.lower()[-length:] if len(word) >= length else "",
        f"start{length}": lambda word: word.lower()[:length],
        f"end{length}": lambda word: word.lower()[-length:],
    }


WORD_ATTRIBUTES: dict[str, Callable[[str], str]] = {
    "word": str,
    "lower": str.lower,
    "digits": lambda word: re.sub(r"\d", "0", word.lower()),
    "shape": shape,
    "brief": lambda word: shape(word, 1),
    "shape2": lambda word: shape(word, 2),
    "class": word_class,
    **{name: function for n in range(1, 8) for name, function in _affixes(n).items()},
}


def of_word(function: Callable[[str], str]) -> Attribute:
    """An attribute of a form with plain signs (`treewright.grammar.words`)."""
    return Attribute("word", lambda word: function(plain(word)))


ATTRIBUTES: dict[str, Attribute] = {
    **{name: of_word(function) for name, function in WORD_ATTRIBUTES.items()},
    "pos": Attribute("pos", str),
    "coarse": Attribute("pos", lambda pos: pos[:2] if pos[:1].isalpha() else "punctuation"),
    **{name: Attribute(name, str) for name in ("upos", "xpos", "feats")},
}


FIRST_KEY = 16  # hashed values have this bit; lower numbers are free
UNKNOWN, FIRST = 1, 2  # the numbers of values outside a vocabulary, and of its first value
MOST_KEPT = 1 << 20  # distinct words, after which the table is cleared


def key_of(text: str) -> int:
    """The hash of a string."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return max(int.from_bytes(digest, "little"), FIRST_KEY)


class AttributeTable:
    """A cache of strings as rows of numbers; threads can share a table."""

    def __init__(self, columns: Sequence[Callable[[str], int]]) -> None:
        self._columns = tuple(columns)
        self._numbers: dict[str, int] = {}
        self._table: Keys = np.zeros((1024, len(self._columns)), dtype=np.uint64)
        self._lock = shared_lock()

    def attributes(self, strings: Sequence[str]) -> Keys:
        """The rows of the strings, uint64 [strings, columns]."""
        with self._lock:
            rows = self._rows(strings)  # can replace the table by a larger one
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
            self._table[number] = [column(string) for column in self._columns]
        return number


class Encoder:
    """Turns the strings of words into rows of numbers.

    Args:
        names: the attributes.
        sources: the strings of a word, in the order in which `rows` takes them.
        learnt: attributes of the form determined by training data; they replace others with the
            same name.
        vocabularies: the values of attributes with small numbers.
    """

    def __init__(
        self,
        names: Sequence[str],
        sources: Sequence[str],
        learnt: Mapping[str, Callable[[str], str]] | None = None,
        vocabularies: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        known = {name: each for name, each in ATTRIBUTES.items() if each.source in sources}
        known |= {name: of_word(function) for name, function in (learnt or {}).items()}
        for name in names:
            if name not in known:
                raise ConfigError(f"unknown attribute {name!r} in a template: {', '.join(known)}")
        by_source = [[n for n in names if known[n].source == source] for source in sources]
        self.names = tuple(name for group in by_source for name in group)
        values = vocabularies or {}
        self._tables = [
            AttributeTable([_column(known[name].function, values.get(name)) for name in group])
            for group in by_source
        ]

    def rows(self, *strings: Sequence[str]) -> Keys:
        """The attributes of words, uint64 [words, names], from their strings by source."""
        pairs = zip(self._tables, strings, strict=True)
        return np.concatenate([table.attributes(words) for table, words in pairs], axis=1)


def _column(function: Callable[[str], str], values: Sequence[str] | None) -> Callable[[str], int]:
    if values is None:
        return lambda text: key_of(function(text))
    return partial(_number, function, {text: i for i, text in enumerate(values, start=FIRST)})


def _number(function: Callable[[str], str], numbers: Mapping[str, int], text: str) -> int:
    return numbers.get(function(text), UNKNOWN)


def core_keys(keys: NDArray[Any]) -> tuple[Keys, int]:
    """The keys for a table of the core, and the number of lower bits of a hash in them."""
    return np.ascontiguousarray(keys, np.uint64), 8 * keys.dtype.itemsize
