"""Pruned charts against the generic chart, dense CKY and enumerated trees."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from tests.brute import Brute
from tests.conftest import treebank_file
from tests.const_examples import (
    BINARISERS,
    TAGS,
    all_candidates,
    grammar_of,
    random_tree,
    words_and_tags,
)
from tests.strategies import randoms
from treewright import _core
from treewright.data import ptb
from treewright.errors import ForestError
from treewright.forests import Forest, Grammar
from treewright.forests import chart as generic_chart
from treewright.forests.constituency.chart import ConstGrammar, gold_edges
from treewright.forests.constituency.counts import PLAIN, ConstituentCounter
from treewright.grammar.binarise import Binariser, restore
from treewright.grammar.treebank import TreebankRules, prepare, spans
from treewright.inference import exact
from treewright.losses import Hinge, loss_named
from treewright.metrics.brackets import COLLINS, match_tree

FEW = 2000


def small(random: Random) -> tuple[ConstGrammar, object, Binariser]:
    """A grammar of a few trees, one of them, and the binariser."""
    binariser = random.choice(BINARISERS)
    trees = [random_tree(random, random.randint(2, 5)) for _ in range(3)]
    return grammar_of(trees, binariser), trees[0], binariser


def generic(grammar: ConstGrammar) -> Grammar:
    """The same rules for the generic builder, the root a symbol of its own."""
    rules = grammar.rules
    top = len(rules.symbols)
    unary = [tuple(row) for row in rules.unary] + [(top, symbol) for symbol in rules.root]
    return Grammar.of(top + 1, rules.binary, unary)


@given(randoms())
def test_charts_have_the_derivations_of_the_generic_builder(random: Random) -> None:
    grammar, tree, _ = small(random)
    words, tags = words_and_tags(tree)
    numbers = grammar.tag_numbers(tags)
    entries = [(place, int(tag)) for place, tag in enumerate(numbers)]
    twin = generic_chart(generic(grammar), len(words), entries, len(grammar.rules.symbols), "rule")
    assert twin is not None
    rule_score = np.array([random.uniform(-1, 1) for _ in range(grammar.rules.size)])
    twin_scores = np.where(twin.parts[:, 0] >= 0, rule_score[twin.parts[:, 0]], 0.0)
    candidates = all_candidates(grammar, len(words))
    for layout in ("spans", "rules"):
        chart = grammar.chart(numbers, candidates, layout)
        assert chart is not None
        assert exact.count(chart.forest) == exact.count(twin.forest)
    scores = np.where(chart.parts[:, 0] >= 0, rule_score[chart.parts[:, 0]], 0.0)
    assert np.isclose(exact.log_z(chart.forest, scores), exact.log_z(twin.forest, twin_scores))
    best = exact.viterbi(chart.forest, scores)
    places = np.arange(len(words), dtype=np.int32)
    found, nodes = _core.cky_best(
        grammar.core, rule_score, len(words), places, numbers, np.zeros(len(words))
    )
    assert np.isclose(found, best.score)
    dense = grammar.tree_of_nodes(nodes, words, tags)
    assert spans(dense)[-1].end == len(words)
    if not np.isclose(exact.kbest(chart.forest, scores, 2)[-1].score, best.score):
        assert ptb.format_tree(dense) == ptb.format_tree(
            grammar.tree(chart, best.edges, words, tags)
        )


@given(randoms())
def test_counts_are_those_of_the_original_trees(random: Random) -> None:
    grammar, gold, binariser = small(random)
    words, tags = words_and_tags(gold)
    binary = binariser.binarise(gold)
    layout = random.choice(["spans", "rules"])
    chart = grammar.chart(grammar.tag_numbers(tags), all_candidates(grammar, len(words)), layout)
    assert chart is not None
    plain = ConstituentCounter(grammar).count(chart, binary, tags)
    evalb = ConstituentCounter(grammar, COLLINS).count(chart, binary, tags)
    whole = ConstituentCounter(grammar, binarised=True).count(chart, binary, tags)
    for derivation in exact.kbest(chart.forest, np.zeros(chart.forest.parts), 40):
        made = grammar.tree(chart, derivation.edges, words, tags)
        found = match_tree(restore(made), gold, PLAIN)
        forest = chart.forest.with_counts(plain.counts, plain.due)
        assert (*forest.totals(derivation.edges)[:2], plain.due) == (
            found.correct,
            found.produced,
            found.due,
        )
        squeezed = match_tree(restore(made), gold, COLLINS)
        n, d, _ = chart.forest.with_counts(evalb.counts, evalb.due).totals(derivation.edges)
        assert (d, evalb.due) == (squeezed.produced, squeezed.due)
        assert n >= squeezed.correct
        n, d, _ = chart.forest.with_counts(whole.counts, whole.due).totals(derivation.edges)
        bags = Counter(spans(made)), Counter(spans(binary))
        assert (n, d, whole.due) == ((bags[0] & bags[1]).total(), bags[0].total(), bags[1].total())


def gold_scores(forest: Forest, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """0 for gold parts, -1 for all others."""
    scores = np.full(forest.parts, -1.0)
    scores[forest.part[mask]] = 0.0
    return scores


@given(randoms())
def test_gold_is_one_derivation_and_the_tree_comes_back(random: Random) -> None:
    grammar, gold, binariser = small(random)
    words, tags = words_and_tags(gold)
    binary, numbers = binariser.binarise(gold), grammar.tag_numbers(tags)
    for layout in ("spans", "rules"):
        chart = grammar.chart(numbers, all_candidates(grammar, len(words)), layout)
        assert chart is not None
        parts = grammar.parts_of(binary, layout)
        mask = gold_edges(chart, parts)
        right = chart.forest.restrict(mask)
        assert exact.count(right) == 1
        assert len(right.part) == len(np.unique(right.part)) == len(parts)
        best = exact.viterbi(chart.forest, gold_scores(chart.forest, mask))
        assert ptb.format_tree(grammar.tree(chart, best.edges, words, tags)) == ptb.format_tree(
            binary
        )


@pytest.mark.parametrize("rescaling", ["margin", "slack"])
@pytest.mark.parametrize("loss", ["zero-one", "false-positives", "f1"])
@pytest.mark.parametrize("binarised", [False, True])
def test_loss_augmented_argmax_is_that_of_enumeration(
    rescaling: str, loss: str, binarised: bool
) -> None:
    tried = 0
    for seed in range(60):
        random = Random(seed)
        grammar, gold, binariser = small(random)
        words, tags = words_and_tags(gold)
        numbers, binary = grammar.tag_numbers(tags), binariser.binarise(gold)
        chart = grammar.chart(numbers, all_candidates(grammar, len(words)), "rules")
        assert chart is not None
        if exact.count(chart.forest) > FEW:
            continue
        tried += 1
        counted = ConstituentCounter(grammar, binarised=binarised).count(chart, binary, tags)
        forest = chart.forest.with_counts(counted.counts, counted.due)
        right = forest.restrict(gold_edges(chart, grammar.parts_of(binary, "rules")))
        scores = np.array([random.uniform(-1, 1) for _ in range(forest.parts)])
        formula = loss_named(loss).of_counts
        assert formula is not None
        gold_score = exact.viterbi(right, scores).score
        values = []
        for edges in Brute(forest, scores).derivations:
            n, d, _ = forest.totals(list(edges))
            cost = float(formula(np.array(n), np.array(d), counted.due))
            score = scores[forest.part[list(edges)]].sum()
            margin = cost + score - gold_score
            values.append(cost * (1 + score - gold_score) if rescaling == "slack" else margin)
        hinge = Hinge(loss_named(loss), rescaling)  # type: ignore[arg-type]
        value, _ = hinge.value_and_gradient(forest, scores, right)
        assert np.isclose(value, max(values))
    assert tried > 20


def test_the_treebank_counts_as_its_original_trees() -> None:
    trees = [
        prepare(t)
        for _, t in zip(range(40), ptb.read(treebank_file("const-craft/dev.mrg")), strict=False)
    ]
    short = [t for t in trees if t is not None and len(words_and_tags(t)[0]) <= 15]
    binariser = Binariser("right", 1, 2)
    grammar = ConstGrammar(TreebankRules.of(binariser.binarise(t) for t in short))
    for tree in short:
        words, tags = words_and_tags(tree)
        chart = grammar.chart(
            grammar.tag_numbers(tags), all_candidates(grammar, len(words)), "spans"
        )
        assert chart is not None
        counted = ConstituentCounter(grammar).count(chart, binariser.binarise(tree), tags)
        forest = chart.forest.with_counts(counted.counts, counted.due)
        for derivation in exact.kbest(forest, np.zeros(forest.parts), 20):
            found = match_tree(
                restore(grammar.tree(chart, derivation.edges, words, tags)), tree, PLAIN
            )
            assert forest.totals(derivation.edges)[:2] == (found.correct, found.produced)


def test_what_charts_refuse() -> None:
    grammar = grammar_of([random_tree(Random(1), 5)], BINARISERS[0])
    tags = grammar.tag_numbers(["NN", "NN"])
    with pytest.raises(ForestError, match="begin"):
        grammar.chart(tags, [(2, 3, 6)])
    with pytest.raises(ForestError, match="end"):
        grammar.chart(tags, [(0, 3, 6)])
    with pytest.raises(ForestError, match="label"):
        grammar.chart(tags, [(0, 1, 0)])
    with pytest.raises(ForestError, match="no tag"):
        grammar.tag_numbers(["XYZ"])
    assert grammar.chart(tags, []) is None
    with pytest.raises(ForestError, match="twice"):
        _core.TreebankGrammar(
            1,
            2,
            np.array([1, 0, 0, 1, 0, 0], dtype=np.int32),
            np.zeros(0, np.int32),
            np.zeros(0, np.int32),
        )
    assert len(TAGS) == len(grammar.rules.tags)
