"""Penn trees as the conversion works on them: function tags, indices and traces taken apart.

`NP-SBJ-1` is the label NP with the tag SBJ and the index 1; `NP=1` has the tag `=1`. An empty
element is one node without children; `trace` says of which kind. Its index stands on the phrase, as
in CRAFT and GENIA (`(NP-1 (-NONE- *T*))`), or on the trace, as in the Penn Treebank
(`(NP (-NONE- *T*-1))`). Nodes can be changed, since the repairs that follow change them; they
compare by identity.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from treewright.data.brackets import Bracketed, Phrase, Tagged, fold
from treewright.data.reshape import TRACE

NULL = "*0*"  # an empty complementiser or relative pronoun
NUMERAL = re.compile(r"[IVX]+")
TRACE_TEXT = re.compile(r"(\*[A-Z?0]*\*|\*|0)(?:-([0-9]+))?")


@dataclass(slots=True, eq=False)
class Penn:
    """A word, a phrase, or an empty element, of a tree that is being converted."""

    label: str
    tags: frozenset[str] = frozenset()
    index: str = ""
    children: "list[Penn]" = field(default_factory=list)
    word: str = ""
    place: int = -1
    trace: str = ""

    def __repr__(self) -> str:
        return f"({self.label} {self.word or self.trace or ' '.join(map(repr, self.children))})"

    @property
    def is_leaf(self) -> bool:
        return self.place >= 0

    def words(self) -> "Iterator[Penn]":
        """The leaves from left to right."""
        return (node for node in self.nodes() if node.is_leaf)

    def nodes(self) -> "Iterator[Penn]":
        """All nodes, each before its children."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def holds(self, other: "Penn | None") -> bool:
        """Whether a node is this one or somewhere below it."""
        return other is not None and any(node is other for node in self.nodes())

    def lower(self) -> str:
        return self.word.lower()


def split_label(label: str) -> tuple[str, frozenset[str], str]:
    """The label, function tags and index of a node: `NP-SBJ-1` is NP, {SBJ} and 1."""
    if label.startswith("-"):
        return label, frozenset(), ""
    first, *rest = re.split(r"[-=]", label.split("|", maxsplit=1)[0])
    numbers = [part for part in rest if part.isdecimal()]
    tags = frozenset(part for part in rest if part and not part.isdecimal())
    # In NP-1=2 the second number says which phrase a remnant of gapping answers to: the tag `=2`.
    tags |= frozenset(re.findall(r"=[0-9]+", label))
    index = numbers[0] if numbers and f"={numbers[0]}" not in label else ""
    return first, tags, index


def read_penn(root: Bracketed) -> Penn | None:
    """The tree to convert, without the outermost bracket; None where it has no words."""
    places = count()

    def leaf(tagged: Tagged) -> Penn:
        if tagged.label == TRACE:
            kind, index = _trace(tagged.word)
            return Penn(TRACE, index=index, trace=kind)
        return Penn(tagged.label, word=tagged.word, place=next(places))

    tree = fold(root, leaf, _phrase)
    while len(tree.children) == 1 and tree.label in {"", "TOP", "ROOT"}:
        tree = tree.children[0]
    return None if tree.trace else tree


def _trace(word: str) -> tuple[str, str]:
    match = TRACE_TEXT.fullmatch(word)
    kind, index = match.groups() if match else (word, "")
    return (NULL if kind == "0" else kind), index or ""


def _phrase(phrase: Phrase, children: list[Penn]) -> Penn:
    """A phrase; one over nothing but empty elements is an empty element itself."""
    label, tags, index = split_label(phrase.label)
    if all(child.trace for child in children):
        real = [child for child in children if child.trace != NULL] or children
        return Penn(label, tags, real[-1].index or index, trace=real[-1].trace)
    kept = [child for child in children if child.label != TRACE]
    return Penn(label, tags, index, kept)


def is_numeral(node: Penn) -> bool:
    """Whether a word after a noun numbers it: `type 2`, `class II`."""
    return node.is_leaf and (node.label == "CD" or bool(NUMERAL.fullmatch(node.word)))
