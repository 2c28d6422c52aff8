"""CCG charts against all derivations of short sentences, listed one by one."""

from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.brute import Floats, log_sum_exp
from tests.ccg_brute import (
    Brute,
    Derived,
    as_derivation,
    dependencies_of,
    entries_of,
    without,
)
from tests.ccg_cases import (
    HAND_RULES,
    chart_derivations,
    hand_grammar,
    part_keys,
    random_hand_case,
    random_minibank_case,
    random_part_scores,
    root_key,
    scores_of,
    small,
    some_case,
)  # fmt: skip
from tests.ccg_coarse import CoarseTwin
from tests.checks import seeded
from treewright import _core
from treewright.arrays import Indices
from treewright.errors import ForestError
from treewright.forests.ccg.chart import Cells, ChartSettings, Gold, Outcome, ccg_chart
from treewright.inference import exact

EXACT = ChartSettings()


def any_case(random: Random) -> Brute:
    make = random.choice([random_hand_case, random_minibank_case])
    how = {"normal_form": random.choice([True, False]), "max_unary": random.randint(0, 3)}
    return some_case(random, lambda r: without(make(r), **how))


cases = seeded(any_case)


def settings_of(case: Brute, **changes: object) -> ChartSettings:
    how = replace(EXACT, normal_form=case.normal_form, max_unary=case.max_unary)
    return replace(how, **changes)  # type: ignore[arg-type]


def gold_of(case: Brute, index: int) -> Gold:
    parse = case.parses[index]
    entries = entries_of(case, parse)
    due = dependencies_of(case, parse)
    return Gold.of(case.grammar, as_derivation(parse, entries), entries, due)


# Derivations and items


@settings(max_examples=40)
@given(cases)
def test_derivations_and_their_dependencies(case: Brute) -> None:
    chart = ccg_chart(case.grammar, case.cells, settings_of(case))
    assert chart.outcome is Outcome.PARSED
    assert exact.count(chart.forest) == len(case.parses)
    got = Counter((trees, filled) for _, trees, filled in chart_derivations(chart))
    assert got == Counter(((d.tree,), d.dependencies) for d in case.parses)


@settings(max_examples=40)
@given(cases)
def test_items_are_one_exactly_where_nothing_tells_them_apart(case: Brute) -> None:
    chart = ccg_chart(case.grammar, case.cells, settings_of(case))
    items = {d.key(normal_form=case.normal_form) for p in case.parses for d in p.below()}
    assert chart.forest.nodes == len(items) + 1
    places = [(begin, end, case.grammar.tables.symbols.get(m)) for begin, end, m, *_ in items]
    assert Counter(map(tuple, chart.nodes[:-1].tolist())) == Counter(places)
    assert chart.nodes[-1].tolist() == [0, case.cells.words, -1]


@settings(max_examples=40)
@given(cases, st.booleans(), st.booleans(), st.integers(0, 1000))
def test_sums_over_the_chart_are_sums_over_derivations(
    case: Brute, full: bool, spans: bool, seed: int
) -> None:
    chart = ccg_chart(case.grammar, case.cells, settings_of(case, dependencies=full, spans=spans))
    parts = [
        [root_key(p, full=full, spans=spans), *(d.part(full=full, spans=spans) for d in p.below())]
        for p in case.parses
    ]
    assert set(part_keys(chart)) == {key for keys in parts for key in keys}
    score = random_part_scores(Random(seed), *parts)
    totals = [sum(score[key] for key in keys) for keys in parts]
    found = exact.marginals(chart.forest, scores_of(chart, score))
    assert found.log_z == pytest.approx(log_sum_exp(totals), abs=1e-9)
    uses = dict.fromkeys(score, 0.0)
    for keys, total in zip(parts, totals, strict=True):
        for key in keys:
            uses[key] += np.exp(total - found.log_z)
    posterior = dict.fromkeys(score, 0.0)
    for key, p in zip(part_keys(chart), found.parts, strict=True):
        posterior[key] += p
    assert posterior == pytest.approx(uses, abs=1e-9)


@settings(max_examples=40)
@given(cases)
def test_charts_without_dependencies_have_the_same_derivations(case: Brute) -> None:
    chart = ccg_chart(case.grammar, case.cells, settings_of(case, dependencies=False))
    assert len(chart.dependencies[0]) == 0
    got = Counter(trees for _, trees, _ in chart_derivations(chart))
    assert got == Counter((d.tree,) for d in case.parses)


