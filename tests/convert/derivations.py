"""Trees in Penn style with the categories that CCGbank's analysis gives their words.

Each case is a name, a tree, its words with their categories and, where the categories do not tell
the derivation, its dependencies. The sentences are our own.
"""

from typing import NamedTuple


class Case(NamedTuple):
    """A construction, a tree, `word|category` for each word, and `argument<functor.slot`s."""

    name: str
    tree: str
    words: str
    links: str = ""


def read(text: str) -> list[Case]:
    """Cases from blocks of three or four lines: `# name`, tree, words, dependencies."""
    blocks = [block.strip().splitlines() for block in text.strip().split("\n\n")]
    return [Case(name.removeprefix("# "), *rest) for name, *rest in blocks]
