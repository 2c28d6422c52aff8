"""SVG elements as text, and the picture that a drawing becomes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from treewright.draw.style import STYLE
from treewright.draw.widths import text_width

Attribute = str | float | int | None
MARGIN = 10.0
# Characters that XML cannot hold, escaped or not.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """Text as XML has it, in elements and in attributes."""
    return escape(FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text))


def element(name: str, *content: str, **attributes: Attribute) -> str:
    """One element; content is SVG already. `class_` is the attribute class, `a_b` is a-b."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None and value != ""
    )
    inner = "".join(content)
    return f"<{name}{given}>{inner}</{name}>" if inner else f"<{name}{given}/>"


def _value(value: Attribute) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else clean(str(value))


def title(text: str) -> str:
    """What is shown when the pointer rests on an element."""
    return element("title", clean(text)) if text else ""


def text(content: str, x: float, y: float, class_: str, anchor: str = "middle") -> str:
    """A line of text around a point of its baseline."""
    return element("text", clean(content), class_=class_, x=x, y=y, text_anchor=anchor)


def path(points: str, class_: str) -> str:
    """A line along SVG's path commands."""
    return element("path", d=points, class_=class_)


def shade(x: float, y: float, width: float, height: float, probability: float | None) -> str:
    """A ground behind a label, the stronger the less probable it is."""
    if probability is None:
        return ""
    doubt = f"{min(0.85, 0.85 * (1 - probability)):.2f}"
    box = {"x": x, "y": y, "width": width, "height": height, "rx": 4}
    return element("rect", class_="shade", opacity=doubt, **box) if float(doubt) else ""


@dataclass(frozen=True)
class Picture:
    """A drawing: SVG elements, which may reach from 0 to `width` and to `height`."""

    width: float
    height: float
    content: str
    label: str = ""

    def svg(self, styled: bool = True) -> str:
        """An SVG document; without its style it looks right only on a page that has it."""
        width, height = self.width + 2 * MARGIN, self.height + 2 * MARGIN
        ground = element("rect", class_="ground", width=width, height=height, rx=6)
        inner = element("g", self.content, transform=f"translate({MARGIN:g} {MARGIN:g})")
        style = element("style", STYLE) if styled else ""
        return element(
            "svg",
            title(self.label) + style + ground + inner,
            xmlns="http://www.w3.org/2000/svg",
            class_="treewright",
            width=width,
            height=height,
            viewBox=f"0 0 {width:.1f} {height:.1f}",
            role="img",
        )


def stacked(pictures: Sequence[Picture], headings: Sequence[str], gap: float = 16) -> Picture:
    """Pictures one below the other, each under its heading; a heading may be empty."""
    parts: list[str] = []
    y = width = 0.0
    for picture, heading in zip(pictures, headings, strict=True):
        if heading:
            parts.append(text(heading, 0, y + 13, "heading", "start"))
            y += 22
            width = max(width, text_width(heading, 13))
        parts.append(element("g", picture.content, transform=f"translate(0 {y:g})"))
        y += picture.height + gap
        width = max(width, picture.width)
    label = pictures[0].label if pictures else ""
    return Picture(width, max(0.0, y - gap), "".join(parts), label)
