r"""Sentences in CCGbank's dialect, written here: one for each construction and each rule.

A case is a name, a derivation and its dependencies:

    # passive
    { { The|NP[nb]/N door|N } { was|(S[dcl]\NP)/(S[pss]\NP) opened|S[pss]\NP } }
    door<The.1 door<was.1 opened<was.2 door<opened.1:B

`{ a b }` is what a combinator makes of two trees; `C{ a }` and `C{ a b }` name the category.
A word is `word|category`, with the sixth field of its leaf after another bar. `a<f.2:B`
says that `a` fills the second slot of `f`, over a bounded gap; `w/2` is the second word w.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from treewright.data.records import Dependency, Derivation, Leaf, Node, Tree
from treewright.grammar.category import Category, parse
from treewright.grammar.rules import MARKED, Kind

HERE = Path(__file__).parent / "ccgbank"
MODALS = {"will", "may", "can"}
TAGS = {"N": "NN", "NP": "PRP", "N/N": "JJ", "NP[nb]/N": "DT", "conj": "CC", "PP/NP": "IN"}


class Case(NamedTuple):
    """A construction, its derivation, and its dependencies with their marks."""

    name: str
    derivation: Derivation
    dependencies: dict[Dependency, str | None]


def cases() -> list[Case]:
    """All cases, in the order of the files."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.txt"))]
    blocks = [block.splitlines() for text in texts for block in text.strip().split("\n\n")]
    return [_case(number, *block) for number, block in enumerate(blocks, start=1)]


def _case(number: int, name: str, tree: str, rows: str) -> Case:
    derivation = Derivation(f"case.{number}", _Reader(tree.split()).read())
    places = _places(derivation)
    found = dict(_row(row, places, derivation) for row in rows.split())
    return Case(name.removeprefix("# "), derivation, found)


def _places(derivation: Derivation) -> dict[str, int]:
    seen: Counter[str] = Counter()
    places = {}
    for place, leaf in enumerate(derivation.leaves):
        seen[leaf.word] += 1
        again = f"/{seen[leaf.word]}" if seen[leaf.word] > 1 else ""
        places[leaf.word + again] = place
    return places


def _row(row: str, places: dict[str, int], derivation: Derivation) -> tuple[Dependency, str | None]:
    link, _, mark = row.partition(":") if row.endswith((":B", ":U")) else (row, "", "")
    argument, _, rest = link.partition("<")
    functor, _, slot = rest.rpartition(".")
    category = derivation.leaves[places[functor]].category
    row_found = Dependency(places[functor], category, int(slot), places[argument])
    return row_found, f"X{mark}" if mark else None


class _Reader:
    """Reads a derivation from its pieces."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces[::-1]

    def read(self) -> Tree:
        piece = self.pieces.pop()
        if not piece.endswith("{"):
            return _leaf(piece)
        children = []
        while self.pieces[-1] != "}":
            children.append(self.read())
        self.pieces.pop()
        return _node(piece[:-1], children)


def _leaf(piece: str) -> Leaf:
    word, category, *rest = piece.split("|")
    verb = "MD" if word in MODALS else "VB"
    tag = TAGS.get(category, verb if category.startswith(("S[", "(S[", "((S[")) else "XX")
    if category in {"N", "N/N"} and word[0].isupper():
        tag = "NNP"
    return Leaf(category, word, tag, tag, rest[0] if rest else category)


def _node(category: str, children: list[Tree]) -> Tree:
    if len(children) == 1 and not category:
        return children[0]
    if not category:
        category = _made(*(parse(child.category) for child in children))
    return Node(category, tuple(children))


def _made(left: Category, right: Category) -> str:
    """What two categories make: a conjunction marks what follows it, and a comma is absorbed."""
    steps = MARKED.combine(left, right)
    assert steps, f"{left} {right}"
    wanted = Kind.MARKED_CONJUNCTION if left.text == "conj" else Kind.LEFT_ABSORPTION
    applied = steps[0].kind is Kind.BACKWARD_APPLICATION
    found = [step for step in steps if step.kind is wanted and not applied] or steps
    return found[0].result.text
