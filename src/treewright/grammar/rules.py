"""Rules as data: the combinators of a grammar, and the categories to which they apply.

A rule set is extracted from a treebank's derivations or read from a TOML file. `combine` lists the
ways in which two categories combine under it; `recognise` determines the rule of a node in a
derivation. Results have no `[nb]`: CCGbank writes it on determiners, and occasionally on their
results.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import TypeVar

from treewright.config import setting
from treewright.data.records import Derivation, Node, Tree, leaves, preorder
from treewright.grammar import combinators as c
from treewright.grammar.category import CONJ, Category, parse, without_nb
from treewright.grammar.combinators import outside
from treewright.grammar.gaps import clause_base

T = TypeVar("T")


class Kind(StrEnum):
    """The kinds of rules, with the short names used in drawings."""

    FORWARD_APPLICATION = ">"
    BACKWARD_APPLICATION = "<"
    FORWARD_COMPOSITION = ">B"
    BACKWARD_COMPOSITION = "<B"
    FORWARD_CROSSED_COMPOSITION = ">Bx"
    BACKWARD_CROSSED_COMPOSITION = "<Bx"
    FORWARD_SUBSTITUTION = ">S"
    BACKWARD_SUBSTITUTION = "<S"
    FORWARD_CROSSED_SUBSTITUTION = ">Sx"
    BACKWARD_CROSSED_SUBSTITUTION = "<Sx"
    MARKED_CONJUNCTION = "conj[]"
    MARKED_COORDINATION = "&[]"
    CONJUNCTION = "conj"
    COORDINATION = "&"
    LEFT_ABSORPTION = "lp"
    RIGHT_ABSORPTION = "rp"
    DISORDERED_APPLICATION = "!"
    TYPE_CHANGE = "tc"
    GAPPING = "gap"
    UNARY = "un"


Combinator = Callable[[Category, Category], Category | None]
ORDERLESS: dict[Kind, Combinator] = {
    Kind.FORWARD_APPLICATION: c.forward_application,
    Kind.BACKWARD_APPLICATION: c.backward_application,
    Kind.MARKED_COORDINATION: c.marked_coordination,
    Kind.COORDINATION: c.plain_coordination,
    Kind.CONJUNCTION: c.plain_conjunction,
    Kind.MARKED_CONJUNCTION: c.marked_conjunction,
    Kind.LEFT_ABSORPTION: c.left_absorption,
    Kind.RIGHT_ABSORPTION: c.right_absorption,
    Kind.FORWARD_SUBSTITUTION: c.forward_substitution,
    Kind.BACKWARD_SUBSTITUTION: c.backward_substitution,
    Kind.FORWARD_CROSSED_SUBSTITUTION: c.forward_crossed_substitution,
    Kind.BACKWARD_CROSSED_SUBSTITUTION: c.backward_crossed_substitution,
    Kind.DISORDERED_APPLICATION: c.disordered_application,
}
ORDERED: dict[Kind, Callable[[Category, Category, int], Category | None]] = {
    Kind.FORWARD_COMPOSITION: c.forward_composition,
    Kind.BACKWARD_COMPOSITION: c.backward_composition,
    Kind.FORWARD_CROSSED_COMPOSITION: c.forward_crossed_composition,
    Kind.BACKWARD_CROSSED_COMPOSITION: c.backward_crossed_composition,
}
MAX_ORDER = 8
CROSSED = {Kind.FORWARD_CROSSED_COMPOSITION, Kind.BACKWARD_CROSSED_COMPOSITION}
PUNCTUATION = (",", ".", ":", ";", "LRB", "RRB", "LQU", "RQU")
# Categories that can occur beside a change of category.
SMALL = frozenset({c.CONJUNCTION, *PUNCTUATION})
ALL_KINDS = tuple(kind.value for kind in (*ORDERLESS, *ORDERED))


@dataclass(frozen=True, slots=True)
class Step:
    """One way in which two categories combine; `order` is that of a composition."""

    kind: Kind
    result: Category
    order: int = 0


@dataclass(frozen=True)
class RuleSet:
    """The rules of a grammar as text, as in a TOML file."""

    kinds: tuple[str, ...] = setting(ALL_KINDS, "short names of the binary rules to use")
    max_order: int = setting(3, "maximum order of composition")
    punctuation: tuple[str, ...] = setting(
        PUNCTUATION, "punctuation categories that can be absorbed"
    )
    unary: tuple[tuple[str, str], ...] = setting((), "unary rules: child and result")
    outside: tuple[tuple[str, str, str], ...] = setting(
        (), "binary rules besides the combinators: left, right and result"
    )
    crossed: tuple[str, ...] = setting(
        (),
        "allow crossed composition only if the functor yields one of these, such as S; empty: any",
    )
    roots: tuple[str, ...] = setting((), "root categories; empty: any")
    seen: tuple[tuple[str, str], ...] = setting(
        (), "pairs of categories that can combine; empty: any"
    )
    marked_conjuncts: bool = setting(
        True,
        "allow X X -> X only if the right X starts with a conjunction or punctuation",
    )

    def __post_init__(self) -> None:
        for kind in self.kinds:
            Kind(kind)
        if not 0 <= self.max_order <= MAX_ORDER:
            raise ValueError(f"max_order must be between 0 and {MAX_ORDER}, not {self.max_order}")
        many = (*self.unary, *self.seen, *self.outside)
        pairs = (category for each in many for category in each)
        for category in (*self.punctuation, *self.roots, *self.crossed, *pairs):
            parse(category)
        for left, right, result in self.outside:
            if not self.outside_kind(parse(left), parse(right), parse(result)):
                raise ValueError(
                    f"not a rule of punctuation or gapping: {left} {right} -> {result}"
                )

    @cached_property
    def _kinds(self) -> list[Kind]:
        return [Kind(kind) for kind in self.kinds]

    @cached_property
    def _known(self) -> dict[tuple[Category, Category], list[Step]]:
        return {}

    @cached_property
    def _seen(self) -> set[tuple[Category, Category]]:
        return {(parse(left), parse(right)) for left, right in self.seen}

    @cached_property
    def _unary(self) -> dict[Category, list[Category]]:
        results: dict[Category, list[Category]] = {}
        for child, result in self.unary:
            results.setdefault(parse(child), []).append(parse(result))
        return results

    @cached_property
    def _outside(self) -> dict[tuple[Category, Category], list[Step]]:
        steps: dict[tuple[Category, Category], list[Step]] = {}
        for left, right, result in (map(parse, rule) for rule in self.outside):
            if kind := self.outside_kind(left, right, result):
                steps.setdefault((left, right), []).append(Step(kind, result))
        return steps

    @staticmethod
    def outside_kind(left: Category, right: Category, result: Category) -> Kind | None:
        """The kind of a rule outside the combinators; None if it is not such a rule."""
        name = outside(left, right, result, SMALL)
        return Kind(name) if name else None

    def combine(self, left: Category, right: Category) -> list[Step]:
        """All ways in which two neighbours combine, in the order of `Kind`."""
        key = left, right
        if key not in self._known:
            allowed = not self._seen or key in self._seen
            kinds = self._kinds if allowed else []
            steps = [s for kind in kinds for s in self._steps(kind, left, right)]
            self._known[key] = steps + self._outside.get(key, [])
        return self._known[key]

    def _steps(self, kind: Kind, left: Category, right: Category) -> Iterator[Step]:
        if kind in ORDERED:
            for order in range(1, self.max_order + 1):
                result = ORDERED[kind](left, right, order)
                if result and (kind not in CROSSED or self._may_cross(kind, left, right)):
                    yield Step(kind, without_nb(result), order)
        elif self._allows(kind, left, right) and (result := ORDERLESS[kind](left, right)):
            yield Step(kind, without_nb(result))

    def _allows(self, kind: Kind, left: Category, right: Category) -> bool:
        """Whether the grammar allows this small category in the rule."""
        match kind:
            case Kind.LEFT_ABSORPTION:
                return left.text in self.punctuation
            case Kind.RIGHT_ABSORPTION:
                return right.text in {c.CONJUNCTION, *self.punctuation}
            case Kind.MARKED_CONJUNCTION:
                return left.text in {c.CONJUNCTION, *self.punctuation}
        return True

    def _may_cross(self, kind: Kind, left: Category, right: Category) -> bool:
        """Whether the shared category Y of a crossed composition allows it."""
        primary = left if kind is Kind.FORWARD_CROSSED_COMPOSITION else right
        return not self.crossed or clause_base(primary.argument) in self.crossed

    def opens_conjunct(self, category: Category) -> bool:
        """Whether the right side of a plain coordination can start with a word of this category."""
        return not self.marked_conjuncts or category.text in {c.CONJUNCTION, *self.punctuation}

    def change(self, child: Category) -> list[Category]:
        """The results of unary rules for a category."""
        return self._unary.get(child, [])

    def is_root(self, category: Category) -> bool:
        """Whether a sentence can have this category."""
        return not self.roots or category.text in self.roots


ANY_RULE = RuleSet()
# Treebanks that mark conjuncts have no `X X -> X`: two adjacent modifiers are composed.
MARKED = RuleSet(kinds=tuple(kind for kind in ALL_KINDS if kind != Kind.COORDINATION))


def recognise(node: Node, rules: RuleSet = ANY_RULE) -> Step | None:
    """The rule of a node in a derivation; None if no rule matches."""
    result = parse(node.category)
    children = [parse(child.category) for child in node.children]
    if len(children) == 1:
        free = rules is ANY_RULE or rules is MARKED
        allowed = free or result in rules.change(children[0])
        return Step(Kind.UNARY, result) if allowed else None
    wanted = without_nb(result)
    step = next((s for s in rules.combine(*children) if s.result is wanted), None)
    if step is None and (rules is ANY_RULE or rules is MARKED):
        left, right = map(without_nb, children)
        kind = rules.outside_kind(left, right, wanted)
        return Step(kind, wanted) if kind else None
    return step


@lru_cache(maxsize=8)
def dialect(derivation: Derivation) -> RuleSet:
    """The rules for reading a derivation: CCGbank's features imply marked conjuncts."""
    categories = [tree.category for tree in preorder(derivation.root)]
    return MARKED if any("[" in c and "=" not in c for c in categories) else ANY_RULE


