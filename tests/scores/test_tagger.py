"""Posteriors against brute force, features against a plain twin, dictionaries, bad input."""

from itertools import pairwise

import numpy as np
import pytest

from tests.brute import Brute
from tests.scores.small_tagger import CORPUS, POS, TEMPLATES, WORDS, plain_key, plain_scores
from tests.scores.small_tagger import random_tagger as tagger_of
from treewright.errors import ConfigError, ForestError, TreewrightError
from treewright.scores.features.encoder import shape
from treewright.scores.tagging.base import Posteriors
from treewright.scores.tagging.encoder import compile_templates, parse_template
from treewright.scores.tagging.tagger import Pruning, Tagger, TaggerWeights

SENTENCES = [*zip(WORDS, POS, strict=True), (["Zebras", "see"], ["NNS", "VBP"])]


def test_feature_keys_are_those_of_the_plain_twin() -> None:
    tagger = tagger_of(1)
    for words, pos in SENTENCES:
        encoded = tagger.encoder.encode([words], [pos])
        arrays = encoded.attributes, encoded.classes, encoded.first_position
        found = tagger.encoder.templates.core.hash(*arrays)
        for i in range(len(words)):
            expected = [plain_key(t, text, words, pos, i) for t, text in enumerate(TEMPLATES)]
            assert found[i].tolist() == expected


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_posteriors_are_those_of_all_derivations(order: int, seed: int) -> None:
    tagger = tagger_of(order, seed)
    for words, pos in SENTENCES:
        built, scores = tagger.chain(tagger.posteriors(words, pos, k=100))
        found = tagger.posteriors(words, pos, k=100)
        brute = Brute(built.forest, scores)
        expected = brute.part_marginals()[: built.candidates]
        assert found.probability == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("weight", [1.0, 0.4, 1.3])
@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_messages_join_the_emissions(order: int, seed: int, weight: float) -> None:
    tagger, random = tagger_of(order, seed), np.random.default_rng(seed)
    for words, pos in SENTENCES:
        kept = tagger.posteriors(words, pos, k=100).above(0.01 * seed)
        messages = 3 * random.normal(size=len(kept.tag))
        crowded = np.repeat(np.diff(kept.first), np.diff(kept.first)) > 1
        forbidden = crowded & ~np.isin(np.arange(len(crowded)), kept.first)
        messages[forbidden & (random.random(len(crowded)) < 0.5)] = -np.inf
        built, scores = tagger.chain(kept)
        scores *= weight
        scores[: built.candidates] += messages
        brute = Brute(built.forest, scores)
        log_z, found = tagger.marginals(kept, messages, weight)
        assert log_z == pytest.approx(brute.log_z)
        assert found == pytest.approx(brute.part_marginals()[: built.candidates], abs=1e-9)
        assert tagger.marginals(kept, np.full(len(messages), -np.inf), weight)[0] == -np.inf


@pytest.mark.parametrize(
    "change",
    [
        {"first": [0]},
        {"first": [0, 2, 2]},
        {"first": [0, 1]},
        {"first": [1, 2]},
        {"tag": [0, 99]},
        {"tag": [-1, 0]},
        {"emission": [0.0]},
    ],
)
def test_bad_lattices(change: dict[str, list[float]]) -> None:
    rows = {"first": [0, 1, 2], "tag": [0, 1], "emission": [0.0, 0.0], **change}
    kinds = {"first": np.int32, "tag": np.int32, "emission": np.float64}
    arrays = {name: np.array(row, dtype=kinds[name]) for name, row in rows.items()}
    with pytest.raises(ForestError):
        tagger_of(1).core.marginals(**arrays)


def test_scores_are_those_of_the_plain_twin() -> None:
    tagger = tagger_of(1)
    for words, pos in SENTENCES:
        built, scores = tagger.chain(tagger.posteriors(words, pos, k=100))
        found = tagger.posteriors(words, pos, k=100)
        for i in range(len(words)):
            _, chain = plain_scores(tagger, words, pos, i)
            for c in range(found.first[i], found.first[i + 1]):
                assert scores[c] == pytest.approx(chain[found.tag[c]], abs=1e-5)
        assert built.candidates == len(found.tag)


@pytest.mark.parametrize("beta", [0.5, 0.05])
def test_the_local_model_prunes(beta: float) -> None:
    tagger = tagger_of(1)
    for words, pos in SENTENCES:
        found = tagger.posteriors_batch([words], [pos], 100, Pruning(beta))
        everything = tagger.posteriors(words, pos, 100)
        for i in range(len(words)):
            local, _ = plain_scores(tagger, words, pos, i)
            allowed = everything.tag[everything.first[i] : everything.first[i + 1]].tolist()
            best = max(local[t] for t in allowed)
            kept = [t for t in allowed if local[t] >= best + np.log(beta)]
            assert found.tag[found.first[i] : found.first[i + 1]].tolist() == kept


def test_least_and_most_bound_the_candidates() -> None:
    tagger = tagger_of(1)
    for least, most in (2, 2), (1, 1), (3, 3):
        found = tagger.posteriors_batch(WORDS, POS, 100, Pruning(1.0, least, most))
        sets = np.diff(tagger.posteriors_batch(WORDS, POS, 100).first)
        assert np.diff(found.first).tolist() == np.minimum(sets, most).tolist()


