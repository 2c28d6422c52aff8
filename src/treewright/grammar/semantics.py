"""Meanings of derivations: lambda terms, from templates for categories and from the combinators.

The combinators are those of Steedman, *The Syntactic Process* (2000): application applies,
composition composes, type-raising turns an argument into a function over functions. Conjunctions
join formulas below all arguments (Partee and Rooth 1983). Templates are in `semantics.toml`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from treewright.config import from_dict, parse_toml, setting
from treewright.data.records import Derivation, Leaf, Node, Tree, fold, preorder
from treewright.errors import GrammarError
from treewright.grammar.category import Category, parse, without_nb
from treewright.grammar.default_terms import default_term
from treewright.grammar.defaults import is_type_raised
from treewright.grammar.gaps import bottom
from treewright.grammar.lists import AND, operators, step_of
from treewright.grammar.reduction import reduced, substitute
from treewright.grammar.rules import Kind, Step, recognise
from treewright.grammar.schema import SUBSTITUTIONS, changed_side
from treewright.grammar.terms import Joined, Lambda, Name, Term, apply, free_names, parse_term
from treewright.grammar.words import as_listed

TABLE = Path(__file__).with_name("semantics.toml")
WORD = "$w"
ARGUMENTS = {"S": 1, "NP": 2, "PP": 2, "N": 1}  # arguments of a meaning before it is a formula
SIGNS = {"$": "dollar", "%": "percent", "#": "number", "&": "and"}
IMPERATIVE, VERB_PHRASE = parse(r"S[b]\NP"), parse(r"S\NP")


@dataclass(frozen=True)
class Template:
    """The meaning of the words of a category."""

    category: str = setting("", "category; without features, it matches any features")
    term: str = setting("", r"lambda term; $w stands for the word")
    words: tuple[str, ...] = setting((), "words in lower case; empty: any")
    tags: tuple[str, ...] = setting((), "parts of speech; empty: any")
    modifier: bool = setting(False, "match only categories X/X and X\\X")


@dataclass(frozen=True)
class UnaryTemplate:
    """The meaning of a unary rule: a function over its input."""

    child: str = setting("", "input category of the rule")
    result: str = setting("", "output category of the rule")
    term: str = setting("", "lambda term")


@dataclass(frozen=True)
class Templates:
    """The templates of a file; the first one that matches applies."""

    macros: dict[str, str] = setting({}, "named terms")
    template: tuple[Template, ...] = setting((), "meanings of words")
    unary: tuple[UnaryTemplate, ...] = setting((), "meanings of unary rules")

    def __post_init__(self) -> None:
        terms = [each.term for each in self.template] + [each.term for each in self.unary]
        for text in [*terms, *self.macros.values()]:
            parse_term(text)

    @cached_property
    def _macros(self) -> dict[str, Term]:
        return {name: parse_term(text) for name, text in self.macros.items()}

    def term(self, text: str) -> Term:
        """A term with its macros expanded."""
        term = parse_term(text)
        for name, value in self._macros.items():
            term = substitute(term, name, value)
        return term

    def of_word(self, leaf: Leaf) -> Term:
        """The meaning of a word, by the first matching template, or by the default one.

        A word without a template is a constant.
        """
        category, word = without_nb(parse(leaf.category)), as_listed(leaf.word)
        for each in self.template:
            known = (not each.words or word in each.words) and (
                not each.tags or leaf.pos in each.tags
            )
            shaped = fits(parse(each.category), category)
            if known and shaped and (category.is_modifier or not each.modifier):
                return substitute(self.term(each.term), WORD, Name(constant(leaf.word)))
        usual = self.term(default_term(category) or WORD)
        return substitute(usual, WORD, Name(constant(leaf.word)))

    def of_unary(self, child: Category, result: Category, term: Term) -> Term:
        r"""The meaning of a unary rule's result; type-raising yields `\f.f(x)`."""
        if is_type_raised(child, result):
            return Lambda("f", apply(Name("f"), _apart(term, {"f"})))
        for each in self.unary:
            if fits(parse(each.child), child) and fits(parse(each.result), result):
                return apply(self.term(each.term), term)
        return apply(Name(f"as_{constant(result.text)}"), term)


def fits(pattern: Category, category: Category) -> bool:
    """Whether a category has the shape of a pattern, and the pattern's features."""
    if pattern.slash is None or category.slash is None:
        same = pattern.slash is category.slash is None and pattern.base == category.base
        return same and pattern.feature in {"", category.feature}
    if pattern.slash != category.slash:
        return False
    return fits(pattern.result, category.result) and fits(pattern.argument, category.argument)


def constant(word: str) -> str:
    """A word as the name of a constant: lower case, with `_` for other characters."""
    return re.sub(r"\W+", "_", word.lower()).strip("_") or SIGNS.get(word, "mark")


@lru_cache
def templates(path: Path = TABLE) -> Templates:
    """Reads the templates of a file."""
    return from_dict(Templates, parse_toml(path.read_bytes(), str(path)), str(path))


@dataclass(frozen=True, eq=False)
class Meaning:
    """The meaning of a derivation, and the term of each node, children first."""

    term: Term
    nodes: tuple[tuple[Tree, Term], ...]


