"""Tag dictionaries: the allowed tags of words.

A word seen at least k times in training gets the tags that it was seen with; a rarer one gets those
seen with its POS tag (Clark and Curran's dictionary cutoff), or all tags.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.arrays import Indices
from treewright.grammar.words import plain

ALL_TAGS = 0  # the number of the set with all tags


@dataclass(frozen=True, eq=False)
class TagDictionary:
    """Sets of tags: number 0 has all tags, then one set per word, then one per POS tag.

    first, tag: the sets, CSR. frequency: of each word in training, int32 [words].
    """

    words: tuple[str, ...]
    pos: tuple[str, ...]
    frequency: Indices
    first: Indices
    tag: Indices

    def __post_init__(self) -> None:
        sets = 1 + len(self.words) + len(self.pos)
        if self.frequency.shape != (len(self.words),) or len(self.first) <= sets:
            raise ValueError("a tag dictionary has a frequency and a set per word, and one per POS")

    @cached_property
    def word_number(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def pos_set(self) -> dict[str, int]:
        return {pos: 1 + len(self.words) + i for i, pos in enumerate(self.pos)}

    def sets(self, words: Sequence[str], pos: Sequence[str] | None, cutoff: int) -> Indices:
        """The set of each position: of the word, of its POS tag, or all tags."""
        numbers = np.fromiter(map(self._number, words), dtype=np.int32, count=len(words))
        frequent = np.append(self.frequency, 0)[numbers] >= max(cutoff, 1)
        if pos is None:
            others = np.full(len(words), ALL_TAGS, dtype=np.int32)
        else:
            known = (self.pos_set.get(tag, ALL_TAGS) for tag in pos)
            others = np.fromiter(known, dtype=np.int32, count=len(words))
        return np.where(frequent, numbers + 1, others).astype(np.int32)

    def _number(self, word: str) -> int:
        return self.word_number.get(plain(word), -1)


def learn_dictionary(
    words: Sequence[str], pos: Sequence[str] | None, tags: Indices, number_of_tags: int
) -> TagDictionary:
    """The dictionary of a concatenated training corpus; a tag of -1 is ignored."""
    words = list(map(plain, words))
    of_word: defaultdict[str, set[int]] = defaultdict(set)
    of_pos: defaultdict[str, set[int]] = defaultdict(set)
    for i, tag in enumerate(tags.tolist()):
        if tag >= 0:
            of_word[words[i]].add(tag)
            if pos is not None:
                of_pos[pos[i]].add(tag)
    counts = Counter(words)
    names, pos_names = sorted(of_word), sorted(of_pos)
    sets: list[Iterable[int]] = [range(number_of_tags)]
    sets += [sorted(of_word[word]) for word in names]
    sets += [sorted(of_pos[tag]) for tag in pos_names]
    flat = [tag for each in sets for tag in each]
    lengths = [0, number_of_tags]
    lengths += [len(of_word[word]) for word in names] + [len(of_pos[tag]) for tag in pos_names]
    return TagDictionary(
        tuple(names),
        tuple(pos_names),
        np.array([counts[word] for word in names], dtype=np.int32),
        np.cumsum(lengths).astype(np.int32),
        np.array(flat, dtype=np.int32),
    )
