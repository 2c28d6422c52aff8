"""Immutable records of treebank files: sentences, CCG derivations, dependencies.

Categories are text here; `treewright.grammar` interprets them. Trees compare by identity and are
traversed by loops, so that deep derivations do not overflow Python's stack.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple, TypeVar

from treewright.data import walk


@dataclass(frozen=True, slots=True)
class Token:
    """A word and, if known, its POS tag."""

    word: str
    pos: str | None = None


class Multiword(NamedTuple):
    """A multiword token at text[start:end], for the words `first` to `last`, from 0."""

    text: str
    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Surface:
    """The text of a sentence, and the positions of its words.

    text: the sentence on one line.
    offsets: the begin and end of each word, in characters; the words of a multiword token share its
    offsets if they are not substrings of it. Empty if unknown.
    spaces: whether a space follows each word.
    """

    text: str
    offsets: tuple[tuple[int, int], ...] = ()
    spaces: tuple[bool, ...] = ()
    multiword: tuple[Multiword, ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """Tokens in order, with the name of the sentence in files; `surface` is their text."""

    id: str
    tokens: tuple[Token, ...]
    surface: Surface | None = field(default=None, compare=False)

    @classmethod
    def of(
        cls, words: Iterable[str], pos: Iterable[str] | None = None, name: str = "1"
    ) -> "Sentence":
        """A sentence of words and, if known, their POS tags."""
        if pos is None:
            return cls(name, tuple(map(Token, words)))
        return cls(name, tuple(Token(*pair) for pair in zip(words, pos, strict=True)))

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(token.word for token in self.tokens)

    @property
    def tags(self) -> tuple[str, ...]:
        """The POS tags, empty if unknown."""
        return tuple(token.pos or "" for token in self.tokens)


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A word with its lexical category; `markup` is the category with head indices, or `""`.

    CCGbank has two POS tags per leaf: the Penn Treebank's, and one that the conversion to CCG can
    have changed.
    """

    category: str
    word: str
    pos: str
    changed_pos: str
    markup: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An inner node with one or two children; `head` is the index of the head child."""

    category: str
    children: tuple["Tree", ...]
    head: int = 0

    def __repr__(self) -> str:
        return f"Node({self.category!r}, {len(list(leaves(self)))} words)"


Tree = Leaf | Node
PARSED = "TREEWRIGHT"  # the source of derivations by our parsers
FRAGMENTS = "FRAG"  # the category of a root over fragments
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True, eq=False)
class Derivation:
    """A derivation with its sentence's name; `parser` and `rank` tell its origin."""

    id: str
    root: Tree
    parser: str = "GOLD"
    rank: int = 1

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(leaves(self.root))

    @property
    def sentence(self) -> Sentence:
        return Sentence(self.id, tuple(Token(leaf.word, leaf.pos) for leaf in self.leaves))


def _children(tree: Tree) -> tuple[Tree, ...]:
    return tree.children if isinstance(tree, Node) else ()


def preorder(root: Tree) -> Iterator[Tree]:
    """All nodes, each before its children, from left to right."""
    return walk.preorder(root, _children)


def postorder(root: Tree) -> Iterator[Tree]:
    """All nodes, each after its children, from left to right."""
    return walk.postorder(root, _children)


def leaves(root: Tree) -> Iterator[Leaf]:
    """The leaves from left to right."""
    return (tree for tree in preorder(root) if isinstance(tree, Leaf))


def fold(
    root: Tree, leaf: Callable[[int, Leaf], Made], node: Callable[[Node, list[Made]], Made]
) -> Made:
    """Folds a derivation bottom-up: `leaf` maps words, numbered from 0, and `node` nodes."""
    words = count()

    def make(tree: Tree, below: list[Made]) -> Made:
        return leaf(next(words), tree) if isinstance(tree, Leaf) else node(tree, below)

    return walk.fold(root, _children, make)


class Dependency(NamedTuple):
    """The word `argument` fills `slot` of the word `functor` with the lexical category `category`.

    Words are token indices from 0; slots count from 1.
    """

    functor: int
    category: str
    slot: int
    argument: int


@dataclass(frozen=True, slots=True)
class Dependencies:
    """All dependencies of a sentence, in the order of the file.

    `words` has at least the words in dependencies; `marks` has CCGbank's `XB` or `XU` of those that
    are long-range (bounded, unbounded).
    """

    id: str
    size: int
    rows: tuple[Dependency, ...]
    words: Mapping[int, str]
    marks: Mapping[Dependency, str] = field(default_factory=dict)
