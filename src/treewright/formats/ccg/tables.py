r"""Analyses as tables: dependencies as C&C prints them, PARG, and CoNLL.

bought_3 (S[dcl]\NP)/NP 1 IBM_1          functor, category, slot, argument; words from 1
<c> IBM|NNP|NP bought|VBD|(S[dcl]\NP)/NP ...
"""

from collections import defaultdict
from collections.abc import Sequence

from treewright.data.parg import format_dependencies
from treewright.data.records import Dependencies, Dependency, Derivation, Node, fold
from treewright.formats.ccg.rules import rule_word
from treewright.grammar.defaults import leaf_entry
from treewright.grammar.longrange import long_range
from treewright.grammar.rules import MARKED, dialect


def format_deps(derivation: Derivation, dependencies: Sequence[Dependency]) -> str:
    """One dependency a line in C&C's manner, then the supertagged words."""
    leaves = derivation.leaves
    named = [f"{leaf.word}_{i}" for i, leaf in enumerate(leaves, start=1)]
    rows = [f"{named[d.functor]} {d.category} {d.slot} {named[d.argument]}" for d in dependencies]
    words = " ".join(f"{leaf.word}|{leaf.pos}|{leaf.category}" for leaf in leaves)
    return "".join(f"{row}\n" for row in [*rows, f"<c> {words}"])


def format_parg(derivation: Derivation, dependencies: Sequence[Dependency]) -> str:
    """The dependencies as a sentence of a PARG file, long-range ones marked.

    Treebanks without features have no marks either.
    """
    words = dict(enumerate(leaf.word for leaf in derivation.leaves))
    marks: dict[Dependency, str] = {}
    if dialect(derivation) is MARKED:
        entries = [leaf_entry(leaf) for leaf in derivation.leaves]
        marks = long_range(derivation, entries, dependencies)
    rows = Dependencies(derivation.id, len(words), (*dependencies,), words, marks)
    return format_dependencies(rows)


def format_conllu(derivation: Derivation, dependencies: Sequence[Dependency]) -> str:
    """CoNLL-U: the head tree of the derivation; CCG's own dependencies in the ninth column.

    The relation is the rule that joins a word's constituent to its head's; the supertag is in the
    last column. DEPS has `functor:category.slot` for each slot that the word fills.
    """
    heads, relations = _head_tree(derivation)
    functors = defaultdict(list)
    for d in dependencies:
        functors[d.argument].append((d.functor + 1, f"{d.category}.{d.slot}"))
    lines = [f"# sent_id = {derivation.id}"]
    for i, leaf in enumerate(derivation.leaves):
        deps = "|".join(f"{head}:{relation}" for head, relation in sorted(functors[i])) or "_"
        supertag = f"Supertag={leaf.category}"
        columns = i + 1, leaf.word, "_", "_", leaf.pos, "_", heads[i], relations[i], deps, supertag
        lines.append("\t".join(map(str, columns)))
    return "\n".join(lines) + "\n\n"


def _head_tree(derivation: Derivation) -> tuple[list[int], list[str]]:
    """The head of each word, from 1, and the rule that brings it there; the root has 0."""
    count = len(derivation.leaves)
    heads, relations = [0] * count, ["root"] * count

    def attach(node: Node, children: list[int]) -> int:
        head = children[node.head]
        for other in children:
            if other != head:
                heads[other], relations[other] = head + 1, rule_word(node)
        return head

    fold(derivation.root, lambda word, _: word, attach)
    return heads, relations
