"""Charts as SVG: bars with their figures, and lines over iterations."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from treewright.draw.svg import Picture, element, path, shortened, text, text_width, title

ROW, LONG = 24.0, 320.0  # height of a bar, and length of a bar of 100 %
WIDTH, HEIGHT, LEFT = 640.0, 240.0, 64.0
DASHES = ("", "6 3", "2 3", "8 3 2 3")


def bar_chart(rows: Sequence[tuple[str, float, str]]) -> Picture:
    """Rows of a name, a proportion, and the text at the end of the bar."""
    left = max((text_width(shortened(name), 13) for name, _, _ in rows), default=0.0) + 10
    parts = []
    for i, (name, share, about) in enumerate(rows):
        y = i * ROW
        box = {"x": left, "y": y + 4, "width": max(1.0, LONG * share), "height": ROW - 8, "rx": 3}
        parts.append(text(shortened(name), left - 6, y + 17, "label", "end"))
        parts.append(element("rect", title(about), class_="heat", opacity="0.55", **box))
        parts.append(text(about, left + LONG * share + 6, y + 17, "small", "start"))
    widest = max((text_width(about, 11) for _, _, about in rows), default=0.0)
    return Picture(left + LONG + 12 + widest, ROW * len(rows), "".join(parts), "Bars")


def line_chart(lines: Mapping[str, Sequence[tuple[float, float]]], about: str) -> Picture:
    """Lines by name; names are at the ends of lines, which differ in dashes."""
    drawn = {name: points for name, points in lines.items() if points}
    points = [point for row in drawn.values() for point in row]
    if not points:
        return Picture(0, 0, "")
    xs, ys = [x for x, _ in points], [y for _, y in points]
    low, high = min(ys), max(ys)
    span_x, span_y = (max(xs) - min(xs)) or 1.0, (high - low) or 1.0

    def place(point: tuple[float, float]) -> tuple[float, float]:
        x = LEFT + (point[0] - min(xs)) / span_x * WIDTH
        return x, 20 + (high - point[1]) / span_y * HEIGHT

    parts = [
        text(about, 0, 10, "heading", "start"),
        path(f"M{LEFT} 20V{20 + HEIGHT}H{LEFT + WIDTH}", ""),
    ]
    parts += [
        text(f"{y:.4g}", LEFT - 6, place((min(xs), y))[1] + 4, "small", "end") for y in (low, high)
    ]
    parts += [text(f"{x:g}", place((x, low))[0], HEIGHT + 36, "small") for x in (min(xs), max(xs))]
    for i, (name, row) in enumerate(drawn.items()):
        parts.append(_line(name, [place(point) for point in row], DASHES[i % len(DASHES)]))
    room = max(text_width(name, 11) for name in drawn) + 12
    return Picture(LEFT + WIDTH + room, HEIGHT + 44, "".join(parts), about)


def square_chart(points: Sequence[tuple[float, float, str]], x: str, y: str) -> Picture:
    """Points between 0 and 1 with their titles, and the diagonal."""
    parts = [
        path(f"M{LEFT} 0V{HEIGHT}H{LEFT + HEIGHT}", ""),
        element(
            "path", d=f"M{LEFT} {HEIGHT}L{LEFT + HEIGHT} 0", class_="curve", stroke_dasharray="2 4"
        ),
        text(y, LEFT + 8, 12, "small", "start"),
        text(x, LEFT + HEIGHT / 2, HEIGHT + 32, "small"),
    ]
    for mark in (0.0, 0.5, 1.0):
        parts.append(text(f"{mark:g}", LEFT - 6, HEIGHT * (1 - mark) + 4, "small", "end"))
        parts.append(text(f"{mark:g}", LEFT + HEIGHT * mark, HEIGHT + 16, "small"))
    places = [(LEFT + HEIGHT * a, HEIGHT * (1 - b)) for a, b, _ in points]
    parts.append(_line("", places, "") if places else "")
    for (a, b), (_, _, about) in zip(places, points, strict=True):
        parts.append(element("circle", title(about), cx=a, cy=b, r=4, class_="heat"))
    return Picture(LEFT + HEIGHT + 12, HEIGHT + 40, "".join(parts), f"{y} by {x}")


def _line(name: str, places: Sequence[tuple[float, float]], dash: str) -> str:
    (x, y), steps = places[0], "".join(f"L{x:.1f} {y:.1f}" for _, (x, y) in pairwise(places))
    line = element("path", d=f"M{x:.1f} {y:.1f}{steps}", class_="curve", stroke_dasharray=dash)
    end_x, end_y = places[-1]
    return element("g", title(name), line, text(name, end_x + 6, end_y + 4, "small", "start"))
