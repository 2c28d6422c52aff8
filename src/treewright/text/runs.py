"""Chunks and runs: sequences of positions between whitespace, and of similar characters.

A chunk ends at whitespace. A run is a part of a chunk with letters of one script, digits, or
repetitions of one character: `didn't...` has the runs `didn`, `'`, `t`, `...`.

Hashes of all subsequences are polynomials modulo 2^64, computed in constant time:

    h(a, b) = sum_i v_i B^(i-a) over a <= i < b = (S_b - S_a) B^-a,  S_b = sum_i v_i B^i over i < b

B is odd and thus has an inverse modulo 2^64 (Karp and Rabin 1987).
"""

from dataclasses import dataclass

import numpy as np

from treewright.arrays import Integers, Keys
from treewright.text.characters import LETTER, MARK, Bools, Characters

BASE = np.uint64(0x9E3779B97F4A7C15)
INVERSE = np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))


class Stretches:
    """The hashes of subsequences of `values`, uint64 [size]."""

    def __init__(self, values: Keys) -> None:
        size = len(values)
        powers = _powers(BASE, size)
        self._inverse = _powers(INVERSE, size + 1)
        self._sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(values * powers)))

    def hash(self, begin: Integers, end: Integers) -> Keys:
        """The hashes of values[begin:end], for arrays of begins and ends."""
        keys: Keys = (self._sums[end] - self._sums[begin]) * self._inverse[begin]
        return mixed(keys)


def mixed(keys: Keys) -> Keys:
    """Keys in which high and low bits depend on all bits."""
    keys = keys ^ (keys >> np.uint64(31))
    keys = keys * np.uint64(0xBF58476D1CE4E5B9)
    mixture: Keys = keys ^ (keys >> np.uint64(29))
    return mixture


def combined(*columns: Keys | Integers) -> Keys:
    """Combines several keys into one."""
    keys = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        keys = mixed(keys * BASE + column.astype(np.uint64))
    return keys


def _powers(base: np.uint64, size: int) -> Keys:
    powers = np.full(size, base, dtype=np.uint64)
    if size:
        powers[0] = 1
    products: Keys = np.multiply.accumulate(powers)
    return products


@dataclass(frozen=True, eq=False)
class Divided:
    """A sequence divided into segments: first [segments + 1], and the segment of each position."""

    first: Integers
    of: Integers

    @classmethod
    def before(cls, starts: Bools) -> "Divided":
        """Starts a segment at each position in the mask, and at the first one."""
        starts = starts.copy()
        starts[:1] = True
        first = np.append(np.flatnonzero(starts), len(starts))
        return cls(first, np.cumsum(starts) - 1)

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def begin(self) -> Integers:
        """The start of each position's segment."""
        begins: Integers = self.first[self.of]
        return begins

    @property
    def end(self) -> Integers:
        """The end of each position's segment."""
        ends: Integers = self.first[self.of + 1]
        return ends

    def neighbours(self, values: Keys, distance: int) -> Keys:
        """For each position, the value of the segment at this distance; 0 outside."""
        padded = np.concatenate((np.zeros(4, np.uint64), values, np.zeros(4, np.uint64)))
        keys: Keys = padded[self.of + 4 + distance]
        return keys


def chunks(characters: Characters) -> Divided:
    """The segments between whitespace."""
    return Divided.before(np.append(True, characters.spaced)[:-1])


def runs(characters: Characters) -> Divided:
    """The segments of similar characters."""
    facts, size = characters.facts, len(characters)
    spaced = np.append(True, characters.spaced)[:-1]
    # Accents, soft hyphens and the like are part of the run of the character before.
    own = spaced | (facts.broad != MARK)
    script = facts.script[np.maximum.accumulate(np.where(own, np.arange(size), 0))]
    return Divided.before(spaced | np.append(True, script[1:] != script[:-1])[:size])


def shapes(characters: Characters, chunk: Divided) -> Keys:
    """A key of the shape of each chunk: its categories without repetition."""
    kind = characters.facts.kind
    changes = np.append(True, kind[1:] != kind[:-1])[: len(kind)]
    changes[chunk.first[:-1]] = True
    rank = np.concatenate(([0], np.cumsum(changes)))
    return Stretches(kind[changes]).hash(rank[chunk.first[:-1]], rank[chunk.first[1:]])


def letters(characters: Characters, run: Divided) -> Bools:
    """A mask of the runs of letters."""
    is_letter: Bools = characters.facts.broad[run.first[:-1]] == LETTER
    return is_letter
