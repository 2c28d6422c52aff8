"""Drawings: well-formed, everything in sight, nothing on top of each other, marks and folds."""

import itertools
import re
from collections.abc import Iterator
from random import Random
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.auto import parse_tree
from treewright.data.brackets import Phrase, Tagged
from treewright.data.records import Dependency
from treewright.draw.arcs import Arc, Row, draw_arcs, levels, rows_of
from treewright.draw.columns import cut_to_fit
from treewright.draw.derivation import draw_derivation
from treewright.draw.nodes import Drawn, Looks, folded, from_brackets, from_derivation, leaves
from treewright.draw.sentences import against, ccg_arcs, dependency_arcs
from treewright.draw.style import LIGHT, STYLE
from treewright.draw.svg import Picture, text_width
from treewright.draw.tree import draw_tree
from treewright.grammar.treebank import Span

SVG = "{http://www.w3.org/2000/svg}"
SLEEPS = r"(<T S[dcl] 1 2> (<L NP NNP NNP He NP>) (<L S[dcl]\NP VBZ VBZ sleeps S[dcl]\NP>) )"


def texts(picture: Picture) -> list[str]:
    root = ET.fromstring(picture.svg())
    return ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]


def groups(picture: Picture, wanted: str) -> list[ET.Element]:
    root = ET.fromstring(picture.svg())
    return [each for each in root.iter(f"{SVG}g") if wanted in each.get("class", "").split()]


def boxes(picture: Picture, wanted: str) -> Iterator[tuple[float, float, float]]:
    """Left end, right end and baseline of texts of a class, in a picture of one part."""
    for each in ET.fromstring(picture.svg()).iter(f"{SVG}text"):
        if wanted in each.get("class", "").split():
            x, half = float(each.get("x", 0)), text_width("".join(each.itertext()), 13) / 2
            yield x - half, x + half, float(each.get("y", 0))


def comb(size: int) -> Phrase:
    """A tree that branches to the right, over `size` words."""
    tree = Phrase("X", (Tagged("N", f"w{size}"),))
    for number in range(size - 1, 0, -1):
        tree = Phrase("X", (Tagged("N", f"w{number}"), tree))
    return tree


def test_a_derivation_in_the_classical_form() -> None:
    picture = draw_derivation(from_derivation(parse_tree(SLEEPS)))
    assert texts(picture) == ["He", "NP", "sleeps", r"Sdcl\NP", "<", "Sdcl"]
    titles = [each.findtext(f"{SVG}title") for each in groups(picture, "node")]
    assert titles[-1] == "S[dcl]\nwords 1 to 2: He sleeps\nhead sleeps"


def test_colours_without_css_variables() -> None:
    """Inkscape, librsvg and others ignore `var()`: the light colour comes first."""
    rules = STYLE[STYLE.index("@media print") :]
    for prop in ("fill", "stroke"):
        variables = re.findall(rf"{prop}:var\(--tw-(\w+)\)", rules)
        plain = re.findall(rf"{prop}:#(\w+);{prop}:var", rules)
        assert variables
        assert [LIGHT[name][1:] for name in variables] == plain


def test_marks_and_probabilities() -> None:
    span = Span(0, 2, "S[dcl]")
    looks = Looks({span: "wrong"}, {span: 0.25})
    picture = draw_derivation(from_derivation(parse_tree(SLEEPS), looks))
    (wrong,) = groups(picture, "wrong")
    assert (wrong.findtext(f"{SVG}title") or "").endswith("probability 0.250\nwrong")
    assert [each.get("opacity") for each in wrong.iter(f"{SVG}rect")] == ["0.64"]


def test_a_tree_has_its_words_in_one_row() -> None:
    picture = draw_tree(from_brackets(comb(5)))
    words = [text for text in texts(picture) if text.startswith("w")]
    assert words == ["w5", "w4", "w3", "w2", "w1"]
    assert len({y for _, _, y in boxes(picture, "word")}) == 1


@given(st.lists(st.text("abMW[]\\/()", min_size=1, max_size=30), min_size=1, max_size=9))
def test_labels_do_not_touch(labels: list[str]) -> None:
    tree = Phrase(labels[0] * 3, tuple(Tagged(label, label) for label in labels))
    picture = draw_tree(from_brackets(tree))
    rows: dict[float, list[tuple[float, float]]] = {}
    for left, right, y in [*boxes(picture, "tag"), *boxes(picture, "label")]:
        assert left >= -0.1
        assert right <= picture.width + 0.1
        rows.setdefault(y, []).append((left, right))
    for row in rows.values():
        row.sort()
        assert all(a[1] < b[0] for a, b in itertools.pairwise(row))


def segments(picture: Picture) -> list[tuple[complex, complex]]:
    """The straight parts of the lines between nodes."""
    found = []
    for each in ET.fromstring(picture.svg()).iter(f"{SVG}path"):
        start, _, rest = each.get("d", "").removeprefix("M").partition("L")
        end, _, low = rest.partition("V")
        points = [complex(*map(float, point.split())) for point in (start, end)]
        points += [complex(points[-1].real, float(low))] if low else []
        found += itertools.pairwise(points)
    return found


