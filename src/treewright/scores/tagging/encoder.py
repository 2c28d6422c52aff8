"""From words to the arrays that a tagger's core reads, by feature templates.

    word pos[1]              this word and the next part of speech
    suffix3                  the last three letters
    word@verb<               the nearest verb before this word
    pos pos@noun>[1]         the part of speech after the nearest noun to the right
    distance@verb<           how far away that verb is, in powers of two

The places `class<` and `class>` are the nearest word of a class to the left and to the right;
classes are patterns over POS tags. A missing place has a value of its own.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.arrays import Indices, Keys
from treewright.errors import TreewrightError
from treewright.scores.features.encoder import ATTRIBUTES, Encoder
from treewright.scores.features.templates import Group, Language, Template, compile_groups

HERE = "here"
# For Penn Treebank tags and universal ones.
CLASSES = {
    "verb": r"V.*|MD|AUX",
    "noun": r"N.*|PRP|PRON|EX|CD|W[PD].*",
    "preposition": r"IN|TO|ADP|SCONJ|RP",
    "comma": r"[,.:;()-].*|PUNCT|-.RB-",
    "wh": r"W.*",
    "conjunction": r"CC.*",
}
PLACES = (HERE, *(name + side for name in CLASSES for side in "<>"))
LANGUAGE = Language(PLACES, ("distance",), here=HERE)


@dataclass(frozen=True)
class CompiledTemplates:
    """Templates for the core: the columns that they need, and the classes of anchors."""

    word_columns: tuple[str, ...]
    pos_columns: tuple[str, ...]
    classes: tuple[str, ...]
    core: _core.TagTemplates

    def class_bits(self, pos: str, patterns: Mapping[str, str] = CLASSES) -> int:
        """The classes of a POS tag, one bit each."""
        bits = (bool(re.fullmatch(patterns[name], pos)) << i for i, name in enumerate(self.classes))
        return sum(bits)


def parse_template(text: str) -> Template:
    """Parses the atoms of a template."""
    return LANGUAGE.parse(text)


def compile_templates(templates: Sequence[str], pos_columns: Sequence[str]) -> CompiledTemplates:
    """Compiles templates for the core.

    Columns and anchors of POS tags come after those of words.
    """
    parsed = [parse_template(text) for text in templates]
    columns = LANGUAGE.attributes(parsed)
    of_pos = tuple(column for column in columns if column in pos_columns)
    of_words = tuple(column for column in columns if column not in pos_columns)
    used = {atom.place for template in parsed for atom in template.atoms}
    anchors = [place for place in PLACES[1:] if place in used]
    classes = tuple(dict.fromkeys(place[:-1] for place in anchors))
    language = replace(LANGUAGE, places=(HERE, *anchors))
    group = Group(0, [(i, template.atoms) for i, template in enumerate(parsed)])
    program = compile_groups(language, [group], (*of_words, *of_pos), 1)
    scans = [(classes.index(place[:-1]), -1 if place[-1] == "<" else 1) for place in anchors]
    core = _core.TagTemplates(program, np.array(scans, dtype=np.int32).ravel())
    return CompiledTemplates(of_words, of_pos, classes, core)


Words = Sequence[str]
POS_ATTRIBUTES = tuple(name for name, each in ATTRIBUTES.items() if each.source == "pos")


@dataclass(frozen=True, eq=False)
class Encoded:
    """Concatenated sentences: attributes [positions * columns], classes, offsets."""

    attributes: Keys
    classes: NDArray[np.uint32]
    first_position: Indices


class TaggerEncoder:
    """Encodes sentences for a list of templates.

    Args:
        templates: as in `treewright.scores.tagging.encoder`.
        uses_pos: whether sentences have POS tags.
        learnt: attributes determined by training data: functions of a word.
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
        """The arrays of sentences; `pos` must have a tag per word if the tagger uses them."""
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
        bits = []
        for tag in pos:
            if tag not in known:
                known[tag] = self.templates.class_bits(tag)
            bits.append(known[tag])
        return np.array(bits, dtype=np.uint32)