def test_a_right_conjunct_begins_with_a_mark() -> None:
    rules = replace(HAND_RULES, kinds=("&", "conj"), unary=())
    for marked in (True, False):
        grammar = hand_grammar(replace(rules, marked_conjuncts=marked))
        number = {str(e.category): i for i, e in enumerate(grammar.tables.entries)}
        alone = ccg_chart(grammar, Cells.of([[number["NP"]]] * 2), EXACT)
        assert alone.outcome is (Outcome.NO_PARSE if marked else Outcome.PARSED)
        words = [[number[c]] for c in ("NP", "conj", "NP", "conj", "NP")]
        chart = ccg_chart(grammar, Cells.of(words), EXACT)
        assert exact.count(chart.forest) == len(Brute(grammar, Cells.of(words)).parses)


# Gold


@settings(max_examples=40)
@given(cases, st.data())
def test_counts_are_those_of_every_derivation(case: Brute, data: st.DataObject) -> None:
    gold = gold_of(case, data.draw(st.integers(0, len(case.parses) - 1)))
    rows = {tuple(row) for row in gold.dependencies.reshape(-1, 3).tolist()}
    chart = ccg_chart(case.grammar, case.cells, settings_of(case), gold)
    assert chart.forest.gold_size == len(rows)
    twins = {(p.tree,): p for p in case.parses}
    for edges, trees, _ in chart_derivations(chart):
        n = d = c = 0
        derived = twins[trees]
        texts = [e.category.text for e in entries_of(case, derived)]
        for step in derived.below():
            names = [(f, case.grammar.relation(texts[f], s), a) for f, s, a in step.filled]
            right = sum(name in rows for name in names)
            sides = range(step.begin, step.split), range(step.split, step.end)
            pairs = {*product(*sides), *product(*sides[::-1])} if step.split >= 0 else set()
            due = sum((f, a) in pairs for f, _, a in rows)
            n, d, c = n + right, d + len(names), c + max(right, due)
        assert chart.forest.totals(list(edges)) == (n, d, c)


@settings(max_examples=40)
@given(cases, st.data())
def test_the_gold_forest_is_the_gold_derivation(case: Brute, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(case.parses) - 1))
    chart = ccg_chart(case.grammar, case.cells, settings_of(case), gold_of(case, index))
    assert chart.gold_forest is not None
    mask = chart.core.gold_edges().astype(bool)
    found = [trees[0] for edges, trees, _ in chart_derivations(chart) if mask[list(edges)].all()]
    assert exact.count(chart.gold_forest) == len(found)
    same = [p for p in case.parses if shape(case, p) == shape(case, case.parses[index])]
    if not any(loops(p) for p in case.parses):
        assert Counter(found) == Counter(p.tree for p in same)


def shape(case: Brute, derived: Derived) -> str:
    """A derivation as annotation shows it: categories and entries, but not how they were made."""
    made = as_derivation(derived, entries_of(case, derived))
    return repr(_nested(made.root))


def _nested(tree: object) -> object:
    children = [_nested(child) for child in getattr(tree, "children", ())]
    return tree.category, getattr(tree, "markup", ""), children  # type: ignore[attr-defined]


def loops(derived: Derived) -> bool:
    """Whether unary rules lead from a category back to it, so that one node's rows are two's."""
    spans = Counter((d.begin, d.end, d.item.marked.category) for d in derived.below())
    return max(spans.values()) > 1


@settings(max_examples=40)
@given(cases)
def test_gold_out_of_reach(case: Brute) -> None:
    gold = gold_of(case, 0)
    other = replace(gold, entries=np.full_like(gold.entries, -1))
    chart = ccg_chart(case.grammar, case.cells, settings_of(case), other)
    assert chart.gold_forest is None
    assert chart.forest.gold_size == gold.size


# Fragments


def broken_case(random: Random) -> Brute:
    """Words that make no sentence."""
    roots = replace(HAND_RULES, roots=("S/NP",))
    while True:
        case = replace(random_hand_case(random), grammar=hand_grammar(roots))
        try:
            if not case.parses and len(case.covers()) < 300:
                return case
        except OverflowError:
            continue


@settings(max_examples=40)
@given(seeded(broken_case))
def test_fragments_are_as_few_as_can_be(case: Brute) -> None:
    assert ccg_chart(case.grammar, case.cells, EXACT).outcome is Outcome.NO_PARSE
    chart = ccg_chart(case.grammar, case.cells, EXACT, fragments=True)
    assert chart.outcome is Outcome.FRAGMENTS
    got = Counter(trees for _, trees, _ in chart_derivations(chart))
    assert got == Counter(tuple(d.tree for d in cover) for cover in case.covers())


