"""Bracket files: constituency trees in the Penn Treebank's format.

    ( (S (NP-SBJ (PRP It)) (VP (VBZ works)) (. .)) )

A tree can take one line or several. The outermost bracket has no label, as in the Penn Treebank and
in CRAFT, or one like TOP; `()` is a sentence without a parse. The writer writes one tree per line
with the spacing of CRAFT, whose files are reproduced byte for byte.
Format: Bies et al. (1995), Bracketing Guidelines for Treebank II Style.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from treewright.data.brackets import Bracketed, Phrase, Tagged
from treewright.data.lines import Source, filled_lines, source_name
from treewright.errors import FormatError
from treewright.storage.atomic import write_file

MAX_DEPTH = 1000  # nested brackets; several times what treebanks need
# Only ASCII spaces separate words: CRAFT has thin spaces inside words.
PIECE = re.compile(r"[()]|[^()\s]+", re.ASCII)
NAME = re.compile(r"[^()\s]+", re.ASCII)
NO_PARSE = "()"


def read(file: Source) -> Iterator[Bracketed]:
    """Reads the trees of a file, given by path or open as text; `()` is an error."""
    name = source_name(file)
    for line, tree in read_parses(file):
        if tree is None:
            raise FormatError(name, line, "a sentence without a parse")
        yield tree


def read_parses(file: Source) -> Iterator[tuple[int, Bracketed | None]]:
    """Yields the first line number of each tree, and the tree; None for `()`."""
    name, reader, first = source_name(file), _TreeReader(), 1
    for number, line in filled_lines(file):
        for piece in PIECE.findall(line):
            if not reader.open:
                first = number
            try:
                complete = reader.take(piece)
            except ValueError as error:
                begun = f" (in the tree that begins on line {first})" if first < number else ""
                raise FormatError(name, number, f"{error}{begun}") from error
            if complete:
                yield first, reader.tree
    if reader.open:
        raise FormatError(name, first, f"the tree is not closed: {len(reader.open)} open brackets")


@dataclass(slots=True)
class _Open:
    """A bracket whose content is being read."""

    label: str | None = None
    word: str | None = None
    children: list[Bracketed] = field(default_factory=list)

    def name(self, text: str) -> None:
        """Takes a name: first the label, then a word."""
        if self.children:
            raise ValueError(f"the word {_cut(text)} among the children of {_cut(self.label)}")
        if self.label is None:
            self.label = text
        elif self.word is None:
            self.word = text
        else:
            raise ValueError(f"two words, {_cut(self.word)} and {_cut(text)}, under one tag")

    def close(self) -> Bracketed:
        if self.word is not None and self.label is not None:
            return Tagged(self.label, self.word)
        if not self.children:
            raise ValueError(f"the bracket {_cut(self.label)} has nothing in it")
        return Phrase(self.label or "", tuple(self.children))


class _TreeReader:
    """Builds trees from the tokens of a file, with a stack of open brackets."""

    def __init__(self) -> None:
        self.open: list[_Open] = []
        self.tree: Bracketed | None = None
        self.begun = False

    def take(self, piece: str) -> bool:
        """Takes a token; returns whether it ends a tree, which is then in `tree`."""
        if piece == "(":
            self._begin()
            self.begun = True
        elif not self.open:
            what = "" if self.begun else "not a bracket file: "
            raise ValueError(f"{what}{_cut(piece)} outside all brackets")
        elif piece == ")":
            return self._end()
        else:
            self.open[-1].name(piece)
        return False

    def _begin(self) -> None:
        if len(self.open) == MAX_DEPTH:
            raise ValueError(f"the tree is deeper than {MAX_DEPTH} brackets")
        if self.open:
            outer = self.open[-1]
            if outer.word is not None:
                raise ValueError(f"a bracket after the word {_cut(outer.word)}")
            if outer.label is None and len(self.open) > 1:
                raise ValueError("a bracket without a label inside a tree")
            outer.label = outer.label or ""
        self.open.append(_Open())

    def _end(self) -> bool:
        closed = self.open.pop()
        if self.open:
            self.open[-1].children.append(closed.close())
            return False
        self.tree = None if closed == _Open() else closed.close()
        return True


def _cut(text: str | None) -> str:
    text = text or ""
    return repr(text if len(text) <= 40 else text[:40] + "...")


def format_tree(root: Bracketed) -> str:
    """The tree on one line."""
    parts: list[str] = []
    stack: list[Bracketed | str] = [root]
    while stack:
        match stack.pop():
            case str(text):
                parts.append(text)
            case Tagged(label, word):
                parts.append(f" ({_checked(label)} {_checked(word)})")
            case Phrase(label, children):
                parts.append(f" ({_checked(label) if label else ''}")
                stack.append(")" if label else " )")
                stack.extend(reversed(children))
    return "".join(parts)[1:]


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError(f"not a label or word of a bracket file: {name!r}; should it be escaped?")
    return name


def write(trees: Iterable[Bracketed | None], file: Source) -> None:
    """Writes trees, one per line, to a path or an open text file; None as `()`."""
    lines = (f"{NO_PARSE if tree is None else format_tree(tree)}\n" for tree in trees)
    if isinstance(file, str | PathLike):
        write_file(Path(file), lines)
    else:
        file.writelines(lines)
