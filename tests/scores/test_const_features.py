"""Features of constituency parts: the matrix and the scores are one, and gold keys are known."""

from random import Random

import numpy as np
import pytest

from tests.const_examples import BINARISERS, all_candidates, grammar_of, random_tree, words_and_tags
from treewright.errors import ForestError
from treewright.grammar.words import Vocabulary
from treewright.scores.constituency.features import ConstFeatures, feature_kinds
from treewright.scores.constituency.spans import Encoder


@pytest.mark.parametrize("bits", [-1, 6])
def test_matrix_and_scores_agree(bits: int) -> None:
    for seed in range(10):
        random = Random(seed)
        tree, binariser = random_tree(random, 5), BINARISERS[seed % len(BINARISERS)]
        grammar = grammar_of([tree, random_tree(random, 4)], binariser)
        words, tags = words_and_tags(tree)
        tokens = Encoder(Vocabulary(("a", "b")), grammar.rules.tags).tokens(words, tags)
        gold = grammar.parts_of(binariser.binarise(tree))
        features = ConstFeatures.of(grammar, [(tokens, gold)], 1, bits)
        chart = grammar.chart(grammar.tag_numbers(tags), all_candidates(grammar, len(words)))
        assert chart is not None
        weights = np.random.default_rng(seed).normal(size=len(features))
        matrix = features.matrix(tokens, chart)
        assert len(np.unique(matrix.vocabulary)) == len(matrix.vocabulary)
        assert np.allclose(matrix.scores(weights), features.scores(tokens, chart, weights))
        again = ConstFeatures(grammar, features.keys, bits)
        assert np.array_equal(again.matrix(tokens, chart).local, matrix.local)
        if bits < 0:  # all features of gold parts are known: words have none, spans 47, rules 18
            sizes = np.diff(matrix.first)
            is_gold = (chart.parts[:, None] == gold[None]).all(axis=2).any(axis=1)
            rule = chart.parts[:, 0]
            assert (sizes[is_gold & (rule < -1)] == 47).all()
            assert (sizes[is_gold & (rule >= 0) & (rule < len(grammar.rules.binary))] == 18).all()
            assert (sizes[rule == -1] == 0).all()


def test_annotations_make_no_difference_to_features() -> None:
    grammar = grammar_of([random_tree(Random(s), 6) for s in range(5)], BINARISERS[1])
    kinds = feature_kinds(grammar)
    names = {}
    for symbol, kind in zip(grammar.rules.symbols, kinds.tolist(), strict=True):
        name = symbol.partition("|")[0].partition("^")[0] + "|" * ("|" in symbol)
        assert names.setdefault(kind, name) == name


def test_parts_that_are_refused() -> None:
    tree = random_tree(Random(3), 4)
    grammar = grammar_of([tree], BINARISERS[0])
    words, tags = words_and_tags(tree)
    tokens = Encoder(Vocabulary(()), grammar.rules.tags).tokens(words, tags)
    for wrong in ([[10**6, 0, 1, 2]], [[-(10**6), 0, -1, 2]], [[0, 0, 0, 9]], [[0, 0, 2, 2]]):
        with pytest.raises(ForestError, match="none of the grammar's"):
            ConstFeatures.of(grammar, [(tokens, np.array(wrong, dtype=np.int32))])
