"""Arcs over words: dependency trees, and CCG dependencies, where a word can have several heads.

An arc is above all arcs inside its span. Arcs leave a word in the order that avoids crossings:
short ones outside, long ones near the middle. Arcs that an analysis lacks are drawn below the
words. A sentence that is wider than the page continues in another row; an arc to a word in another
row extends to the margin and names that word.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from treewright.draw.svg import (
    Picture,
    element,
    path,
    shade,
    shortened,
    stacked,
    text,
    text_width,
    title,
)

STEP = 21.0  # distance from one arc to the one above it
ARROW = 7.0
BEND = 6.0  # radius of the corners
SIZE = 11.0  # in the font of relations


def arc_group(
    ends: tuple[float, float],
    outside: tuple[bool, bool],
    at: float,
    way: int,
    level: int,
    label: str,
    probability: float | None,
) -> str:
    """An arc from head to dependent (`ends`) on `level`; `way` is -1 above words, 1 below.

    outside: whether the head and the dependent are in another row.
    """
    y = at + way * (level * STEP - 4 + ARROW / 2)
    head, word = ends
    bend = min(BEND, abs(head - word) / 2) * (1 if word > head else -1)
    begin = f"M{head:.1f} {y:.1f}"
    if not outside[0]:
        start = at + way * 2
        begin = f"M{head:.1f} {start:.1f}V{y - way * abs(bend):.1f}"
        begin += f"Q{head:.1f} {y:.1f} {head + bend:.1f} {y:.1f}"
    finish = f"H{word:.1f}"
    if not outside[1]:
        finish = f"H{word - bend:.1f}Q{word:.1f} {y:.1f} {word:.1f} {y - way * abs(bend):.1f}"
        finish += f"V{at + way * ARROW:.1f}"
    arrow = "" if outside[1] else _arrow(word, at, way)
    return path(begin + finish, "line") + arrow + _label((head + word) / 2, y, label, probability)


def root_group(
    x: float, at: float, way: int, level: int, label: str, probability: float | None
) -> str:
    """The arc from the root: a vertical line with its label on the right."""
    y = at + way * (level * STEP - 4 + ARROW / 2)
    line = path(f"M{x:.1f} {y:.1f}V{at + way * ARROW:.1f}", "line")
    wide = text_width(label, SIZE)
    return line + _arrow(x, at, way) + _label(x + 8 + wide / 2, y, label, probability)


def _arrow(x: float, at: float, way: int) -> str:
    tip = at + way
    return path(f"M{x - 3.5:.1f} {tip + way * ARROW:.1f}h7L{x:.1f} {tip:.1f}z", "head")


def _label(x: float, y: float, label: str, probability: float | None) -> str:
    wide = text_width(label, SIZE) + 6
    box = {"x": x - wide / 2, "y": y - 7, "width": wide, "height": 14.0}
    ground = element("rect", class_="ground", **box)
    return ground + shade(probability=probability, **box) + text(label, x, y + 4, "relation mark")


WORD, TAG, RELATION = 15.0, 11.0, 11.0  # font sizes
GAP, PORT = 14.0, 7.0  # pixels between words, and between the ends of arcs at a word
TEXT = 18.0  # line height
LONGEST = 32  # characters of a word
MARGIN = 90.0  # space for the labels of arcs that leave a row


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc between words counted from 0; the head None is the root.

    Index -1 is before the first word of a row, and the number of words is after the last one.
    """

    head: int | None
    word: int
    label: str
    mark: str = ""
    probability: float | None = None
    title: str = ""
    below: bool = False

    @property
    def ends(self) -> tuple[int, int]:
        head = self.word if self.head is None else self.head
        return min(self.word, head), max(self.word, head)


@dataclass(frozen=True)
class Row:
    """Words with lines of text below each, the probability of each one's tag, and the arcs."""

    words: Sequence[str]
    arcs: Sequence[Arc] = ()
    tags: Sequence[str] = ()
    probabilities: Sequence[float | None] = ()


