"""What a command reads: a file, stdin, or text on the command line."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

STDIN = Path("/dev/stdin")
FILE_NAME = re.compile(r"\S*(?:/\S*|\.\w+)")  # one word with a slash or a suffix


@contextmanager
def opened(source: str) -> Iterator[Path]:
    """The file to read; for text, a file that lasts as long as it is needed."""
    if source == "-":
        if sys.stdin.isatty():
            typer.echo("treewright: reading from the terminal; Ctrl-D ends the text", err=True)
        yield STDIN
    elif is_text(source):
        with TemporaryDirectory() as directory:
            file = Path(directory) / "text.txt"
            file.write_text(source + "\n", encoding="utf-8")
            yield file
    else:
        yield Path(source)


def is_text(source: str) -> bool:
    """Whether an argument is text: no file has that name, and it does not look like one."""
    try:
        return not Path(source).exists() and FILE_NAME.fullmatch(source) is None
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return True
