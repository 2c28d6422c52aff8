r"""Schemas: the effect of a rule on the head variables of two marked categories.

A rule matches nodes of one category with nodes of the other and takes the nodes of its result from
both (`plan`). Variables of matched nodes are unified; the remaining ones are renumbered, those of
the result first (`Schema`).

A unary rule is an invisible functor: `S\NP -> NP\NP` applies the marked category
`((NP{1}\NP{1}){2}/(S{2}\NP{1}){2}){0}`, whose own head, 0, is not a word. The same holds for a
change beside punctuation, `, NP -> (S\NP)\(S\NP)`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from treewright.grammar.category import Category, unify
from treewright.grammar.combinators import changing
from treewright.grammar.defaults import default_unary
from treewright.grammar.markup import Marked, mark
from treewright.grammar.rules import SMALL, Kind, Step

LEFT, RIGHT = 0, 1
SUBSTITUTIONS = {
    Kind.FORWARD_SUBSTITUTION,
    Kind.BACKWARD_SUBSTITUTION,
    Kind.FORWARD_CROSSED_SUBSTITUTION,
    Kind.BACKWARD_CROSSED_SUBSTITUTION,
}
Place = tuple[int, int]  # a side and a node of its category
Shares = Callable[[Place, Place], bool]  # whether two nodes have the same head


@dataclass(frozen=True, slots=True)
class Plan:
    """Pairs of nodes with the same head, and the origin of each node of the result."""

    equal: tuple[tuple[Place, Place], ...]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """A rule applied to a pair of marked categories.

    `maps[side][v]` is the new number of variable `v` of that side; numbers below `result.variables`
    are variables of the result, the others no longer occur. `head` is the side that contains the
    head.
    """

    result: Marked
    head: int
    maps: tuple[tuple[int, ...], tuple[int, ...]]
    variables: int


def plan(step: Step, left: Category, right: Category, shares: Shares) -> Plan:
    """How the nodes of two categories are matched by a rule."""
    match step.kind:
        case Kind.COORDINATION | Kind.MARKED_COORDINATION:
            places = _nodes(LEFT, 0, left.size)
            return Plan(tuple(zip(places, _nodes(RIGHT, 0, left.size), strict=True)), places)
        case Kind.RIGHT_ABSORPTION | Kind.GAPPING:
            return Plan((), _nodes(LEFT, 0, left.size))
        case Kind.LEFT_ABSORPTION | Kind.CONJUNCTION | Kind.MARKED_CONJUNCTION:
            return Plan((), _nodes(RIGHT, 0, right.size))
    primary = _primary(step, left, right)
    categories = (left, right)
    if step.kind in SUBSTITUTIONS:
        return _substitution(primary, categories[primary])
    made = _composition(primary, categories[primary], categories[1 - primary], step.order)
    if step.order and shares((primary, 1), (primary, 1 + categories[primary].result.size)):
        # X has Y's head: `early` heads the modifier `immediate early`, not the following noun.
        return Plan(made.equal, _nodes(1 - primary, 0, step.order) + made.places[step.order :])
    return made


def _primary(step: Step, left: Category, right: Category) -> int:
    """The side of the functor `X|Y`."""
    if step.kind is Kind.DISORDERED_APPLICATION:
        return RIGHT if right.slash == "/" and unify(right.argument, left) is not None else LEFT
    return LEFT if step.kind is Kind.UNARY or step.kind.startswith(">") else RIGHT


def _composition(side: int, primary: Category, other: Category, order: int) -> Plan:
    """`X|Y (Y|Z1)..|Zn -> (X|Z1)..|Zn`; with n = 0, application.

    The new nodes have X's head. If that is Y's, `plan` gives them the heads of the nodes above Y.
    """
    x, y = primary.result.size, primary.argument.size
    equal = zip(_nodes(side, 1 + x, y), _nodes(1 - side, order, y), strict=True)
    carried = _nodes(1 - side, order + y, other.size - order - y)
    return Plan(tuple(equal), ((side, 1),) * order + _nodes(side, 1, x) + carried)


def _substitution(side: int, primary: Category) -> Plan:
    """`(X|Y)|Z Y|Z -> X|Z`. The new node has X's head."""
    x, y = primary.result.result.size, primary.result.argument.size
    z = primary.argument.size
    equal = zip(_nodes(side, 2 + x, y + z), _nodes(1 - side, 1, y + z), strict=True)
    return Plan(tuple(equal), ((side, 2), *_nodes(side, 2, x), *_nodes(side, 2 + x + y, z)))


