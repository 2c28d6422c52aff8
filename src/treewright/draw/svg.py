"""SVG elements as text, and the pictures, figures and pages made of them.

Text widths are estimated without a browser, with the advance widths of DejaVu Sans, which is wider
than Helvetica, Arial, Segoe UI and Roboto: text that fits by this estimate fits in all of them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from unicodedata import combining, east_asian_width

from treewright.draw.style import PAGE_STYLE, STYLE

# Widths in hundredths of an em, and the characters with that width.
ADVANCES = {
    28: "'ijl",
    29: "IJ",
    32: " ,.",
    34: "/:;\\|",
    35: "f-",
    39: "()[]t!",
    41: "r",
    46: '"',
    51: "*_`sz?",
    55: "cLFk",
    59: "vxyP",
    62: "TYaoe",
    64: "ESbdghnpqu$0123456789{}",
    68: "KAVBRXZC",
    75: "UHNDG&",
    82: "OQw#+<=>^~",
    88: "M",
    97: "m%W@",
}
ADVANCE = {character: hundredths for hundredths, group in ADVANCES.items() for character in group}
OTHER = 66  # other scripts, on average
WIDE = 105  # East Asian characters and emoji


def text_width(text: str, size: float) -> float:
    """The width in pixels of a text whose font has `size` pixels."""
    return sum(map(_advance, text)) * size / 100


def _advance(character: str) -> int:
    known = ADVANCE.get(character)
    if known is not None:
        return known
    if combining(character) or character in "\u200b\u200c\u200d\ufe0e\ufe0f":
        return 0
    return WIDE if east_asian_width(character) in "WF" else OTHER


def shortened(text: str, longest: int = 48) -> str:
    """The text, shortened if it has too many characters to draw."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


Attribute = str | float | int | None
MARGIN = 10.0
# XML cannot represent these characters, escaped or not.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """Text escaped for XML elements and attributes."""
    return escape(FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text))


def element(name: str, *content: str, **attributes: Attribute) -> str:
    """An element; its content is SVG. The arguments `class_` and `a_b` become class and a-b."""
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
    """A tooltip."""
    return element("title", clean(text)) if text else ""


def text(content: str, x: float, y: float, class_: str, anchor: str = "middle") -> str:
    """A line of text around a point of its baseline."""
    return element("text", clean(content), class_=class_, x=x, y=y, text_anchor=anchor)


def path(points: str, class_: str) -> str:
    """A line along SVG's path commands."""
    return element("path", d=points, class_=class_)


def shade(x: float, y: float, width: float, height: float, probability: float | None) -> str:
    """A background of a label; the less probable, the stronger."""
    if probability is None:
        return ""
    doubt = f"{min(0.85, 0.85 * (1 - probability)):.2f}"
    box = {"x": x, "y": y, "width": width, "height": height, "rx": 4}
    return element("rect", class_="shade", opacity=doubt, **box) if float(doubt) else ""


@dataclass(frozen=True)
class Picture:
    """A drawing: SVG elements within `width` and `height`."""

    width: float
    height: float
    content: str
    label: str = ""

    def svg(self, styled: bool = True) -> str:
        """An SVG document; without its style it needs a page that has the style."""
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
    """Pictures stacked vertically, each with a heading, which can be empty."""
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


def page_frame(title: str) -> tuple[str, str]:
    """The text of a page before its first figure and after its last one."""
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{clean(title)}</title>\n<style>{STYLE}{PAGE_STYLE}</style>\n</head>\n<body>\n"
    )
    return head, "</body>\n</html>\n"


def figure(picture: Picture, caption: str, facts: str = "", styled: bool = False) -> str:
    """A drawing with a caption; it scrolls if it is wider than the page."""
    about = f' <span class="facts">{clean(facts)}</span>' if facts else ""
    title = (
        f'<figcaption dir="auto">{clean(caption)}{about}</figcaption>\n' if caption or facts else ""
    )
    drawing = picture.svg(styled)
    return (
        f'<figure>\n{title}<div class="drawing" style="overflow-x:auto" tabindex="0">'
        f"{drawing}</div>\n</figure>\n"
    )
