"""Rules as data: which combinators a grammar has, and what they may apply to.

A rule set is read from a treebank's derivations or from a TOML file. `combine` lists the ways in
which two categories combine under it; `recognise` names the way that a derivation shows. Results
have no `[nb]`: CCGbank writes it on determiners, and now and then on what they make.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from treewright.config import setting
from treewright.data.records import Derivation, Node, Tree, preorder
from treewright.grammar import combinators as c
from treewright.grammar.category import CONJ, Category, parse, without_nb


class Kind(StrEnum):
    """The kinds of rule, under the short names that derivations are drawn with."""

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
PUNCTUATION = (",", ".", ":", ";", "LRB", "RRB", "LQU", "RQU")
ALL_KINDS = tuple(kind.value for kind in (*ORDERLESS, *ORDERED))


@dataclass(frozen=True, slots=True)
class Step:
    """One way in which two categories combine; `order` counts what a composition carries over."""

    kind: Kind
    result: Category
    order: int = 0


@dataclass(frozen=True)
class RuleSet:
    """The rules of a grammar, as text: what a TOML file may set."""

    kinds: tuple[str, ...] = setting(ALL_KINDS, "The kinds of binary rule, by their short names.")
    max_order: int = setting(3, "Compositions carry over at most this many arguments.")
    punctuation: tuple[str, ...] = setting(PUNCTUATION, "The categories that may be absorbed.")
    unary: tuple[tuple[str, str], ...] = setting((), "Unary rules: child and result.")
    roots: tuple[str, ...] = setting((), "The categories of whole sentences; none: any.")
    seen: tuple[tuple[str, str], ...] = setting((), "Pairs that may combine; none: any.")
    marked_conjuncts: bool = setting(
        True,
        "In a chart, X X -> X only where the right X begins with a conjunction or punctuation.",
    )

    def __post_init__(self) -> None:
        for kind in self.kinds:
            Kind(kind)
        if not 0 <= self.max_order <= MAX_ORDER:
            raise ValueError(f"max_order must lie between 0 and {MAX_ORDER}, not {self.max_order}")
        pairs = (category for pair in (*self.unary, *self.seen) for category in pair)
        for category in (*self.punctuation, *self.roots, *pairs):
            parse(category)

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
        found: dict[Category, list[Category]] = {}
        for child, result in self.unary:
            found.setdefault(parse(child), []).append(parse(result))
        return found

    def combine(self, left: Category, right: Category) -> list[Step]:
        """All ways in which two neighbours combine, in the order of `Kind`."""
        key = left, right
        if key not in self._known:
            allowed = not self._seen or key in self._seen
            kinds = self._kinds if allowed else []
            self._known[key] = [s for kind in kinds for s in self._steps(kind, left, right)]
        return self._known[key]

    def _steps(self, kind: Kind, left: Category, right: Category) -> Iterator[Step]:
        if kind in ORDERED:
            for order in range(1, self.max_order + 1):
                if result := ORDERED[kind](left, right, order):
                    yield Step(kind, without_nb(result), order)
        elif self._allows(kind, left, right) and (result := ORDERLESS[kind](left, right)):
            yield Step(kind, without_nb(result))

    def _allows(self, kind: Kind, left: Category, right: Category) -> bool:
        """Whether the small category of a rule is one that the grammar has for it."""
        match kind:
            case Kind.LEFT_ABSORPTION:
                return left.text in self.punctuation
            case Kind.RIGHT_ABSORPTION:
                return right.text in {c.CONJUNCTION, *self.punctuation}
            case Kind.MARKED_CONJUNCTION:
                return left.text in {c.CONJUNCTION, *self.punctuation}
        return True

    def opens_conjunct(self, category: Category) -> bool:
        """Whether the right side of a plain coordination may begin with a word of this category."""
        return not self.marked_conjuncts or category.text in {c.CONJUNCTION, *self.punctuation}

    def change(self, child: Category) -> list[Category]:
        """What the unary rules make of a category."""
        return self._unary.get(child, [])

    def is_root(self, category: Category) -> bool:
        """Whether a sentence may have this category."""
        return not self.roots or category.text in self.roots


ANY_RULE = RuleSet()
# A treebank that marks conjuncts has no `X X -> X`: two modifiers side by side are composed.
MARKED = RuleSet(kinds=tuple(kind for kind in ALL_KINDS if kind != Kind.COORDINATION))


def recognise(node: Node, rules: RuleSet = ANY_RULE) -> Step | None:
    """The step that a node of a derivation shows, or None where the rules do not have it."""
    result = parse(node.category)
    children = [parse(child.category) for child in node.children]
    if len(children) == 1:
        free = rules is ANY_RULE or rules is MARKED
        allowed = free or result in rules.change(children[0])
        return Step(Kind.UNARY, result) if allowed else None
    wanted = without_nb(result)
    return next((s for s in rules.combine(*children) if s.result is wanted), None)


def read_rules(derivations: Iterable[Derivation], *, only_seen: bool = False) -> RuleSet:
    """The rules that derivations show, frequent ones first.

    `only_seen` also keeps the pairs of categories, and lets no others combine.
    """
    kinds: Counter[str] = Counter()
    roots: Counter[str] = Counter()
    unary: Counter[tuple[str, str]] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    max_order = 0
    known = list(derivations)
    rules = MARKED if any(map(_marks_conjuncts, known)) else ANY_RULE
    for derivation in known:
        roots[derivation.root.category] += 1
        for node, step in _steps_of(derivation, rules):
            if step.kind is Kind.UNARY:
                unary[node.children[0].category, node.category] += 1
            else:
                kinds[step.kind.value] += 1
                seen[node.children[0].category, node.children[1].category] += 1
                max_order = max(max_order, step.order)
    return RuleSet(
        kinds=tuple(kind for kind in ALL_KINDS if kind in kinds),
        max_order=max_order,
        unary=tuple(rule for rule, _ in unary.most_common()),
        roots=tuple(root for root, _ in roots.most_common()),
        seen=tuple(pair for pair, _ in seen.most_common()) if only_seen else (),
    )


def _marks_conjuncts(derivation: Derivation) -> bool:
    return any(CONJ in node.category for node in preorder(derivation.root))


def _steps_of(derivation: Derivation, rules: RuleSet) -> Iterator[tuple[Node, Step]]:
    for node in preorder(derivation.root):
        if isinstance(node, Node) and (step := recognise(node, rules)):
            yield node, step


def underivable(derivation: Derivation, rules: RuleSet) -> list[Tree]:
    """The nodes that the rules cannot make, and the root where they do not allow it as one."""
    nodes = (tree for tree in preorder(derivation.root) if isinstance(tree, Node))
    found: list[Tree] = [node for node in nodes if recognise(node, rules) is None]
    if not rules.is_root(parse(derivation.root.category)):
        found.append(derivation.root)
    return found
