"""The lines of one arc: up from the head, along, and down to the dependent, with an arrow there."""

from treewright.draw.svg import element, path, shade, text
from treewright.draw.widths import text_width

STEP = 21.0  # from one arc to the one above it
ARROW = 7.0
BEND = 6.0  # radius of the corners
SIZE = 11.0  # of the relation's font


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
    """The arc from the root: a line straight down, its label at the right."""
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
