"""Derivations and constituency trees in a common form for layout.

A node has a span, a label and its appearance: a mark ("wrong", "missed", "differs"), a probability,
and a title that is shown on hover.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from treewright.data import brackets, records, walk
from treewright.data.records import FRAGMENTS
from treewright.draw.svg import shortened
from treewright.formats.ccg.rules import rule_symbol
from treewright.grammar.treebank import Span


@dataclass(frozen=True)
class Looks:
    """The appearance of nodes: marks and probabilities, by labelled span.

    Probabilities are shown on hover, and as shades if `shaded`.
    """

    marks: Mapping[Span, str] = field(default_factory=dict)
    probabilities: Mapping[Span, float] = field(default_factory=dict)
    shaded: bool = True


PLAIN = Looks()


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A node to draw. `note` is the rule of an inner node; a leaf has a word.

    number: its index among all nodes, children before parents; a stub represents a node that is
    drawn elsewhere or folded.
    """

    label: str
    begin: int
    end: int
    children: tuple["Drawn", ...] = ()
    word: str = ""
    note: str = ""
    title: str = ""
    mark: str = ""
    probability: float | None = None
    number: int = 0
    stub: bool = False


def children_of(node: Drawn) -> tuple[Drawn, ...]:
    """The children of a node, for traversals."""
    return node.children


def postorder(root: Drawn) -> Iterator[Drawn]:
    """All nodes, children before parents."""
    return walk.postorder(root, children_of)


def leaves(root: Drawn) -> list[Drawn]:
    """The leaves from left to right, including stubs."""
    return [node for node in walk.preorder(root, children_of) if not node.children]


def from_derivation(root: records.Tree, looks: Looks = PLAIN) -> Drawn:
    """A CCG derivation; fragments are side by side below one node."""
    words = [leaf.word for leaf in records.leaves(root)]
    heads: dict[Drawn, int] = {}
    numbers = iter(range(1 << 60))

    def made(label: str, begin: int, end: int, head: int, **more: object) -> Drawn:
        node = _node(label, begin, end, looks, f"head {words[head]}", next(numbers), words, **more)
        heads[node] = head
        return node

    def leaf(position: int, tree: records.Leaf) -> Drawn:
        return made(tree.category, position, position + 1, position, word=tree.word)

    def inner(tree: records.Node, below: list[Drawn]) -> Drawn:
        head = heads[below[tree.head]]
        children, note = tuple(below), rule_symbol(tree)
        if tree.category == FRAGMENTS:
            first = below[0].children if below[0].label == FRAGMENTS else (below[0],)
            children, note = (*first, *below[1:]), ""
        return made(
            tree.category, below[0].begin, below[-1].end, head, children=children, note=note
        )

    return records.fold(root, leaf, inner)


def from_brackets(root: brackets.Bracketed, looks: Looks = PLAIN) -> Drawn:
    """A constituency tree; the label of a leaf is its POS tag."""
    words = [brackets.unescape(leaf.word) for leaf in brackets.tagged_words(root)]
    positions, numbers = iter(range(len(words))), iter(range(1 << 60))

    def leaf(tree: brackets.Tagged) -> Drawn:
        at = next(positions)
        number = next(numbers)
        return _node(tree.label, at, at + 1, looks, "", number, words, word=words[at])

    def inner(tree: brackets.Phrase, below: list[Drawn]) -> Drawn:
        span = below[0].begin, below[-1].end
        number = next(numbers)
        return _node(tree.label, *span, looks, "", number, words, children=tuple(below))

    return brackets.fold(root, leaf, inner)


def _node(
    label: str,
    begin: int,
    end: int,
    looks: Looks,
    about: str,
    number: int,
    words: list[str],
    **more: object,
) -> Drawn:
    key = Span(begin, end, label)
    p = looks.probabilities.get(key)
    span = f"words {begin + 1} to {end}" if end > begin + 1 else f"word {end}"
    text = shortened(" ".join(words[begin : min(end, begin + 12)]), 60)
    facts = [label, f"{span}: {text}", about, "" if p is None else f"probability {p:.3f}"]
    mark = looks.marks.get(key, "")
    title = "\n".join(filter(None, [*facts, mark]))
    shade = p if looks.shaded else None
    plain = Drawn(label, begin, end, title=title, mark=mark, probability=shade, number=number)
    return replace(plain, **more)  # type: ignore[arg-type]


def folded(root: Drawn, numbers: Collection[int]) -> Drawn:
    """The tree with some nodes folded: each is replaced by a stub with all its words."""
    if not numbers:
        return root

    def make(node: Drawn, below: list[Drawn]) -> Drawn:
        if node.number in numbers and node.children:
            text = " ".join(leaf.word for leaf in leaves(node))
            return replace(node, children=(), word=shortened(text, 32), note="", stub=True)
        return replace(node, children=tuple(below)) if below else node

    return walk.fold(root, children_of, make)
