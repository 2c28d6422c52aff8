"""Conversion of CCG derivations to phrase structure in the style of the Penn Treebank.

Phrases are named by categories: `S[dcl]` is an S, `S[dcl]` that lacks a subject a VP, and so on.
Constituents that CCG has and the Penn Treebank has not (a verb with the first of its two objects, a
verb phrase before its adjuncts, raised subjects) are spliced into the phrase around them.
"""

from dataclasses import dataclass

from treewright.data.brackets import escape
from treewright.data.records import Derivation, Leaf, Node, Tree, fold, leaves
from treewright.grammar.category import Category, parse

CLAUSES = {"dcl": "S", "b": "S", "q": "SQ", "wq": "SBARQ", "em": "SBAR", "qem": "SBAR", "": "S"}
OPEN = {"S", "SQ", "VP"}  # phrases that absorb modifiers without a new level
WH = {"WP": "WHNP", "WDT": "WHNP", "WRB": "WHADVP"}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A labelled phrase; one without children is a word with its POS tag."""

    label: str
    parts: tuple["Phrase", ...] = ()
    word: str = ""

    def __str__(self) -> str:
        inside = " ".join(map(str, self.parts)) if self.parts else self.word
        return f"({self.label} {inside})"

    @property
    def is_coordination(self) -> bool:
        return any(part.label == "CC" for part in self.parts)


Phrases = tuple[Phrase, ...]


def bracketed(derivation: Derivation) -> str:
    """The derivation as one line of Penn Treebank brackets."""
    first, *marks = fold(derivation.root, lambda _, leaf: (_word(leaf),), _combine)
    return f"( {Phrase(first.label, (*first.parts, *marks))})"


def _word(leaf: Leaf) -> Phrase:
    return Phrase(leaf.pos, word=escape(leaf.word))


def _combine(node: Node, parts: list[Phrases]) -> Phrases:
    if len(parts) == 1:
        return _unary(node, parts[0])
    first, second = node.children
    left, right = (_as_phrase(node, *pair) for pair in zip(node.children, parts, strict=True))
    if "conj" in {first.category, second.category} or second.category in {",", "."}:
        return left + right
    label = phrase_label(parse(node.category).plain, node)
    if second.category.endswith("[conj]"):
        return (Phrase(label or "VP", left + right),)
    if label is None:
        return left + right
    if label.startswith("SBAR") and right[0].label == "VP":
        right = (Phrase("SQ" if label == "SBARQ" else "S", right),)
    whole = (Phrase(label, _spliced(label, left, right)),)
    return (Phrase("S", whole),) if _is_infinitive(node) else whole


def _unary(node: Node, child: Phrases) -> Phrases:
    """Bare nouns are phrases; reduced relative clauses are clauses; raising leaves no trace."""
    below = node.children[0].category
    if node.category == "NP":
        return (Phrase("NP", child),)
    if isinstance(node.children[0], Leaf):
        child = _wrapped(node.children[0], child)
    return (Phrase("SBAR", child),) if below.startswith("S[dcl]/") else child


def _as_phrase(node: Node, child: Tree, parts: Phrases) -> Phrases:
    """A word in the position of a phrase, as a phrase."""
    if not isinstance(child, Leaf):
        return parts
    seeks = parse(child.category).slash == "/"
    beside_verb = node.children[0].category == "conj" or node.category == child.category
    if seeks and beside_verb and _is_verb_phrase(child.category):
        return parts
    if seeks and node.children[0] is child and child.pos not in {*WH, "RB"}:
        return parts
    return _wrapped(child, parts)


def _wrapped(leaf: Leaf, parts: Phrases) -> Phrases:
    category = parse(leaf.category)
    if leaf.pos in WH and category.argument.base != "N":
        return (Phrase(WH[leaf.pos], parts),)
    if leaf.pos == "RB" and leaf.word != "not" and category.is_modifier:
        target = _target(category)
        return (Phrase("ADVP", parts),) if target.base == "S" and not target.feature else parts
    label = phrase_label(category, leaf)
    return (Phrase(label, parts),) if label else parts


def _spliced(label: str, left: Phrases, right: Phrases) -> Phrases:
    """The children of a phrase, without levels that only a modifier or complement created."""
    if label == "ADJP" and right[0].label == label:
        return left + right[0].parts
    if label not in OPEN:
        return left + right
    if len(left) == 1 and left[0].label == label and not left[0].is_coordination:
        return left[0].parts + right
    if left[-1].label[0] in "ASP," and left[0].parts and right[0].label == label:
        return left + right[0].parts if not right[0].is_coordination else left + right
    return left + right


def phrase_label(category: Category, tree: Tree) -> str | None:
    """The label of a constituent, or None if the Penn Treebank has no such phrase."""
    if not category.is_functor:
        clause = CLAUSES.get(category.feature) if category.base == "S" else None
        return category.base if category.base in {"NP", "PP"} else clause
    if category.is_modifier:
        return _modifier_label(category, tree)
    target = _target(category)
    if target.feature == "wq":
        return "WHNP"
    if _is_verb_phrase(category.text):
        return "ADJP" if target.feature == "adj" else "VP"
    return CLAUSES.get(target.feature) if target.base == "S" else None


def _modifier_label(category: Category, tree: Tree) -> str | None:
    first = next(leaves(tree))
    if first.pos in {"WP", "WDT"}:
        return "SBAR"
    if first.pos in {"IN", "TO"}:
        return "SBAR" if parse(first.category).argument.base == "S" else "PP"
    return "ADJP" if category.result.base in {"N", ""} and isinstance(tree, Node) else None


def _is_verb_phrase(text: str) -> bool:
    r"""Whether a category is `S\NP`, or that with complements missing on the right."""
    category = parse(text)
    while category.slash == "/":
        category = category.result
    return category.slash == "\\" and category.result.base == "S"


def _is_infinitive(node: Node) -> bool:
    first = node.children[0]
    return isinstance(first, Leaf) and first.category == r"(S[to]\NP)/(S[b]\NP)"


def _target(category: Category) -> Category:
    while category.slash is not None:
        category = category.result
    return category
