"""Conversion of trees and CCG derivations to and from NLTK; needs the package nltk.

A node of `nltk.ccg` is labelled (token, rule), where the token has the category; a word is below a
node with the rule `Leaf` and a preterminal labelled by its token alone. NLTK has no mark of
conjuncts: `S[conj]` becomes `S`.
"""

from typing import Any

from treewright.data import brackets
from treewright.data.brackets import Bracketed, Phrase, Tagged, escape, unescape
from treewright.data.records import Leaf, Node, Tree, fold
from treewright.errors import TreewrightError
from treewright.formats.ccg.rules import rule_symbol
from treewright.grammar.category import Category, parse


def tree_to_nltk(tree: Bracketed) -> Any:
    """A constituency tree as nltk.Tree, its words unescaped."""
    make = _nltk().Tree
    return brackets.fold(
        tree,
        lambda leaf: make(leaf.label, [unescape(leaf.word)]),
        lambda phrase, below: make(phrase.label, below),
    )


def tree_from_nltk(tree: Any) -> Bracketed:
    """A constituency tree from nltk.Tree; each preterminal must have one word."""
    if len(tree) == 1 and isinstance(tree[0], str):
        return Tagged(str(tree.label()), escape(tree[0], "()"))
    if not len(tree) or any(isinstance(child, str) for child in tree):
        raise TreewrightError(f"a node {tree.label()!r} has words beside others, or no child")
    return Phrase(str(tree.label()), tuple(map(tree_from_nltk, tree)))


def derivation_to_nltk(root: Tree) -> Any:
    """A CCG derivation as nltk.ccg has them."""
    make, token = _nltk().Tree, _nltk().ccg.lexicon.Token

    def leaf(_: int, tree: Leaf) -> Any:
        own = token(tree.word, _category(parse(tree.category)))
        return make((own, "Leaf"), [make(own, [tree.word])])

    def node(tree: Node, below: list[Any]) -> Any:
        own = token(" ".join(below[0].leaves()), _category(parse(tree.category)))
        return make((own, rule_symbol(tree)), below)

    return fold(root, leaf, node)


def derivation_from_nltk(tree: Any) -> Tree:
    """A CCG derivation from nltk.ccg; heads are determined by the direction of rules."""
    token, rule = tree.label()
    category = _text(token.categ())
    if rule == "Leaf":
        return Leaf(category, str(tree.leaves()[0]), "", "")
    children = tuple(map(derivation_from_nltk, tree))
    return Node(category, children, 1 if len(children) == 2 and str(rule).startswith("<") else 0)


def _category(category: Category) -> Any:
    api = _nltk().ccg.api
    if not category.is_functor:
        features = [category.feature] if category.feature else []
        return api.PrimitiveCategory(category.base, features)
    sides = _category(category.result), _category(category.argument)
    return api.FunctionalCategory(*sides, api.Direction(category.slash, []))


def _text(category: Any) -> str:
    if category.is_primitive():
        return str(category.categ()) + "".join(f"[{each}]" for each in category.restrs())
    slash = "/" if category.dir().is_forward() else "\\"
    sides = (_text(side) for side in (category.res(), category.arg()))
    pair = (category.res(), category.arg())
    made = [t if s.is_primitive() else f"({t})" for s, t in zip(pair, sides, strict=True)]
    return slash.join(made)


def _nltk() -> Any:
    try:
        import nltk
        import nltk.ccg.api
        import nltk.ccg.lexicon
    except ImportError as error:
        raise TreewrightError("this needs nltk: pip install nltk") from error
    return nltk
