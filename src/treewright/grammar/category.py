r"""Categories of combinatory categorial grammar: `S[dcl]`, `(S\NP)/NP`, `NP\NP[conj]`.

Categories are interned: equal ones are the same object, so that `is`, `==` and `hash` are all as
fast as for integers. The nodes of a category are numbered in preorder (itself, its result's nodes,
its argument's nodes); markup lists head variables in that order.

`[conj]` marks a whole category, also where CCGbank writes it without brackets: `S\NP[conj]` is
the category `S\NP` with the mark.
"""

import re
from typing import Literal, Self

Slash = Literal["/", "\\"]
MAX_TEXT = 1 << 16  # characters; the largest category in a known treebank has 5,115
MAX_DEPTH = 256  # nested arguments or brackets
VARIABLE = re.compile(r"X[0-9]*")  # a feature, or a value of one, that matches all others
VARIABLES = re.compile(r"(?<=[\[=])X[0-9]*(?=[\],])")
NON_BARE = "[nb]"  # CCGbank's mark of a noun phrase with a determiner; never required
CONJ = "[conj]"
PIECE = re.compile(r"[()/\\]|[^()/\\\[\]{}<>\s]+(?:\[[A-Za-z0-9=,.+-]+\])?")


class Category:
    """An atom (`base` and `feature`) or a functor (`result`, `slash`, `argument`).

    Created by `atom`, `functor` and `parse` only. `size` counts nodes, `arity` arguments.
    """

    __slots__ = (
        "argument", "arity", "base", "conj", "depth", "feature", "result", "size", "slash", "text",
    )  # fmt: skip
    base: str
    feature: str
    result: "Category"
    slash: Slash | None
    argument: "Category"
    conj: bool
    size: int
    arity: int
    depth: int
    text: str

    def __repr__(self) -> str:
        return f"parse({self.text!r})"

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return parse, (self.text,)

    @property
    def is_functor(self) -> bool:
        return self.slash is not None

    @property
    def is_modifier(self) -> bool:
        r"""Whether result and argument are the same category: `X/X` or `X\X`."""
        return self.slash is not None and self.result is self.argument

    @property
    def plain(self) -> "Category":
        """The category without the mark of a conjunct."""
        return _unmarked[self] if self.conj else self

    def arguments(self) -> "list[Category]":
        """The arguments from the innermost, which is slot 1, to the outermost."""
        arguments, here = [], self
        while here.slash is not None:
            arguments.append(here.argument)
            here = here.result
        return arguments[::-1]

    def nodes(self) -> "list[Category]":
        """The category and all its parts, in preorder."""
        nodes, stack = [], [self]
        while stack:
            here = stack.pop()
            nodes.append(here)
            if here.slash is not None:
                stack += [here.argument, here.result]
        return nodes

    @classmethod
    def _make(cls, text: str, size: int, arity: int, depth: int, *, conj: bool) -> Self:
        made = cls()
        made.text, made.size, made.arity, made.depth, made.conj = text, size, arity, depth, conj
        made.base, made.feature, made.slash = "", "", None
        return made


_atoms: dict[tuple[str, str, bool], Category] = {}
_functors: dict[tuple[Category, Slash, Category, bool], Category] = {}
_unmarked: dict[Category, Category] = {}
_parsed: dict[str, Category] = {}


def atom(base: str, feature: str = "", *, conj: bool = False) -> Category:
    """The atomic category with this base and feature."""
    key = base, feature, conj
    if key not in _atoms:
        text = f"{base}[{feature}]" if feature else base
        made = Category._make(text + CONJ * conj, 1, 0, 0, conj=conj)
        made.base, made.feature = base, feature
        _atoms[key] = made
        if conj:
            _unmarked[made] = atom(base, feature)
    return _atoms[key]


def functor(result: Category, slash: Slash, argument: Category, *, conj: bool = False) -> Category:
    """The category that takes `argument` in the direction of `slash` and yields `result`."""
    key = result, slash, argument, conj
    if key not in _functors:
        depth = 1 + max(result.depth, argument.depth)
        if depth > MAX_DEPTH:
            raise ValueError(f"a category is nested more than {MAX_DEPTH} deep")
        text = f"{_bracketed(result)}{slash}{_bracketed(argument)}" + CONJ * conj
        size, arity = 1 + result.size + argument.size, 1 + result.arity
        made = Category._make(text, size, arity, depth, conj=conj)
        made.result, made.slash, made.argument = result, slash, argument
        _functors[key] = made
        if conj:
            _unmarked[made] = functor(result, slash, argument)
    return _functors[key]


