"""Web and mail addresses, @names and #topics: one token each, whatever a treebank shows.

A token also ends before and after an address inside brackets or quotes: <me@example.org>.
"""

import re
from collections.abc import Iterator

import numpy as np

from treewright.text.characters import Bools, Characters

SIGNS = ("://", "www.", "@")
ADDRESS = re.compile(
    r"(?:\bhttps?://|\bwww\.)[^\s<>\"]*[\w/#&=%~+-]|\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
)
OPENING, CLOSING = "<([{\"'\u201c\u2018\u00ab\u201e", '>)]}"\u201d\u00bb,;:!?'
NAME = re.compile(rf"(?<![^\s{re.escape(OPENING)}])[@#][^\W\d_](?:[\w-]*\w)?")
BEFORE, AFTER = frozenset(OPENING), frozenset(CLOSING + "<([{")


def address_masks(characters: Characters, names: bool = True) -> tuple[Bools, Bools]:
    """Positions at which no token ends, and those at which one does.

    The former are inside addresses, the latter before and after them at brackets and other signs.
    names: whether @names and #topics count; without whitespace, they have no clear end.
    """
    within = np.zeros(len(characters), dtype=np.bool_)
    ends = within.copy()
    text = characters.text
    for begin, end in _spans(text, names):
        first, last = np.searchsorted(characters.offset, (begin, end - 1))
        within[first:last] = True
        ends[last] |= text[end : end + 1] in AFTER
        if begin and text[begin - 1] in BEFORE:
            ends[first - 1] = True
    return within, ends & ~within


def _spans(text: str, names: bool) -> Iterator[tuple[int, int]]:
    if any(sign in text for sign in SIGNS):
        yield from ((match.start(), _closed(text, match)) for match in ADDRESS.finditer(text))
    if names and ("@" in text or "#" in text):
        yield from (match.span() for match in NAME.finditer(text))


def _closed(text: str, address: re.Match[str]) -> int:
    """The end of an address, including the brackets that it opened: http://a.org/b_(c)."""
    end, open_brackets = address.end(), address[0].count("(") - address[0].count(")")
    while open_brackets > 0 and text[end : end + 1] == ")":
        end, open_brackets = end + 1, open_brackets - 1
    return end
