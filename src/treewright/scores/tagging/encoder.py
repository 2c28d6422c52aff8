"""From words to the arrays that a tagger's core reads: attributes, classes, dictionary sets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Indices, Keys
from treewright.errors import TreewrightError
from treewright.scores.features.attributes import ATTRIBUTES
from treewright.scores.features.encoder import Encoder
from treewright.scores.tagging.templates import compile_templates

Words = Sequence[str]
POS_ATTRIBUTES = tuple(name for name, each in ATTRIBUTES.items() if each.source == "pos")


@dataclass(frozen=True, eq=False)
class Encoded:
    """Sentences end to end: attributes [positions * columns], classes, offsets."""

    attributes: Keys
    classes: NDArray[np.uint32]
    first_position: Indices


class TaggerEncoder:
    """Turns sentences into attributes by a list of templates.

    Args:
        templates: as in `treewright.scores.tagging.templates`.
        uses_pos: whether sentences come with parts of speech.
        learnt: columns that training supplies: a word's value as a string.
    """

    def __init__(
        self,
        templates: Sequence[str],
        uses_pos: bool,
        learnt: Mapping[str, Callable[[str], str]] | None = None,
    ) -> None:
        self.uses_pos, self.texts = uses_pos, tuple(templates)
        self.templates = compile_templates(templates, POS_ATTRIBUTES if uses_pos else ())
        names = (*self.templates.word_columns, *self.templates.pos_columns)
        self.words = Encoder(names, ("word", "pos") if uses_pos else ("word",), learnt)
        self._class_bits: dict[str, int] = {}

    def encode(self, sentences: Sequence[Words], pos: Sequence[Words] | None = None) -> Encoded:
        """The arrays of sentences; `pos` must have a tag for each word if the tagger uses them."""
        lengths = [len(sentence) for sentence in sentences]
        first = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
        strings = [list(chain.from_iterable(sentences))]
        classes = np.zeros(first[-1], dtype=np.uint32)
        if self.uses_pos:
            strings.append(self._flat_pos(lengths, pos))
            classes = self._classes(strings[1])
        return Encoded(self.words.rows(*strings).ravel(), classes, first)

    def _flat_pos(self, lengths: list[int], pos: Sequence[Words] | None) -> list[str]:
        if pos is None:
            raise TreewrightError("this tagger needs parts of speech")
        if [len(tags) for tags in pos] != lengths:
            raise TreewrightError("words and parts of speech differ in number")
        return list(chain.from_iterable(pos))

    def _classes(self, pos: Iterable[str]) -> NDArray[np.uint32]:
        known = self._class_bits
        found = []
        for tag in pos:
            if tag not in known:
                known[tag] = self.templates.class_bits(tag)
            found.append(known[tag])
        return np.array(found, dtype=np.uint32)
