"""The training text of a tokeniser, in parts: raw text, its characters, their gold tags."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

import numpy as np

from treewright.arrays import Indices
from treewright.data.dependency import DependencyTree
from treewright.text.characters import Characters, CharacterTable, read_characters
from treewright.text.lexicon import Occurrences, occurrences
from treewright.text.raw import RawText, assemble
from treewright.text.tags import ENDS_SENTENCE, ENDS_TOKEN, gold_tags


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the training text."""

    raw: RawText
    characters: Characters
    gold: Indices

    @cached_property
    def occurrences(self) -> Occurrences:
        """What the part has to say to a lexicon."""
        ends = np.flatnonzero(ENDS_TOKEN[self.gold]) + 1
        return occurrences(self.characters, ends, np.flatnonzero(ENDS_SENTENCE[self.gold]) + 1)

    def multiword(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The multiword tokens with their words."""
        text = self.raw.text
        return ((text[t.start : t.end], t.words) for t in self.raw.tokens if t.words)

    def has_blanks_inside(self) -> bool:
        """Whether a token has a blank in it."""
        goes_on = ~ENDS_TOKEN[self.gold]
        return bool((goes_on & self.characters.spaced).any())


def read_parts(trees: Sequence[DependencyTree], folds: int, seed: int = 0) -> list[Part]:
    """The treebank as raw texts, one for each fold, in order; line ends vary by the seed."""
    table = CharacterTable()
    size = -(-len(trees) // folds)
    starts = range(0, len(trees), size)
    return [read_part(trees[a : a + size], table, Random(f"{seed} {a}")) for a in starts]


def read_part(
    trees: Sequence[DependencyTree], table: CharacterTable, random: Random | None = None
) -> Part:
    """Sentences as raw text."""
    raw = assemble(trees, random)
    characters = read_characters(raw.text, table)
    return Part(raw, characters, gold_tags(characters, raw.tokens))
