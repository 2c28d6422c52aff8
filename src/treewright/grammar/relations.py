"""Grammatical relations: names for the slots of dependencies, by the rules of `relations.toml`.

The relations are those of Briscoe and Carroll (2006): `ncsubj`, `dobj`, `xcomp`, `ncmod` and so on,
as assigned to slots of categories by Clark and Curran (2007), section 11. A rule tests the role of
the slot in the word's category, the argument's category and, for auxiliaries and copulas, the word.
Conjunctions are not functors in CCGbank, so their relations come from the derivation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from treewright.config import from_dict, parse_toml, setting
from treewright.data.records import Dependency, Derivation, Leaf, Node, Tree, fold, leaves
from treewright.grammar.category import Category, parse
from treewright.grammar.gaps import BOUNDED, UNBOUNDED, bottom, gap_of
from treewright.grammar.rules import SMALL, Kind, likely_step, opens_conjunct
from treewright.grammar.words import as_listed

TABLE = Path(__file__).with_name("relations.toml")
Role = Literal["modified", "subject", "argument"]
NOUN_PHRASE = parse("NP")


class Relation(NamedTuple):
    """A relation between a head and a dependent, both word indices from 0."""

    name: str
    head: int
    dependent: int
    type: str = ""


@dataclass(frozen=True)
class RelationRule:
    """A rule: conditions on a slot, and its name; conditions that are not given always hold."""

    name: str = setting("", "Name of the relation; none: leave it out.")
    type: str = setting("", "Subtype.")
    role: tuple[str, ...] = setting((), "What the slot is to the category.")
    gives: tuple[str, ...] = setting((), "What the category gives in the end.")
    argument: tuple[str, ...] = setting((), "What fills the slot.")
    features: tuple[str, ...] = setting((), "Features of the argument.")
    takes: tuple[str, ...] = setting((), "Other arguments, one of which is there.")
    own: tuple[str, ...] = setting((), "Features of the word's own clause.")
    first: bool | None = setting(None, "Whether the slot is the first that the word takes.")
    words: tuple[str, ...] = setting((), "The word in lower case.")
    tags: tuple[str, ...] = setting((), "Its part of speech.")
    head: Literal["functor", "argument"] = setting("functor", "Which of the two is the head.")


@dataclass(frozen=True)
class RelationTable:
    """A list of rules; the first one that matches applies."""

    rule: tuple[RelationRule, ...] = setting((), "The rules in order.")


@dataclass(frozen=True)
class SlotShape:
    """The properties of a slot that rules can test."""

    role: Role
    gives: str
    argument: str
    feature: str
    takes: frozenset[str]
    own: str
    first: bool

    def fits(self, rule: RelationRule) -> bool:
        """Whether the slot satisfies a rule's conditions on the category."""
        asked = (
            (rule.role, self.role),
            (rule.gives, self.gives),
            (rule.argument, self.argument),
            (rule.features, self.feature),
            (rule.own, self.own),
        )
        fine = all(not wanted or given in wanted for wanted, given in asked)
        others = not rule.takes or not self.takes.isdisjoint(rule.takes)
        return fine and others and rule.first in {None, self.first}


@lru_cache(maxsize=1 << 12)
def slot_shape(category: Category, slot: int) -> SlotShape:
    """The role of a slot in its category, and the other arguments."""
    parts = _parts(category)
    here, roles = parts[slot], _roles(parts)
    others = [p.argument for n, p in parts.items() if n != slot and roles[n] != "subject"]
    shapes = {shape for other in others for shape in (_shape(other), _featured(other))}
    return SlotShape(
        roles[slot],
        bottom(category).base,
        _shape(here.argument),
        bottom(here.argument).feature,
        frozenset(shapes),
        bottom(category).feature,
        category.arity == slot,
    )


def _parts(category: Category) -> dict[int, Category]:
    """The functor that takes each slot."""
    parts = {}
    while category.is_functor:
        parts[category.arity] = category
        category = category.result
    return parts


