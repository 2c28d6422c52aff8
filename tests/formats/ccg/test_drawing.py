"""Drawn derivations: golden pictures, and the width of the page."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.conftest import treebank_file
from treewright.data.auto import parse_tree, read_auto
from treewright.data.records import Leaf, Node, Tree, leaves
from treewright.formats.ccg.drawing import draw

GOLDEN = Path(__file__).parents[2] / "golden" / "drawings.txt"


def golden() -> list[tuple[str, int, str]]:
    """Each block of the file: a line with the width of the page and a tree, then its drawing."""
    found = []
    for block in GOLDEN.read_text(encoding="utf-8").split("=== ")[1:]:
        first, _, drawing = block.partition("\n")
        width, _, tree = first.partition(" ")
        found.append((tree, int(width), drawing))
    return found


@pytest.mark.parametrize(("tree", "width", "drawing"), golden())
def test_golden(tree: str, width: int, drawing: str) -> None:
    assert draw(parse_tree(tree), width).strip("\n") == drawing.strip("\n")


def test_wide_characters_keep_columns_straight() -> None:
    tree = r"(<T S 1 2> (<L NP N N 東京 NP>) (<L S\NP V V x S\NP>) )"
    words, lines, categories = draw(parse_tree(tree)).splitlines()[:3]
    assert cell_len(words) == len("東京") * 2 + 2 + 2  # two wide letters, the gap, a centred x
    assert lines == "────  ────"
    assert categories == r" NP   S\NP"


def test_every_sentence_fits_the_page() -> None:
    checked = 0
    for derivation in list(read_auto(treebank_file("ccg-ewt/dev.auto")))[:300]:
        if max(len(leaf.category) for leaf in derivation.leaves) > 30:
            continue
        checked += 1
        assert max(map(cell_len, draw(derivation.root, 90).splitlines())) <= 90
    assert checked > 200


def test_no_word_is_lost_where_a_drawing_is_cut() -> None:
    sentences = list(read_auto(treebank_file("ccg-ewt/dev.auto")))
    root = max((d.root for d in sentences[:50]), key=lambda root: len(list(leaves(root))))
    drawing = draw(root, 60).split()
    assert "[1]" in drawing
    assert all(leaf.word in drawing for leaf in leaves(root))


def test_a_single_word() -> None:
    assert draw(Leaf("NP", "Yes", "UH", "UH")) == "Yes\n───\nNP\n"


def test_where_nothing_fits_the_narrowest_constituents_are_cut() -> None:
    """A pair of words is wider than the page, but most of the sentence is not."""
    category = r"(S[dcl]\NP)/(S[dcl]\NP)"
    root: Tree = Leaf(r"S[dcl]\NP", "works", "VBZ", "VBZ")
    for _ in range(8):
        adverb = Leaf(category, "now", "RB", "RB")
        root = Node(r"S[dcl]\NP", (adverb, root))
    *parts, whole = draw(root, 24).split("The whole")
    assert "".join(parts).count("now") + whole.count("now") == 8
    pair = len(category) + 2 + len(r"S[dcl]\NP")
    lines = [line for line in draw(root, 24).split("\n") if "place" not in line]
    assert max(map(cell_len, lines)) <= pair
