"""Analyses of short sentences against all their derivations."""

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.brute import Brute as ForestBrute
from tests.ccg_brute import Brute, Derived, dependencies_of, entries_of
from tests.ccg_cases import (
    HAND_MARKUP,
    HAND_RULES,
    hand_grammar,
    part_keys,
    random_hand_case,
    random_minibank_case,
    random_part_scores,
    root_key,
    scores_of,
    some_case,
)  # fmt: skip
from tests.checks import seeded
from treewright.data.auto import parse_tree
from treewright.data.records import Dependency, Derivation, Leaf, Sentence, Token, preorder
from treewright.errors import TreewrightError
from treewright.forests.ccg.chart import Cells, ChartSettings, Outcome, ccg_chart
from treewright.formats.ccg.formats import FORMATS
from treewright.grammar.category import parse
from treewright.grammar.defaults import default_entry
from treewright.grammar.indices import dependencies_of as read_dependencies
from treewright.grammar.markup import read_entry
from treewright.inference import exact, minrisk
from treewright.models.ccg.analysis import CcgAnalysis
from treewright.models.ccg.extraction import dependency_events

Sample = tuple[Brute, CcgAnalysis, dict[tuple[object, ...], float]]


def analysed(case: Brute, random: Random, *, fragments: bool = False) -> Sample:
    """The best analysis under random scores."""
    how = ChartSettings(normal_form=case.normal_form)
    chart = ccg_chart(case.grammar, case.cells, how, fragments=fragments)
    of_part = random_part_scores(random, part_keys(chart))
    scores = scores_of(chart, of_part)
    tokens = tuple(Token(f"w{i}", "NN") for i in range(case.cells.words))
    best = exact.viterbi(chart.forest, scores)
    made = CcgAnalysis(Sentence("1", tokens), chart.outcome, (), chart, scores, best)
    return case, made, of_part


def any_sample(random: Random) -> Sample:
    make = random.choice([random_hand_case, random_minibank_case])
    return analysed(some_case(random, make), random)


samples = seeded(any_sample)


def score(derived: Derived, of_part: dict[tuple[object, ...], float]) -> float:
    return of_part[root_key(derived)] + sum(of_part[d.part()] for d in derived.below())


def facts(case: Brute, derived: Derived) -> tuple[object, ...]:
    """What analyses show of a derivation."""
    tags = tuple(entry.category.text for entry in entries_of(case, derived))
    nodes = tuple(d.item.marked.category.text for d in derived.below())
    return nodes, tags, tuple(dependencies_of(case, derived))


def shown(analysis: CcgAnalysis) -> tuple[object, ...]:
    nodes = tuple(tree.category for tree in preorder(analysis.derivation.root))
    return nodes, analysis.supertags, analysis.dependencies


@settings(max_examples=40)
@given(samples)
def test_the_k_best_in_order(sample: Sample) -> None:
    case, analysis, of_part = sample
    found = analysis.kbest(1000)
    wanted = sorted((score(p, of_part) for p in case.parses), reverse=True)
    assert [each.score for each in found] == pytest.approx(wanted)
    assert [each.rank for each in found] == list(range(1, len(found) + 1))
    assert analysis.score == pytest.approx(wanted[0])
    assert Counter(map(shown, found)) == Counter(facts(case, p) for p in case.parses)
    assert not analysis.is_fragments


@settings(max_examples=40)
@given(samples)
def test_written_analyses_say_the_same_dependencies(sample: Sample) -> None:
    """Head indices cannot say who in a conjunct goes with which of several heads."""
    _, analysis, _ = sample
    for each in analysis.kbest(20):
        slots = [(d.functor, d.slot) for d in each.dependencies]
        if len(set(slots)) < len(slots):
            continue
        line = FORMATS["auto"](each.derivation, each.dependencies).splitlines()
        root = parse_tree(line[-1])
        read = read_dependencies(Derivation("1", root))
        assert tuple(read) == each.dependencies


def test_two_rules_that_make_one_category_are_told_apart() -> None:
    """X/X X/X is X/X by composition, and by coordination with other dependencies."""
    rules = replace(HAND_RULES, kinds=("&", ">", "<", ">B"), unary=())
    grammar = hand_grammar(rules)
    number = {str(e): i for i, e in enumerate(grammar.tables.entries)}
    control = str(read_entry(HAND_MARKUP[0]))
    subject, verb = (str(default_entry(parse(text))) for text in ("NP", r"S\NP"))
    cells = Cells.of([[number[text]] for text in (subject, control, control, verb)])
    case = Brute(grammar, cells, normal_form=False)
    found = analysed(case, Random(1))[1].kbest(9)
    assert len(found) == len(case.parses) > 1
    for each in found:
        assert Dependency(1, r"(S\NP)/(S\NP)", 2, 2) in each.dependencies
        assert tuple(read_dependencies(each.derivation)) == each.dependencies