def draw_arcs(row: Row, width: float | None = None) -> Picture:
    """The picture of a sentence with arcs, in rows of at most `width` pixels if given."""
    rows = [row] if width is None else rows_of(row, width)
    pictures = [_picture(each) for each in rows]
    whole = pictures[0] if len(pictures) == 1 else stacked(pictures, [""] * len(pictures))
    return replace(whole, label=shortened(" ".join(row.words), 200))


def rows_of(row: Row, width: float) -> list[Row]:
    """Splits the sentence into rows; an arc that leaves a row names the word at its other end."""
    centres, widths = _columns(row, levels(row.arcs))
    if not row.words or _right(row, centres, widths) <= width:
        return [row]
    rights = [centre + wide / 2 for centre, wide in zip(centres, widths, strict=True)]
    rows: list[Row] = []
    begin = 0
    while begin < len(row.words):
        most = centres[begin] - widths[begin] / 2 + width - MARGIN
        end = max(begin + 1, bisect_right(rights, most))
        # Labels that name words in other rows can need more than the margin.
        while end > begin + 1 and _width(_piece(row, begin, end)) > width:
            end -= 1
        rows.append(_piece(row, begin, end))
        begin = end
    return rows


def _width(row: Row) -> float:
    return _right(row, *_columns(row, levels(row.arcs)))


def _piece(row: Row, begin: int, end: int) -> Row:
    arcs = [clipped(arc, begin, end, row.words) for arc in row.arcs]
    tags, shown = row.tags[begin:end], row.probabilities[begin:end]
    return Row(row.words[begin:end], [arc for arc in arcs if arc is not None], tags, shown)


def clipped(arc: Arc, begin: int, end: int, words: Sequence[str]) -> Arc | None:
    """An arc in the row of words `begin` to `end`; None if neither end is in the row."""
    inside = [
        begin <= each < end for each in (arc.word, arc.word if arc.head is None else arc.head)
    ]
    if not any(inside):
        return None
    other = next(
        (e for e, here in zip((arc.word, arc.head), inside, strict=True) if not here), None
    )
    label = arc.label if other is None else f"{arc.label} ({shortened(words[other], 12)})"

    def moved(position: int) -> int:
        return min(max(position, begin - 1), end) - begin

    head = None if arc.head is None else moved(arc.head)
    return replace(arc, head=head, word=moved(arc.word), label=label)


def levels(arcs: Sequence[Arc]) -> list[int]:
    """The height of each arc, from 1; the root's is above all that cover its word."""
    heights = [0] * len(arcs)
    order = sorted(range(len(arcs)), key=lambda i: arcs[i].ends[1] - arcs[i].ends[0])
    for i in sorted(order, key=lambda i: arcs[i].head is None):
        first, last = arcs[i].ends
        others = [j for j in range(len(arcs)) if heights[j] and arcs[j].below == arcs[i].below]
        if arcs[i].head is None:
            under = [j for j in others if arcs[j].ends[0] <= first <= arcs[j].ends[1]]
        else:
            under = [j for j in others if arcs[j].ends[0] < last and first < arcs[j].ends[1]]
        heights[i] = 1 + max((heights[j] for j in under), default=0)
    return heights


def _ports(row: Row, heights: Sequence[int], below: bool) -> list[list[int]]:
    """For each word, its arcs from left to right, by index in the list of arcs."""
    ports: list[list[tuple[tuple[int, int, int], int]]] = [[] for _ in row.words]
    for i, arc in enumerate(row.arcs):
        if arc.below != below:
            continue
        first, last = arc.ends
        if first == last:
            ports[first].append(((1, 0, 0), i))
            continue
        if first >= 0:
            ports[first].append(((2, first - last, -heights[i]), i))
        if last < len(row.words):
            ports[last].append(((0, last - first, heights[i]), i))
    return [[i for _, i in sorted(each)] for each in ports]


