r"""The text formats of CCG analyses, by name; JSON and pictures are elsewhere.

    bought_3 (S[dcl]\NP)/NP 1 IBM_1              dependencies as C&C prints them; words from 1
    <c> IBM|NNP|NP bought|VBD|(S[dcl]\NP)/NP     functor, category, slot, argument
    (ncsubj barked_3 dog_2 _)                    grammatical relations, likewise
    (xcomp _ wants_2 go_4)

XML and Prolog are in C&C's manner, too.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from types import MappingProxyType
from xml.sax.saxutils import quoteattr

from treewright.data.auto import format_derivation
from treewright.data.conllu import format_sentence
from treewright.data.dependency import SENTENCE_ID, DependencyTree, Word
from treewright.data.parg import format_dependencies
from treewright.data.records import Dependencies, Dependency, Derivation, Leaf, Node, Surface, fold
from treewright.data.surface import with_surface
from treewright.formats.ccg.drawing import draw
from treewright.formats.ccg.rules import rule_word
from treewright.formats.ccg.semantics import format_sem, format_sem_json, format_sem_tree
from treewright.formats.objects import page_columns
from treewright.grammar.category import Category, parse
from treewright.grammar.defaults import leaf_entry
from treewright.grammar.longrange import long_range
from treewright.grammar.relations import Relation, relations_of
from treewright.grammar.rules import MARKED, dialect

# XML cannot represent these characters, escaped or not.
XML_FORBIDDEN = dict.fromkeys(
    (c for c in range(0x20) if c not in b"\t\n\r"), "\N{REPLACEMENT CHARACTER}"
)
PROLOG_HEADER = (
    r":- op(601, xfx, (/)), op(601, xfx, (\)), op(600, xfx, (:))." + "\n"
    ":- discontiguous ccg/2, w/5.\n"
)


def format_xml(derivation: Derivation, _: Sequence[Dependency]) -> str:
    """The derivation as C&C's XML: `rule` elements around `lf` elements."""

    def leaf(position: int, tree: Leaf) -> list[str]:
        names = {"start": str(position), "span": "1", "word": tree.word, "pos": tree.pos}
        return [f"<lf {_attributes(names | {'cat': tree.category})} />"]

    def node(tree: Node, children: list[list[str]]) -> list[str]:
        opening = f"<rule {_attributes({'type': rule_word(tree), 'cat': tree.category})}>"
        return [opening, *(f" {line}" for child in children for line in child), "</rule>"]

    lines = fold(derivation.root, leaf, node)
    body = "".join(f" {line}\n" for line in lines)
    return f"<ccg id={quoteattr(derivation.id.translate(XML_FORBIDDEN))}>\n{body}</ccg>\n"


def _attributes(values: dict[str, str]) -> str:
    clean = {name: value.translate(XML_FORBIDDEN) for name, value in values.items()}
    return " ".join(f"{name}={quoteattr(value)}" for name, value in clean.items())


def format_prolog(derivation: Derivation, _: Sequence[Dependency]) -> str:
    """The derivation as a Prolog fact `ccg(Id, Tree)`, then its words as `w(Id, N, ...)`.

    A file of these starts with PROLOG_HEADER, which declares slashes as operators.
    """
    name = _quoted(derivation.id)
    tree = fold(
        derivation.root,
        lambda i, tree: f"lf({name},{i + 1},{prolog_category(parse(tree.category))})",
        lambda tree, children: (
            f"{rule_word(tree)}({prolog_category(parse(tree.category))},{','.join(children)})"
        ),
    )
    words = "".join(
        f"w({name},{i},{_quoted(leaf.word)},{_quoted(leaf.pos)},{_quoted(leaf.category)}).\n"
        for i, leaf in enumerate(derivation.leaves, start=1)
    )
    return f"ccg({name},{tree}).\n{words}"


def prolog_category(category: Category) -> str:
    r"""A category as a Prolog term: `(s:dcl\np)/np`."""
    parts: list[str] = []
    stack: list[Category | str] = [category]
    while stack:
        here = stack.pop()
        if isinstance(here, str):
            parts.append(here)
        elif here.slash is None:
            base = here.base.lower() if here.base.isalpha() else _quoted(here.base)
            parts.append(f"{base}:{here.feature.lower()}" if here.feature else base)
        else:
            parts.append("(")
            stack += [")", here.argument, here.slash, here.result]
    return "".join(parts) + (":conj" if category.conj else "")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def format_deps(derivation: Derivation, dependencies: Sequence[Dependency]) -> str:
    """One dependency per line, as in C&C, followed by the supertagged words."""
    leaves = derivation.leaves
    named = [f"{leaf.word}_{i}" for i, leaf in enumerate(leaves, start=1)]
    rows = [f"{named[d.functor]} {d.category} {d.slot} {named[d.argument]}" for d in dependencies]
    words = " ".join(f"{leaf.word}|{leaf.pos}|{leaf.category}" for leaf in leaves)
    return "".join(f"{row}\n" for row in [*rows, f"<c> {words}"])


