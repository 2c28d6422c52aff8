r"""Terms of the lambda calculus with logical operators, the language of meanings.

    \x.dog(x)     exists x.(dog(x) & bark(x))     all x.(dog(x) -> bark(x))     -run(rex)

Quantifiers are `exists`, `all`, `the`, `which` and any other name before a variable and a dot;
`true` is the neutral element of conjunction. Terms are immutable.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count

OPERATORS = ("->", "|", "&", "=")  # lowest precedence first
MAX_DEPTH = 60  # nesting depth of terms in a text; templates have a tenth
PIECE = re.compile(r"\s*(->|[\\.()&|=,-]|[\w$']+|\?)")


@dataclass(frozen=True, slots=True)
class Name:
    """A constant, or a variable if it is bound by an enclosing term."""

    name: str


@dataclass(frozen=True, slots=True)
class Lambda:
    r"""A function, `\x.body`."""

    variable: str
    body: "Term"


@dataclass(frozen=True, slots=True)
class Apply:
    """A function with its argument."""

    function: "Term"
    argument: "Term"


@dataclass(frozen=True, slots=True)
class Quantified:
    """`exists x.body` and other quantifiers."""

    quantifier: str
    variable: str
    body: "Term"


@dataclass(frozen=True, slots=True)
class Joined:
    """Two formulas joined by `&`, `|`, `->` or `=`."""

    operator: str
    left: "Term"
    right: "Term"


@dataclass(frozen=True, slots=True)
class Negated:
    """`-body`."""

    body: "Term"


Term = Name | Lambda | Apply | Quantified | Joined | Negated


@lru_cache(maxsize=1 << 10)
def parse_term(text: str) -> Term:
    """Parses a term; a ValueError says what is wrong with the text."""
    pieces = PIECE.findall(text)
    if re.sub(r"\s", "", text) != "".join(pieces):
        raise ValueError(f"not a term: {text!r}")
    reader = _Reader([*pieces, ""])
    term = reader.formula(0)
    if reader.pieces[reader.at]:
        raise ValueError(f"a term ends before {reader.pieces[reader.at]!r} in {text!r}")
    return term


class _Reader:
    """A recursive-descent parser of terms."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces, self.at, self.depth = pieces, 0, 0

    def take(self) -> str:
        self.at += 1
        return self.pieces[self.at - 1]

    def expect(self, piece: str) -> None:
        if (next_piece := self.take()) != piece:
            raise ValueError(f"a term has {next_piece!r} where {piece!r} is expected")

    def formula(self, level: int) -> Term:
        if level == len(OPERATORS):
            return self.unit()
        left = self.formula(level + 1)
        if self.pieces[self.at] != OPERATORS[level]:
            return left
        with self.deeper():
            return Joined(self.take(), left, self.formula(level))

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Enters a nested term; checks the depth."""
        if self.depth == MAX_DEPTH:
            raise ValueError(f"a term is more than {MAX_DEPTH} deep")
        self.depth += 1
        yield
        self.depth -= 1

    def unit(self) -> Term:
        with self.deeper():
            return self.simple()

    def simple(self) -> Term:
        piece = self.take()
        if piece == "\\":
            variable = self.take()
            self.expect(".")
            return Lambda(variable, self.formula(0))
        if piece == "-":
            return Negated(self.unit())
        if piece == "(":
            inner = self.formula(0)
            self.expect(")")
            return self.arguments(inner)
        if not re.fullmatch(r"[\w$']+", piece):
            raise ValueError(f"a term has {piece!r} where a name is expected")
        if re.fullmatch(r"\w+", self.pieces[self.at]) and self.pieces[self.at + 1] == ".":
            variable = self.take()
            self.take()
            return Quantified(piece, variable, self.unit())
        return self.arguments(Name(piece))

    def arguments(self, function: Term) -> Term:
        while self.pieces[self.at] == "(":
            self.take()
            function = Apply(function, self.formula(0))
            while self.pieces[self.at] == ",":
                self.take()
                function = Apply(function, self.formula(0))
            self.expect(")")
        return function


def apply(function: Term, *arguments: Term) -> Term:
    """A function applied to arguments in turn."""
    for argument in arguments:
        function = Apply(function, argument)
    return function


def rebuilt(term: Apply | Joined | Negated, change: Callable[[Term], Term]) -> Term:
    """A term without binders with its parts changed."""
    match term:
        case Apply(one, two):
            return Apply(change(one), change(two))
        case Joined(operator, one, two):
            return Joined(operator, change(one), change(two))
        case Negated(body):
            return Negated(change(body))


def free_names(term: Term) -> frozenset[str]:
    """The names that are not bound in the term."""
    match term:
        case Name(name):
            return frozenset({name})
        case Lambda(variable, body) | Quantified(_, variable, body):
            return free_names(body) - {variable}
        case Negated(body):
            return free_names(body)
        case Apply(one, two) | Joined(_, one, two):
            return free_names(one) | free_names(two)


def variants(name: str, taken: frozenset[str]) -> Iterator[str]:
    """Variants of a name that are not taken."""
    stem = name.rstrip("0123456789")
    return (f"{stem}{n}" for n in count(1) if f"{stem}{n}" not in taken)


def format_term(term: Term) -> str:
    """The text of a term, as read by `parse_term`."""
    return _format(_named(term, {}, frozenset()), 0)


def _named(term: Term, names: dict[str, str], used: frozenset[str]) -> Term:
    """The term with bound variables renamed in order: x, x1, x2 for those that started as x."""
    if isinstance(term, Name):
        return Name(names.get(term.name, term.name))
    if isinstance(term, Lambda | Quantified):
        free = free_names(term.body) - {term.variable} - set(names)
        new, inner = _fresh(term.variable, names, used | free)
        return replace(term, variable=new, body=_named(term.body, inner, used | {new}))
    return rebuilt(term, lambda part: _named(part, names, used))


def _fresh(bound: str, names: dict[str, str], used: frozenset[str]) -> tuple[str, dict[str, str]]:
    stem = bound.rstrip("0123456789")
    new = stem if stem not in used else next(variants(stem, used))
    return new, {**names, bound: new}


def _format(term: Term, level: int) -> str:
    match term:
        case Name(name):
            return name
        case Lambda(variable, body):
            text = f"\\{variable}.{_format(body, 0)}"
            return f"({text})" if level else text
        case Quantified(quantifier, variable, body):
            return f"{quantifier} {variable}.{_format(body, len(OPERATORS))}"
        case Negated(body):
            return f"-{_format(body, len(OPERATORS))}"
        case Joined(operator, one, two):
            own = OPERATORS.index(operator)
            shown = f"{_format(one, own + 1)} {operator} {_format(two, own)}"
            return f"({shown})" if level > own else shown
        case Apply():
            return _format_application(term)


def _format_application(term: Apply) -> str:
    """`f(a,b)`: a function and all its arguments."""
    arguments: list[Term] = []
    function: Term = term
    while isinstance(function, Apply):
        arguments.append(function.argument)
        function = function.function
    shown = ",".join(_format(each, 0) for each in reversed(arguments))
    return f"{_format(function, len(OPERATORS))}({shown})"
