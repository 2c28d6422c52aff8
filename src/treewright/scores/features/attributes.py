"""Attributes of words: what feature templates can see of a position.

An attribute is a string made of one of the strings that a word comes with: its form (`word`), or
one of its tags. Here are all of them; every formalism's templates may name those of its words.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from treewright.grammar.words import word_class

SHAPE_LENGTH = 16


@dataclass(frozen=True)
class Attribute:
    """A function of one of a word's strings."""

    source: str
    function: Callable[[str], str]


def shape(word: str, run: int = SHAPE_LENGTH) -> str:
    """Letters as X or x, digits as 0, all else as it is, runs cut: `McGill-2` is `XxXxxx-0`."""
    letters = "".join(_letter(c) for c in word[:SHAPE_LENGTH])
    return re.sub(rf"(.)\1{{{run},}}", lambda match: match[1] * run, letters)


def _letter(character: str) -> str:
    if character.isdigit():
        return "0"
    if not character.isalpha():
        return character
    return "x" if character.islower() else "X"


def _affixes(length: int) -> dict[str, Callable[[str], str]]:
    """Prefixes and suffixes are empty for shorter words; the start and the end are all of them."""
    return {
        f"prefix{length}": lambda word: word.lower()[:length] if len(word) >= length else "",
        f"suffix{length}": lambda word: word.lower()[-length:] if len(word) >= length else "",
        f"start{length}": lambda word: word.lower()[:length],
        f"end{length}": lambda word: word.lower()[-length:],
    }


WORD_ATTRIBUTES: dict[str, Callable[[str], str]] = {
    "word": str,
    "lower": str.lower,
    "digits": lambda word: re.sub(r"\d", "0", word.lower()),
    "shape": shape,
    "brief": lambda word: shape(word, 1),
    "shape2": lambda word: shape(word, 2),
    "class": word_class,
    **{name: function for n in range(1, 8) for name, function in _affixes(n).items()},
}
ATTRIBUTES: dict[str, Attribute] = {
    **{name: Attribute("word", function) for name, function in WORD_ATTRIBUTES.items()},
    "pos": Attribute("pos", str),
    "coarse": Attribute("pos", lambda pos: pos[:2] if pos[:1].isalpha() else "punctuation"),
    **{name: Attribute(name, str) for name in ("upos", "xpos", "feats")},
}