def cross(one: tuple[complex, complex], other: tuple[complex, complex]) -> bool:
    """Whether two lines cross, not only at their ends."""

    def side(line: tuple[complex, complex], point: complex) -> float:
        return ((line[1] - line[0]).conjugate() * (point - line[0])).imag

    return all(
        side(a, b[0]) * side(a, b[1]) < -1e-6 for a, b in itertools.permutations((one, other))
    )


def test_lines_of_a_tree_do_not_cross() -> None:
    tree = Phrase("S", (comb(6), Tagged(".", ".")))  # the full stop hangs far below the root
    lines = segments(draw_tree(from_brackets(tree)))
    assert len(lines) > 12
    assert not any(cross(*pair) for pair in itertools.combinations(lines, 2))


def test_wide_trees_are_cut_into_numbered_parts() -> None:
    root = from_brackets(comb(60))
    picture = draw_tree(root, 600)
    shown = texts(picture)
    assert picture.width <= 600
    assert all(shown.count(f"w{number}") == 1 for number in range(1, 61))
    assert shown.count("[1]") == 2
    assert "The whole" in shown[[text.startswith("The whole") for text in shown].index(True)]


def test_what_cannot_be_cut_stays_whole() -> None:
    flat = from_brackets(Phrase("X", tuple(Tagged("N", "word") for _ in range(50))))
    assert cut_to_fit(flat, 100, lambda node: 10.0 * len(leaves(node))) == [flat]


def test_folded_nodes_show_their_words() -> None:
    root = from_brackets(comb(4))
    inner = root.children[1]
    picture = draw_tree(folded(root, {inner.number}))
    assert texts(picture) == ["X", "X", "w2 w3 w4", "N", "w1"]
    assert len(groups(picture, "stub")) == 1


def test_deep_trees_do_not_reach_the_end_of_the_stack() -> None:
    deep: Phrase | Tagged = Tagged("N", "w")
    for _ in range(3000):
        deep = Phrase("X", (deep,))
    assert len(groups(draw_tree(from_brackets(deep)), "node")) == 3001


def test_arcs_stand_above_those_inside() -> None:
    arcs = [Arc(1, 0, "a"), Arc(3, 1, "b"), Arc(None, 3, "root"), Arc(3, 2, "c")]
    assert levels(arcs) == [1, 2, 3, 1]


def test_arcs_of_wrong_and_missing_dependencies() -> None:
    words = ["a", "b", "c"]
    produced = dependency_arcs(words, [2, 0, 2], ["x", "root", "y"])
    due = dependency_arcs(words, [2, 0, 1], ["x", "root", "y"])
    marked = against(produced, due)
    assert [(arc.mark, arc.below) for arc in marked] == [
        ("", False),
        ("", False),
        ("wrong", False),
        ("missed", True),
    ]
    picture = draw_arcs(Row(words, marked))
    assert len(groups(picture, "missed")) == len(groups(picture, "wrong")) == 1


def test_rows_of_a_long_sentence_name_the_words_of_other_rows() -> None:
    words = [f"word{number}" for number in range(40)]
    arcs = dependency_arcs(words, [0, *range(1, 39), 1], ["root", *["dep"] * 39])
    picture = draw_arcs(Row(words, arcs), 500)
    shown = texts(picture)
    assert picture.width < 620
    assert [text for text in shown if text in words] == words
    assert {"dep (word0)", "dep (word39)"} <= set(shown)


def test_the_arcs_of_ccg_have_category_and_slot() -> None:
    (arc,) = ccg_arcs(["He", "sleeps"], [Dependency(1, r"S[dcl]\NP", 1, 0)])
    assert (arc.head, arc.word, arc.label) == (1, 0, r"S[dcl]\NP.1")
    assert arc.title == r"He fills slot 1 of sleeps, S[dcl]\NP.1"


@pytest.mark.parametrize("word", ["<b>&\"'", "\x00\x0b", "\ud800", "]]>", "猫", "é" * 99])
def test_any_word_is_well_formed(word: str) -> None:
    assert len(texts(draw_tree(Drawn("N", 0, 1, word=word)))) == 2
    assert len(texts(draw_arcs(Row([word, word], [Arc(1, 0, word)])))) == 3


def test_nothing_to_draw() -> None:
    assert texts(draw_arcs(Row([]))) == []


@pytest.mark.parametrize("width", [300.0, 420.0, 900.0])
def test_no_row_is_wider_than_asked(width: float) -> None:
    random = Random(1)
    words = [random.choice(["it", "Wednesday", "a", "circumstances"]) for _ in range(60)]
    heads = [random.choice([i - 1, 5, 30, 59]) for i in range(60)]
    arcs = [Arc(h, i, random.choice(["punct", "nmod:poss"])) for i, h in enumerate(heads) if h != i]
    rows = rows_of(Row(words, arcs), width)
    assert [word for row in rows for word in row.words] == words
    assert len(rows) > 1
    assert all(draw_arcs(row).width <= width for row in rows if len(row.words) > 1)
