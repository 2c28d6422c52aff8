r"""Categories annotated with heads and slots, as treebanks and lexicons write them.

    ((S{3}\NP{1}){3}/NP{4}){3}             AUTO leaves of this project's treebanks: word positions
    (S[dcl]\NP_10)/(S[b]_11\NP_10:B)_11    AUTO leaves of CCGbank: numbers without meaning
    ((S{_}\NP{Y}<1>){_}/NP{Z}<2>){_}       markedup files: variables, `_` the word itself, and slots

All three say which parts of a category share a head; only the last says which are slots.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from treewright.grammar.category import MAX_TEXT, Category, Slash, functor, parse

PIECE = re.compile(
    r"""(?P<bracket>[()/\\])
    |   (?P<brace>\{0\})
    |   _(?P<index>[0-9]+)(?::(?P<mark>[A-Z]))?
    |   <(?P<slot>[0-9]{1,4})>
    |   (?P<atom>[^()/\\\[\]{}<>\s_]+(?:\[[A-Za-z0-9=,.+-]+\])?)""",
    re.VERBOSE,
)
BRACED = re.compile(r"\{([A-Za-z0-9_]+)\*?\}")


@dataclass(frozen=True, slots=True)
class Annotated:
    """A category, and the name of the head and the slot of each of its nodes, in preorder.

    marks: CCGbank's B and U on the gaps of clauses, if it has them.
    """

    category: Category
    names: tuple[str | None, ...]
    slots: tuple[int | None, ...]
    marks: tuple[str | None, ...] = ()


@dataclass(slots=True)
class _Part:
    """A category with annotated nodes; a name in braces is its index in the text."""

    category: Category
    names: list[str | int | None]
    slots: list[int | None]
    marks: list[str | None]


def parse_annotated(text: str) -> Annotated:
    """Parses an annotated category; a ValueError says what is wrong with the text.

    Word positions differ between leaves but the remaining text does not: it is parsed once, without
    the names in braces.
    """
    names = BRACED.findall(text)
    shape = _parse_shape(BRACED.sub("{0}", text))
    named = tuple(names[n] if isinstance(n, int) else n for n in shape.names)
    return Annotated(shape.category, named, tuple(shape.slots), tuple(shape.marks))


@lru_cache(maxsize=1 << 14)
def _parse_shape(text: str) -> "_Part":
    if len(text) > 4 * MAX_TEXT:
        raise ValueError(f"an annotated category of more than {4 * MAX_TEXT} characters")
    try:
        return _parse(text)
    except IndexError:
        raise ValueError(f"not an annotated category: {text[:60]!r}") from None


def _parse(text: str) -> _Part:
    """A shift-reduce parser; an IndexError means that the stack lacks an element."""
    stack: list[_Part | str] = []
    position = braces = 0
    while position < len(text):
        piece = PIECE.match(text, position)
        if not piece:
            raise IndexError
        position = piece.end()
        if piece.lastgroup == "brace":
            if _top(stack).names[0] is not None:
                raise IndexError
            _top(stack).names[0] = braces
            braces += 1
        else:
            _push(stack, piece)
    _reduce(stack)
    if len(stack) > 1:
        raise IndexError
    return _top(stack)


def _push(stack: list[_Part | str], piece: re.Match[str]) -> None:
    match piece.lastgroup:
        case "atom":
            stack.append(_Part(parse(piece["atom"]), [None], [None], [None]))
        case "bracket":
            _push_bracket(stack, piece["bracket"])
        case "slot":
            _top(stack).slots[0] = int(piece["slot"])
        case _:
            _top(stack).names[0], _top(stack).marks[0] = piece["index"], piece["mark"]


def _push_bracket(stack: list[_Part | str], bracket: str) -> None:
    if bracket == "(":
        stack.append(bracket)
        return
    _reduce(stack)
    if bracket == ")":
        if stack[-2] != "(":
            raise IndexError
        del stack[-2]
    else:
        stack.append(bracket)


def _reduce(stack: list[_Part | str]) -> None:
    """Reduces `left / right` on the top of the stack to one part."""
    right = _top(stack)
    if len(stack) < 3 or stack[-2] not in ("/", "\\"):
        return
    left, slash = stack[-3], stack[-2]
    if not isinstance(left, _Part):
        raise IndexError
    direction: Slash = "/" if slash == "/" else "\\"
    category = functor(left.category, direction, right.category)
    names, slots = [None, *left.names, *right.names], [None, *left.slots, *right.slots]
    marks = [None, *left.marks, *right.marks]
    stack[-3:] = [_Part(category, names, slots, marks)]


def _top(stack: list[_Part | str]) -> _Part:
    if not isinstance(stack[-1], _Part):
        raise IndexError
    return stack[-1]