def _nodes(side: int, first: int, count: int) -> tuple[Place, ...]:
    return tuple((side, node) for node in range(first, first + count))


@lru_cache(maxsize=1 << 17)
def schema(step: Step, left: Marked, right: Marked) -> Schema:
    """The schema of a rule for two marked categories."""
    if step.kind is Kind.TYPE_CHANGE:
        return _change(step, left, right)
    sides = left, right

    def shares(one: Place, two: Place) -> bool:
        return sides[one[0]].heads[one[1]] == sides[two[0]].heads[two[1]]

    made = plan(step, left.category, right.category, shares)
    merged = _Merged(left.variables, right.variables)
    for (side, node), (other, across) in made.equal:
        merged.join((side, sides[side].heads[node]), (other, sides[other].heads[across]))
    roots = [merged.find((side, sides[side].heads[node])) for side, node in made.places]
    result = mark(step.result, roots)
    number = dict(zip(roots, result.heads, strict=True))
    maps = [
        tuple(number.setdefault(merged.find((side, v)), len(number)) for v in range(one.variables))
        for side, one in enumerate(sides)
    ]
    own = [side for side in (LEFT, RIGHT) if merged.find((side, 0)) == roots[0]]
    head = own[0] if own else made.places[0][0]
    return Schema(result, head, (maps[0], maps[1]), len(number))


def unary_schema(rule: Marked, child: Marked) -> Schema:
    """The schema of a unary rule, given as a marked functor `result/child`."""
    return schema(Step(Kind.UNARY, rule.category.result), rule, child)


def _change(step: Step, left: Marked, right: Marked) -> Schema:
    """The schema of a change of one side, as a unary rule; the small side has no variables."""
    side = changed_side(left.category, right.category)
    child = (left, right)[side]
    made = unary_schema(default_unary(child.category, step.result.plain), child)
    small = tuple(range(made.variables, made.variables + (right, left)[side].variables))
    maps = (small, made.maps[1]) if side == RIGHT else (made.maps[1], small)
    result = mark(step.result, made.result.heads)
    return Schema(result, side, maps, made.variables + len(small))


def changed_side(left: Category, right: Category) -> int:
    """The side that changes its category beside punctuation or a conjunction."""
    return LEFT if changing(left, right, SMALL) == LEFT else RIGHT


class _Merged:
    """The variables of two sides, unified."""

    def __init__(self, *sizes: int) -> None:
        self.parent = {(side, v): (side, v) for side, n in enumerate(sizes) for v in range(n)}

    def find(self, variable: Place) -> Place:
        while self.parent[variable] != variable:
            variable = self.parent[variable]
        return variable

    def join(self, one: Place, two: Place) -> None:
        self.parent[self.find(two)] = self.find(one)


class Joined:
    """Disjoint sets of numbers from 0, each with a representative."""

    def __init__(self) -> None:
        self.parent: list[int] = []

    def new(self, count: int) -> list[int]:
        """Adds members, each in a set of its own."""
        first = len(self.parent)
        self.parent += range(first, first + count)
        return list(range(first, first + count))

    def find(self, member: int) -> int:
        """The representative of a member's set."""
        while self.parent[member] != member:
            member = self.parent[member]
        return member

    def join(self, one: int, two: int) -> None:
        """Merges two sets; the representative of the first one remains."""
        self.parent[self.find(two)] = self.find(one)
