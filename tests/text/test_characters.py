"""Characters, chunks and runs: positions, gaps and paragraphs of texts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.text.characters import BLANK, LETTER, CharacterTable, read_characters
from treewright.text.runs import chunks, runs

TEXTS = st.text(st.characters(max_codepoint=0x1FFFF) | st.sampled_from(" \n\r\t.\u2029\ufeff"))


@given(TEXTS)
def test_positions_are_the_characters_that_are_no_blanks(text: str) -> None:
    found = read_characters(text, CharacterTable())
    kept = [i for i, c in enumerate(text) if not c.isspace() and c != "\ufeff"]
    assert found.offset.tolist() == kept
    assert [chr(point) for point in found.points] == [text[i] for i in kept]
    assert BLANK not in found.facts.broad
    # Gaps and positions together are the text, but for blanks at its beginning.
    gaps = [b - a - 1 for a, b in pairwise(kept)]
    assert found.blanks.tolist()[:-1] == gaps


@pytest.mark.parametrize(
    ("text", "paragraphs"),
    [
        ("", []),
        (" \n\n ", []),
        ("a b", ["ab"]),
        ("a\nb", ["ab"]),
        ("a\n\nb", ["a", "b"]),
        ("a\r\n\r\nb\rc", ["a", "bc"]),
        ("a\r\rb", ["a", "b"]),
        ("a\u2029b", ["a", "b"]),
        ("\n\na\n \t\nb\n\n", ["a", "b"]),
    ],
)
def test_blank_lines_divide_paragraphs(text: str, paragraphs: list[str]) -> None:
    found = read_characters(text, CharacterTable())
    letters = [chr(point) for point in found.points]
    first = found.first.tolist()
    assert ["".join(letters[a:b]) for a, b in pairwise(first)] == paragraphs


def test_by_line_every_line_is_a_paragraph() -> None:
    found = read_characters("a b\nc\r\n\nd", CharacterTable(), by_line=True)
    assert found.first.tolist() == [0, 2, 3, 4]


def test_chunks_end_at_blanks_and_runs_at_other_characters() -> None:
    found = read_characters("didn't... 12a ビール飲む", CharacterTable())
    text = "".join(chr(point) for point in found.points)

    def pieces(first: list[int]) -> list[str]:
        return [text[a:b] for a, b in pairwise(first)]

    assert pieces(chunks(found).first.tolist()) == ["didn't...", "12a", "ビール飲む"]
    expected = ["didn", "'", "t", "...", "12", "a", "ビール", "飲", "む"]
    assert pieces(runs(found).first.tolist()) == expected


def test_lone_surrogates_and_nul_are_characters() -> None:
    found = read_characters("a\ud800\0b", CharacterTable())
    assert found.offset.tolist() == [0, 1, 2, 3]
    assert found.facts.broad[[0, 3]].tolist() == [LETTER, LETTER]
