"""Transition-based dependency parsing: beam search with trained weights.

Nivre (2008), Zhang and Clark (2008), Zhang and Nivre (2011). All loops run in the core.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.arrays import Indices, Integers, Keys
from treewright.errors import ForestError, StoreError
from treewright.scores.dependency.encoder import ATTRIBUTES, FIRST, UNKNOWN, EncodedSentence
from treewright.scores.dependency.state_sets import CACHED
from treewright.scores.dependency.state_templates import compile_templates
from treewright.scores.features.encoder import core_keys

System = Literal["arc-eager", "arc-hybrid"]
Arrays = Mapping[str, NDArray[Any]]
Scored = tuple[Indices, Indices, float]  # heads, labels, score
TAG = ATTRIBUTES.index("upos")
# Classes of words for `between`, as bits.
CLASSES = {"VERB": 1, "AUX": 1, "PUNCT": 2, "CCONJ": 4}
WEIGHTS = ("keys", "first", "actions", "weights")


@dataclass(frozen=True)
class LabelTable:
    """Labels by tags and direction: row (head's tag * tags + dependent's tag) * 2 + right.

    `root` is the label of words whose head is the root.
    """

    tags: int
    first: Indices
    labels: NDArray[np.uint16]
    root: int = 0

    @classmethod
    def learn(
        cls, trees: Iterable[tuple[EncodedSentence, Indices, Indices]], tags: int, labels: int
    ) -> "LabelTable":
        """The labels seen in training; unseen pairs get the dependent's most frequent one.

        Unknown tags get all labels. If several labels occur at the root, the most frequent one is
        used.
        """
        seen: dict[tuple[int, int, int], set[int]] = defaultdict(set)
        usual: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
        roots: Counter[int] = Counter()
        for sentence, heads, numbers in trees:
            tag = sentence.table[:, TAG].tolist()
            for word, (head, label) in enumerate(
                zip(heads.tolist(), numbers.tolist(), strict=True), start=1
            ):
                if head:
                    right = int(word > head)
                    seen[tag[head - 1], tag[word - 1], right].add(label)
                    usual[tag[word - 1], right][label] += 1
                else:
                    roots[label] += 1
        others = sorted(set[int]().union(*seen.values())) or range(labels)
        rows = [
            others
            if UNKNOWN in (head, word)
            else sorted(seen.get((head, word, right)) or {_usual(usual, word, right, others[0])})
            for head in range(tags)
            for word in range(tags)
            for right in (0, 1)
        ]
        first = np.cumsum([0, *map(len, rows)]).astype(np.int32)
        found = np.array([x for row in rows for x in row], np.uint16)
        return cls(tags, first, found, _most(roots) if roots else 0)


def _usual(
    counts: Mapping[tuple[int, int], Counter[int]], word: int, right: int, other: int
) -> int:
    """The most frequent label of a tag on this side, else on the other side, else any other."""
    known = counts.get((word, right)) or counts.get((word, 1 - right))
    return _most(known) if known else other


def _most(counts: Counter[int]) -> int:
    return min(counts, key=lambda label: (-counts[label], label))


@dataclass(frozen=True)
class TransitionShape:
    """The actions, templates and labels of a transition parser: all but its weights."""

    system: System
    relations: tuple[str, ...]
    upos: tuple[str, ...]
    templates: tuple[str, ...]
    table: LabelTable

    def core(self) -> _core.TransitionModel:
        """The same, checked and compiled for the core."""
        classes = [0] * FIRST + [CLASSES.get(tag, 0) for tag in self.upos]
        return _core.TransitionModel(
            self.system,
            len(self.relations),
            self.table.root,
            compile_templates(self.templates, ATTRIBUTES, CACHED),
            TAG,
            np.array(classes, np.uint8),
            TAG,
            self.table.tags,
            self.table.first,
            self.table.labels,
        )


def join(sentences: Sequence[EncodedSentence]) -> tuple[Keys, Integers]:
    """The concatenated tables of sentences, and the offset of each one in words."""
    first = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
    tables = [sentence.table.ravel() for sentence in sentences]
    return np.concatenate([np.zeros(0, np.uint64), *tables]), first


class TransitionParser:
    """A trained parser."""

    def __init__(self, shape: TransitionShape, arrays: Arrays, beam: int) -> None:
        self.shape, self.arrays, self.beam = shape, arrays, beam
        try:
            keys, first, actions, weights = (np.ascontiguousarray(arrays[n]) for n in WEIGHTS)
            plain, bits = core_keys(keys)
            self._parser = _core.TransitionParser(
                shape.core(), plain, first, actions, weights, bits
            )
        except (ForestError, TypeError) as error:
            raise StoreError(f"invalid weights of a transition parser: {error}") from error

    def parse_batch(
        self, sentences: Sequence[EncodedSentence], threads: int = 1, beam: int | None = None
    ) -> list[Scored]:
        """The best tree of each sentence, including empty ones."""
        filled = [sentence for sentence in sentences if len(sentence)]
        table, first = join(filled)
        heads, labels, scores = self._parser.parse(table, first, beam or self.beam, threads)
        cuts = first[1:-1]
        trees = zip(np.split(heads, cuts), np.split(labels, cuts), scores.tolist(), strict=False)
        return [next(trees) if len(sentence) else _no_words() for sentence in sentences]

    def kbest(self, sentence: EncodedSentence, k: int, beam: int | None = None) -> list[Scored]:
        """At most k different trees from a beam of size at least k, best score first."""
        if not len(sentence):
            return [_no_words()]
        return self._parser.kbest(sentence.table.ravel(), k, beam or self.beam)


def _no_words() -> Scored:
    return np.zeros(0, np.int32), np.zeros(0, np.int32), 0.0