@settings(max_examples=40)
@given(samples, st.sampled_from([0.5, 1.0, 3.0]))
def test_marginals(sample: Sample, temperature: float) -> None:
    case, analysis, of_part = sample
    analysis = replace(analysis, temperature=temperature)
    totals = [score(p, of_part) / temperature for p in case.parses]
    weights = np.exp(np.array(totals) - np.logaddexp.reduce(totals))
    due: dict[Dependency, float] = {}
    tags: list[dict[str, float]] = [{} for _ in range(case.cells.words)]
    for weight, made in zip(weights.tolist(), case.parses, strict=True):
        for each in dependencies_of(case, made):
            due[each] = due.get(each, 0.0) + weight
        for word, entry in enumerate(entries_of(case, made)):
            text = entry.category.text
            tags[word][text] = tags[word].get(text, 0.0) + weight
    assert analysis.marginals.dependencies == pytest.approx(due)
    for word, found in enumerate(analysis.marginals.supertags):
        assert found == pytest.approx(tags[word])
        assert sum(found.values()) == pytest.approx(1.0)
    assert all(-1e-9 <= p <= 1 + 1e-9 for p in analysis.marginals.dependencies.values())


@settings(max_examples=40)
@given(samples, st.sampled_from([0.0, 0.3, 0.5]))
def test_min_risk_counts_dependencies(sample: Sample, penalty: float) -> None:
    case, analysis, _ = sample
    assert analysis.chart is not None
    assert analysis.scores is not None
    events, rows = dependency_events(analysis.chart)
    assert len(set(map(tuple, rows.tolist()))) == len(rows)
    best = minrisk.max_expected_counts(analysis.chart.forest, analysis.scores, events, penalty)
    posterior = analysis.marginals.dependencies
    gains = [sum(posterior[d] - penalty for d in dependencies_of(case, p)) for p in case.parses]
    assert best.score == pytest.approx(max(gains))


@settings(max_examples=30)
@given(samples)
def test_derivations_are_those_of_their_edges(sample: Sample) -> None:
    _, analysis, _ = sample
    for name, write in FORMATS.items():
        assert write(analysis.derivation, analysis.dependencies), name
    leaves = analysis.derivation.leaves
    assert [leaf.word for leaf in leaves] == list(analysis.sentence.words)
    assert tuple(leaf.category for leaf in leaves) == analysis.supertags
    assert str(analysis)


def fragments() -> CcgAnalysis:
    grammar = hand_grammar(replace(HAND_RULES, kinds=(">", "<"), roots=("S",)))
    number = {str(e.category): i for i, e in reversed(list(enumerate(grammar.tables.entries)))}
    words = [[number[text]] for text in ("NP/N", "conj", "(S\\NP)/NP", "NP")]
    case = Brute(grammar, Cells.of(words))
    return analysed(case, Random(1), fragments=True)[1]


def test_fragments_stand_side_by_side() -> None:
    found = fragments()
    assert found.outcome is Outcome.FRAGMENTS
    assert found.is_fragments
    assert len(found.fragments) == 3
    leaves = [leaf.word for leaf in found.derivation.leaves]
    assert leaves == ["w0", "w1", "w2", "w3"]
    assert found.derivation.root.category == "FRAG"
    assert len(found.supertags) == 4
    assert Dependency(2, r"(S\NP)/NP", 2, 3) in found.dependencies
    assert FORMATS["auto"](found.derivation, found.dependencies)
    twin = ForestBrute(found.chart.forest, found.scores)  # type: ignore[union-attr, arg-type]
    assert found.score == pytest.approx(twin.best()[0])


def test_without_a_chart() -> None:
    tokens = (Token("a", "DT"), Token("b", None))
    found = CcgAnalysis(Sentence("1", tokens), Outcome.TOO_LARGE, (), None, None, None)
    assert (found.supertags, found.dependencies, found.score) == ((), (), -np.inf)
    assert found.kbest(3) == [found]
    assert found.marginals.supertags == [{}, {}]
    assert all(isinstance(leaf, Leaf) for leaf in found.fragments)
    assert found.derivation.sentence.words == ("a", "b")
    assert str(found)


def test_without_words() -> None:
    found = CcgAnalysis(Sentence("1", ()), Outcome.NO_PARSE, (), None, None, None)
    assert found.fragments == ()
    assert str(found) == ""
    with pytest.raises(TreewrightError, match="no words"):
        _ = found.derivation
