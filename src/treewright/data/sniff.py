"""Detects the format of a file by its name or its first line.

A parser must not read a treebank of another formalism as text, or of a format that nothing here
reads: NEGRA's export, and XML such as TIGER's.
"""

import re
from pathlib import Path

from treewright.errors import FormatError

SUFFIXES = {
    ".conllu": "CoNLL-U",
    ".conll": "CoNLL-U",
    ".conllx": "CoNLL-U",
    ".mrg": "bracket",
    ".ptb": "bracket",
    ".auto": "AUTO",
    ".parg": "PARG",
}
# A tree starts with a second bracket or a label and a bracket; `(Reuters)` and `( a` are text.
LINES = {
    "CoNLL-U": re.compile(r"#\s*(?:newdoc|newpar|\S+\s*=)|[^\t]+(?:\t[^\t]*){9}$"),
    "bracket": re.compile(r"\s*\(\s*(?:$|\(\s*[^\s()a-z][^\s()]*\s|[^\s()a-z][^\s()]*\s*(?:\(|$))"),
    "AUTO": re.compile(r"ID=\S+(?: PARSER=|,? (?:log probability|Prob)=| ?$)|\{[<>A-Z]\S* \S+ \{"),
    "PARG": re.compile(r"<s id="),
    "export": re.compile(r"#FORMAT [34]\s*$|#BOS\s+\d+(?:\s|$)|%%\s*word\s"),
    "XML": re.compile(r"<\?xml\s"),
}


def format_of(source: Path, first: str) -> str | None:
    """The treebank format of a file whose first line is given; None for text."""
    line = first.removeprefix("\ufeff").rstrip("\r\n")
    by_line = (name for name, pattern in LINES.items() if pattern.match(line))
    return SUFFIXES.get(source.suffix.lower()) or next(by_line, None)


def readable_format(source: Path, first: str, kind: str, known: tuple[str, ...] = ()) -> str | None:
    """The format of a file if it is known; None for text; other formats are an error."""
    form = format_of(source, first)
    if form is not None and form not in known:
        takes = f"{', '.join(known)} files or text" if known else "text"
        what = f"this looks like {_article(form)} {form} file, but a model of kind {kind!r} reads"
        how = "use --tokens, --sentences or --raw if it is text"
        raise FormatError(source, 1, f"{what} {takes} ({how})")
    return form


def _article(name: str) -> str:
    return "an" if name in ("AUTO", "export", "XML") else "a"
