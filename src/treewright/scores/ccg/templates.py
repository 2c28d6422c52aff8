"""Feature templates of CCG charts as readable text, and the sets that Clark and Curran name.

    lexical: rule word@head              a lexical entry and its word
    rule: rule word@left pos@right       a rule instance with the heads of both children
    root: category pos@head              the category of the sentence and its head
    dependency: rule word@head word@right distance      a filled slot, its functor and its argument

A template belongs to one group of parts; a part without a place that it names does not have its
feature. `rule` is the entry of a lexical part and the slot of a dependency; `head` is then the
functor, `right` the argument.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from treewright import _core
from treewright.arrays import Indices
from treewright.errors import ConfigError
from treewright.scores.features.encoder import Encoder
from treewright.scores.features.templates import Group, Language, compile_groups

GROUPS = ("lexical", "rule", "root", "dependency")
VALUES = (
    "rule", "category", "left", "right", "distance", "verbs", "stops", "gap", "length", "side",
)  # fmt: skip
PLACES = ("head", "left", "right", "begin", "end", "split")
LANGUAGE = Language(PLACES, VALUES, GROUPS)
SPAN_PLACES = {"begin", "end", "split"}

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
# Features of spans: words at their edges, neighbours and splits.
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
    """Templates compiled for the core, and the attributes of words that they read."""

    columns: tuple[str, ...]
    uses_spans: bool
    core: _core.Templates


def ccg_attributes(templates: Sequence[str]) -> list[str]:
    """The attributes of words in templates."""
    return LANGUAGE.attributes(map(LANGUAGE.parse, templates))


def compile_ccg_templates(templates: Sequence[str], columns: Sequence[str]) -> CcgTemplates:
    """Compiles templates for the core, for words with these attributes."""
    parsed = [LANGUAGE.parse(text) for text in templates]
    for template in parsed:
        if len(template.marks) != 1:
            raise ConfigError(
                f"feature template {template.text!r}: begins with one of {', '.join(GROUPS)}"
            )
    groups = [
        Group(mark, [(i, each.atoms) for i, each in enumerate(parsed) if each.marks == (name,)])
        for mark, name in enumerate(GROUPS)
    ]
    atoms = [atom for template in parsed for atom in template.atoms]
    spans = any(atom.attribute == "length" or atom.place in SPAN_PLACES for atom in atoms)
    core = compile_groups(LANGUAGE, groups, columns, len(GROUPS))
    return CcgTemplates(tuple(columns), spans, core)


VERBS = re.compile(r"V.*|MD|AUX")
STOPS = re.compile(r"[^A-Za-z$#].*|PUNCT")


class CcgEncoder:
    """Encodes words and POS tags for feature extraction."""

    def __init__(self, templates: Sequence[str]) -> None:
        self.words = Encoder(ccg_attributes(templates), ("word", "pos"))
        self.templates = compile_ccg_templates(templates, self.words.names)

    def encode(self, words: Sequence[str], pos: Sequence[str]) -> _core.CcgWords:
        """The attributes of a sentence."""
        table = self.words.rows(words, pos)
        return _core.CcgWords(
            table.ravel(), _before(VERBS, pos), _before(STOPS, pos), table.shape[1]
        )


def _before(pattern: re.Pattern[str], pos: Iterable[str]) -> Indices:
    """The number of matching tags before each position, int32 [words + 1]."""
    return np.cumsum([0, *(_matches(pattern, tag) for tag in pos)], dtype=np.int32)


@lru_cache(maxsize=10_000)
def _matches(pattern: re.Pattern[str], tag: str) -> bool:
    return bool(pattern.match(tag))
