"""Source-side reordering of a sentence by its dependency tree, with rules from a TOML file.

Precedence rules after Xu et al. (2009): a rule places the dependents of heads with some parts of
speech. A dependent has the weight of the first place that names its relation (and side),
the head its own weight. Higher weights come first; words of the same weight keep their order, or
reverse it if the place says so. The tree is rearranged from the top; its words, read from left to
right, are the new order.

    [[rule]]
    heads = ["VERB", "AUX"]       # parts of speech; "*" is any
    self_weight = 0               # the head's own weight
    [[rule.place]]
    relations = ["obj", "obl"]    # without subtypes; "*" is any, "obl:tmod" that subtype alone
    weight = 10
    side = "any"                  # "left" or "right": dependents on that side of the head alone
    reverse = false
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Literal

from treewright.config import from_dict, parse_toml, setting
from treewright.errors import ConfigError

Side = Literal["any", "left", "right"]
ANY = "*"
HEAD_FINAL = "english-head-final"


@dataclass(frozen=True)
class Place:
    """The position of dependents with some relations."""

    relations: list[str] = setting([ANY], "relations, without subtypes")
    weight: int = setting(0, "order of the group: higher weights come first")
    side: Side = setting("any", "side of the head: left, right or any")
    reverse: bool = setting(False, "reverse the order within this group")

    def names(self, relation: str, side: Side) -> bool:
        """Whether this matches a dependent with this relation on this side of its head."""
        if self.side not in ("any", side):
            return False
        known = (ANY, relation, relation.partition(":")[0])
        return any(name in known for name in self.relations)


@dataclass(frozen=True)
class Rule:
    """The order of a head with one of these POS tags and its dependents."""

    heads: list[str] = setting([ANY], "parts of speech")
    self_weight: int = setting(0, "weight of the head itself")
    place: list[Place] = field(default_factory=list)


@dataclass(frozen=True)
class Reorderer:
    """A list of rules; the first one that matches a head's POS tag applies."""

    rule: list[Rule] = field(default_factory=list)

    @cached_property
    def _memory(self) -> dict[tuple[str, str, Side], tuple[int, bool]]:
        return {}

    def order(
        self, heads: Sequence[int], relations: Sequence[str], upos: Sequence[str]
    ) -> list[int]:
        """The words, counted from 1, in their new order."""
        below: list[list[int]] = [[] for _ in range(len(heads) + 1)]
        for word, head in enumerate(heads, start=1):
            below[head].append(word)
        out: list[int] = []
        waiting = [(word, False) for word in reversed(below[0])]
        while waiting:
            word, placed = waiting.pop()
            if placed or not below[word]:
                out.append(word)
                continue
            line = self._line(word, below[word], relations, upos[word - 1])
            waiting += [(each, each == word) for each in reversed(line)]
        return out

    def _line(
        self, head: int, dependents: list[int], relations: Sequence[str], upos: str
    ) -> list[int]:
        """The head and its dependents in their new order."""
        groups: dict[int, list[int]] = {self._place(upos, "", "any")[0]: [head]}
        turned: set[int] = set()
        for word in dependents:
            side: Side = "left" if word < head else "right"
            weight, reverse = self._place(upos, relations[word - 1], side)
            groups.setdefault(weight, []).append(word)
            if reverse:
                turned.add(weight)
        line: list[int] = []
        for weight in sorted(groups, reverse=True):
            line += sorted(groups[weight], reverse=weight in turned)
        return line

    def _place(self, upos: str, relation: str, side: Side) -> tuple[int, bool]:
        """The weight of a dependent, or of the head itself for the relation ""."""
        key = upos, relation, side
        if key not in self._memory:
            self._memory[key] = self._find(upos, relation, side)
        return self._memory[key]

    def _find(self, upos: str, relation: str, side: Side) -> tuple[int, bool]:
        rule = next((r for r in self.rule if upos in r.heads or ANY in r.heads), Rule())
        if not relation:
            return rule.self_weight, False
        place = next((p for p in rule.place if p.names(relation, side)), None)
        return (place.weight, place.reverse) if place else (rule.self_weight, False)


def read_rules(path: Path | str = HEAD_FINAL) -> Reorderer:
    """Reads the rules of a TOML file, or a built-in rule set by name."""
    if path == HEAD_FINAL:
        content = resources.files("treewright.grammar").joinpath(f"{HEAD_FINAL}.toml").read_bytes()
    else:
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}") from error
    return from_dict(Reorderer, parse_toml(content, str(path)), str(path))
