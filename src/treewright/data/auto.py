"""AUTO files: CCG derivations, two lines each, in CCGbank's format.

    ID=wsj_0001.1 PARSER=GOLD NUMPARSE=1
    (<T category head children> child [child] )
    (<L category pos pos word category-with-head-indices>)

Fields are separated by one space and words are not escaped, so words can contain brackets: the
reader splits at spaces and does not count brackets. CCGbank's files have a space at the end of each
derivation, which the reader accepts and the writer can add. Blank lines between sentences are
ignored. Other parsers write different headers;
the reader also accepts `ID=1` and `ID=1, log probability=-2.5`.

It also accepts the Japanese CCGbank's brackets (`treewright.data.braces`), with or without headers,
and C&C's own dialect, where closing brackets need no space before them:

    (<T category rule head children> child [child])
    (<L category word lemma pos entity chunk category>)
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from treewright.data.braces import is_braced, parse_braces
from treewright.data.lines import (
    MAX_DEPTH,
    AnyPath,
    Source,
    filled_lines,
    shown,
    source_name,
    unspaced,
)
from treewright.data.records import Derivation, Leaf, Node, Tree
from treewright.errors import FormatError
from treewright.storage.atomic import write_file

UNKNOWN = "UNKNOWN"  # for a header that does not name the parser
NO_POS = "_"  # for a word without a POS tag
Damaged = Callable[[str, ValueError], object]
HEADER = re.compile(
    r"ID=(\S+?)(?: PARSER=(\S+) NUMPARSE=(0|[1-9][0-9]{0,8})|,? (?:log probability|Prob)=\S+)?"
)
LEAF_END = re.compile(r"\S+>\)(\)*)")  # in C&C's leaves


def read_auto(
    file: Source,
    check: Callable[[Derivation], object] | None = None,
    damaged: Damaged | None = None,
) -> Iterator[Derivation]:
    """Reads the derivations of an AUTO file, given by path or open as text, one at a time.

    `check` raises a ValueError for invalid derivations; the error then names their line. `damaged`
    is called with the id of each sentence that cannot be read, and the error; without it, errors
    are raised.
    """
    lines, path = _headed(filled_lines(file), damaged), source_name(file)
    for number, line in lines:
        header = HEADER.fullmatch(line.removesuffix(" "))
        if not line.strip():
            continue
        if header:
            name, parser, rank = header.groups()
            place, tree = next(lines, (number + 1, ""))
        elif is_braced(line):
            (name, parser, rank), place, tree = (str(number), "GOLD", None), number, line
        else:
            message = f"expected ID=... PARSER=... NUMPARSE=..., not {shown(line)}"
            if damaged is None:
                raise FormatError(path, number, message)
            damaged(f"line {number}", ValueError(message))
            continue
        try:
            derivation = Derivation(name, parse_tree(tree), parser or UNKNOWN, int(rank or 1))
            if check is not None:
                check(derivation)
        except ValueError as error:
            if damaged is None:
                raise FormatError(path, place, f"sentence {name}: {error}") from error
            damaged(name, error)
            continue
        yield derivation


def _headed(lines: Iterator[tuple[int, str]], damaged: Damaged | None) -> Iterator[tuple[int, str]]:
    """The lines of a file; a header followed by another one is a sentence without derivation."""
    if damaged is None:
        yield from lines
        return
    waiting: tuple[int, str] | None = None
    for number, line in lines:
        header = HEADER.fullmatch(line.removesuffix(" "))
        if header is None:
            yield from [waiting] if waiting else []
            yield number, line
        elif waiting:
            damaged(_name(waiting[1]), ValueError("no derivation follows"))
        waiting = (number, line) if header else None
    if waiting:
        damaged(_name(waiting[1]), ValueError("no derivation follows"))


def _name(line: str) -> str:
    header = HEADER.fullmatch(line.removesuffix(" "))
    return header[1] if header else line


def parse_tree(line: str) -> Tree:
    """Parses the derivation in one line; a ValueError says what is wrong with it."""
    if is_braced(line):
        return parse_braces(line)
    fields = line.removesuffix(" ").split(" ")
    reader = _TreeReader(fields)
    root = reader.read()
    if reader.closing:
        raise ValueError("expected the end of the derivation, not another ')'")
    if reader.position < len(fields):
        raise ValueError(f"the derivation ends before {shown(fields[reader.position])}")
    return root


@dataclass(slots=True)
class _Open:
    """A node whose children are being read."""

    category: str
    head: int
    size: int
    children: list[Tree]


class _TreeReader:
    """Builds a derivation from a list of fields, with a stack of open nodes."""

    def __init__(self, fields: list[str]) -> None:
        self.fields = fields
        self.position = 0
        self.open: list[_Open] = []
        self.closing = 0  # closing brackets attached to the last leaf

    def read(self) -> Tree:
        while True:
            match self._take(1)[0]:
                case "(<L":
                    tree = self._close_around(self._leaf())
                    if not self.open:
                        return tree
                case "(<T":
                    self.open.append(self._node())
                case other:
                    raise ValueError(f"expected '(<T' or '(<L', not {shown(other)}")

    def _leaf(self) -> Leaf:
        fifth, _, seventh = [*self.fields[self.position + 4 : self.position + 7], "", "", ""][:3]
        if not LEAF_END.fullmatch(fifth) and (end := LEAF_END.fullmatch(seventh)):
            category, word, _, pos, *_ = self._take(7)
            self.closing = len(end[1])
            return Leaf(category, word, pos, pos)
        category, pos, changed_pos, word, markup = self._take(5)
        end = LEAF_END.fullmatch(markup)
        if end is None:
            raise ValueError(f"expected '>)' after the five fields of the leaf {shown(word)}")
        self.closing = len(end[1])
        return Leaf(category, word, pos, changed_pos, markup[: -2 - self.closing])

    def _node(self) -> _Open:
        if len(self.open) == MAX_DEPTH:
            raise ValueError(f"the derivation is deeper than {MAX_DEPTH} nodes")
        category, head, size = self._take(3)
        if head not in {"0", "1"}:  # C&C's dialect: the rule precedes the head
            head, size = size, *self._take(1)
        return _Open(category, *_node_numbers(head, size), [])

    def _close_around(self, tree: Tree) -> Tree:
        """Adds a child to the innermost open node, and closes all nodes that this completes."""
        while self.open:
            node = self.open[-1]
            node.children.append(tree)
            if len(node.children) < node.size:
                break
            if self.closing:
                self.closing -= 1
            elif (bracket := self._take(1)[0]) != ")":
                raise ValueError(f"expected ')' after {node.size} children, not {shown(bracket)}")
            self.open.pop()
            tree = Node(node.category, tuple(node.children), node.head)
        return tree

    def _take(self, count: int) -> list[str]:
        taken = self.fields[self.position : self.position + count]
        self.position += count
        if len(taken) < count or self.fields == [""]:
            raise ValueError("the line ends inside the derivation")
        if "" in taken:
            raise ValueError("an empty field: two spaces in a row")
        return taken


def _node_numbers(head: str, size: str) -> tuple[int, int]:
    if size not in {"1>", "2>"}:
        raise ValueError(f"a node has 1 or 2 children, not {shown(size.removesuffix('>'))}")
    if head not in {"0", "1"} or int(head) >= int(size[0]):
        raise ValueError(f"the head of a node with {size[0]} children cannot be {shown(head)}")
    return int(head), int(size[0])


def format_tree(root: Tree) -> str:
    """Formats a derivation as one line of an AUTO file."""
    parts: list[str] = []
    stack: list[Tree | None] = [root]
    while stack:
        match stack.pop():
            case None:
                parts.append(")")
            case Leaf(category, word, pos, changed_pos, markup):
                tags = f"{pos or NO_POS} {changed_pos or NO_POS}"
                parts.append(f"(<L {category} {tags} {unspaced(word)} {markup or category}>)")
            case Node(category, children, head):
                parts.append(f"(<T {category} {head} {len(children)}>")
                stack.append(None)
                stack.extend(reversed(children))
    return " ".join(parts)


def write_auto(path: AnyPath, derivations: Iterable[Derivation], *, end: str = "") -> None:
    """Writes derivations; `end=" "` ends each line as CCGbank's files do."""
    write_file(Path(path), (f"{format_derivation(each)}{end}\n" for each in derivations))


def format_derivation(derivation: Derivation) -> str:
    """Formats the two lines of a derivation, without the last line end."""
    origin = f"PARSER={derivation.parser} NUMPARSE={derivation.rank}"
    return f"ID={derivation.id} {origin}\n{format_tree(derivation.root)}"