def _roles(parts: Mapping[int, Category]) -> dict[int, Role]:
    """The role of each slot; of two noun phrases before a verb, the nearer is the subject."""
    roles = {slot: _role(here) for slot, here in parts.items()}
    before = [here.slash == "\\" and here.argument is NOUN_PHRASE for here in parts.values()]
    fronted = len(before) > 1 and all(before[-2:]) and bottom(parts[1]).base == "S"
    if fronted and bottom(parts[1]).feature != "adj":
        roles |= {1: "argument", 2: "subject"}
    return roles


def _role(here: Category) -> Role:
    """The role of a category's outer argument."""
    determined = (here.result.base, here.argument.base) == ("NP", "N")
    if here.is_modifier or determined:
        reports = here.argument.base == "S" and here.argument.feature not in {"", "adj"}
        return "argument" if reports else "modified"
    if here.argument.base != "NP":
        return "argument"
    subject = here.result.base == "S" and here.slash == "\\"
    inverted = bottom(here).feature in {"q", "inv"} and here.result.arity > 0
    reporting = here.result.is_modifier and _role(here.result) == "argument"
    return "subject" if subject or inverted or reporting else "argument"


def _shape(category: Category) -> str:
    r"""NP, N, PP, S; VP for `S\NP`, gap for `S/NP`."""
    if category.slash is None:
        return category.base
    return {BOUNDED: "VP", UNBOUNDED: "gap"}.get(gap_of(category) or "", bottom(category).base)


def _featured(category: Category) -> str:
    return f"{_shape(category)}:{bottom(category).feature}"


@lru_cache
def relation_table(path: Path = TABLE) -> RelationTable:
    """Reads the rules of a file."""
    return from_dict(RelationTable, parse_toml(path.read_bytes(), str(path)), str(path))


def relation_rule(
    category: Category, slot: int, leaf: Leaf, table: RelationTable
) -> RelationRule | None:
    """The first rule that matches a slot of a word."""
    shape = slot_shape(category, slot)
    word, tag = as_listed(leaf.word), leaf.pos
    for rule in table.rule:
        known = (not rule.words or word in rule.words) and (not rule.tags or tag in rule.tags)
        if known and shape.fits(rule):
            return rule
    return None


def relations_of(
    derivation: Derivation, dependencies: Sequence[Dependency], table: RelationTable | None = None
) -> list[Relation]:
    """The relations of a derivation, ordered by head and dependent."""
    rules = table or relation_table()
    words = derivation.leaves
    relations = set(_conjunctions(derivation))
    for row in dependencies:
        leaf = words[row.functor]
        rule = relation_rule(parse(row.category), row.slot, leaf, rules)
        if rule is not None and rule.name:
            pair = (row.functor, row.argument)
            head, dependent = pair if rule.head == "functor" else pair[::-1]
            relations.add(Relation(rule.name, head, dependent, rule.type))
    return sorted(relations, key=lambda each: each[1:])


def _conjunctions(derivation: Derivation) -> list[Relation]:
    """Relations of conjunctions, or punctuation, and the heads of their conjuncts."""
    relations: list[Relation] = []
    places: dict[Leaf, int] = {leaf: n for n, leaf in enumerate(derivation.leaves)}

    def node(tree: Node, heads: list[int]) -> int:
        step = likely_step(tree) if len(heads) == 2 else None
        joined = step is not None and step.kind in {Kind.MARKED_COORDINATION, Kind.COORDINATION}
        if joined and opens_conjunct(tree.children[1]):
            joins = places[_joiner(tree.children[1])]
            relations.extend(Relation("conj", joins, head) for head in heads)
        return heads[_head(tree)]

    fold(derivation.root, lambda word, _: word, node)
    return relations


def _head(node: Node) -> int:
    """The head child; never a conjunction or punctuation."""
    small = [child.category in SMALL for child in node.children]
    return small.index(False) if any(small) and not all(small) else node.head


def _joiner(tree: Tree) -> Leaf:
    """The conjunction or comma at the start of a conjunct."""
    words = list(leaves(tree))
    return next((leaf for leaf in words[:2] if leaf.category == "conj"), words[0])