def format_parg(derivation: Derivation, dependencies: Sequence[Dependency]) -> str:
    """The dependencies as a sentence of a PARG file, with long-range ones marked.

    Treebanks without features have no marks.
    """
    words = dict(enumerate(leaf.word for leaf in derivation.leaves))
    marks: dict[Dependency, str] = {}
    if dialect(derivation) is MARKED:
        entries = [leaf_entry(leaf) for leaf in derivation.leaves]
        marks = long_range(derivation, entries, dependencies)
    rows = Dependencies(derivation.id, len(words), (*dependencies,), words, marks)
    return format_dependencies(rows)


def format_conllu(
    derivation: Derivation, dependencies: Sequence[Dependency], surface: Surface | None = None
) -> str:
    """CoNLL-U: the head tree of the derivation, with CCG dependencies in the ninth column.

    The relation is the rule that joins a word's constituent to its head's; the supertag is in the
    last column. DEPS has `functor:category.slot` for each slot that the word fills. `surface` adds
    the text, its multiword tokens and the words' positions.
    """
    heads, relations = _head_tree(derivation)
    functors = defaultdict(list)
    for d in dependencies:
        functors[d.argument].append((d.functor + 1, f"{d.category}.{d.slot}"))
    words: list[Word] = []
    for i, leaf in enumerate(derivation.leaves):
        deps = "|".join(f"{head}:{relation}" for head, relation in sorted(functors[i])) or "_"
        pos, supertag = leaf.pos or "_", f"Supertag={leaf.category}"
        words.append(Word(leaf.word, "_", "_", pos, "_", heads[i], relations[i], deps, supertag))
    tree = DependencyTree(tuple(words), (SENTENCE_ID + derivation.id,))
    return format_sentence(tree if surface is None else with_surface(tree, surface))


def _head_tree(derivation: Derivation) -> tuple[list[int], list[str]]:
    """The head of each word, from 1, and the rule that attaches it; the root's head is 0."""
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


TYPE_LAST = frozenset({"ncsubj"})  # the subtype follows the words
TYPE_FIRST = frozenset({"ncmod", "xmod", "cmod", "xcomp", "ccomp"})


def format_grs(derivation: Derivation, dependencies: Sequence[Dependency]) -> str:
    """One relation per line, followed by the supertagged words and an empty line."""
    leaves = derivation.leaves
    named = [f"{leaf.word}_{i}" for i, leaf in enumerate(leaves, start=1)]
    rows = [_line(each, named) for each in relations_of(derivation, dependencies)]
    words = " ".join(f"{leaf.word}|{leaf.pos}|{leaf.category}" for leaf in leaves)
    return "".join(f"{row}\n" for row in [*rows, f"<c> {words}", ""])


def _line(relation: Relation, named: Sequence[str]) -> str:
    words = [named[relation.head], named[relation.dependent]]
    kind = relation.type or "_"
    if relation.name in TYPE_LAST:
        words = [*words, kind]
    elif relation.name in TYPE_FIRST:
        words = [kind, *words]
    return f"({' '.join([relation.name, *words])})"


Format = Callable[[Derivation, Sequence[Dependency]], str]


def format_auto(derivation: Derivation, _: Sequence[Dependency]) -> str:
    """The two lines of an AUTO file."""
    return format_derivation(derivation) + "\n"


def format_drawing(derivation: Derivation, _: Sequence[Dependency]) -> str:
    """The drawing of the derivation, for the terminal or a page of 100 columns."""
    return draw(derivation.root, page_columns())


# The text before the first analysis of a file, and after the last one.
FRAMES = MappingProxyType(
    {
        "xml": ('<?xml version="1.0" encoding="UTF-8"?>\n<analyses>\n', "</analyses>\n"),
        "prolog": (PROLOG_HEADER, ""),
    }
)
FORMATS: dict[str, Format] = {
    "auto": format_auto,
    "parg": format_parg,
    "deps": format_deps,
    "grs": format_grs,
    "sem": format_sem,
    "sem-tree": format_sem_tree,
    "sem-json": format_sem_json,
    "conllu": format_conllu,
    "xml": format_xml,
    "prolog": format_prolog,
    "drawing": format_drawing,
}
