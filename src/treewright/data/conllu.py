"""CoNLL-U and CoNLL-X files: dependency trees with ten columns, one word per line.

    # sent_id = 1
    1-2   don't   _   _    _    _   _   _      _   _        a multiword token
    1     do      do  AUX  VBP  _   3   aux    _   _        tabs between the columns
    8.1   reported ...                                      an empty node

A blank line ends a sentence. The reader is strict; the writer reproduces what was read byte for
byte, except for extra or missing blank lines, CR LF and a byte order mark. CoNLL-X is the same
without comments, multiword tokens and empty nodes, and with any number of roots.
Format: universaldependencies.org/format.html; Buchholz and Marsi (2006).
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Literal

from treewright.data.dependency import DependencyTree, EmptyNode, MultiwordToken, Word, top_down
from treewright.data.lines import Source, read_lines, source_name
from treewright.errors import FormatError
from treewright.storage.atomic import write_file

Dialect = Literal["conllu", "conllx"]
Heads = Literal["all", "some", "none"]
COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
SPACED = {"FORM", "LEMMA", "MISC"}  # columns that can contain spaces
NUMBER = re.compile(r"0|[1-9][0-9]{0,6}")
RANGE = re.compile(r"([1-9][0-9]{0,6})-([1-9][0-9]{0,6})")
EMPTY = re.compile(r"(0|[1-9][0-9]{0,6})\.([1-9][0-9]{0,6})")


def parse_block(
    name: str, lines: list[tuple[int, str]], dialect: Dialect, heads: Heads = "all"
) -> DependencyTree:
    """Parses the sentence in numbered lines; `name` is the file's, for errors."""
    block = _Block(plain=dialect == "conllx", heads=heads)
    rows: list[int] = []  # the line of each word
    for number, line in lines:
        try:
            block.add(line)
        except ValueError as error:
            raise FormatError(name, number, str(error)) from error
        if len(block.words) > len(rows):
            rows.append(number)
    if not block.words:
        raise FormatError(name, lines[0][0], "a sentence without words")
    if block.tokens and block.tokens[-1].last > len(block.words):
        raise FormatError(name, lines[-1][0], "the last multiword range ends after the last word")
    numbers = [word.head for word in block.words]
    fault = _range_fault(numbers) or (_tree_fault(numbers, dialect) if heads == "all" else None)
    if fault:
        raise FormatError(name, rows[fault[0] - 1], fault[1])
    return block.tree()


@dataclass(slots=True)
class _Block:
    """A sentence whose lines are being read."""

    plain: bool  # no comments, tokens or empty nodes
    heads: Heads = "all"  # whose values are numbers
    comments: list[str] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    tokens: list[MultiwordToken] = field(default_factory=list)
    empty_nodes: list[EmptyNode] = field(default_factory=list)

    def add(self, line: str) -> None:
        if line.startswith("#") and not self.plain:
            if self.words or self.tokens or self.empty_nodes:
                raise ValueError("a comment between the words of a sentence")
            self.comments.append(line)
        else:
            self._add_row(_columns(line))

    def tree(self) -> DependencyTree:
        tokens, nodes = tuple(self.tokens), tuple(self.empty_nodes)
        return DependencyTree(tuple(self.words), tuple(self.comments), tokens, nodes)

    def _add_row(self, columns: list[str]) -> None:
        name = columns[0]
        if name == str(len(self.words) + 1):
            self.words.append(_word(columns, self.heads))
        elif not self.plain and (match := RANGE.fullmatch(name)):
            self.tokens.append(self._token(int(match[1]), int(match[2]), columns))
        elif not self.plain and (match := EMPTY.fullmatch(name)):
            self.empty_nodes.append(self._empty_node(int(match[1]), int(match[2]), columns))
        else:
            raise ValueError(f"expected the id {len(self.words) + 1}, not {name!r}")

    def _token(self, first: int, last: int, columns: list[str]) -> MultiwordToken:
        if first >= last or first != len(self.words) + 1:
            raise ValueError(f"bad range {columns[0]}: the next word is {len(self.words) + 1}")
        if self.tokens and self.tokens[-1].last >= first:
            raise ValueError(f"the range {columns[0]} overlaps the one before it")
        _check_blank(columns, "LEMMA", "UPOS", "XPOS", "HEAD", "DEPREL", "DEPS")
        return MultiwordToken(first, last, columns[1], columns[5], columns[9])

    def _empty_node(self, after: int, index: int, columns: list[str]) -> EmptyNode:
        last = self.empty_nodes[-1] if self.empty_nodes else None
        due = last.rank + 1 if last and last.after == len(self.words) else 1
        if (after, index) != (len(self.words), due):
            raise ValueError(f"expected the empty node {len(self.words)}.{due}, not {columns[0]}")
        if self.tokens and self.tokens[-1].first == len(self.words) + 1:
            raise ValueError(
                f"the empty node {columns[0]} is between a multiword range and its first word"
            )
        _check_blank(columns, "HEAD", "DEPREL")
        return EmptyNode(after, index, tuple(columns[1:]))