def test_a_batch_is_its_sentences() -> None:
    tagger = tagger_of(2)
    batch = tagger.posteriors_batch(WORDS, POS)
    parts = [tagger.posteriors(words, pos) for words, pos in zip(WORDS, POS, strict=True)]
    assert batch.probability.tolist() == [p for part in parts for p in part.probability]
    assert tagger.tag_batch(WORDS, POS) == [
        tagger.tag(words, pos) for words, pos in zip(WORDS, POS, strict=True)
    ]


def test_multitagging_keeps_what_is_near_the_best() -> None:
    tagger = tagger_of(1)
    words, pos = WORDS[0], POS[0]
    everything = tagger.multitag(words, pos, beta=1e-12, k=100)
    for beta in (0.9, 0.1):
        for row, all_of in zip(tagger.multitag(words, pos, beta, 100), everything, strict=True):
            assert row == [pair for pair in all_of if pair[1] >= beta * all_of[0][1]]
    best = [row[0][0] for row in tagger.multitag(words, pos, 0.1)]
    assert best == tagger.tag(words, pos)


def test_the_first_of_equals_is_best() -> None:
    first = np.array([0, 2, 3], dtype=np.int32)
    ends = np.array([0, 2], dtype=np.int32)
    tags = np.array([4, 7, 1], dtype=np.int32)
    posteriors = Posteriors(first, tags, np.array([0.5, 0.5, 1.0]), ends)
    assert posteriors.best().tolist() == [4, 1]


def test_merged_posteriors_are_sums() -> None:
    found = tagger_of(1).posteriors(WORDS[0], POS[0], k=100)
    group = np.array([0, 1, 0, 2], dtype=np.int32)
    merged = found.merged(group)
    for i in range(len(found)):
        sums = np.zeros(3)
        for c in range(found.first[i], found.first[i + 1]):
            sums[group[found.tag[c]]] += found.probability[c]
        row = slice(merged.first[i], merged.first[i + 1])
        assert merged.tag[row].tolist() == np.flatnonzero(sums).tolist()
        assert merged.probability[row] == pytest.approx(sums[sums > 0])


def test_frequent_words_have_their_own_tags_and_others_those_of_their_pos() -> None:
    tagger = tagger_of(1)
    number = {tag: i for i, tag in enumerate(tagger.tags)}
    seen = {}
    for words, tags in zip(CORPUS.words, CORPUS.tags, strict=True):
        for word, tag in zip(words, tags, strict=True):
            seen.setdefault(word, set()).add(number[tag])
    frequent = tagger.posteriors(["dogs", "see"], ["VB", "VBP"], k=2)
    assert set(frequent.tag[: frequent.first[1]]) == seen["dogs"]
    rare = tagger.posteriors(["dogs", "see"], ["VB", "VBP"], k=3)
    assert set(rare.tag[: rare.first[1]]) == {number["V"]}
    unknown = tagger.posteriors(["dogs", "see"], ["XX", "VBP"], k=3)
    assert set(unknown.tag[: unknown.first[1]]) == set(range(len(tagger.tags)))


def test_bad_input_is_one_clear_error() -> None:
    tagger = tagger_of(1)
    with pytest.raises(TreewrightError, match="needs parts of speech"):
        tagger.tag(["dogs"])
    with pytest.raises(TreewrightError, match="differ in number"):
        tagger.tag(["dogs"], ["NNS", "NNS"])
    with pytest.raises(TreewrightError, match="without words"):
        tagger.tag([], [])
    with pytest.raises(ForestError, match="beta"):
        tagger.posteriors_batch(WORDS, POS, None, Pruning(0.0))


def test_a_model_without_entries_scores_every_tag_alike() -> None:
    """Rows of features may be empty."""
    tagger = tagger_of(1)
    arrays = tagger.weights.arrays()
    for name in ("row_first", "bigram", "trigram"):
        arrays[name] = np.zeros_like(arrays[name])
    for name in ("row_tag", "local", "chain"):
        arrays[name] = arrays[name][:0]
    empty = Tagger(
        tagger.tags, tagger.encoder, tagger.dictionary, TaggerWeights(**arrays), 1, 2, Pruning(1e-9)
    )
    found = empty.posteriors_batch(WORDS, POS)
    for begin, end in pairwise(found.first):
        assert np.allclose(found.probability[begin:end], 1 / (end - begin))


def test_a_damaged_model_is_refused() -> None:
    tagger = tagger_of(1)
    arrays = tagger.weights.arrays()
    for name, value, message in (
        ("local", arrays["local"][:-1], "two weights"),
        ("bigram", arrays["bigram"][:-1], "transitions"),
        ("row_tag", arrays["row_tag"] + 99, "no such tag"),
        ("chain", np.full_like(arrays["chain"], np.nan), "not finite"),
        ("row_first", arrays["row_first"][::-1].copy(), "rows must run"),
    ):
        broken = type(tagger.weights)(**(arrays | {name: value}))
        with pytest.raises(ForestError, match=message):
            type(tagger)(tagger.tags, tagger.encoder, tagger.dictionary, broken, 1, 1)


@pytest.mark.parametrize("text", ["word[0", "word[x]", "", "Word[0]", "word[0]]", "word@verb[0]"])
def test_malformed_templates_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="template"):
        parse_template(text)


def test_unknown_classes_are_refused() -> None:
    with pytest.raises(ConfigError, match="no place 'verbs<'"):
        compile_templates(["word@verbs<"], [])


def test_shapes() -> None:
    assert shape("McGill-2") == "XxXxxx-0"
    assert shape("McGill-22", 1) == "XxXx-0"
    assert shape("McGill-2222", 2) == "XxXxx-00"
