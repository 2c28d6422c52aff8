"""Constituency trees: words below POS tags, below labelled nodes with any number of children.

Trees compare by identity, are immutable, and are traversed by loops, so that deep trees do not
overflow Python's stack. Words and labels are stored as in the file; `escape` and `unescape` convert
words.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from treewright.data import walk

ESCAPES = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True, eq=False)
class Tagged:
    """A word, or a trace, with its POS tag."""

    label: str
    word: str


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """A node over other nodes; the label is empty if the treebank has none."""

    label: str
    children: tuple["Bracketed", ...]

    def __post_init__(self) -> None:
        if not self.children:
            raise ValueError(f"the node {self.label!r} has no children")

    def __repr__(self) -> str:
        return f"Phrase({self.label!r}, {sum(1 for _ in tagged_words(self))} words)"


Bracketed = Tagged | Phrase


def _children(tree: Bracketed) -> tuple[Bracketed, ...]:
    return tree.children if isinstance(tree, Phrase) else ()


def preorder(root: Bracketed) -> Iterator[Bracketed]:
    """All nodes, each before its children, from left to right."""
    return walk.preorder(root, _children)


def tagged_words(root: Bracketed) -> Iterator[Tagged]:
    """The leaves from left to right, including traces."""
    return (tree for tree in preorder(root) if isinstance(tree, Tagged))


def fold(
    root: Bracketed, leaf: Callable[[Tagged], Made], node: Callable[[Phrase, list[Made]], Made]
) -> Made:
    """Folds a tree bottom-up: `leaf` is applied to words from left to right, `node` to phrases."""

    def make(tree: Bracketed, below: list[Made]) -> Made:
        return leaf(tree) if isinstance(tree, Tagged) else node(tree, below)

    return walk.fold(root, _children, make)


def escape(word: str, which: str = "()[]{}") -> str:
    """A word as in bracket files: `(` becomes -LRB-, and so on."""
    for plain in which:
        word = word.replace(plain, ESCAPES[plain])
    return word


def unescape(word: str) -> str:
    """A word as in plain text: -LRB- becomes `(`, and so on."""
    for plain, escaped in ESCAPES.items():
        word = word.replace(escaped, plain)
    return word