def likely_step(node: Node) -> Step | None:
    """The rule of a node among all rules; two equal categories are conjuncts if a mark says so.

    Otherwise two equal categories, such as `N/N N/N`, are composed.
    """
    if len(node.children) == 2 and not opens_conjunct(node.children[1]):
        return recognise(node, MARKED) or recognise(node)
    return recognise(node)


def opens_conjunct(tree: Tree) -> bool:
    """Whether a tree starts with a conjunction or punctuation."""
    first = next(leaves(tree))
    return first.category in SMALL


def read_rules(derivations: Iterable[Derivation], *, only_seen: bool = False) -> RuleSet:
    """The rules in derivations, most frequent first.

    `only_seen` restricts rules to the seen pairs of categories.
    """
    known = list(derivations)
    rules = MARKED if any(map(_marks_conjuncts, known)) else ANY_RULE
    counts = _RuleCounts()
    for derivation in known:
        counts.roots[derivation.root.category] += 1
        for node, step in _steps_of(derivation, rules):
            counts.add(node, step)
    return counts.rule_set(only_seen)


@dataclass(eq=False)
class _RuleCounts:
    """The frequencies of rules and categories in derivations."""

    kinds: Counter[str] = field(default_factory=Counter)
    roots: Counter[str] = field(default_factory=Counter)
    unary: Counter[tuple[str, str]] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    outside: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    crossed: Counter[str] = field(default_factory=Counter)
    max_order: int = 0

    def add(self, node: Node, step: Step) -> None:
        if step.kind is Kind.UNARY:
            self.unary[node.children[0].category, node.category] += 1
            return
        left, right = (child.category for child in node.children)
        self.pairs[left, right] += 1
        self.max_order = max(self.max_order, step.order)
        if step.kind in {Kind.TYPE_CHANGE, Kind.GAPPING}:
            self.outside[left, right, step.result.text] += 1
            return
        self.kinds[step.kind.value] += 1
        if step.kind in CROSSED:
            primary = left if step.kind is Kind.FORWARD_CROSSED_COMPOSITION else right
            self.crossed[clause_base(parse(primary).argument)] += 1

    def rule_set(self, only_seen: bool) -> RuleSet:
        return RuleSet(
            kinds=tuple(kind for kind in ALL_KINDS if kind in self.kinds),
            max_order=self.max_order,
            unary=_by_frequency(self.unary),
            outside=_by_frequency(self.outside),
            crossed=_by_frequency(self.crossed),
            roots=_by_frequency(self.roots),
            seen=_by_frequency(self.pairs) if only_seen else (),
        )


def _by_frequency(counts: Counter[T]) -> tuple[T, ...]:
    return tuple(item for item, _ in counts.most_common())


def _marks_conjuncts(derivation: Derivation) -> bool:
    return any(CONJ in node.category for node in preorder(derivation.root))


def _steps_of(derivation: Derivation, rules: RuleSet) -> Iterator[tuple[Node, Step]]:
    for node in preorder(derivation.root):
        if isinstance(node, Node) and (step := recognise(node, rules)):
            yield node, step


def underivable(derivation: Derivation, rules: RuleSet) -> list[Tree]:
    """The nodes that the rules cannot derive, and the root if its category is not allowed."""
    nodes = (tree for tree in preorder(derivation.root) if isinstance(tree, Node))
    unexplained: list[Tree] = [node for node in nodes if recognise(node, rules) is None]
    if not rules.is_root(parse(derivation.root.category)):
        unexplained.append(derivation.root)
    return unexplained
