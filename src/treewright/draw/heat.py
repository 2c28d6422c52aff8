"""Probabilities of a chart as a heat map: one cell per span, or per head and word.

The shade of a cell is its total probability; its title lists the most probable labels.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.draw.svg import Picture, element, shortened, text, text_width, title
from treewright.grammar.treebank import Span

CELL = 22.0  # pixels
SIZE = 11.0  # font size of the words
FAINT = 0.005  # cells with smaller probabilities are left out


@dataclass(frozen=True)
class Cell:
    """The probability of a cell, capped at 1, and its title."""

    probability: float
    title: str


def draw_heat(
    rows: Sequence[str], columns: Sequence[str], cells: Mapping[tuple[int, int], Cell]
) -> Picture:
    """A map with names on the left and on top; cells by row and column, from 0."""
    left = max((text_width(shortened(name, 16), SIZE) for name in rows), default=0.0) + 8
    top = max((text_width(shortened(name, 16), SIZE) for name in columns), default=0.0) * 0.71 + 14
    parts = [
        text(shortened(name, 16), left - 6, top + CELL * row + 15, "small", "end")
        for row, name in enumerate(rows)
    ]
    parts += [
        _slanted(name, left + CELL * column + 12, top - 5) for column, name in enumerate(columns)
    ]
    parts += [
        _cell(cell, left + CELL * column, top + CELL * row)
        for (row, column), cell in sorted(cells.items())
        if cell.probability >= FAINT
    ]
    over = text_width(shortened(columns[-1], 16), SIZE) * 0.71 if columns else 0.0
    width, height = left + CELL * len(columns) + over, top + CELL * len(rows)
    return Picture(width, height, "".join(parts), "Probabilities of the chart")


def _slanted(name: str, x: float, y: float) -> str:
    turned = f"rotate(-45 {x:.1f} {y:.1f})"
    shown = text(shortened(name, 16), x, y, "small", "start")
    return element("g", shown, transform=turned)


def _cell(cell: Cell, x: float, y: float) -> str:
    strength = f"{min(1.0, cell.probability) ** 0.5:.2f}"
    box = {"x": x + 1, "y": y + 1, "width": CELL - 2, "height": CELL - 2, "rx": 3}
    return element("g", title(cell.title), element("rect", class_="heat", opacity=strength, **box))


NAMED = 6  # labels in a title


def span_chart(words: Sequence[str], constituents: Mapping[Span, float]) -> Picture:
    """A map of spans: rows are first words, columns are last words."""
    by_span: dict[tuple[int, int], list[tuple[str, float]]] = defaultdict(list)
    for (begin, end, label), p in constituents.items():
        if 0 <= begin < end <= len(words):
            by_span[begin, end - 1].append((label, p))
    cells = {
        place: _labelled(labels, " ".join(words[place[0] : place[1] + 1]))
        for place, labels in by_span.items()
    }
    return draw_heat(words, words, cells)


def arc_chart(words: Sequence[str], rows: Sequence[Sequence[Mapping[str, Any]]]) -> Picture:
    """A map of arcs: rows are heads, the root first; columns are dependents."""
    by_arc: dict[tuple[int, int], list[tuple[str, float]]] = defaultdict(list)
    for word, arcs in enumerate(rows):
        for arc in arcs:
            if 0 <= int(arc["head"]) <= len(words):
                by_arc[int(arc["head"]), word].append(
                    (str(arc["label"]), float(arc["probability"]))
                )
    heads = ["root", *words]
    cells = {
        (head, word): _labelled(labels, f"{words[word]} under {heads[head]}")
        for (head, word), labels in by_arc.items()
    }
    return draw_heat(heads, words, cells)


def _labelled(labels: list[tuple[str, float]], about: str) -> Cell:
    best = sorted(labels, key=lambda pair: -pair[1])[:NAMED]
    lines = [about, *(f"{label} {p:.3f}" for label, p in best)]
    return Cell(max(p for _, p in labels), "\n".join(lines))
