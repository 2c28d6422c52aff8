"""Reports as self-contained HTML files, for screens, phones and print."""

from collections.abc import Iterable, Sequence

from treewright.draw.style import STYLE
from treewright.draw.svg import Picture, clean
from treewright.models.evaluation import Table

PAGE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:1.5rem auto;max-width:min(96vw,80rem);\
padding:0 1rem;overflow-wrap:anywhere}
table,.wide svg{overflow-wrap:normal}
h1{font-size:1.5rem}
h2{font-size:1.15rem;margin:2rem 0 .6rem}
h3{font-size:1rem;margin:1.2rem 0 .3rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.92rem}
th,td{padding:.15rem .7rem;border-bottom:1px solid #8884;text-align:right;\
font-variant-numeric:tabular-nums}
th:first-child,td:first-child,.words{text-align:left}
.soft{opacity:.75}
nav a{margin-right:1rem}
figure{margin:0 0 1.4rem}
figcaption{margin-bottom:.3rem}
img{max-width:100%;background:#fff}
pre{overflow-x:auto;font-size:.85rem}
@media print{:root{color-scheme:light}body{margin:0;max-width:none;font-size:11px}nav{display:none}\
.wide{overflow:visible}.wide svg{max-width:100%;height:auto}pre{white-space:pre-wrap}\
h2,h3,figcaption{break-after:avoid}figure,tr{break-inside:avoid}}
"""


def page(title: str, about: str, sections: Sequence[tuple[str, str]]) -> str:
    """A whole page of sections, each a title and its HTML; empty ones are left out."""
    shown = [(name, body) for name, body in sections if body]
    links = " ".join(f'<a href="#s{i}">{clean(name)}</a>' for i, (name, _) in enumerate(shown))
    parts = "".join(
        f'<section id="s{i}"><h2>{clean(name)}</h2>\n{body}</section>\n'
        for i, (name, body) in enumerate(shown)
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{clean(title)}</title>\n<style>{STYLE}{PAGE}</style>\n</head>\n<body>\n"
        f'<h1>{clean(title)}</h1>\n<p class="soft">{clean(about)}</p>\n<nav>{links}</nav>\n'
        f"{parts}</body>\n</html>\n"
    )


def table_html(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table that scrolls if it is too wide."""
    rows = list(rows)
    looks = ["", *(_look(row[place] for row in rows) for place in range(1, len(columns)))]
    head = "".join(
        f'<th scope="col"{look}>{clean(name)}</th>'
        for name, look in zip(columns, looks, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{look}>{clean(c)}</td>" for c, look in zip(row, looks, strict=True))
        + "</tr>\n"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n{body}</table></div>\n'


def _look(cells: Iterable[str]) -> str:
    """The class of a column with text, which is left-aligned like the first column."""
    return "" if any(cell[:1] in set("+-0123456789") for cell in cells) else ' class="words"'


def tables_html(tables: Iterable[Table]) -> str:
    """Tables of an evaluation under their titles."""
    return "".join(
        f"<h3>{clean(table.title)}</h3>\n{table_html(table.columns, table.rows)}"
        for table in tables
    )


def picture_html(picture: Picture, caption: str) -> str:
    """A drawing under its caption."""
    return (
        f"<figure><figcaption>{clean(caption)}</figcaption>\n"
        f'<div class="wide" tabindex="0">{picture.svg(styled=False)}</div></figure>\n'
    )
