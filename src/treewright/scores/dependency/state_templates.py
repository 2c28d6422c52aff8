"""Feature templates of transition states: from text to the integers that the core runs.

A template is a line of atoms; an atom is `place.attribute`, or `place-place.attribute` for what
two places have between them. A template holds where all its atoms do; an atom that ends in `?` may
be missing. The names of places:

    s0 s1 s2       the stack, its top first          b0 b1 b2 b3    the buffer
    s0h s0hh s1h   head, head's head                 s0l s0r b0l    outermost dependents
    s0l2 s0r2 ...  the next ones inside              s0ll s0rr s0rl b0ll   their dependents
    s0- s0+ b0-    neighbours in the sentence
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Indices
from treewright.errors import ConfigError

# In the order of Slot and of AtomKind in cpp/dependency/transition/features.hpp.
SLOTS = tuple(
    """s0 s1 s2 b0 b1 b2 b3 s0h s0hh s0l s0l2 s0r s0r2 b0l b0l2 s1h s1l s1l2 s1r s1r2 s0- s0+ b0-
    s0ll s0rr b0ll s0rl""".split()  # noqa: SIM905
)
DYNAMIC = tuple(
    """position label left_count right_count left_labels right_labels distance between ahead
    last_kind depth""".split()  # noqa: SIM905
)
COLUMNS = 64
PAIRS = {"distance", "between"}
# Places that stand at a fixed distance from another one.
ANCHORS = {"b1": "b0", "b2": "b0", "b3": "b0", "s0-": "s0", "s0+": "s0", "b0-": "b0"}


@dataclass(frozen=True, order=True)
class Atom:
    """One value read from a state."""

    slot: str
    attribute: str
    slot2: str = ""
    optional: bool = False


def parse_template(line: str) -> tuple[Atom, ...]:
    """The atoms of one line; a ConfigError names what is wrong with it."""
    return tuple(_parse_atom(text, line) for text in line.split())


def _parse_atom(text: str, line: str) -> Atom:
    places, dot, attribute = text.removesuffix("?").rpartition(".")
    first, dash, second = places.rpartition("-") if attribute in PAIRS else (places, "", "")
    if not dot or first not in SLOTS or (dash and second not in SLOTS):
        raise ConfigError(f"template {line!r}: no such place: {text!r}")
    return Atom(first, attribute, second, text.endswith("?"))


def compile_templates(
    lines: Iterable[str], columns: Sequence[str], cached: Sequence[Sequence[str]]
) -> Indices:
    """The program of the templates for words with these columns.

    `cached` lists the supports, as atoms, of groups whose sums are worth keeping; a template goes
    to the first group that covers it.
    """
    supports = [frozenset(_parse_atom(text, text) for text in support) for support in cached]
    groups: list[list[tuple[int, tuple[Atom, ...]]]] = [[] for _ in range(len(supports) + 1)]
    for number, line in enumerate(dict.fromkeys(lines)):
        atoms = parse_template(line)
        needed = frozenset().union(*map(_support, atoms))
        covers = (i for i, support in enumerate(supports) if needed <= support)
        groups[next(covers, len(supports))].append((number, atoms))
    code: list[int] = []
    kinds = _kinds(columns)
    for i, group in enumerate(groups):
        if group:
            own = supports[i] if i < len(supports) else frozenset()
            used = frozenset().union(*(_support(a) for _, atoms in group for a in atoms)) & own
            code += _group_code(sorted(used), group, kinds)
    return np.array(code, np.int32)


def _kinds(columns: Sequence[str]) -> Mapping[str, int]:
    dynamic = {name: COLUMNS + i for i, name in enumerate(DYNAMIC)}
    return {name: i for i, name in enumerate(columns)} | dynamic


def _support(atom: Atom) -> frozenset[Atom]:
    """What an atom's value depends on: positions of words, or itself."""
    slots = [slot for slot in (atom.slot, atom.slot2) if slot]
    if atom.attribute in PAIRS or atom.attribute not in DYNAMIC:
        return frozenset(Atom(ANCHORS.get(slot, slot), "position") for slot in slots)
    if atom.attribute == "ahead":
        return frozenset((Atom("b0", "position"),))
    return frozenset((Atom(atom.slot, atom.attribute, atom.slot2),))


def _group_code(
    support: Sequence[Atom], group: list[tuple[int, tuple[Atom, ...]]], kinds: Mapping[str, int]
) -> list[int]:
    plain = {Atom(a.slot, a.attribute, a.slot2) for _, atoms in group for a in atoms}
    order = {atom: i for i, atom in enumerate(sorted(plain))}
    code = [int(bool(support)), len(support), len(order), len(group)]
    for atom in (*support, *order):
        code += _atom_code(atom, kinds)
    for number, atoms in group:
        code += [number, len(atoms)]
        for atom in atoms:
            index = order[Atom(atom.slot, atom.attribute, atom.slot2)]
            code.append(~index if atom.optional else index)
    return code


def _atom_code(atom: Atom, kinds: Mapping[str, int]) -> list[int]:
    if atom.attribute not in kinds:
        raise ConfigError(f"templates: words have no attribute {atom.attribute!r}")
    slots = SLOTS.index(atom.slot), SLOTS.index(atom.slot2 or atom.slot)
    return [kinds[atom.attribute], *slots]
