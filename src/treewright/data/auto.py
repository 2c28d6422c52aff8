"""AUTO files: CCG derivations, two lines each, in CCGbank's format.

    ID=wsj_0001.1 PARSER=GOLD NUMPARSE=1
    (<T category head children> child [child] )
    (<L category pos pos word category-with-head-indices>)

Fields are separated by one space and words are not escaped, so that a word may hold brackets: the
reader splits at spaces and never counts brackets. CCGbank's own files have a space at the end of
each derivation, which the reader allows and the writer can be asked for.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from treewright.data.lines import AnyPath, read_lines
from treewright.data.records import Derivation, Leaf, Node, Tree
from treewright.errors import FormatError

MAX_DEPTH = 1000  # nodes above one another; a few times more than any treebank needs
HEADER = re.compile(r"ID=(\S+) PARSER=(\S+) NUMPARSE=([0-9]{1,9})")


def read_auto(path: AnyPath) -> Iterator[Derivation]:
    """The derivations of an AUTO file, one at a time."""
    lines = read_lines(path)
    for number, line in lines:
        header = HEADER.fullmatch(line)
        if not header:
            raise FormatError(path, number, f"expected ID=... PARSER=... NUMPARSE=..., not {_cut(line)}")
        name, parser, rank = header.groups()
        number, line = next(lines, (number + 1, ""))
        try:
            root = parse_tree(line)
        except ValueError as error:
            raise FormatError(path, number, f"sentence {name}: {error}") from error
        yield Derivation(name, root, parser, int(rank))


def parse_tree(line: str) -> Tree:
    """The derivation that one line holds; a ValueError says what is wrong with it."""
    reader = _TreeReader(line.removesuffix(" ").split(" "))
    root = reader.read()
    if reader.position < len(reader.fields):
        raise ValueError(f"the derivation ends before {_cut(reader.fields[reader.position])}")
    return root


class _TreeReader:
    """Takes a derivation from a list of fields; open nodes wait on a stack of its own."""

    def __init__(self, fields: list[str]) -> None:
        self.fields = fields
        self.position = 0

    def read(self) -> Tree:
        open_nodes: list[tuple[str, int, int, list[Tree]]] = []
        while True:
            tree = self._leaf_or_open(open_nodes)
            while tree is not None:
                if not open_nodes:
                    return tree
                open_nodes[-1][3].append(tree)
                tree = self._close(open_nodes)

    def _leaf_or_open(self, open_nodes: list[tuple[str, int, int, list[Tree]]]) -> Leaf | None:
        match self._take(1)[0]:
            case "(<L":
                return self._leaf()
            case "(<T":
                if len(open_nodes) == MAX_DEPTH:
                    raise ValueError(f"the derivation is deeper than {MAX_DEPTH} nodes")
                category, head, size = self._take(3)
                open_nodes.append((category, *_node_numbers(head, size), []))
                return None
            case other:
                raise ValueError(f"expected '(<T' or '(<L', not {_cut(other)}")

    def _leaf(self) -> Leaf:
        category, pos, changed_pos, word, markup = self._take(5)
        if not markup.endswith(">)"):
            raise ValueError(f"expected '>)' after the five fields of the leaf {_cut(word)}")
        return Leaf(category, word, pos, changed_pos, markup[:-2])

    def _close(self, open_nodes: list[tuple[str, int, int, list[Tree]]]) -> Node | None:
        category, head, size, children = open_nodes[-1]
        if len(children) < size:
            return None
        open_nodes.pop()
        if (bracket := self._take(1)[0]) != ")":
            raise ValueError(f"expected ')' after {size} children, not {_cut(bracket)}")
        return Node(category, tuple(children), head)

    def _take(self, count: int) -> list[str]:
        taken = self.fields[self.position : self.position + count]
        self.position += count
        if len(taken) < count or taken == [""]:
            raise ValueError("the line ends too early" if self._at_end() else "two spaces in a row")
        if "" in taken:
            raise ValueError("an empty field: two spaces in a row")
        return taken

    def _at_end(self) -> bool:
        return self.position >= len(self.fields)


def _node_numbers(head: str, size: str) -> tuple[int, int]:
    if size not in {"1>", "2>"}:
        raise ValueError(f"a node has 1 or 2 children, not {_cut(size.removesuffix('>'))}")
    if head not in {"0", "1"} or int(head) >= int(size[0]):
        raise ValueError(f"the head of a node with {size[0]} children cannot be {_cut(head)}")
    return int(head), int(size[0])


def _cut(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "...")


def format_tree(root: Tree) -> str:
    """The derivation as one line of an AUTO file."""
    parts: list[str] = []
    stack: list[Tree | None] = [root]
    while stack:
        match stack.pop():
            case None:
                parts.append(")")
            case Leaf(category, word, pos, changed_pos, markup):
                parts.append(f"(<L {category} {pos} {changed_pos} {word} {markup or category}>)")
            case Node(category, children, head):
                parts.append(f"(<T {category} {head} {len(children)}>")
                stack.append(None)
                stack.extend(reversed(children))
    return " ".join(parts)


def write_auto(path: AnyPath, derivations: Iterable[Derivation], *, end: str = "") -> None:
    """Write derivations one after the other; `end=" "` closes each as CCGbank's files do."""
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        for d in derivations:
            file.write(f"ID={d.id} PARSER={d.parser} NUMPARSE={d.rank}\n{format_tree(d.root)}{end}\n")
