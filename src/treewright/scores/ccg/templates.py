"""Feature templates of CCG charts as readable text, and the sets that Clark and Curran name.

    lexical: rule word@head              a lexical entry and its word
    rule: rule word@left pos@right       a rule instance with the heads of both children
    root: category pos@head              the category of the sentence and its head
    dependency: rule word@head word@right distance      a filled slot, its functor and its argument

A template is the conjunction of its atoms: values of the part, or `column@place`, an attribute
(`scores.features.attributes`) of a word at a place, with an offset in brackets. `rule` is the entry
of a lexical part and the slot of a dependency; `head` is then the functor, `right` the argument.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from treewright import _core
from treewright.arrays import Indices
from treewright.errors import ConfigError
from treewright.scores.features.attributes import POS_COLUMNS, WORD_COLUMNS, AttributeTable

GROUPS = ("lexical", "rule", "root", "dependency")
VALUES = (
    "rule", "category", "left", "right", "distance", "verbs", "stops", "gap", "length", "side",
)  # fmt: skip
PLACES = ("head", "left", "right", "begin", "end", "split")
SPAN_ATOMS = ("length", "@begin", "@end", "@split")
ATOM = re.compile(r"([a-z]+\d*)@([a-z]+)(?:\[([+-]?\d{1,2})\])?")
VERBS = re.compile(r"V.*|MD|AUX")
STOPS = re.compile(r"[^A-Za-z$#].*|PUNCT")

# Clark and Curran (2007), section 5: rules with the heads of their children, and distances.
_HEADS = [f"{a}@left {b}@right" for a in ("word", "pos") for b in ("word", "pos")]
_DISTANCES = ("distance", "verbs", "stops")
LEXICAL = ["lexical: rule word@head", "lexical: rule pos@head"]
ROOT = ["root: category", "root: category word@head", "root: category pos@head"]
RULES = [
    *("rule: rule", "rule: rule word@head", "rule: rule pos@head"),
    *(f"rule: rule {heads}" for heads in _HEADS),
    *(f"rule: rule {c}@head {d}" for c in ("word", "pos") for d in _DISTANCES),
]
DEPENDENCIES = [
    *(f"dependency: rule {a}@head {b}@right" for a in ("word", "pos") for b in ("word", "pos")),
    *(f"dependency: rule {c}@head {d}" for c in ("word", "pos") for d in _DISTANCES),
    *(f"dependency: rule pos@head pos@right {d}" for d in _DISTANCES),
]
# What spans show: their edges, their neighbours and where they split.
SPANS = [
    *("rule: rule pos@begin", "rule: rule pos@end", "rule: rule word@begin", "rule: rule word@end"),
    *("rule: rule pos@begin[-1]", "rule: rule pos@end[1]", "rule: rule pos@split pos@split[-1]"),
    *("rule: rule pos@begin[-1] pos@end[1]", "rule: rule pos@begin pos@end", "rule: rule length"),
    *("rule: rule word@split", "rule: rule word@split[-1]", "rule: rule pos@head gap"),
]
SETS = {
    "normal-form": [*LEXICAL, *ROOT, *RULES],
    "dependency": [*LEXICAL, *ROOT, "rule: rule", *DEPENDENCIES],
    "hybrid": [*LEXICAL, *ROOT, *RULES, *DEPENDENCIES],
    "spans": [*LEXICAL, *ROOT, *RULES, *DEPENDENCIES, *SPANS],
}


@dataclass(frozen=True, eq=False)
class CcgTemplates:
    """Templates compiled for the core, and the columns of words and parts of speech they read."""

    word_columns: tuple[str, ...]
    pos_columns: tuple[str, ...]
    uses_spans: bool
    core: _core.CcgTemplates


def compile_ccg_templates(templates: Sequence[str]) -> CcgTemplates:
    """Numbers for the core; columns of words come first."""
    parsed = [_parse(text) for text in templates]
    columns = dict.fromkeys(column for _, atoms in parsed for column, _, _ in atoms if column)
    words = tuple(column for column in columns if column in WORD_COLUMNS)
    tags = tuple(column for column in columns if column in POS_COLUMNS)
    if unknown := [column for column in columns if column not in {*words, *tags}]:
        known = ", ".join((*WORD_COLUMNS, *POS_COLUMNS))
        raise ConfigError(f"unknown column {unknown[0]!r} in a template: one of {known}")
    number = {column: i for i, column in enumerate((*words, *tags))}
    rows = [
        (i, place, number[column] if column else value, value if column else 0)
        for i, (_, atoms) in enumerate(parsed)
        for column, place, value in atoms
    ]
    core = _core.CcgTemplates(
        np.array([group for group, _ in parsed], dtype=np.int32),
        np.array(rows, dtype=np.int32).ravel(),
    )
    spans = any(atom in text for text in templates for atom in SPAN_ATOMS)
    return CcgTemplates(words, tags, spans, core)


def _parse(text: str) -> tuple[int, list[tuple[str, int, int]]]:
    """The group, and atoms (column, place, offset) or ("", -1, value)."""
    group, _, rest = text.partition(":")
    if group not in GROUPS or not rest.split():
        raise ConfigError(f"feature template {text!r}: begins with one of {', '.join(GROUPS)}")
    return GROUPS.index(group), [_atom(field, text) for field in rest.split()]


def _atom(field: str, text: str) -> tuple[str, int, int]:
    if field in VALUES:
        return "", -1, VALUES.index(field)
    match = ATOM.fullmatch(field)
    if not match or match[2] not in PLACES:
        raise ConfigError(f"feature template {text!r}: {field!r} is no value and no column@place")
    return match[1], PLACES.index(match[2]), int(match[3] or 0)


class CcgEncoder:
    """Turns words and parts of speech into what features read."""

    def __init__(self, templates: CcgTemplates) -> None:
        self.templates = templates
        self.words = AttributeTable([WORD_COLUMNS[name] for name in templates.word_columns])
        self.tags = AttributeTable([POS_COLUMNS[name] for name in templates.pos_columns])

    def encode(self, words: Sequence[str], pos: Sequence[str]) -> _core.CcgWords:
        """The attributes of a sentence."""
        table = np.concatenate((self.words.attributes(words), self.tags.attributes(pos)), axis=1)
        return _core.CcgWords(
            table.ravel(), _before(VERBS, pos), _before(STOPS, pos), table.shape[1]
        )


def _before(pattern: re.Pattern[str], pos: Iterable[str]) -> Indices:
    """How many tags before each position match, int32 [words + 1]."""
    return np.cumsum([0, *(_matches(pattern, tag) for tag in pos)], dtype=np.int32)


@lru_cache(maxsize=10_000)
def _matches(pattern: re.Pattern[str], tag: str) -> bool:
    return bool(pattern.match(tag))
