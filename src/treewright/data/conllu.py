"""CoNLL-U and CoNLL-X files: dependency trees, a word a line, ten columns, a blank line after each.

    # sent_id = 1
    1-2   don't   _   _    _    _   _   _      _   _        a multiword token
    1     do      do  AUX  VBP  _   3   aux    _   _        tabs between the columns
    8.1   reported ...                                      an empty node

The reader is strict about sentences, and what it accepts the writer gives back byte for byte, but
for extra or missing blank lines, CR LF and a byte order mark. CoNLL-X is the same without comments,
multiword tokens and empty nodes, and with any number of roots.
Format: universaldependencies.org/format.html; Buchholz and Marsi (2006).
"""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from os import PathLike
from pathlib import Path

from treewright.data.conllu_block import Dialect, Heads, parse_block
from treewright.data.dependency import DependencyTree
from treewright.data.lines import Source, read_lines, source_name
from treewright.errors import FormatError
from treewright.storage.atomic import write_file

CONLLX = (".conllx", ".conll")


def read(
    file: Source, dialect: Dialect | None = None, *, heads: Heads = "all"
) -> Iterator[DependencyTree]:
    """The sentences of a file, given by its path or open as text, one at a time.

    Args:
        file: the path, or the open file.
        dialect: without one the file's name decides: `.conllx` and `.conll` are CoNLL-X.
        heads: all are there and make a tree; or some are, the others are `_` and become -1; or none
            is read, as in the input of a parser: whatever stands there, it becomes 0.
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
    """The lines of one sentence, the blank one included; a ValueError if a field breaks a line."""
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
    lines = [*map(_comment, tree.comments), *map(_line, rows)]
    return "\n".join(lines) + "\n\n"


def _breaks(line: str) -> bool:
    return "\n" in line or "\0" in line or line.endswith("\r")


def _comment(line: str) -> str:
    if not line.startswith("#") or _breaks(line):
        raise ValueError(f"not one line that begins with #: {line!r}")
    return line


def _line(row: tuple[str, ...]) -> str:
    line = "\t".join(row)
    if "" in row or line.count("\t") != 9 or _breaks(line):
        raise ValueError(f"a field is empty or has a tab or a line end: {row}")
    return line


def write(sentences: Iterable[DependencyTree], file: Source) -> None:
    """Write sentences one after the other, to a file that is open for text, or as a whole."""
    texts = map(format_sentence, sentences)
    if isinstance(file, str | PathLike):
        write_file(Path(file), texts)
    else:
        file.writelines(texts)
