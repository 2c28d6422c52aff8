"""The span model against sums over all labelled binary trees."""

from itertools import product
from random import Random

import numpy as np
import pytest

from treewright import _core
from treewright.errors import ForestError
from treewright.grammar.treebank import Span
from treewright.grammar.words import Vocabulary, word_class
from treewright.scores.constituency.spans import (
    SpanClasses,
    SpanModel,
    SpanSettings,
    train,
)
from treewright.scores.constituency.templates import SpanEncoder, core_tokens

CLASSES = SpanClasses(("(word)", "(rare)", "(rare)|", "NP"))
ENCODER = SpanEncoder(Vocabulary(("the", "dog")))
WORDS, TAGS = ["the", "old", "dog", "barks"], ["DT", "JJ", "NN", "VBZ"]


def trees(begin: int, end: int, words: int) -> list[list[tuple[int, int, int]]]:
    """All labelled binary trees over a span, as rows."""
    phrases, artificial = [1, 3], [2]
    if end - begin == 1:
        return [[(begin, end, c)] for c in [0, *phrases]]
    labels = phrases + (artificial if end - begin < words else [])
    return [
        [(begin, end, c), *left, *right]
        for c in labels
        for split in range(begin + 1, end)
        for left, right in product(trees(begin, split, words), trees(split, end, words))
    ]


def model(seed: int) -> SpanModel:
    made = SpanModel(CLASSES, 8, ENCODER.templates)
    weights = np.random.default_rng(seed).normal(0, 0.3, made.core.shape).astype(np.float32)
    made.core.set_weights(weights.ravel())
    return made


def log_likelihood(made: SpanModel, rows: list[tuple[int, int, int]], size: int) -> float:
    arrays = ENCODER.arrays(WORDS[:size], TAGS[:size])
    numbers = np.array(rows, dtype=np.int32)
    ends = (np.array([0, size], dtype=np.int32), np.array([0, len(rows)], dtype=np.int32))
    trainer = _core.SpanTrainer(made.core)
    order = np.zeros(1, dtype=np.int32)
    return trainer.train(ends[0], core_tokens(arrays), ends[1], numbers.ravel(), order, 0.0)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_posteriors_are_sums_over_trees(size: int) -> None:
    made = model(size)
    found = trees(0, size, size)
    chosen = found if size < 4 else Random(0).sample(found, 400)
    p = np.array([np.exp(log_likelihood(made, tree, size)) for tree in chosen])
    tokens = ENCODER.tokens(WORDS[:size], TAGS[:size])
    rows, posterior = made.candidates(tokens, 0.0)
    best = made.best(tokens)
    assert np.exp(log_likelihood(made, [tuple(r) for r in best.tolist()], size)) >= p.max() - 1e-6
    if size == 4:
        return
    assert np.isclose(p.sum(), 1.0, atol=1e-4)
    assert {tuple(row) for row in best.tolist()} == set(found[int(np.argmax(p))])
    for row, share in zip(rows.tolist(), posterior, strict=True):
        expected = sum(each for each, tree in zip(p, found, strict=True) if tuple(row) in tree)
        assert np.isclose(share, expected, atol=1e-4)


def test_training_finds_the_tree() -> None:
    encoder = SpanEncoder(Vocabulary(tuple(WORDS)))
    gold = [Span(0, 3, "NP"), Span(1, 3, "NP|"), Span(0, 4, "S"), Span(3, 4, "VP")]
    values: list[float] = []
    settings = SpanSettings(bits=10, passes=5)
    made = train(
        [(encoder.arrays(WORDS, TAGS), gold)],
        encoder.templates,
        settings,
        0,
        None,
        lambda _, value: values.append(value),
    )
    assert values == sorted(values)
    best = [
        (b, e, made.classes.names[c]) for b, e, c in made.best(encoder.tokens(WORDS, TAGS)).tolist()
    ]
    assert {tuple(span) for span in gold} <= set(best)
    again = train([(encoder.arrays(WORDS, TAGS), gold)], encoder.templates, settings, 0)
    assert np.array_equal(again.weights(), made.weights())


def test_rare_classes_are_thrown_together() -> None:
    classes = SpanClasses.of_spans(
        [[Span(0, 1, "NP^S")] * 3 + [Span(0, 1, "VP|NN"), Span(0, 1, "XP")]], 4
    )
    assert classes.names == ("(word)", "(rare)", "(rare)|", "NP")
    assert [classes.of_symbol(s) for s in ("NP^VP", "XP", "VP|NN", "NP|")] == [3, 1, 2, 2]


def test_rare_words_stand_for_their_class() -> None:
    vocabulary = Vocabulary.of(["aed", "aed", "bed"], 2)
    encoder = SpanEncoder(vocabulary, ["span: word@begin"])
    table, _ = encoder.arrays(["aed", "bed", "ced", "bing"], ["NN"] * 4)
    aed, bed, ced, bing = table.ravel().tolist()
    assert bed == ced
    assert len({aed, bed, bing}) == 3
    assert word_class("Bmp2-deficient") != word_class("deficient")
    assert word_class("running") == word_class("walking")


@pytest.mark.parametrize(
    ("rows", "columns", "kinds", "message"),
    [
        (0, 3, [], "1 to 2000"),
        (2, 3, [0], "differ"),
        (1, 3, [9], "sort"),
        (1, 2, [0], "different attributes"),
    ],
)
def test_sentences_that_are_refused(
    rows: int, columns: int, kinds: list[int], message: str
) -> None:
    arrays = np.ones((rows, columns), np.uint64), np.array(kinds, np.int32)
    with pytest.raises(ForestError, match=message):
        model(0).candidates(core_tokens(arrays), 0.5)


def test_models_that_are_refused() -> None:
    with pytest.raises(ForestError, match="rows"):
        SpanModel(CLASSES, 99, ENCODER.templates)
    with pytest.raises(ForestError, match="another span model"):
        model(0).core.set_weights(np.zeros(3, np.float32))
