"""Trees in Penn style with the categories that CCGbank's analysis gives their words.

Each case is a name, a tree, and its words with their categories. The sentences are our own.
"""

from typing import NamedTuple


class Case(NamedTuple):
    """A construction, a tree, and `word|category` for each word."""

    name: str
    tree: str
    words: str


def read(text: str) -> list[Case]:
    """Cases from blocks of three lines: `# name`, tree, words."""
    blocks = [block.strip().splitlines() for block in text.strip().split("\n\n")]
    return [Case(name.removeprefix("# "), tree, words) for name, tree, words in blocks]
