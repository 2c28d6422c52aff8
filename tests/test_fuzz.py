"""A short fuzz of every reader, and the inputs that once were accepted or crashed."""

from pathlib import Path

import pytest

from fuzz.engine import Outcome, attempt, fuzz
from fuzz.report import write_section
from fuzz.targets import TARGETS

# What has been found: brackets of any depth, numbers of any length, markup that is no category.
PAST: dict[str, list[bytes]] = {
    "auto": [
        b"ID=1 PARSER=GOLD NUMPARSE=1\n(<L N NN NN a b N>)\n",
        b"ID=1 PARSER=GOLD NUMPARSE=1\n" + b"(<T S 0 1> " * 3000,
    ],
    "parg": [b'<s id="1"> 1\n1\t0\tN\t1\ta\tb\n<\\s>\n', b"<s> 99999999999999999999\n<\\s>\n"],
    "brackets": [b"(" * 100_000, b"( (S (NP a) b) )", b"(S)"],
    "conllu": [b"".join(b"0.%d\te%s\n" % (i, b"\t_" * 8) for i in range(1, 3000))],
    "markedup": [b"N\n  1 (A{1}B)\n", b"(" * 50_000],
    "toml": [b"x = " + b"9" * 5000, b"beta = 1" + b"0" * 400, b"x = " + b"[" * 3000],
    "tsv": [b"sentence-id\tcorrect\tproduced\tdue\na\t1e3\t1\t1\n", b"\xff"],
    "text": [b"a\0b", b"a " * 100_000],
    "safetensors": [b"\xff" * 8, (10).to_bytes(8, "little") + b"[" * 10],
    "store": [b"", b"\0" * 64],
    "run": [b"[" * 100_000, b'{"seconds": "x", "peak_rss_mb": null}\n', b"{}\n" * 3],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TARGETS)
def test_a_short_fuzz(name: str) -> None:
    found = fuzz(name, 0.2, seed=1)
    assert not found.failures
    assert found.taken >= 1


@pytest.mark.parametrize("name", PAST)
def test_inputs_of_the_past(name: str) -> None:
    outcome = Outcome(name)
    for data in PAST[name]:
        attempt(name, data, outcome)
    assert outcome.executions == len(PAST[name])
    assert not outcome.failures


def test_a_section_of_a_page_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    for title, text in (("A", "old"), ("B", "b"), ("A", "new")):
        write_section(page, title, text)
    assert page.read_text() == "# Reliability\n\n## A\n\nnew\n\n## B\n\nb\n"