def meaning(derivation: Derivation, table: Templates | None = None) -> Meaning:
    """The meaning of a derivation; a sentence is closed by an existential over its event.

    The subject of an imperative is `you`.
    """
    known = table or templates()
    nodes: list[tuple[Tree, Term]] = []
    root = parse(derivation.root.category)
    joins = operators(derivation)

    def keep(tree: Tree, term: Term) -> Term:
        nodes.append((tree, reduced(term)))
        return nodes[-1][1]

    def node(tree: Node, below: list[Term]) -> Term:
        verb = _gapped(tree, nodes) if len(below) == 2 else None
        if verb is not None:
            return keep(tree, apply(below[1], Lambda("v", below[0]), verb))
        return keep(tree, _combined(derivation, tree, below, known, joins))

    whole = fold(derivation.root, lambda _, leaf: keep(leaf, known.of_word(leaf)), node)
    imperative = root is IMPERATIVE or (root is VERB_PHRASE and _commands(derivation))
    if imperative:
        whole = apply(whole, known.term("ONE(you)"))
    if imperative or root.base == "S":
        whole = reduced(apply(whole, known.term("ANY")))
    return Meaning(whole, tuple(nodes))


def _commands(derivation: Derivation) -> bool:
    """Whether the first verb of a derivation is a bare one, if categories have no features."""
    tags = [leaf.pos for leaf in derivation.leaves if leaf.pos.startswith(("VB", "MD", "TO"))]
    return tags[:1] == ["VB"]


def _gapped(node: Node, nodes: list[tuple[Tree, Term]]) -> Term | None:
    """The verb of the left conjunct that the right one lacks, if a node is gapping."""
    step = recognise(node)
    if step is None or step.kind is not Kind.GAPPING:
        return None
    wanted = parse(node.children[1].category).plain.argument
    inside = set(preorder(node.children[0]))
    terms = (term for tree, term in nodes if tree in inside and fits(wanted, parse(tree.category)))
    return next(terms, None)


def _combined(
    derivation: Derivation,
    node: Node,
    below: list[Term],
    known: Templates,
    joins: Mapping[Tree, str],
) -> Term:
    children = [parse(child.category) for child in node.children]
    result = parse(node.category)
    if len(below) == 1:
        return known.of_unary(children[0], result, below[0])
    step = step_of(derivation, node)
    if step is None:
        raise GrammarError(f"sentence {derivation.id}: no rule makes {node.category}")
    if step.kind is Kind.TYPE_CHANGE:
        side = changed_side(*children)
        made = known.of_unary(children[side], result.plain, below[side])
        return _joining(joins.get(node, AND), result.plain, made) if result.conj else made
    return _joint(node, step, below, joins) or _by_combinator(step, children, *below)


def _joint(node: Node, step: Step, below: list[Term], joins: Mapping[Tree, str]) -> Term | None:
    """The result of a conjunction or punctuation and another meaning; None for combinators."""
    left, right = below
    match step.kind:
        case Kind.MARKED_CONJUNCTION:
            return _joining(joins.get(node, AND), step.result.plain, right)
        case Kind.MARKED_COORDINATION:
            return apply(right, left)
        case Kind.COORDINATION:
            return _joined(joins.get(node, AND), step.result, left, right)
        case Kind.RIGHT_ABSORPTION | Kind.GAPPING:
            return left
        case Kind.LEFT_ABSORPTION | Kind.CONJUNCTION:
            return right
    return None


def _by_combinator(step: Step, children: list[Category], left: Term, right: Term) -> Term:
    forward = step.kind.startswith(">")
    if step.kind is Kind.DISORDERED_APPLICATION:
        forward = children[1].slash != "/"
    primary, other = (left, right) if forward else (right, left)
    if step.kind in SUBSTITUTIONS:
        (z,) = _fresh(["z"], primary, other)
        return Lambda(z, apply(primary, Name(z), apply(other, Name(z))))
    names = _fresh([f"v{n}" for n in range(step.order)], primary, other)
    return _abstracted(names, apply(primary, apply(other, *map(Name, names))))


def _joining(operator: str, category: Category, right: Term) -> Term:
    """A conjunction with its right side: a function over the left one."""
    (left,) = _fresh(["l"], right)
    return Lambda(left, _joined(operator, category, Name(left), right))


def _joined(operator: str, category: Category, left: Term, right: Term) -> Term:
    """Two meanings of the same category joined below all their arguments."""
    count = category.arity + ARGUMENTS.get(bottom(category).base, 0)
    names = _fresh([f"a{n}" for n in range(count)], left, right)
    sides = (apply(side, *map(Name, names)) for side in (left, right))
    return _abstracted(names, Joined(operator, *sides))


def _abstracted(names: Iterable[str], body: Term) -> Term:
    for name in reversed(list(names)):
        body = Lambda(name, body)
    return body


def _fresh(wanted: list[str], *terms: Term) -> list[str]:
    """Names that do not occur in the terms."""
    taken = frozenset().union(*map(free_names, terms))
    return [name if name not in taken else f"{name}_" for name in wanted]


def _apart(term: Term, names: set[str]) -> Term:
    """A term with bound variables renamed so that none are captured."""
    for name in free_names(term) & names:
        term = substitute(term, name, Name(f"{name}_"))
    return term
