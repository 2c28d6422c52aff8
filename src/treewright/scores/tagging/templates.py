"""Feature templates as readable text, compiled to integers.

    word[0] pos[1]             this word and the next part of speech
    suffix3[0]                 the last three letters
    word@verb<                 the nearest verb before this word
    pos[0] pos@noun>[1]        the part of speech after the nearest noun to the right
    distance@verb<             how far away that verb is, in powers of two

A template is the conjunction of its atoms: `column`, `@class<` or `@class>` for the nearest word of
a class to the left or right, and an offset in brackets. Classes are patterns over parts of speech.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.arrays import Indices
from treewright.errors import ConfigError

ATOM = re.compile(r"([a-z]+\d*)(?:@([a-z]+)([<>]))?(?:\[([+-]?\d{1,2})\])?")
DISTANCE = "distance"
# For tags of the Penn Treebank and universal ones.
CLASSES = {
    "verb": r"V.*|MD|AUX",
    "noun": r"N.*|PRP|PRON|EX|CD|W[PD].*",
    "preposition": r"IN|TO|ADP|SCONJ|RP",
    "comma": r"[,.:;()-].*|PUNCT|-.RB-",
    "wh": r"W.*",
    "conjunction": r"CC.*",
}


@dataclass(frozen=True)
class Atom:
    """One attribute of one position: of the word itself, or as seen from an anchor."""

    column: str
    anchor: tuple[str, int] | None
    offset: int


def parse_template(text: str) -> tuple[Atom, ...]:
    """The atoms of a template."""
    atoms = []
    for field in text.split():
        match = ATOM.fullmatch(field)
        if not match:
            raise ConfigError(f"feature template {text!r}: {field!r} is no column[offset]")
        column, name, direction, offset = match.groups()
        anchor = (name, -1 if direction == "<" else 1) if name else None
        atoms.append(Atom(column, anchor, int(offset or 0)))
    if not atoms:
        raise ConfigError("a feature template is empty")
    return tuple(atoms)


@dataclass(frozen=True)
class CompiledTemplates:
    """Templates for the core: which columns they need, and what anchors look for."""

    word_columns: tuple[str, ...]
    pos_columns: tuple[str, ...]
    classes: tuple[str, ...]
    core: _core.TagTemplates

    def class_bits(self, pos: str, patterns: Mapping[str, str] = CLASSES) -> int:
        """Which classes a part of speech belongs to, one bit each."""
        bits = (bool(re.fullmatch(patterns[name], pos)) << i for i, name in enumerate(self.classes))
        return sum(bits)


def compile_templates(templates: Sequence[str], pos_columns: Sequence[str]) -> CompiledTemplates:
    """Numbers for columns and anchors; those of parts of speech come after those of words."""
    parsed = [parse_template(text) for text in templates]
    atoms = [atom for template in parsed for atom in template]
    columns = dict.fromkeys(atom.column for atom in atoms if atom.column != DISTANCE)
    of_pos = tuple(column for column in columns if column in pos_columns)
    of_words = tuple(column for column in columns if column not in pos_columns)
    number = {column: i for i, column in enumerate((*of_words, *of_pos))}
    number[DISTANCE] = -1
    anchors = list(dict.fromkeys(atom.anchor for atom in atoms if atom.anchor))
    for name, _ in anchors:
        if name not in CLASSES:
            raise ConfigError(f"unknown class {name!r} in a template: one of {', '.join(CLASSES)}")
    classes = tuple(dict.fromkeys(name for name, _ in anchors))
    rows = [
        (anchors.index(atom.anchor) + 1 if atom.anchor else 0, atom.offset, number[atom.column])
        for atom in atoms
    ]
    scans = [(classes.index(name), step) for name, step in anchors]
    core = _core.TagTemplates(
        np.cumsum([0, *map(len, parsed)]).astype(np.int32),
        _flat(rows),
        _flat(scans),
        len(number) - 1,
    )
    return CompiledTemplates(of_words, of_pos, classes, core)


def _flat(rows: Sequence[tuple[int, ...]]) -> Indices:
    return np.array(rows, dtype=np.int32).ravel()
