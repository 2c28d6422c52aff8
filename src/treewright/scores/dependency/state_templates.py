"""Feature templates of transition states: from text to the integers that the core runs.

    word@s0 xpos@b0      the top of the stack with the front of the buffer
    label@s0l            the relation of its outermost dependent on the left
    xpos@s0[-1]          the tag of its neighbour in the sentence
    distance@s0:b0       what two places have between them

A template holds where all its atoms do; an atom that ends in `?` may be missing. The places:

    s0 s1 s2       the stack, its top first          b0 b1 b2 b3    the buffer
    s0h s0hh s1h   head, head's head                 s0l s0r b0l    outermost dependents
    s0l2 s0r2 ...  the next ones inside              s0ll s0rr s0rl b0ll   their dependents
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from treewright import _core
from treewright.errors import ConfigError
from treewright.scores.features.templates import Atom, Group, Language, Numbered, compile_groups

# In the order of Slot and of StateValue in cpp/dependency/transition/features.hpp; the places
# with a sign are neighbours in the sentence, written as [-1] and [1] in templates.
PLACES = tuple(
    """s0 s1 s2 b0 b1 b2 b3 s0h s0hh s0l s0l2 s0r s0r2 b0l b0l2 s1h s1l s1l2 s1r s1r2 s0- s0+ b0-
    s0ll s0rr b0ll s0rl""".split()  # noqa: SIM905
)
VALUES = tuple(
    """position label left_count right_count left_labels right_labels distance between ahead
    last_kind depth""".split()  # noqa: SIM905
)
LANGUAGE = Language(PLACES, VALUES)
PLAIN, CACHED, MARKS = range(3)
PAIRS = {"distance", "between"}
# Places at a fixed distance from another one.
ANCHORS = {"b1": "b0", "b2": "b0", "b3": "b0", "s0-": "s0", "s0+": "s0", "b0-": "b0"}


def parse_template(line: str) -> tuple[Atom, ...]:
    """Parses one line into atoms; a ConfigError names what is wrong."""
    return tuple(_neighbour(atom, line) for atom in LANGUAGE.parse(line).atoms)


def _neighbour(atom: Atom, line: str) -> Atom:
    if not atom.place or (atom.attribute in PAIRS) != bool(atom.other):
        raise ConfigError(f"feature template {line!r}: {atom.attribute!r} is not at such a place")
    if not atom.offset:
        return atom
    place = atom.place + {-1: "-", 1: "+"}.get(atom.offset, "?")
    if place not in PLACES or atom.attribute in VALUES:
        raise ConfigError(f"feature template {line!r}: only s0[-1], s0[1] and b0[-1] have offsets")
    return replace(atom, place=place, offset=0)


def compile_templates(
    lines: Iterable[str], columns: Sequence[str], cached: Sequence[Sequence[str]]
) -> _core.Templates:
    """Compiles templates to a program for words with these columns.

    `cached` lists the supports, as atoms, of groups whose sums are cached; a template goes to the
    first group that covers it.
    """
    supports = [frozenset(parse_template(" ".join(support))) for support in cached]
    groups: list[list[Numbered]] = [[] for _ in range(len(supports) + 1)]
    for number, line in enumerate(dict.fromkeys(lines)):
        atoms = parse_template(line)
        needed = frozenset().union(*map(_support, atoms))
        covers = (i for i, support in enumerate(supports) if needed <= support)
        groups[next(covers, len(supports))].append((number, atoms))
    pairs = zip(groups, supports, strict=False)
    made = [Group(CACHED, group, _used(group, own)) for group, own in pairs]
    return compile_groups(LANGUAGE, [*made, Group(PLAIN, groups[-1])], columns, MARKS)


def _used(group: Sequence[Numbered], support: frozenset[Atom]) -> list[Atom]:
    """The part of a support on which a group's templates depend."""
    return sorted(support & frozenset().union(*(_support(a) for _, atoms in group for a in atoms)))


def _support(atom: Atom) -> frozenset[Atom]:
    """The support of an atom's value: word positions, or the atom itself."""
    places = [place for place in (atom.place, atom.other) if place]
    if atom.attribute in PAIRS or atom.attribute not in VALUES:
        return frozenset(Atom("position", ANCHORS.get(place, place)) for place in places)
    if atom.attribute == "ahead":
        return frozenset((Atom("position", "b0"),))
    return frozenset((replace(atom, optional=False),))