def _bracketed(category: Category) -> str:
    return f"({category.text})" if category.is_functor else category.text


def conjunct(category: Category) -> Category:
    """The category with the mark `[conj]`."""
    if category.slash is None:
        return atom(category.base, category.feature, conj=True)
    return functor(category.result, category.slash, category.argument, conj=True)


def parse(text: str) -> Category:
    """Parses a category; a ValueError says what is wrong with the text."""
    if text not in _parsed:
        if len(text) > MAX_TEXT:
            raise ValueError(f"a category of more than {MAX_TEXT} characters")
        plain = text.removesuffix(CONJ)
        category = _parse(plain)
        _parsed[text] = category if plain == text else conjunct(category)
    return _parsed[text]


def _parse(text: str) -> Category:
    r"""Shift brackets, atoms and slashes on a stack; reduce whenever a category is complete.

    Slashes are left-associative, as in `S\NP/NP`, though treebanks bracket every one.
    """
    pieces = PIECE.findall(text)
    if sum(map(len, pieces)) != len(text) or not pieces:
        raise ValueError(f"not a category: {_cut(text)}")
    stack: list[Category | str] = []
    for piece in pieces:
        if piece in {"(", "/", "\\"}:
            stack.append(piece)
        elif piece == ")":
            inner = stack.pop() if stack else ""
            if not isinstance(inner, Category) or not stack or stack.pop() != "(":
                raise ValueError(f"brackets do not match in {_cut(text)}")
            _shift(stack, inner, text)
        else:
            _shift(stack, _parse_atom(piece), text)
    if len(stack) != 1 or not isinstance(stack[0], Category):
        raise ValueError(f"not a complete category: {_cut(text)}")
    return stack[0]


def _shift(stack: list[Category | str], right: Category, text: str) -> None:
    match stack[-2:]:
        case [Category() as left, ("/" | "\\") as slash]:
            stack[-2:] = [functor(left, "/" if slash == "/" else "\\", right)]
        case [] | [*_, "("]:
            stack.append(right)
        case _:
            raise ValueError(f"a slash is missing or has no category before it in {_cut(text)}")


def _parse_atom(piece: str) -> Category:
    base, _, feature = piece.partition("[")
    return atom(base, feature.removesuffix("]"))


def without_nb(category: Category) -> Category:
    """The category without CCGbank's `[nb]`, which determiners have and no category requires."""
    return parse(category.text.replace(NON_BARE, "")) if NON_BARE in category.text else category


def _cut(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "...")


def unify(wanted: Category, given: Category) -> dict[str, str] | None:
    """The values of feature variables under which two categories match; None if they differ.

    Features match if they are equal, if one is missing (`NP` and `NP[nb]`) or if one is the
    variable `[X]`, which has a single value throughout. Features such as `case=X1,mod=nm` are
    matched value by value; two variables match. Marks of conjuncts must be equal.
    """
    if wanted is given:
        return {}
    values: dict[str, str] = {}
    pairs = [(wanted, given)]
    while pairs:
        one, two = pairs.pop()
        if one is two:
            continue
        if one.slash != two.slash or one.base != two.base or one.conj != two.conj:
            return None
        if one.slash is not None:
            pairs += [(one.result, two.result), (one.argument, two.argument)]
        elif not _unify_features(one.feature, two.feature, values):
            return None
    return values


def _unify_features(one: str, two: str, values: dict[str, str]) -> bool:
    if one == two or not one or not two:
        return True
    if "=" in one and "=" in two:
        pairs = [_keyed(each) for each in (one, two)]
        return pairs[0].keys() == pairs[1].keys() and all(
            _unify_values(value, pairs[1][key], values) for key, value in pairs[0].items()
        )
    return _unify_values(one, two, values)


def _keyed(feature: str) -> dict[str, str]:
    """The values of a feature such as `case=ga,mod=nm` by name."""
    return {key: value for key, _, value in (each.partition("=") for each in feature.split(","))}


def _unify_values(one: str, two: str, values: dict[str, str]) -> bool:
    if one == two:
        return True
    free = [bool(VARIABLE.fullmatch(each)) for each in (one, two)]
    if all(free) or not any(free):
        return all(free)
    name, value = (one, two) if free[0] else (two, one)
    return values.setdefault(name, value) == value


def substitute(category: Category, values: dict[str, str]) -> Category:
    """The category with its feature variables replaced by values."""
    if not values or "X" not in category.text:
        return category
    return parse(VARIABLES.sub(lambda match: values.get(match[0], match[0]), category.text))
