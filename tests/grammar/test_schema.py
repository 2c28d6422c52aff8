"""Schemas: one contract for every kind of rule, on random markings."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from treewright.grammar.category import Category, parse
from treewright.grammar.heads import Item, Waiting, apply
from treewright.grammar.markup import Marked, mark
from treewright.grammar.rules import RuleSet, Step
from treewright.grammar.schema import Place, plan, schema

GOLDEN = Path(__file__).parents[1] / "golden" / "combinators.txt"
ROWS = [line.split() for line in GOLDEN.read_text().splitlines() if not line.startswith("#")]
PAIRS = [(parse(left), parse(right)) for _, left, right, _ in ROWS]
CASES = [(step, left, right) for left, right in PAIRS for step in RuleSet().combine(left, right)]

Case = tuple[Step, Marked, Marked]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A rule and two categories that it combines, their nodes headed at random."""
    step, left, right = draw(st.sampled_from(CASES))
    return step, mark(left, draw(heads(left))), mark(right, draw(heads(right)))


def heads(category: Category) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 3), min_size=category.size, max_size=category.size)


def test_every_kind_of_binary_rule_is_drawn() -> None:
    assert {step.kind.value for step, _, _ in CASES} == set(RuleSet().kinds)


@given(cases())
def test_nodes_that_meet_share_a_variable(case: Case) -> None:
    step, *sides = case

    def shares(one: Place, two: Place) -> bool:
        return sides[one[0]].heads[one[1]] == sides[two[0]].heads[two[1]]

    made = plan(step, sides[0].category, sides[1].category, shares)
    how = schema(*case)
    assert how.result.category is step.result

    def number(cell: tuple[int, int]) -> int:
        side, node = cell
        return how.maps[side][sides[side].heads[node]]

    assert all(number(one) == number(two) for one, two in made.equal)
    assert [number(cell) for cell in made.places] == list(how.result.heads)
    assert {n for numbers in how.maps for n in numbers} == set(range(how.variables))


@given(cases(), st.data())
def test_slots_are_filled_kept_or_lost_by_their_variable(case: Case, data: st.DataObject) -> None:
    how = schema(*case)
    items = item(case[1], 0, data), item(case[2], 10, data)
    result, filled = apply(how, *items)
    for numbers, child in zip(how.maps, items, strict=True):
        for functor, slot, variable in child.waiting:
            new = numbers[variable]
            met = words(how.maps, items, new)
            fillers = {f.argument for f in filled if (f.functor, f.slot) == (functor, slot)}
            assert fillers == met - {functor}
            kept = Waiting(functor, slot, new) in result.waiting
            assert kept == (not met and new < how.result.variables)


def item(marked: Marked, first: int, data: st.DataObject) -> Item:
    """An item whose variables have no head word or one, with a waiting slot on each free one."""
    bound = data.draw(st.lists(st.booleans(), min_size=marked.variables, max_size=marked.variables))
    heads = tuple((first + v,) if b else () for v, b in enumerate(bound))
    waiting = [Waiting(first + 5, v + 1, v) for v, b in enumerate(bound) if not b]
    return Item(marked, heads, tuple(waiting))


def words(maps: tuple[tuple[int, ...], ...], items: tuple[Item, Item], variable: int) -> set[int]:
    """The head words of all variables of both items that became `variable`."""
    found: set[int] = set()
    for numbers, child in zip(maps, items, strict=True):
        for number, heads in zip(numbers, child.heads, strict=True):
            found |= set(heads) if number == variable else set()
    return found
