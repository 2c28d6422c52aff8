"""Formats of files by name and first line; a kind refuses those that it cannot read."""

from pathlib import Path

import pytest

from treewright.data.sniff import format_of, readable_format
from treewright.errors import FormatError

TEXT, NINE = Path("in.txt"), "\t_" * 9


@pytest.mark.parametrize(
    ("source", "first", "expected"),
    [
        ("x.conllu", "anything", "CoNLL-U"),
        ("X.MRG", "(S", "bracket"),
        ("x.auto", "", "AUTO"),
        ("in.txt", "# sent_id = 1\n", "CoNLL-U"),
        ("in.txt", "# newdoc\n", "CoNLL-U"),
        ("in.txt", f"\ufeff1{NINE}\r\n", "CoNLL-U"),
        ("in.txt", "( (S (NP (NN dog))))\n", "bracket"),
        ("in.txt", "(TOP (S\n", "bracket"),
        ("in.txt", "(S\n", "bracket"),
        ("in.txt", "(\n", "bracket"),
        ("in.txt", "ID=wsj_0001.1 PARSER=GOLD NUMPARSE=1\n", "AUTO"),
        ("in.txt", "ID=1\n", "AUTO"),
        ("in.txt", "ID=1, Prob=-0.0006\n", "AUTO"),
        ("in.txt", "ID=1 is wrong\n", None),
        ("in.txt", '<s id="wsj_0001.1"> 17\n', "PARG"),
        ("in.txt", "#FORMAT 4\n", "export"),
        ("in.txt", "#BOS 1 2 1067523421 0\n", "export"),
        ("in.txt", "%% word\tlemma\ttag\n", "export"),
        ("in.xml", '<?xml version="1.0"?>\n', "XML"),
        ("in.txt", "#FORMAT of the day\n", None),
        ("in.txt", "(Reuters) - Shares fell (again).\n", None),
        ("in.txt", "( a note )\n", None),
        ("in.txt", "(see (1) above)\n", None),
        ("in.txt", "# 1 in the charts\n", None),
        ("in.txt", "a\tb\tc\n", None),
        ("in.txt", "", None),
    ],
)
def test_formats(source: str, first: str, expected: str | None) -> None:
    assert format_of(Path(source), first) == expected


def test_what_is_foreign_is_refused() -> None:
    assert readable_format(TEXT, "(S (NP", "const", ("bracket",)) == "bracket"
    assert readable_format(TEXT, "plain text", "dep", ("CoNLL-U",)) is None
    wanted = r"in.txt:1: this looks like a bracket file, .* 'dep' reads CoNLL-U files or text"
    with pytest.raises(FormatError, match=wanted):
        readable_format(TEXT, "(S (NP", "dep", ("CoNLL-U",))
    with pytest.raises(FormatError, match="an AUTO file, but a model of kind 'pos' reads text"):
        readable_format(Path("a.auto"), "", "pos")
