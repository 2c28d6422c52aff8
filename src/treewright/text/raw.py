"""Treebanks as raw text, with the positions of tokens and sentences.

Whitespace comes from `SpaceAfter=No` and `SpacesAfter` (UDPipe's escapes); `# newdoc` and `#
newpar` start a paragraph after a blank line. If a treebank does not specify this, training text is
varied: some paragraphs are wrapped, and some have one sentence per line. If nearly every sentence
is a paragraph, most are joined, so that sentence ends inside paragraphs can be learnt. A blank line
inside a sentence becomes a line end: tokenisers end sentences at blank lines.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from treewright.data.dependency import DependencyTree
from treewright.data.surface import misc_value, surface_tokens

NEW_PARAGRAPH = re.compile(r"#\s*(newdoc|newpar)\b")
ESCAPES = {"\\s": " ", "\\t": "\t", "\\r": "\r", "\\n": "\n", "\\p": "|", "\\\\": "\\"}
ESCAPED = re.compile(r"\\[strnp\\]")
GROUP = 12  # sentences that are varied alike if there are no paragraphs
WIDTHS = (60, 100)  # of wrapped lines
# Proportions of paragraphs that are wrapped, or have one sentence per line.
WRAPPED, APART = 0.15, 0.15
# From this proportion of one-sentence paragraphs, paragraphs are joined with this probability.
ALONE, JOINED = 0.9, 0.75
UNSPACED = 0.8  # proportion of tokens without a space after them in languages without spaces
PARAGRAPH_END = "\n\n"
LINE_END = r"(?:\r(?!\n)|[\n\u2028])"
PARAGRAPH_ENDS = re.compile(rf"\s*(?:\u2029|{LINE_END}\s*{LINE_END})\s*")


class RawToken(NamedTuple):
    """A token of the text: its position, its words if several, whether a sentence ends."""

    start: int
    end: int
    words: tuple[str, ...]
    last: bool


@dataclass(frozen=True)
class RawText:
    """A text and its tokens."""

    text: str
    tokens: tuple[RawToken, ...]


def unescaped(text: str) -> str:
    """Decodes whitespace in `SpacesAfter`."""
    return ESCAPED.sub(lambda match: ESCAPES[match[0]], text)


def escaped(blanks: str) -> str:
    """Encodes whitespace for `SpacesAfter`."""
    known = {value: key for key, value in ESCAPES.items()}
    return "".join(known.get(character, character) for character in blanks)


def surface(tree: DependencyTree) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """The tokens of a sentence: form, words (empty for a single word), whitespace after it."""
    forms = tree.forms
    for form, first, last, misc in surface_tokens(tree):
        yield form, forms[first:last] if last - first > 1 else (), blanks_after(misc)


def blanks_after(misc: str) -> str:
    """The whitespace after a token."""
    spaces = misc_value(misc, "SpacesAfter")
    if spaces is not None:
        return unescaped(spaces)
    return "" if misc_value(misc, "SpaceAfter") == "No" else " "


def begins_paragraph(tree: DependencyTree) -> bool:
    """Whether a sentence is the first one of a paragraph or document."""
    return any(map(NEW_PARAGRAPH.match, tree.comments))


def assemble(trees: Sequence[DependencyTree], random: Random | None = None) -> RawText:
    """The raw text of sentences; with a random generator its line ends vary."""
    builder = _Builder(random)
    alone = random is not None and sum(map(begins_paragraph, trees)) > ALONE * len(trees)
    unspaced = alone and _is_unspaced(trees)
    for number, tree in enumerate(trees):
        begins = begins_paragraph(tree)
        if alone and random and random.random() < JOINED:
            begins = False
            builder.join("" if unspaced else " ")
        if begins or not number % GROUP:
            builder.vary()
        if begins:
            builder.end_paragraph()
        builder.add(tree)
    return RawText("".join(builder.pieces), tuple(builder.tokens))


def _is_unspaced(trees: Sequence[DependencyTree]) -> bool:
    """Whether few tokens inside sentences have a space after them."""
    blanks = [bool(blanks) for tree in trees for _, _, blanks in list(surface(tree))[:-1]]
    return bool(blanks) and sum(blanks) < (1 - UNSPACED) * len(blanks)


class _Builder:
    """Builds a text sentence by sentence."""

    def __init__(self, random: Random | None) -> None:
        self.random, self.size, self.column = random, 0, 0
        self.pieces: list[str] = []
        self.tokens: list[RawToken] = []
        self.by_line, self.width = 0.0, 0

    def vary(self) -> None:
        """Chooses the style of the following sentences: plain, wrapped, or on separate lines."""
        if self.random is None:
            return
        draw = self.random.random()
        self.width = self.random.randint(*WIDTHS) if draw < WRAPPED else 0
        self.by_line = self.random.random() if WRAPPED <= draw < WRAPPED + APART else 0.0

    def end_paragraph(self) -> None:
        if self.pieces:
            self.size += len(PARAGRAPH_END) - len(self.pieces[-1])
            self.pieces[-1] = PARAGRAPH_END
            self.column = 0

    def join(self, blanks: str) -> None:
        """Continues the paragraph, after these blanks or a line end."""
        if self.pieces and self.pieces[-1] != "\n":
            self.size += len(blanks) - len(self.pieces[-1])
            self.pieces[-1] = blanks

    def add(self, tree: DependencyTree) -> None:
        rows = list(surface(tree))
        for i, (form, words, blanks) in enumerate(rows):
            last = i + 1 == len(rows)
            token = PARAGRAPH_ENDS.sub("\n", form)
            self.tokens.append(RawToken(self.size, self.size + len(token), words, last))
            self._put(token)
            inside = blanks if last else PARAGRAPH_ENDS.sub("\n", blanks)
            self._put(self._varied(inside, last))

    def _put(self, piece: str) -> None:
        self.pieces.append(piece)
        self.size += len(piece)
        self.column = 0 if piece == "\n" else self.column + len(piece)

    def _varied(self, blanks: str, last: bool) -> str:
        if self.random is None or blanks != " ":
            return blanks
        if last and self.by_line and self.random.random() < self.by_line:
            return "\n"
        return "\n" if self.width and self.column >= self.width else blanks