def _columns(row: Row, heights: Sequence[int]) -> tuple[list[float], list[float]]:
    """The middle of each word, and its width; arcs have space for their labels."""
    above, under = (_ports(row, heights, below) for below in (False, True))
    tags = row.tags or [""] * len(row.words)
    widths = [
        max(
            text_width(shortened(word, LONGEST), WORD),
            text_width(shortened(tag, LONGEST), TAG) + 6,
            PORT * max(len(a), len(b)),
        )
        for word, tag, a, b in zip(row.words, tags, above, under, strict=True)
    ]
    by_last: list[list[Arc]] = [[] for _ in row.words]
    for arc in row.arcs:
        if arc.ends[0] < arc.ends[1] < len(row.words):
            by_last[arc.ends[1]].append(arc)
    centres: list[float] = []
    at = 0.0
    for word, wide in enumerate(widths):
        middle = at + wide / 2
        for arc in by_last[word]:
            first = arc.ends[0]
            room = text_width(arc.label, RELATION) + 26
            middle = max(middle, (centres[first] if first >= 0 else 0) + room)
        centres.append(middle)
        at = middle + wide / 2 + GAP
    return centres, widths


def _picture(row: Row) -> Picture:
    if not row.words:
        return Picture(0, 0, "")
    heights = levels(row.arcs)
    centres, widths = _columns(row, heights)
    tall = max((h for h, arc in zip(heights, row.arcs, strict=True) if not arc.below), default=0)
    deep = max((h for h, arc in zip(heights, row.arcs, strict=True) if arc.below), default=0)
    top = tall * STEP + ARROW + 4 if tall else 0.0
    bottom = top + TEXT * (2 if row.tags else 1) + 4
    right = _right(row, centres, widths)
    parts = _arcs(row, heights, centres, (top, bottom), right)
    parts += [_word(row, word, centre, top) for word, centre in enumerate(centres)]
    height = bottom + (deep * STEP + ARROW + 8 if deep else 0)
    return Picture(right, height, "".join(parts))


def _right(row: Row, centres: Sequence[float], widths: Sequence[float]) -> float:
    """The right end of the words, and of the labels of roots and of arcs that leave the row."""
    ends = [centres[-1] + widths[-1] / 2]
    for arc in row.arcs:
        first, last = arc.ends
        if arc.head is None or last == len(row.words):
            ends.append(centres[first] + text_width(arc.label, RELATION) + 30)
    return max(ends)


def _arcs(
    row: Row,
    heights: Sequence[int],
    centres: Sequence[float],
    edges: tuple[float, float],
    right: float,
) -> list[str]:
    ports = [_ports(row, heights, below) for below in (False, True)]
    parts = []
    for i in sorted(range(len(row.arcs)), key=lambda i: -heights[i]):
        arc = row.arcs[i]

        def x(word: int, i: int = i, arc: Arc = arc) -> float:
            if not 0 <= word < len(row.words):
                return 0.0 if word < 0 else right
            here = ports[arc.below][word]
            return centres[word] + PORT * (here.index(i) - (len(here) - 1) / 2)

        out = arc.head is not None and not 0 <= arc.head < len(row.words)
        gone = not 0 <= arc.word < len(row.words)
        at, way = edges[arc.below], (1 if arc.below else -1)
        if arc.head is None:
            body = root_group(x(arc.word), at, way, heights[i], arc.label, arc.probability)
        else:
            ends = x(arc.head), x(arc.word)
            body = arc_group(ends, (out, gone), at, way, heights[i], arc.label, arc.probability)
        kind = " ".join(filter(None, ["arc", arc.mark]))
        parts.append(element("g", title(arc.title), body, class_=kind, data_arc=i))
    return parts


def _word(row: Row, word: int, centre: float, top: float) -> str:
    parts = [text(shortened(row.words[word], LONGEST), centre, top + 15, "word")]
    if row.tags:
        tag = shortened(row.tags[word], LONGEST)
        p = row.probabilities[word] if row.probabilities else None
        wide = text_width(tag, TAG) + 8
        hover = "" if p is None else f"{row.tags[word]}\nprobability {p:.3f}"
        parts = [title(hover), shade(centre - wide / 2, top + 20, wide, 16, p), *parts]
        parts.append(text(tag, centre, top + 32, "small"))
    return element("g", *parts, class_="token", data_word=word)
