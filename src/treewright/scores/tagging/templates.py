"""Feature templates of taggers, compiled.

    word pos[1]              this word and the next part of speech
    suffix3                  the last three letters
    word@verb<               the nearest verb before this word
    pos pos@noun>[1]         the part of speech after the nearest noun to the right
    distance@verb<           how far away that verb is, in powers of two

The places `class<` and `class>` are the nearest word of a class to the left and to the right;
classes are patterns over parts of speech. A place that is not there has a value of its own.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright import _core
from treewright.scores.features.templates import Group, Language, Template, compile_groups

HERE = "here"
# For tags of the Penn Treebank and universal ones.
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
    """Templates for the core: which columns they need, and what anchors look for."""

    word_columns: tuple[str, ...]
    pos_columns: tuple[str, ...]
    classes: tuple[str, ...]
    core: _core.TagTemplates

    def class_bits(self, pos: str, patterns: Mapping[str, str] = CLASSES) -> int:
        """Which classes a part of speech belongs to, one bit each."""
        bits = (bool(re.fullmatch(patterns[name], pos)) << i for i, name in enumerate(self.classes))
        return sum(bits)


def parse_template(text: str) -> Template:
    """The atoms of a template."""
    return LANGUAGE.parse(text)


def compile_templates(templates: Sequence[str], pos_columns: Sequence[str]) -> CompiledTemplates:
    """Numbers for columns and anchors; those of parts of speech come after those of words."""
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
