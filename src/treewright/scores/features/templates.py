"""Feature templates: one language for all formalisms, compiled to integers for the core.

    word@head                  an attribute of the word at a place
    pos@begin[-1]              an attribute of the word before that place
    distance@s0:b0             a value of two places
    rule                       a value that the formalism computes
    label@s0?                  an optional atom: the template holds without it
    near: upos@head upos@dep   marks come first, then the atoms

A template is the conjunction of its atoms. `treewright.scores.features.encoder` has the attributes;
places, values and marks belong to the formalism, which declares them as a `Language`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright import _core
from treewright.errors import ConfigError

ATOM = re.compile(
    r"(?P<attribute>[a-z_]+\d*)(@(?P<place>[a-z]\w*[<>]?)(:(?P<other>[a-z]\w*))?)?"
    r"(\[(?P<offset>[+-]?\d{1,2})\])?(?P<optional>\?)?"
)
# As in cpp/core/templates.hpp.
FIRST_VALUE = 1 << 10
MOST_ATOMS = 128


def listed(text: str) -> list[str]:
    """The templates in a comma-separated text."""
    return [" ".join(template.split()) for template in text.split(",")]


@dataclass(frozen=True, order=True)
class Atom:
    """An attribute of the word at a place, or a value that the formalism computes."""

    attribute: str
    place: str = ""
    offset: int = 0
    other: str = ""
    optional: bool = False


@dataclass(frozen=True)
class Template:
    """A template as text, its marks, and its atoms."""

    text: str
    marks: tuple[str, ...]
    atoms: tuple[Atom, ...]


@dataclass(frozen=True)
class Language:
    """The places, values and marks of a formalism's templates.

    places, values, marks: in the order of the core's. here: the place of attributes without one;
    None: a place is required.
    """

    places: tuple[str, ...]
    values: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    here: str = ""

    def parse(self, text: str) -> Template:
        """Parses the atoms of a template; a ConfigError names what is wrong."""
        fields = text.split()
        marks = tuple(field[:-1] for field in fields if field.endswith(":"))
        if unknown := [mark for mark in marks if mark not in self.marks]:
            raise _error(text, f"no mark {unknown[0]!r}: {', '.join(self.marks) or 'none'}")
        if any(field.endswith(":") for field in fields[len(marks) :]):
            raise _error(text, "marks come first")
        if len(fields) == len(marks):
            raise _error(text, "it is empty")
        return Template(text, marks, tuple(self._atom(f, text) for f in fields[len(marks) :]))

    def _atom(self, field: str, text: str) -> Atom:
        match = ATOM.fullmatch(field)
        if not match:
            raise _error(text, f"{field!r} is not like attribute@place[offset]")
        offset = int(match["offset"] or 0)
        place, other, optional = match["place"] or "", match["other"] or "", bool(match["optional"])
        for name in filter(None, (place, other)):
            if name not in self.places:
                raise _error(text, f"no place {name!r}: {', '.join(self.places)}")
        if not place and match["attribute"] not in self.values:
            if not self.here:
                known = ", ".join(self.values)
                raise _error(text, f"{field!r} has no place, and is none of the values {known}")
            place = self.here
        return Atom(match["attribute"], place, offset, other, optional)

    def attributes(self, templates: Iterable[Template]) -> list[str]:
        """The attributes of words in templates, in order of appearance."""
        names = (atom.attribute for template in templates for atom in template.atoms)
        return [name for name in dict.fromkeys(names) if name not in self.values]


def _error(text: str, problem: str) -> ConfigError:
    return ConfigError(f"feature template {text!r}: {problem}")


Numbered = tuple[int, tuple[Atom, ...]]  # a template and its number


@dataclass(frozen=True)
class Group:
    """Templates that the core evaluates together; mark and support are defined by the formalism."""

    mark: int
    templates: Sequence[Numbered]
    support: Sequence[Atom] = ()


def compile_groups(
    language: Language, groups: Iterable[Group], columns: Sequence[str], marks: int
) -> _core.Templates:
    """Compiles templates for the core, for words with these attributes."""
    writer = _Writer(language, columns)
    code = [number for group in groups for part in _parts(group) for number in writer.group(part)]
    sizes = len(columns), len(language.values), len(language.places), marks
    return _core.Templates(np.array(code, np.int32), *sizes)


def _parts(group: Group) -> list[Group]:
    """Splits a group that has more atoms than the core supports."""
    parts: list[list[Numbered]] = [[]]
    seen: set[Atom] = set()
    for number, atoms in group.templates:
        seen |= set(map(_plain, atoms))
        if len(seen) > MOST_ATOMS:
            parts.append([])
            seen = set(map(_plain, atoms))
        parts[-1].append((number, atoms))
    return [replace(group, templates=part) for part in parts if part]


def _plain(atom: Atom) -> Atom:
    return replace(atom, optional=False)


class _Writer:
    def __init__(self, language: Language, columns: Sequence[str]) -> None:
        self.attributes = {name: i for i, name in enumerate(columns)}
        self.attributes |= {name: FIRST_VALUE + i for i, name in enumerate(language.values)}
        self.places = {name: i for i, name in enumerate(language.places)}

    def group(self, group: Group) -> list[int]:
        atoms = dict.fromkeys(_plain(atom) for _, atoms in group.templates for atom in atoms)
        order = {atom: i for i, atom in enumerate(atoms)}
        code = [group.mark, len(group.support), len(order), len(group.templates)]
        for atom in (*group.support, *order):
            code += self.atom(atom)
        for number, used in group.templates:
            code += [number, len(used)]
            code += [~order[_plain(atom)] if atom.optional else order[atom] for atom in used]
        return code

    def atom(self, atom: Atom) -> tuple[int, int, int]:
        if atom.attribute not in self.attributes:
            known = ", ".join(self.attributes)
            raise ConfigError(f"feature templates: no attribute {atom.attribute!r}: {known}")
        place = self.places[atom.place] if atom.place else 0
        offset = self.places[atom.other] if atom.other else atom.offset
        return self.attributes[atom.attribute], place, offset
