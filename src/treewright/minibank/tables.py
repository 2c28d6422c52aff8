"""The grammar and lexicon of the minibank, read from TOML files."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from treewright.grammar.rules import RuleSet

FORMS = {"b": 0, "3sg": 1, "past": 2, "ng": 3, "pt": 4, "pss": 4, "pl": 0, "1sg": 0}
TAGS = {
    "b": "VB", "3sg": "VBZ", "past": "VBD", "ng": "VBG", "pt": "VBN", "pss": "VBN", "pl": "VBP",
    "1sg": "VBP",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Frame:
    """The complements of a verb: the name of its category, and their classes in order."""

    name: str
    takes: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb: its five forms, the classes of its subjects, its frames, its preferred adjuncts."""

    forms: tuple[str, ...]
    subjects: tuple[str, ...]
    frames: tuple[Frame, ...]
    adjuncts: tuple[tuple[str, str], ...]

    def form(self, inflection: str) -> tuple[str, str]:
        """The word and its part of speech."""
        return self.forms[FORMS[inflection]], TAGS[inflection]


@dataclass(frozen=True, slots=True)
class Tables:
    """All data of the minibank; `words` and `grammar` are the raw contents of the files."""

    rules: RuleSet
    entries: Mapping[str, str]
    frames: Mapping[str, str]
    weights: Mapping[str, Mapping[str, float]]
    verbs: tuple[Verb, ...]
    words: Mapping[str, Mapping[str, str]]

    def list(self, section: str, name: str) -> list[str]:
        """The words of a class, most frequent first; empty for an unknown class."""
        return self.words[section].get(name, "").split()

    def plural(self, noun: str) -> str:
        return self.words["plurals"].get(noun) or _regular_plural(noun)


@cache
def load(*, hard: bool = False) -> Tables:
    """Loads the built-in tables; the hard treebank has a few different entries."""
    grammar, words = _read("grammar.toml"), _read("words.toml")
    changes = _read("hard.toml") if hard else {"weights": {}, "noun_pp": {}}
    words["noun_pp"].update(changes["noun_pp"])
    for name, weights in changes["weights"].items():
        grammar["weights"][name].update(weights)
    rules = grammar["rules"]
    rule_set = RuleSet(
        kinds=tuple(rules["kinds"]),
        max_order=rules["max_order"],
        punctuation=tuple(rules["punctuation"]),
        unary=tuple((child, result) for child, result in rules["unary"]),
        roots=tuple(rules["roots"]),
    )
    verbs = words.pop("verbs")["rows"].strip().splitlines()
    sections = grammar["entries"], grammar["frames"], grammar["weights"]
    return Tables(rule_set, *sections, tuple(map(_verb, verbs)), words)


def _read(name: str) -> dict[str, Any]:
    file = resources.files("treewright.minibank").joinpath(name)
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _verb(row: str) -> Verb:
    forms, subjects, frames, adjuncts = (field.split() for field in row.split("|"))
    pairs = (adjunct.split(":") for adjunct in adjuncts)
    return Verb(
        tuple(forms),
        tuple(subjects),
        tuple(map(_frame, frames)),
        tuple((preposition, noun) for preposition, noun in pairs),
    )


def _frame(text: str) -> Frame:
    """Parses a frame: `np_pp:text+food,to,person` takes a text or food, `to`, and a person."""
    name, _, takes = text.partition(":")
    classes = tuple(tuple(part.split("+")) for part in takes.split(",") if part)
    parts = name.split("_")
    if len(classes) != parts.count("np") + 2 * parts.count("pp"):
        raise ValueError(f"a frame whose classes do not fit its name: {text}")
    return Frame(name, classes)


def _regular_plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"
