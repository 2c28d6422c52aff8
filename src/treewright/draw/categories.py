"""Categories in drawings: features are lowered, as the books set them."""

import re

from treewright.draw.svg import clean, element
from treewright.draw.widths import shortened, text_width

SIZE, SMALL = 13.0, 10.0
FEATURE = re.compile(r"\[([^\[\]]*)\]")
DROP = 3  # pixels that features are lowered by


def category_width(category: str) -> float:
    """The width of a category in pixels."""
    pieces = FEATURE.split(shortened(category))
    return text_width("".join(pieces[::2]), SIZE) + text_width("".join(pieces[1::2]), SMALL)


def category_text(category: str, x: float, y: float) -> str:
    """A category around a point of its baseline."""
    pieces = FEATURE.split(shortened(category))
    spans: list[str] = []
    lowered = False
    for index, piece in enumerate(pieces):
        feature = index % 2 == 1
        if not piece:
            continue
        dy = (DROP if feature else -DROP) if feature != lowered else None
        spans.append(element("tspan", clean(piece), class_="feature" if feature else None, dy=dy))
        lowered = feature
    return element("text", *spans, class_="category mark", x=x, y=y, text_anchor="middle")