@settings(max_examples=40)
@given(seeded(broken_case), st.sampled_from([0.0, 0.5, 3.0]))
def test_pruned_fragments_are_some_of_all(case: Brute, margin: float) -> None:
    how = replace(EXACT, margin=margin)
    chart = ccg_chart(case.grammar, case.cells, how, fragments=True)
    got = {trees for _, trees, _ in chart_derivations(chart)}
    assert got
    assert got <= {tuple(d.tree for d in cover) for cover in case.covers()}


def test_a_word_without_entries_has_no_fragments() -> None:
    chart = ccg_chart(hand_grammar(), Cells.of([[0], [], [1]]), EXACT, fragments=True)
    assert chart.outcome is Outcome.NO_PARSE


# Margins


@settings(max_examples=40)
@given(cases, st.sampled_from([0.0, 1e-6, 0.3, 1.0, 2.0, 5.0, 1e6]))
def test_what_is_within_the_margin_survives(case: Brute, margin: float) -> None:
    chart = ccg_chart(case.grammar, case.cells, settings_of(case, margin=margin))
    got = Counter(trees[0] for _, trees, _ in chart_derivations(chart))
    trees = Counter(p.tree for p in case.parses)
    assert got <= trees
    scored = [(CoarseTwin(case).parse(p), p) for p in case.parses]
    best = max(score for score, _ in scored)
    close = Counter(p.tree for score, p in scored if score >= best - margin + 1e-9)
    assert close <= got
    steps = {n.rule for s, p in scored if s >= best - margin - 1e-6 for n in p.below()}
    assert steps == {n.rule for p in case.parses if p.tree in got for n in p.below()}
    assert got


@settings(max_examples=40)
@given(cases, st.sampled_from([0.0, 0.3, 1.0]), st.data())
def test_the_margin_can_spare_gold(case: Brute, margin: float, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(case.parses) - 1))
    how = (settings_of(case, margin=margin), gold_of(case, index))
    spared = ccg_chart(case.grammar, case.cells, *how, keep_gold=True)
    pruned = ccg_chart(case.grammar, case.cells, *how)
    got, without = (
        Counter(trees[0] for _, trees, _ in chart_derivations(c)) for c in (spared, pruned)
    )
    assert without <= got
    assert case.parses[index].tree in got
    whole = ccg_chart(case.grammar, case.cells, settings_of(case), how[1])
    assert spared.gold_forest is not None
    assert whole.gold_forest is not None
    assert exact.count(spared.gold_forest) == exact.count(whole.gold_forest)


@settings(max_examples=60)
@given(cases, st.sampled_from([0.013, 0.17, 0.31, 1.07, 2.03, 5.09, 1e6]))
def test_what_is_within_the_margin_of_its_cell_survives(case: Brute, margin: float) -> None:
    chart = ccg_chart(case.grammar, case.cells, settings_of(case, cell_margin=margin))
    for wider in (margin, 2 * margin):
        kept = CoarseTwin(case).survivors(wider)
        wanted = Counter(p.tree for p in case.parses if p in kept)
        if wanted:
            break
    assert chart.usable == bool(wanted)
    if wanted:
        assert Counter(trees[0] for _, trees, _ in chart_derivations(chart)) == wanted


# Limits and bad input


def a_case() -> Brute:
    """A case with some ambiguity."""
    return next(
        case
        for seed in range(1000)
        if small(case := random_minibank_case(Random(seed))) and len(case.parses) > 3
    )


@pytest.mark.parametrize("limit", ["max_items", "max_edges"])
def test_charts_that_grow_too_large_are_given_up(limit: str) -> None:
    case = a_case()
    whole = ccg_chart(case.grammar, case.cells, EXACT).forest
    most = whole.nodes if limit == "max_items" else whole.edges
    for size in range(most):
        chart = ccg_chart(case.grammar, case.cells, replace(EXACT, **{limit: size}))  # type: ignore[arg-type]
        if not chart.usable:
            assert chart.outcome is Outcome.TOO_LARGE
    assert (
        ccg_chart(case.grammar, case.cells, replace(EXACT, **{limit: 0})).outcome
        is Outcome.TOO_LARGE
    )  # type: ignore[arg-type]
    assert ccg_chart(case.grammar, case.cells, replace(EXACT, **{limit: 10 * most})).usable  # type: ignore[arg-type]


def test_nothing_in_nothing_out() -> None:
    chart = ccg_chart(hand_grammar(), Cells.of([]), EXACT, fragments=True)
    assert chart.outcome is Outcome.NO_PARSE
    with pytest.raises(ForestError, match="NO_PARSE"):
        _ = chart.forest


