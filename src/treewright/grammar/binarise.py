"""Binarisation of constituency trees and its inverse (the max-margin paper, section 2.2).

A node with more than two children takes them one at a time: from the right end (`right`), from the
left end (`left`) or outwards from the head child (`head`). The children taken so far are under an
artificial node, named after its parent and the `horizontal` children taken last:

    NP -> DT NP|<JJ>,  NP|<JJ> -> JJ NN          right, horizontal order 1

With `vertical` order 2 a label includes its parent's, NP^S, with 3 also the grandparent's, and so
on; tags are not changed. A unary chain is one node with a joined label (`treewright.data.reshape`);
in annotations it is represented by its lowest label. `restore` removes artificial nodes and
annotations and unfolds chains: nothing is lost. Labels can contain any characters: those used in
annotations are escaped in symbols (`symbol_of`).

Heads are found by priority lists (after Collins 1999, appendix A). A list is searched from one end
of the children: for each of its labels in turn, the first child with that label is the head. If
none matches, it is the first child from that end. NP has rules of its own: a possessive, else the
last noun, else the first NP, and so on.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from treewright.data.brackets import Bracketed, Phrase, Tagged, fold
from treewright.data.reshape import JOIN, collapse_unaries, restore_unaries
from treewright.errors import ConfigError

NOUNS = frozenset({"NN", "NNP", "NNPS", "NNS", "NX", "POS", "JJR", "NML"})
# label -> (search from the left?, labels in order)
PRIORITIES: Mapping[str, tuple[bool, tuple[str, ...]]] = MappingProxyType(
    {
        "ADJP": (True, ("NNS", "QP", "NN", "ADVP", "JJ", "VBN", "VBG", "ADJP", "JJR", "NP", "JJS")),
        "ADVP": (False, ("RB", "RBR", "RBS", "FW", "ADVP", "TO", "CD", "JJR", "JJ", "IN", "NP")),
        "CONJP": (False, ("CC", "RB", "IN")),
        "FRAG": (False, ()),
        "LST": (False, ("LS", ":")),
        "PP": (False, ("IN", "TO", "VBG", "VBN", "RP", "FW")),
        "PRN": (True, ("NP", "S", "PP", "CIT")),
        "PRT": (False, ("RP",)),
        "QP": (True, ("IN", "NNS", "NN", "JJ", "RB", "DT", "CD", "QP", "JJR", "JJS")),
        "S": (True, ("TO", "IN", "VP", "S", "SBAR", "ADJP", "UCP", "NP")),
        "SBAR": (True, ("WHNP", "WHPP", "WHADVP", "WHADJP", "IN", "DT", "S", "SQ", "SINV", "SBAR")),
        "SINV": (True, ("VBZ", "VBD", "VBP", "VB", "MD", "VP", "S", "SINV", "ADJP", "NP")),
        "SQ": (True, ("VBZ", "VBD", "VBP", "VB", "MD", "VP", "SQ")),
        "VP": (
            True,
            ("TO", "VBD", "VBN", "MD", "VBZ", "VB", "VBG", "VBP", "VP", "ADJP", "NN", "NNS", "NP"),
        ),
        "WHADVP": (False, ("CC", "WRB")),
        "WHNP": (True, ("WDT", "WP", "WP$", "WHADJP", "WHPP", "WHNP")),
        "WHPP": (False, ("IN", "TO", "FW")),
    }
)


def head_child(label: str, children: Sequence[str]) -> int:
    """The index of the head among the children of a node, given by their labels.

    A joined label counts by its lowest label in a parent and by its highest in a child.
    """
    kinds = [child.split(JOIN, 1)[0] for child in children]
    parent = label.rsplit(JOIN, 1)[-1]
    if parent in ("NP", "NML", "NAC", "NX"):
        return _nominal_head(kinds)
    from_left, order = PRIORITIES.get(parent, (True, ()))
    places = range(len(kinds)) if from_left else range(len(kinds) - 1, -1, -1)
    return next((p for wanted in order for p in places if kinds[p] == wanted), places[0])


def _nominal_head(kinds: Sequence[str]) -> int:
    backwards = range(len(kinds) - 1, -1, -1)
    noun = next((p for p in backwards if kinds[p] in NOUNS), None)
    if noun is None:
        noun = next((p for p, kind in enumerate(kinds) if kind == "NP"), None)
    if noun is None:
        noun = next((p for p in backwards if kinds[p] in ("CD", "JJ", "JJS", "RB", "QP")), None)
    return len(kinds) - 1 if noun is None else noun


Direction = Literal["right", "left", "head"]
ARTIFICIAL, PARENT, SIBLING = "|", "^", "~"
ESCAPES = {"\\": "\\b", ARTIFICIAL: "\\a", PARENT: "\\p", SIBLING: "\\s", JOIN: "\\j"}
ESCAPED = re.compile("|".join(map(re.escape, ESCAPES)))
CODED = re.compile(r"\\[bapsj]")
PLAIN = {code: mark for mark, code in ESCAPES.items()}
HeadFinder = Callable[[str, Sequence[str]], int]


def symbol_of(label: str) -> str:
    """A treebank's label or tag as a symbol, with the characters used in annotations escaped."""
    return ESCAPED.sub(lambda match: ESCAPES[match[0]], label)


