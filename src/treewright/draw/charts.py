"""Charts as maps of probabilities: spans of words, or heads of words."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from treewright.draw.heat import Cell, draw_heat
from treewright.draw.svg import Picture
from treewright.grammar.treebank import Span

NAMED = 6  # labels in a title


def span_chart(words: Sequence[str], constituents: Mapping[Span, float]) -> Picture:
    """Rows are first words, columns last words of spans;."""
    found: dict[tuple[int, int], list[tuple[str, float]]] = defaultdict(list)
    for (begin, end, label), p in constituents.items():
        if 0 <= begin < end <= len(words):
            found[begin, end - 1].append((label, p))
    cells = {
        place: _cell(labels, " ".join(words[place[0] : place[1] + 1]))
        for place, labels in found.items()
    }
    return draw_heat(words, words, cells)


def arc_chart(words: Sequence[str], rows: Sequence[Sequence[Mapping[str, Any]]]) -> Picture:
    """Rows are heads, the root first; columns are the words that have them."""
    found: dict[tuple[int, int], list[tuple[str, float]]] = defaultdict(list)
    for word, arcs in enumerate(rows):
        for arc in arcs:
            if 0 <= int(arc["head"]) <= len(words):
                found[int(arc["head"]), word].append((str(arc["label"]), float(arc["probability"])))
    heads = ["root", *words]
    cells = {
        (head, word): _cell(labels, f"{words[word]} under {heads[head]}")
        for (head, word), labels in found.items()
    }
    return draw_heat(heads, words, cells)


def _cell(labels: list[tuple[str, float]], about: str) -> Cell:
    best = sorted(labels, key=lambda pair: -pair[1])[:NAMED]
    lines = [about, *(f"{label} {p:.3f}" for label, p in best)]
    return Cell(max(p for _, p in labels), "\n".join(lines))