def ints(*values: int) -> NDArray[np.int32]:
    return np.array(values, dtype=np.int32)


@pytest.mark.parametrize(
    ("first", "entry", "score"),
    [
        (ints(), ints(), None),
        (ints(1, 2), ints(0, 0), None),
        (ints(0, 2), ints(0), None),
        (ints(0, 2, 1, 3), ints(0, 0, 0), None),
        (ints(0, 1), ints(-1), None),
        (ints(0, 1), ints(10**6), None),
        (ints(0, 1), ints(0), np.zeros(2)),
        (ints(0, 1), ints(0), np.array([np.nan])),
    ],
)
def test_bad_cells(first: Indices, entry: Indices, score: Floats | None) -> None:
    with pytest.raises(ForestError):
        ccg_chart(hand_grammar(), Cells(first, entry, score), EXACT)


@pytest.mark.parametrize(
    "change", [{"margin": -1.0}, {"margin": np.nan}, {"max_unary": 4}, {"max_unary": -1}]
)
def test_bad_settings(change: dict[str, float]) -> None:
    with pytest.raises(ForestError):
        ccg_chart(hand_grammar(), Cells.of([[0]]), replace(EXACT, **change))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"entries": ints()},
        {"nodes": ints(0, 1)},
        {"dependencies": ints(0, 1)},
        {"dependencies": ints(0, 0, 9)},
        {"dependencies": ints(-1, 0, 0)},
    ],
)
def test_bad_gold(change: dict[str, Indices]) -> None:
    gold = replace(Gold(ints(0), ints(), ints()), **change)
    with pytest.raises(ForestError):
        ccg_chart(hand_grammar(), Cells.of([[0]]), EXACT, gold)


GRAMMAR: dict[str, Any] = {
    "variables": [1, 2], "category": [0, 1], "root": [1, 1], "mark": [0, 0],
    "rules": [0, -1, 0, 0, 0, 0, 1, 0, 0], "maps": [0], "entry_symbol": [0, 1],
    "first_slot": [0, 0, 1], "slots": [1, 0], "empty_pairs": [], "rule_score": [0.0],
    "root_score": [0.0, 0.0], "prior": [0.0, 0.0],
}  # fmt: skip
BYTES, REALS = {"variables", "root", "mark", "maps"}, {"rule_score", "root_score", "prior"}


def core_grammar(**changes: list[float]) -> _core.CcgGrammar:
    def kind(name: str) -> type:
        return np.uint8 if name in BYTES else np.float64 if name in REALS else np.int32

    rows = {name: np.array(row, dtype=kind(name)) for name, row in {**GRAMMAR, **changes}.items()}
    return _core.CcgGrammar(**rows, closed=True)


@pytest.mark.parametrize(
    "change",
    [
        {"category": [0]},
        {"root": [1]},
        {"mark": [1]},
        {"root_score": [0.0]},
        {"prior": [0.0]},
        {"variables": [1, 0]},
        {"entry_symbol": [0, 2]},
        {"entry_symbol": [0, -1]},
        {"first_slot": [0, 1]},
        {"first_slot": [0, 100, 1]},
        {"first_slot": [0, -5, 1]},
        {"first_slot": [0, 0, 2]},
        {"slots": [2, 0]},
        {"slots": [1]},
        {"slots": [1, 0] * 65, "first_slot": [0, 0, 65]},
        {"rules": [0, -1, 0, 0, 0, 0, 1, 0]},
        {"rules": [2, -1, 0, 0, 0, 0, 1, 0, 0]},
        {"rules": [0, -2, 0, 0, 0, 0, 1, 0, 0]},
        {"rules": [0, -1, 5, 0, 0, 0, 1, 0, 0]},
        {"rules": [0, -1, 0, 1, 0, 0, 1, 0, 0]},
        {"rules": [0, -1, 0, 0, 6, 0, 1, 0, 0]},
        {"rules": [0, -1, 0, 0, 0, 2, 1, 0, 0]},
        {"rules": [0, -1, 1, 0, 0, 0, 1, 0, 0]},
        {"rules": [0, -1, 0, 0, 0, 0, 1, 1, 0]},
        {"rules": [0, 1, 0, 0, 0, 0, 1, 0, 0]},
        {"rules": [*[1, -1, 1, 0, 0, 0, 2, 0, 0], *[0, -1, 0, 0, 0, 0, 1, 0, 0]], "maps": [0, 1]},
        {"maps": [1]},
        {"empty_pairs": [0]},
    ],
)
def test_bad_grammars(change: dict[str, list[float]]) -> None:
    core_grammar()
    with pytest.raises(ForestError):
        core_grammar(**change)