def _columns(line: str) -> list[str]:
    columns = line.split("\t")
    if len(columns) != len(COLUMNS):
        wanted = f"expected {len(COLUMNS)} columns with tabs between, not {len(columns)}"
        raise ValueError(f"not CoNLL-U: {wanted}")
    if "" in columns:
        raise ValueError(f"the column {COLUMNS[columns.index('')]} is empty")
    if " " in line:
        for title, text in zip(COLUMNS, columns, strict=True):
            if " " in text and title not in SPACED:
                raise ValueError(f"a space in the column {title}: {text!r}")
    return columns


def _word(columns: list[str], heads: Heads) -> Word:
    _, form, lemma, upos, xpos, feats, head, deprel, deps, misc = columns
    return Word(form, lemma, upos, xpos, feats, _head(head, heads), deprel, deps, misc)


def _head(text: str, heads: Heads) -> int:
    if heads == "none":
        return 0
    if heads == "some" and text == "_":
        return -1
    if not NUMBER.fullmatch(text):
        raise ValueError(f"the head is not a word id: {text!r}")
    return int(text)


def _check_blank(columns: list[str], *titles: str) -> None:
    for title in titles:
        if columns[COLUMNS.index(title)] != "_":
            raise ValueError(f"{columns[0]} cannot have the column {title}")


def _range_fault(heads: list[int]) -> tuple[int, str] | None:
    """The first word, from 1, whose head is not in the sentence."""
    for word, head in enumerate(heads, start=1):
        if head > len(heads):
            return word, f"the head {head} of a sentence of {len(heads)} words"
    return None


def _tree_fault(heads: list[int], dialect: Dialect) -> tuple[int, str] | None:
    """The first word, from 1, at which the heads are not a tree, and the reason."""
    roots = [word for word, head in enumerate(heads, start=1) if not head]
    if not roots:
        return 1, "the sentence has no root"
    if len(roots) > 1 and dialect == "conllu":
        return roots[1], f"a second root, after word {roots[0]}"
    if loose := set(range(1, len(heads) + 1)).difference(top_down(heads)):
        return min(loose), f"word {min(loose)} hangs on a cycle"
    return None


CONLLX = (".conllx", ".conll")
_WRONG = re.compile(r"\t[\t\n]|\n\t|\0|\r\n")  # an empty field, or characters that end a line


def read(
    file: Source, dialect: Dialect | None = None, *, heads: Heads = "all"
) -> Iterator[DependencyTree]:
    """Reads the sentences of a file, given by path or open as text, one at a time.

    Args:
        file: the path, or the open file.
        dialect: by default, `.conllx` and `.conll` files are CoNLL-X.
        heads: "all": all heads are given and form a tree; "some": `_` becomes -1; "none": heads are
            ignored, as in parser input, and become 0.
    """
    name = source_name(file)
    dialect = dialect or ("conllx" if name.endswith(CONLLX) else "conllu")
    block: list[tuple[int, str]] = []
    empty = True
    for number, line in chain(read_lines(file), [(0, "")]):
        if line:
            block.append((number, line))
        elif block:
            yield parse_block(name, block, dialect, heads)
            block, empty = [], False
    if empty:
        raise FormatError(name, 1, "the file has no sentences")


def format_sentence(tree: DependencyTree) -> str:
    """The lines of one sentence and a blank line; a ValueError if a field contains a line end."""
    tokens = {token.first: token for token in tree.tokens}
    rows: list[tuple[str, ...]] = []
    waiting = deque(tree.empty_nodes)
    for i, word in enumerate((*tree.words, None)):
        while waiting and waiting[0].after == i:
            node = waiting.popleft()
            rows.append((f"{i}.{node.rank}", *node.columns))
        if token := tokens.get(i + 1):
            name, blank = f"{token.first}-{token.last}", ("_",) * 3
            rows.append((name, token.form, *blank, token.feats, *blank, token.misc))
        if word:
            head = "_" if word.head < 0 else str(word.head)
            rows.append((str(i + 1), *word[:5], head, *word[6:]))
    lines = [*map(_comment, tree.comments), *_lines(rows)]
    return "\n".join(lines) + "\n\n"


def _lines(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows as lines; rows are only checked one by one if something is wrong."""
    lines = list(map("\t".join, rows))
    text = "\n".join(lines)
    whole = text.count("\t") == 9 * len(rows) and text.count("\n") == len(rows) - 1
    if not rows or (whole and not _WRONG.search(f"\n{text}\n")):
        return lines
    return list(map(_line, rows))


def _breaks(line: str) -> bool:
    return "\n" in line or "\0" in line or line.endswith("\r")


def _comment(line: str) -> str:
    if not line.startswith("#") or _breaks(line):
        raise ValueError(f"a comment must be one line that starts with #: {line!r}")
    return line


def _line(row: tuple[str, ...]) -> str:
    line = "\t".join(row)
    if "" in row or line.count("\t") != 9 or _breaks(line):
        raise ValueError(f"a field is empty or has a tab or a line end: {row}")
    return line


def write(sentences: Iterable[DependencyTree], file: Source) -> None:
    """Writes sentences to an open text file, or atomically to a path."""
    texts = map(format_sentence, sentences)
    if isinstance(file, str | PathLike):
        write_file(Path(file), texts)
    else:
        file.writelines(texts)
