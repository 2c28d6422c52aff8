"""Drawings in HTML: a page of its own, and a figure for notebooks."""

from treewright.draw.style import STYLE
from treewright.draw.svg import Picture, clean

PAGE_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:1.5rem auto;max-width:min(96vw,90rem);padding:0 1rem}
figure{margin:0 0 2rem}
figcaption{margin:0 0 .4rem}
.drawing{overflow-x:auto}
.facts{opacity:.75;font-size:.85em}
@media print{.drawing svg{max-width:100%;height:auto}figure{break-inside:avoid}}
"""


def page_frame(title: str) -> tuple[str, str]:
    """What a page has before its first figure and after its last."""
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{clean(title)}</title>\n<style>{STYLE}{PAGE_STYLE}</style>\n</head>\n<body>\n"
    )
    return head, "</body>\n</html>\n"


def figure(picture: Picture, caption: str, facts: str = "", styled: bool = False) -> str:
    """A drawing under its caption; it scrolls where it is wider than the page."""
    about = f' <span class="facts">{clean(facts)}</span>' if facts else ""
    title = f"<figcaption>{clean(caption)}{about}</figcaption>\n" if caption or facts else ""
    drawing = picture.svg(styled)
    return (
        f'<figure>\n{title}<div class="drawing" style="overflow-x:auto" tabindex="0">'
        f"{drawing}</div>\n</figure>\n"
    )