def label_of(symbol: str) -> str:
    """The label or tag of a symbol of one node: the inverse of `symbol_of`."""
    return CODED.sub(lambda match: PLAIN[match[0]], symbol) if "\\" in symbol else symbol


def is_artificial(symbol: str) -> bool:
    """Whether a symbol was created by binarisation."""
    return ARTIFICIAL in symbol


def bare_label(symbol: str) -> str:
    """The treebank's label, with chains joined, without annotation."""
    return symbol.partition(ARTIFICIAL)[0].partition(PARENT)[0]


def chain_labels(symbol: str) -> tuple[str, ...]:
    """The labels of the original nodes of a symbol; none if it is artificial."""
    if is_artificial(symbol):
        return ()
    return tuple(label_of(part) for part in bare_label(symbol).split(JOIN))


@dataclass(frozen=True)
class Binariser:
    """Settings of binarisation; `horizontal` None: artificial labels name all children."""

    direction: Direction = "right"
    horizontal: int | None = 1
    vertical: int = 1
    head: HeadFinder | None = None

    def __post_init__(self) -> None:
        if self.direction not in ("right", "left", "head"):
            raise ConfigError(f"unknown direction {self.direction!r}: right, left or head")
        if self.vertical < 1 or (self.horizontal is not None and self.horizontal < 0):
            raise ConfigError("orders of binarisation: horizontal from 0, vertical from 1")
        if self.direction == "head" and self.head is None:
            raise ConfigError("binarisation from the head needs head rules")

    def binarise(self, tree: Bracketed) -> Bracketed:
        """The tree with chains collapsed, at most two children per node, and annotated labels."""
        return self._annotate(collapse_unaries(_renamed(tree, symbol_of)))

    def _annotate(self, root: Bracketed) -> Bracketed:
        """Computes contexts top-down, then builds nodes bottom-up, without recursion."""
        contexts = iter(list(_contexts(root, self.vertical - 1)))

        def node(phrase: Phrase, children: list[tuple[str, Bracketed]]) -> tuple[str, Bracketed]:
            name = PARENT.join((phrase.label, *next(contexts)))
            return phrase.label, self._build(phrase.label, name, children)

        return fold(root, lambda leaf: (leaf.label, leaf), node)[1]

    def _build(self, label: str, name: str, children: list[tuple[str, Bracketed]]) -> Bracketed:
        kinds = [kind for kind, _ in children]
        tree, taken = None, []
        for place, on_the_left in self._order(label, kinds):
            child = children[place][1]
            taken.append(kinds[place])
            if tree is None:
                tree = child
            else:
                last = len(taken) == len(children)
                pair = (child, tree) if on_the_left else (tree, child)
                tree = Phrase(name if last else self._artificial(name, taken), pair)
        assert tree is not None
        return Phrase(name, (tree,)) if len(children) == 1 else tree

    def _order(self, label: str, kinds: Sequence[str]) -> Iterator[tuple[int, bool]]:
        """The indices of children in the order of taking, and whether each is added on the left."""
        start = {"right": len(kinds) - 1, "left": 0}.get(self.direction)
        if start is None:
            assert self.head is not None
            start = self.head(label, kinds)
        yield from ((place, False) for place in range(start, len(kinds)))
        yield from ((place, True) for place in range(start - 1, -1, -1))

    def _artificial(self, name: str, taken: Sequence[str]) -> str:
        kept = len(taken) if self.horizontal is None else min(self.horizontal, len(taken))
        shown = [*taken[: -kept - 1 : -1]]
        if self.direction == "head":
            shown.append(taken[0])
        return name + ARTIFICIAL + SIBLING.join(shown)


def restore(tree: Bracketed) -> Bracketed:
    """The original tree, for any settings of binarisation."""

    def node(phrase: Phrase, children: list[tuple[Bracketed, ...]]) -> tuple[Bracketed, ...]:
        below = tuple(child for group in children for child in group)
        if is_artificial(phrase.label):
            return below
        return (Phrase(bare_label(phrase.label), below),)

    trees = fold(tree, lambda leaf: (leaf,), node)
    if len(trees) != 1:
        raise ValueError("the root of a tree is artificial")
    return _renamed(restore_unaries(trees[0]), label_of)


def _renamed(tree: Bracketed, rename: Callable[[str], str]) -> Bracketed:
    """The tree with other labels and tags."""

    def leaf(word: Tagged) -> Bracketed:
        return Tagged(rename(word.label), word.word)

    def node(phrase: Phrase, below: list[Bracketed]) -> Bracketed:
        return Phrase(rename(phrase.label), tuple(below))

    return fold(tree, leaf, node)


def _contexts(root: Bracketed, order: int) -> Iterator[tuple[str, ...]]:
    """The lowest labels of the nearest `order` ancestors of each phrase, children first."""
    contexts: list[tuple[str, ...]] = []
    stack: list[tuple[Bracketed, tuple[str, ...]]] = [(root, ())]
    while stack:
        tree, above = stack.pop()
        if isinstance(tree, Phrase):
            contexts.append(above)
            lowest = tree.label.rsplit(JOIN, 1)[-1]
            inner = (lowest, *above)[:order]
            # Left to right, so that the reversal at the end is a postorder.
            stack.extend((child, inner) for child in tree.children)
    return reversed(contexts)
