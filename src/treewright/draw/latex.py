"""Drawings as complete LaTeX: bussproofs, forest, tikz-dependency.

Drawings that are wider than the page are split into numbered parts; parts that are still too large
are scaled down.
"""

import re
from collections.abc import Callable, Sequence

from treewright.data import walk
from treewright.data.records import FRAGMENTS
from treewright.draw.arcs import Arc, Row, rows_of
from treewright.draw.columns import cut_to_fit
from treewright.draw.nodes import Drawn, children_of, leaves
from treewright.formats.objects import headings

WIDEST = 110  # characters in a line of the page
ROW = 1100.0  # pixels of an arc drawing in a line of the page

SPECIAL = {c: rf"\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "[": "{[}",
    "]": "{]}",
}
PREAMBLE = r"""\documentclass[10pt]{article}
\usepackage[a4paper,landscape,margin=12mm]{geometry}
\usepackage{iftex}
\ifPDFTeX % other scripts than Latin need lualatex or xelatex
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
  \makeatletter % a box for characters that pdflatex does not have, not an error
  \def\UTFviii@undefined@err#1{\fbox{\scriptsize?}}
  \makeatother
\else
  \usepackage{fontspec}
\fi
\usepackage{graphicx}
\usepackage{PACKAGE}
\pagestyle{empty}
\setlength{\parindent}{0pt}
\newsavebox{\drawing}
\newcommand{\fitted}{% scales down what is larger than the page
  \ifdim\wd\drawing>\linewidth
    \sbox{\drawing}{\resizebox{\linewidth}{!}{\usebox{\drawing}}}\fi
  \ifdim\dimexpr\ht\drawing+\dp\drawing\relax>0.95\textheight
    \sbox{\drawing}{\resizebox{!}{0.95\textheight}{\usebox{\drawing}}}\fi
  \usebox{\drawing}\par\bigskip}
\begin{document}
"""
FROM, TO = r"\dots \&[5em] ", r" \&[5em] \dots"  # with space for the labels of arcs
LOWER = "[arc angle=50]"  # where there is an arc in the other direction too
NAMES = 3  # of several arcs to another row
AMPERSAND = r"\symbol{38}"  # in the syntax of tikz-dependency, where \& separates columns
PACKAGES = {"ccg": "bussproofs", "const": "forest", "dep": "tikz-dependency"}
PROOF = r"\def\defaultHypSeparation{\hskip 1em}"
INFERENCES = {1: "UnaryInfC", 2: "BinaryInfC"}


def latex_frame(kind: str) -> tuple[str, str]:
    """The text before the first drawing of a file and after the last one."""
    return PREAMBLE.replace("PACKAGE", PACKAGES[kind]), "\\end{document}\n"


def tex(text: str) -> str:
    """Text with LaTeX's special characters escaped; hyphens are not joined to dashes."""
    escaped = "".join(SPECIAL.get(character, character) for character in text)
    return re.sub("-(?=-)", "-{}", escaped)


def latex_derivation(root: Drawn) -> str:
    """A CCG derivation as proof trees, with the words on top; fragments are stacked."""
    trees = root.children if root.label == FRAGMENTS else (root,)
    return "".join(_parts(tree, _proof) for tree in trees)


def latex_tree(root: Drawn) -> str:
    """A constituency tree."""
    return _parts(root, _forest)


def _parts(root: Drawn, drawing: Callable[[Drawn], list[str]]) -> str:
    parts = cut_to_fit(root, WIDEST, _columns)
    titles = (
        f"{tex(title)}\\par\\nopagebreak\n" if title else "" for title in headings(len(parts))
    )
    return "".join(
        title + _fitted(drawing(part)) for title, part in zip(titles, parts, strict=True)
    )


def _fitted(lines: Sequence[str]) -> str:
    body = "\n".join(lines)
    return f"\\begin{{lrbox}}{{\\drawing}}%\n{body}%\n\\end{{lrbox}}\\fitted\n"


def _columns(root: Drawn) -> float:
    """The approximate width of a tree in characters."""
    return sum(max(len(leaf.word), len(leaf.label)) + 2 for leaf in leaves(root))


def _proof(root: Drawn) -> list[str]:
    def make(node: Drawn, below: list[list[str]]) -> list[str]:
        category = rf"\textsf{{{tex(node.label)}}}"
        if not below:
            return [rf"\AxiomC{{{tex(node.word)}}}", rf"\UnaryInfC{{{category}}}"]
        label = rf"\RightLabel{{\scriptsize\texttt{{{tex(node.note)}}}}}"
        inference = rf"\{INFERENCES[len(below)]}{{{category}}}"
        return [*(line for child in below for line in child), label, inference]

    return [PROOF, *walk.fold(root, children_of, make), r"\DisplayProof"]


def _forest(root: Drawn) -> list[str]:
    def make(node: Drawn, below: list[str]) -> str:
        word = f" [{{{tex(node.word)}}}]" if node.word else ""
        return f"[{{{tex(node.label or '()')}}}{word}{''.join(f' {child}' for child in below)}]"

    style = "for tree={inner sep=1.5pt, s sep=3pt, l sep=8pt, l=0pt}"
    return [rf"\begin{{forest}} {style}", walk.fold(root, children_of, make), r"\end{forest}"]


def latex_arcs(words: Sequence[str], heads: Sequence[int], labels: Sequence[str]) -> str:
    """A dependency tree, in rows that fit the page; heads count words from 1, 0 is the root."""
    arcs = [
        Arc(head - 1 if head else None, word, label)
        for word, (head, label) in enumerate(zip(heads, labels, strict=True))
    ]
    rows = rows_of(Row(words, arcs), ROW) if words else []
    return "".join(map(_arc_row, rows))


def _arc_row(row: Row) -> str:
    """A row of words; `…` stands for the rows before and after it, if arcs lead there."""
    size = len(row.words)
    before = any(arc.ends[0] < 0 for arc in row.arcs)
    after = any(arc.ends[1] >= size for arc in row.arcs)
    words = r" \& ".join(map(_deptext, row.words))
    text = rf"{FROM * before}{words}{TO * after}"
    text = rf"\begin{{deptext}}[column sep=1em] {text} \\ \end{{deptext}}"
    lines = [r"\begin{dependency}[theme=simple]", text]
    first = 1 + before  # the number of the first word
    labels: dict[tuple[int | None, int], list[str]] = {}  # several arcs can lead to a `…`
    for arc in row.arcs:
        labels.setdefault((arc.head, arc.word), []).append(arc.label)
    for (head, word), names in labels.items():
        ends = rf"root{{{word + first}}}"
        if head is not None:
            lower = LOWER if head > word and (word, head) in labels else ""
            ends = rf"edge{lower}{{{head + first}}}{{{word + first}}}"
        shown = names if len(names) <= NAMES else [*names[:NAMES], "…"]
        lines.append(rf"\dep{ends}{{{tex(', '.join(shown))}}}")
    return _fitted([*lines, r"\end{dependency}"])


def _deptext(word: str) -> str:
    return tex(word).replace(r"\&", AMPERSAND)
