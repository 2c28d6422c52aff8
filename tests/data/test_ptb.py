"""Bracket files: round trips, many-line trees, and what must be refused."""

import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import treebank_file
from treewright.data.brackets import Phrase, Tagged, escape, tagged_words, unescape
from treewright.data.ptb import MAX_DEPTH, format_tree, read, read_parses, write
from treewright.errors import FormatError

WORKS = "( (S (NP-SBJ (PRP It)) (VP (VBZ works)) (. .)) )"
BRACKETS = "(TOP (PRN (-LRB- -LRB-) (NP (NN x)) (-RRB- -RRB-)))"


def round_trip(text: str) -> str:
    out = io.StringIO()
    write(read(io.StringIO(text)), out)
    return out.getvalue()


@pytest.mark.parametrize("text", [WORKS, BRACKETS, "(NN x)", "(NN x\u2009y)"])
def test_one_tree_a_line_comes_back(text: str) -> None:
    assert round_trip(f"{text}\n" * 2) == f"{text}\n" * 2


def test_trees_of_many_lines_and_many_trees_of_a_line() -> None:
    spread = WORKS.replace(" (", "\n\t(").replace(")", ")\r\n")
    assert round_trip(spread + "\n\n" + BRACKETS + WORKS) == f"{WORKS}\n{BRACKETS}\n{WORKS}\n"
    assert [line for line, _ in read_parses(io.StringIO("\n" + WORKS + "\n" + spread))] == [2, 3]


@pytest.mark.parametrize("part", ["train", "dev"])
def test_craft_comes_back_byte_for_byte(part: str) -> None:
    path = treebank_file(f"const-craft/{part}.mrg")
    assert "".join(f"{format_tree(tree)}\n" for tree in read(path)).encode() == path.read_bytes()


def test_sentences_without_a_parse(tmp_path: Path) -> None:
    path = tmp_path / "parses"
    path.write_text(f"{WORKS}\n()\n")
    trees = [tree for _, tree in read_parses(path)]
    assert trees[1] is None
    write(trees, tmp_path / "again")
    assert (tmp_path / "again").read_text() == path.read_text()
    with pytest.raises(FormatError, match="parses:2: a sentence without a parse"):
        list(read(path))


def test_reading_streams() -> None:
    trees = read(io.StringIO(WORKS + "\n)\n"))
    assert [leaf.word for leaf in tagged_words(next(trees))] == ["It", "works", "."]
    with pytest.raises(FormatError, match="<text>:2: "):
        next(trees)


BAD = [
    ("\n \n", 1, "the file has no sentences"),
    (WORKS + "\n(S (NN x)\n\n", 2, "not closed: 1 open brackets"),
    (WORKS + ")\n", 1, "^[^:]+:1: '\\)' outside all brackets"),
    ("\nS (NN x)\n", 2, "not a bracket file: 'S' outside all brackets"),
    ("# sent_id = 1\n", 1, "not a bracket file: '#' outside all brackets"),
    ("(S\n (NP))\n", 2, "'NP' has nothing in it"),
    ("(S ())\n", 1, "'' has nothing in it"),
    ("(S)\n", 1, "'S' has nothing in it"),
    ("(NN x y)\n", 1, "two words, 'x' and 'y'"),
    ("(S (NN x) y)\n", 1, "the word 'y' among the children of 'S'"),
    ("(NN x (NN y))\n", 1, "a bracket after the word 'x'"),
    ("(S ((NN x)))\n", 1, "a bracket without a label inside a tree$"),
    ("\n(S (NN x)\n( (S", 3, r"inside a tree \(in the tree that begins on line 2\)"),
    ("(S " * (MAX_DEPTH + 1) + "\n", 1, f"deeper than {MAX_DEPTH}"),
    ("(NN \0)\n", 1, "NUL"),
    ("", 1, "the file is empty"),
]


@pytest.mark.parametrize(("text", "line", "message"), BAD)
def test_malformed_files(text: str, line: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.mrg"
    path.write_text(text)
    with pytest.raises(FormatError, match=message) as caught:
        list(read(path))
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "bad.mrg"
    path.write_bytes(b"(NN x)\n(NN \xff)\n")
    with pytest.raises(FormatError, match=r"bad\.mrg:2: not UTF-8 at byte 5"):
        list(read(path))


def test_the_deepest_tree_that_is_allowed() -> None:
    text = "(S " * (MAX_DEPTH - 1) + "(NN x)" + ")" * (MAX_DEPTH - 1) + "\n"
    assert round_trip(text) == text


def test_trees_far_deeper_than_pythons_stack() -> None:
    tree: Tagged | Phrase = Tagged("NN", "x")
    for _ in range(100_000):
        tree = Phrase("S", (tree,))
    assert format_tree(tree).startswith("(S (S (S ")
    assert repr(tree) == "Phrase('S', 1 words)"


@pytest.mark.parametrize(("label", "word"), [("NN", "a b"), ("NN", "("), ("", "a"), ("NN", "")])
def test_what_cannot_be_written(label: str, word: str) -> None:
    with pytest.raises(ValueError, match="should it be escaped"):
        format_tree(Tagged(label, word))


def test_a_node_needs_children() -> None:
    with pytest.raises(ValueError, match="'NP' has no children"):
        Phrase("NP", ())


@given(st.text(alphabet="()[]{}-ab/", max_size=8))
def test_escapes(word: str) -> None:
    assert unescape(escape(word)) == word
    assert not set("()[]{}") & set(escape(word))


def outcome(text: str) -> str | int:
    """What comes back, or the line of the error."""
    try:
        return round_trip(text)
    except FormatError as error:
        return error.line


@given(st.text(alphabet="() \nab", max_size=30))
def test_any_text_is_refused_or_means_the_same_again(text: str) -> None:
    found = outcome(text)
    if isinstance(found, int):
        assert 1 <= found <= text.count("\n") + 1
    else:
        assert re.sub(r"\s", "", found) == re.sub(r"\s", "", text)
        assert found in {"", outcome(found)}
