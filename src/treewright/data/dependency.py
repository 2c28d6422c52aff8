"""Dependency trees as CoNLL-U has them: words, multiword tokens, empty nodes, comments.

Words count from 1; the head 0 is the root of the sentence. Columns that no parser uses are kept as
text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from treewright.arrays import Integers

SENTENCE_ID = "# sent_id = "
TEXT = "# text = "


class Word(NamedTuple):
    """A syntactic word; CoNLL-X's PHEAD and PDEPREL are in `deps` and `misc`."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str
    deps: str
    misc: str


class MultiwordToken(NamedTuple):
    """A token `form` for the words `first` to `last`, both included."""

    first: int
    last: int
    form: str
    feats: str
    misc: str


class EmptyNode(NamedTuple):
    """A node of the enhanced graph, the `rank`-th (from 1) after the word `after` (0: before all).

    `columns` are those from FORM to MISC, as text.
    """

    after: int
    rank: int
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DependencyTree:
    """One sentence; comments are whole lines, with their `#`."""

    words: tuple[Word, ...]
    comments: tuple[str, ...] = ()
    tokens: tuple[MultiwordToken, ...] = ()
    empty_nodes: tuple[EmptyNode, ...] = ()

    def __len__(self) -> int:
        return len(self.words)

    @property
    def id(self) -> str | None:
        return self._comment(SENTENCE_ID)

    @property
    def text(self) -> str | None:
        return self._comment(TEXT)

    @property
    def forms(self) -> tuple[str, ...]:
        return tuple(word.form for word in self.words)

    @property
    def upos(self) -> tuple[str, ...]:
        return tuple(word.upos for word in self.words)

    @property
    def xpos(self) -> tuple[str, ...]:
        return tuple(word.xpos for word in self.words)

    @property
    def heads(self) -> Integers:
        """The head of each word, shape (words,); words count from 1, the root is 0."""
        return np.array([word.head for word in self.words], dtype=np.int64)

    @property
    def deprels(self) -> tuple[str, ...]:
        return tuple(word.deprel for word in self.words)

    @property
    def is_projective(self) -> bool:
        """Whether each word and its descendants are contiguous."""
        return is_projective([word.head for word in self.words])

    def named(self, name: str) -> "DependencyTree":
        """The same tree with another id."""
        others = [line for line in self.comments if not line.startswith(SENTENCE_ID)]
        place = next((i for i, line in enumerate(others) if line.startswith(TEXT)), len(others))
        others.insert(place, SENTENCE_ID + name)
        return replace(self, comments=tuple(others))

    def _comment(self, start: str) -> str | None:
        values = (line.removeprefix(start) for line in self.comments if line.startswith(start))
        return next(values, None)


def top_down(heads: Sequence[int]) -> list[int]:
    """The words, from 1, reachable from the root 0, heads first: all of them if this is a tree."""
    dependents: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, start=1):
        dependents[head].append(word)
    order = [0]
    for head in order:
        order.extend(dependents[head])
    return order[1:]


def is_projective(heads: Sequence[int]) -> bool:
    """Whether a tree, given by heads, has no crossing arcs, including the root's."""
    first = list(range(len(heads) + 1))
    last, size = list(first), [1] * len(first)
    for word in reversed(top_down(heads)):
        if last[word] - first[word] + 1 != size[word]:
            return False
        head = heads[word - 1]
        first[head] = min(first[head], first[word])
        last[head] = max(last[head], last[word])
        size[head] += size[word]
    return True
