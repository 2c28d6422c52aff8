"""Chunks and runs: stretches of positions between blanks, and of like characters.

A chunk ends at a blank. A run is a part of a chunk with letters of one script, digits, or the same
character again and again: `didn't...` has the runs `didn`, `'`, `t`, `...`.
"""

from dataclasses import dataclass

import numpy as np

from treewright.arrays import Integers, Keys
from treewright.text.characters import LETTER, MARK, Bools, Characters
from treewright.text.hashes import Stretches


@dataclass(frozen=True, eq=False)
class Divided:
    """A sequence cut into stretches: first [stretches + 1], and the stretch of each position."""

    first: Integers
    of: Integers

    @classmethod
    def before(cls, starts: Bools) -> "Divided":
        """Cut before each position of the mask, and before the first position."""
        starts = starts.copy()
        starts[:1] = True
        first = np.append(np.flatnonzero(starts), len(starts))
        return cls(first, np.cumsum(starts) - 1)

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def begin(self) -> Integers:
        """Where the stretch of each position begins."""
        begins: Integers = self.first[self.of]
        return begins

    @property
    def end(self) -> Integers:
        """Where the stretch of each position ends."""
        ends: Integers = self.first[self.of + 1]
        return ends

    def neighbours(self, values: Keys, distance: int) -> Keys:
        """For each position, the value of the stretch so far away; 0 outside."""
        padded = np.concatenate((np.zeros(4, np.uint64), values, np.zeros(4, np.uint64)))
        keys: Keys = padded[self.of + 4 + distance]
        return keys


def chunks(characters: Characters) -> Divided:
    """The stretches between blanks."""
    return Divided.before(np.append(True, characters.spaced)[:-1])


def runs(characters: Characters) -> Divided:
    """The stretches of like characters."""
    facts = characters.facts
    spaced = np.append(True, characters.spaced)[:-1]
    other = np.append(True, facts.script[1:] != facts.script[:-1])[: len(characters)]
    return Divided.before(spaced | (other & (facts.broad != MARK)))


def shapes(characters: Characters, chunk: Divided) -> Keys:
    """A key for the shape of each chunk: its kinds without repetition."""
    kind = characters.facts.kind
    changes = np.append(True, kind[1:] != kind[:-1])[: len(kind)]
    changes[chunk.first[:-1]] = True
    rank = np.concatenate(([0], np.cumsum(changes)))
    return Stretches(kind[changes]).hash(rank[chunk.first[:-1]], rank[chunk.first[1:]])


def letters(characters: Characters, run: Divided) -> Bools:
    """Which runs are letters."""
    is_letter: Bools = characters.facts.broad[run.first[:-1]] == LETTER
    return is_letter
