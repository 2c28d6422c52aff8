"""Transition parsers: oracles, features, beam search and updates against plain Python twins."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import treebank_file
from tests.plain_transitions import PlainParser, PlainState, derivations
from treewright.data import conllu
from treewright.data.dependency import is_projective, top_down
from treewright.data.pseudo import projectivise
from treewright.errors import ConfigError, ForestError, StoreError
from treewright.inference.transition import (
    LabelTable,
    System,
    TransitionParser,
    TransitionShape,
)
from treewright.scores.dependency.encoder import ATTRIBUTES, FIRST, EncodedSentence
from treewright.scores.dependency.state_sets import CACHED, SETS
from treewright.scores.dependency.state_templates import compile_templates
from treewright.train.online import OnlineParser, Parse
from treewright.train.transition import TransitionLearner

UPOS = ("CCONJ", "NOUN", "PUNCT", "VERB")
RELATIONS = ("dep", "root")
SYSTEMS: list[System] = ["arc-eager", "arc-hybrid"]


def shape_of(
    system: System, templates: Sequence[str], relations: tuple[str, ...] = RELATIONS
) -> TransitionShape:
    tags, labels = len(UPOS) + FIRST, len(relations)
    rows = tags * tags * 2
    table = LabelTable(
        tags,
        (np.arange(rows + 1) * labels).astype(np.int32),
        np.tile(np.arange(labels), rows).astype(np.uint16),
        relations.index("root"),
    )
    return TransitionShape(system, relations, UPOS, tuple(templates), table)


def sentence_of(rng: np.random.Generator, words: int) -> EncodedSentence:
    table = rng.integers(FIRST, FIRST + 3, (words, len(ATTRIBUTES))).astype(np.uint64)
    table[:, ATTRIBUTES.index("upos")] = rng.integers(FIRST, FIRST + len(UPOS), words)
    return EncodedSentence(table)


def tree_of(rng: np.random.Generator, words: int, labels: int = 2) -> Parse:
    """A random projective tree: the heads that random legal actions build."""
    heads = [0] * words

    def below(first: int, last: int, head: int) -> None:
        if first > last:
            return
        top = int(rng.integers(first, last + 1))
        heads[top - 1] = head
        below(first, top - 1, top)
        below(top + 1, last, top)

    below(1, words, 0)
    found = rng.integers(0, labels, words)
    found[np.array(heads) == 0] = 1  # root
    return Parse(np.array(heads, np.int32), found.astype(np.int32))


def actions_of(learner: TransitionLearner, sentence: EncodedSentence, gold: Parse) -> list[int]:
    actions: list[int] = learner.corpus([sentence], [gold]).actions.tolist()
    return actions


@st.composite
def any_heads(draw: st.DrawFn) -> list[int]:
    """A tree with one root, projective or not."""
    words = draw(st.integers(1, 9))
    order = draw(st.permutations(range(1, words + 1)))
    heads = [0] * words
    for i, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[draw(st.integers(0, i - 1))]
    return heads


@given(any_heads())
def test_lifted_trees_are_projective_trees(heads: list[int]) -> None:
    lifted = projectivise(heads)
    assert is_projective(lifted)
    assert len(top_down(lifted)) == len(heads)
    assert lifted.count(0) == 1
    if is_projective(heads):
        assert lifted == heads


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("system", SYSTEMS)
@given(any_heads())
def test_oracles_build_every_projective_tree(system: System, early: bool, heads: list[int]) -> None:
    heads = projectivise(heads)
    labels = np.arange(len(heads)) % 2
    core = shape_of(system, ["word@s0"]).core()
    first = np.array([0, len(heads)])
    actions, _ = core.oracle(np.array(heads, np.int32), labels.astype(np.int32), first, early)
    parser = PlainParser(shape_of(system, ["word@s0"]))
    state = parser.start(EncodedSentence(np.zeros((len(heads), 1), np.uint64)))
    for action in actions.tolist():
        assert action in state.legal(2)
        state = state.apply(action, 2)
    assert state.finished
    assert [state.head.get(i, 0) for i in range(1, len(heads) + 1)] == heads
    assert all(state.label[word] == labels[word - 1] for word in state.head)


@pytest.mark.parametrize("system", SYSTEMS)
def test_oracles_rebuild_the_treebank(system: System) -> None:
    relations: dict[str, int] = {}
    heads, labels, first = [], [], [0]
    for tree in conllu.read(treebank_file("dep-ewt/dev.conllu")):
        own = [word.head for word in tree.words]
        lifted = projectivise(own)
        assert lifted == own or not tree.is_projective
        heads += lifted
        labels += [relations.setdefault(name, len(relations)) for name in tree.deprels]
        first.append(len(heads))
    core = shape_of(system, ["word@s0"], tuple(relations)).core()
    arrays = np.array(heads, np.int32), np.array(labels, np.int32), np.array(first)
    actions, ends = core.oracle(*arrays, False)  # raises where a tree is not rebuilt
    assert len(ends) == len(first)
    assert len(actions) >= len(heads) + len(first) - 1


def test_a_crossing_tree_has_no_oracle() -> None:
    core = shape_of("arc-eager", ["word@s0"]).core()
    heads, labels = np.array([3, 4, 0, 3], np.int32), np.zeros(4, np.int32)
    with pytest.raises(ForestError, match="not projective"):
        core.oracle(heads, labels, np.array([0, 4]), False)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_features_equal_the_twin(system: System, name: str) -> None:
    rng = np.random.default_rng(5)
    shape = shape_of(system, SETS[name])
    core, twin = shape.core(), PlainParser(shape)
    for words in (1, 2, 5, 9):
        sentence = sentence_of(rng, words)
        state = twin.start(sentence)
        while True:
            actions = np.array(state.actions, np.int32)
            found = core.features(sentence.table.ravel(), actions)
            assert sorted(found.tolist()) == sorted(twin.features(state, sentence))
            if state.finished:
                break
            state = state.apply(int(rng.choice(list(state.legal(2)))), 2)


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("system", SYSTEMS)
def test_learning_equals_the_twin(system: System, beam: int) -> None:
    rng = np.random.default_rng(7)
    shape = shape_of(system, SETS["paper"])
    learner, twin = TransitionLearner(shape, beam), PlainParser(shape)
    examples = [(sentence_of(rng, n), tree_of(rng, n)) for n in (2, 4, 5, 6)]
    changed = 0
    for _ in range(3):
        for sentence, gold in examples:
            expected = twin.learn(sentence, actions_of(learner, sentence, gold), beam)
            assert learner.learn(sentence, gold) == expected
            changed += expected
            learner.tick()
            twin.tick()
    assert changed > 3
    arrays = learner.averaged()
    rows = np.repeat(arrays["keys"], np.diff(arrays["first"])).tolist()
    names = zip(rows, arrays["actions"].tolist(), strict=True)
    found = dict(zip(names, arrays["weights"].tolist(), strict=True))
    expected_weights = {name: total / 12 for name, total in twin.totals.items() if total}
    assert found == pytest.approx(expected_weights, abs=1e-6)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_wide_beam_is_exhaustive(system: System) -> None:
    rng = np.random.default_rng(11)
    shape = shape_of(system, SETS["paper"])
    learner, twin = TransitionLearner(shape, 50_000), PlainParser(shape)
    sentence, gold = sentence_of(rng, 4), tree_of(rng, 4)
    for _ in range(2):
        assert learner.learn(sentence, gold) == twin.learn(
            sentence, actions_of(learner, sentence, gold), 50_000
        )
    best: dict[tuple[int, ...], float] = {}
    for score, state in derivations(twin, sentence):
        key = tuple(state.head.get(i, 0) for i in range(1, 5))
        names = tuple(state.label.get(i, 1) for i in range(1, 5))
        best[key + names] = max(score, best.get(key + names, -np.inf))
    found = learner.kbest(sentence, 12)
    assert [parse.score for parse in found] == sorted(best.values(), reverse=True)[:12]
    for parse in found:
        assert best[(*parse.heads.tolist(), *parse.labels.tolist())] == parse.score


def arcs_in_reach(twin: PlainParser, state: PlainState, gold: Parse) -> int:
    """The most gold arcs, labels included, that any way on from a state builds."""
    agenda, best = [state], 0
    while agenda:
        found = agenda.pop()
        if not found.finished:
            agenda += (found.apply(action, 2) for action in found.legal(2))
            continue
        pairs = zip(gold.heads.tolist(), gold.labels.tolist(), strict=True)
        arcs = {(word, *pair) for word, pair in enumerate(pairs, start=1)}
        made = {(w, found.head.get(w, 0), found.label.get(w, 1)) for w in range(1, found.words + 1)}
        best = max(best, len(arcs & made))
    return best


def test_costs_are_the_arcs_put_out_of_reach() -> None:
    rng = np.random.default_rng(17)
    shape = shape_of("arc-hybrid", ["word@s0"])
    core, twin = shape.core(), PlainParser(shape)
    for words in (1, 2, 3, 4, 4, 4):
        gold, state = tree_of(rng, words), twin.start(sentence_of(rng, words))
        while not state.finished:
            best, legal = arcs_in_reach(twin, state, gold), list(state.legal(2))
            for action in legal:
                actions = np.array(state.actions, np.int32)
                cost = core.cost(gold.heads, gold.labels, actions, action)
                assert cost == best - arcs_in_reach(twin, state.apply(action, 2), gold)
            state = state.apply(int(rng.choice(legal)), 2)


def test_the_dynamic_oracle_learns() -> None:
    rng = np.random.default_rng(19)
    shape = shape_of("arc-hybrid", SETS["paper"])
    learner = TransitionLearner(shape, 1, exploration=0.9)
    pairs = [(sentence_of(rng, 6), tree_of(rng, 6)) for _ in range(4)]
    corpus = learner.corpus(*zip(*pairs, strict=True))
    wrong = [learner.learn_all(corpus, np.arange(4)) for _ in range(30)]
    assert wrong[0] > 0
    assert wrong[-1] == 0
    for sentence, gold in pairs:
        assert learner.kbest(sentence, 1)[0].heads.tolist() == gold.heads.tolist()
    with pytest.raises(ForestError, match="arc-hybrid"):
        TransitionLearner(shape_of("arc-eager", ["word@s0"]), exploration=0.9).learn(*pairs[0])


def test_updates_move_scores_by_the_features() -> None:
    rng = np.random.default_rng(3)
    shape = shape_of("arc-eager", SETS["paper"])
    learner, twin = TransitionLearner(shape), PlainParser(shape)
    sentence = sentence_of(rng, 5)
    better, worse = tree_of(rng, 5), tree_of(rng, 5)
    learner.update(sentence, better, worse, rate=0.5)
    twin.update(sentence, actions_of(learner, sentence, better), 0.5)
    twin.update(sentence, actions_of(learner, sentence, worse), -0.5)
    (first, *_) = learner.kbest(sentence, 1)
    assert first.score == twin.total(sentence, actions_of(learner, sentence, first))
    protocol: OnlineParser = learner
    assert protocol.kbest(sentence, 1)[0].score == first.score


def test_small_weights_are_dropped_relative_to_the_largest() -> None:
    rng = np.random.default_rng(1)
    shape = shape_of("arc-eager", SETS["rich"])
    pairs = [(sentence_of(rng, n), tree_of(rng, n)) for n in range(1, 12)]
    found = {}
    for threshold in (0.0, 0.25, 1.0, 1000.0):
        learner = TransitionLearner(shape, 4, threshold=threshold)
        for sentence, gold in pairs:
            learner.learn(sentence, gold)
            learner.tick()
        found[threshold] = np.abs(learner.averaged()["weights"])
    largest = found[0.0].max()
    assert 1 < largest < 32  # so that all but 0 and 0.25 are too high
    for threshold, kept in found.items():
        limit = min(threshold, largest / 32)
        assert sorted(kept) == sorted(found[0.0][found[0.0] > limit])
    untrained = TransitionLearner(shape, 4, threshold=1.5)
    assert len(untrained.averaged()["weights"]) == 0


def trained(seed: int = 1) -> tuple[TransitionShape, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    shape = shape_of("arc-eager", SETS["rich"])
    learner = TransitionLearner(shape, 4)
    pairs = [(sentence_of(rng, n), tree_of(rng, n)) for n in range(1, 12)]
    corpus = learner.corpus(*zip(*pairs, strict=True))
    for _ in range(3):
        learner.learn_all(corpus, rng.permutation(len(corpus)))
    return shape, learner.averaged()


def test_the_same_training_gives_the_same_bits() -> None:
    (shape, first), (_, second) = trained(), trained()
    assert all(np.array_equal(first[name], second[name]) for name in first)
    rng = np.random.default_rng(0)
    sentences = [sentence_of(rng, n) for n in (3, 0, 7, 20)]
    parser = TransitionParser(shape, first, 4)
    one, two = parser.parse_batch(sentences, 1), parser.parse_batch(sentences, 2)
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a[0], b[0])
        assert np.array_equal(a[1], b[1])
        assert a[2] == b[2]
    for sentence, (heads, _, score) in zip(sentences, one, strict=True):
        assert len(top_down(heads.tolist())) == len(sentence)
        assert parser.kbest(sentence, 3)[0][2] == score


@pytest.mark.parametrize("exploration", [None, 0.5])
def test_another_learner_continues_bit_for_bit(exploration: float | None) -> None:
    rng = np.random.default_rng(5)
    shape = shape_of("arc-hybrid", SETS["paper"])
    one, other = (TransitionLearner(shape, 2, exploration=exploration) for _ in range(2))
    pairs = [(sentence_of(rng, 8), tree_of(rng, 8)) for _ in range(40)]
    corpus = one.corpus(*zip(*pairs, strict=True))
    one.learn_all(corpus, np.arange(40))
    other.restore(one.state())
    for learner in (one, other):
        assert learner.learn_all(corpus, np.arange(40)) > 0
    first, second = one.state(), other.state()
    assert all(first[name].tobytes() == second[name].tobytes() for name in first)
    fresh = TransitionLearner(shape).state()
    assert (exploration is None) == np.array_equal(first["random"], fresh["random"])


@pytest.mark.parametrize(
    "change",
    [
        {"moments": np.zeros(0)},
        {"first": np.zeros(1, np.int64)},
        {"actions": np.full(1, 9, np.uint16)},
        {"random": np.zeros(3, np.uint64)},
        {"keys": np.ones(2, np.uint64), "first": np.array([0, 1, 1])},
    ],
)
def test_bad_states_are_refused(change: dict[str, np.ndarray]) -> None:
    shape = shape_of("arc-eager", ["word@s0"])
    state = TransitionLearner(shape).state()
    one = {"keys": np.ones(1, np.uint64), "first": np.array([0, 1])}
    one |= {"actions": np.zeros(1, np.uint16), "weights": np.ones(1, np.float32)}
    state |= one | {"moments": np.ones(1)}
    learner = TransitionLearner(shape)
    learner.restore(state)
    assert learner.features == 1
    with pytest.raises(ForestError, match="already"):
        learner.restore(state)
    with pytest.raises(ForestError, match=r"weights|generator"):
        TransitionLearner(shape).restore(state | change)


def test_sums_that_are_kept_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    shape, weights = trained()
    rng = np.random.default_rng(0)
    sentences = [sentence_of(rng, n) for n in (3, 9, 30)]
    kept = TransitionParser(shape, weights, 8).parse_batch(sentences)
    monkeypatch.setattr("treewright.inference.transition.CACHED", ())
    plain = TransitionParser(shape, weights, 8).parse_batch(sentences)
    for a, b in zip(kept, plain, strict=True):
        assert np.array_equal(a[0], b[0])
        assert a[2] == pytest.approx(b[2], rel=1e-4)


def test_labels_come_from_the_table() -> None:
    rng = np.random.default_rng(2)
    sentence = sentence_of(rng, 6)
    gold = tree_of(rng, 6)
    table = LabelTable.learn([(sentence, gold.heads, gold.labels)], len(UPOS) + FIRST, 2)
    shape = replace(shape_of("arc-eager", ["word@s0"]), table=table)
    ((heads, labels, _),) = TransitionParser(shape, empty_weights(), 4).parse_batch([sentence])
    assert min(heads.tolist()) == 0
    assert set(labels.tolist()) <= set(gold.labels.tolist())


def empty_weights() -> dict[str, np.ndarray]:
    return {
        "keys": np.zeros(0, np.uint64),
        "first": np.zeros(1, np.int64),
        "actions": np.zeros(0, np.uint16),
        "weights": np.zeros(0, np.float32),
    }


@pytest.mark.parametrize(
    "change",
    [
        {"first": np.zeros(2, np.int64)},
        {"weights": np.ones(1, np.float32)},
        {"keys": np.zeros(1, np.int32)},
        {
            "keys": np.ones(1, np.uint64),
            "first": np.array([0, 1]),
            "actions": np.full(1, 99, np.uint16),
            "weights": np.ones(1, np.float32),
        },
    ],
)
def test_bad_weights_are_refused(change: dict[str, np.ndarray]) -> None:
    shape = shape_of("arc-eager", ["word@s0"])
    with pytest.raises(StoreError, match="invalid weights"):
        TransitionParser(shape, empty_weights() | change, 4)


@pytest.mark.parametrize(
    "line", ["word@s9", "word", "word@s0 distance@b0", "colour@s0", "word@s1[-1]", "depth"]
)
def test_bad_templates_are_refused(line: str) -> None:
    with pytest.raises(ConfigError):
        compile_templates([line], ATTRIBUTES, CACHED)


def test_bad_sentences_are_refused() -> None:
    parser = TransitionParser(shape_of("arc-eager", ["word@s0"]), empty_weights(), 4)
    with pytest.raises(ForestError, match="begin at 1"):
        parser.parse_batch([EncodedSentence(np.zeros((2, len(ATTRIBUTES)), np.uint64))])
    with pytest.raises(ForestError, match="beam"):
        parser.parse_batch([sentence_of(np.random.default_rng(0), 2)], beam=-1)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_best_parse_with_a_root_is_that_of_all_parses(system: System, seed: int) -> None:
    rng = np.random.default_rng(seed)
    learner = TransitionLearner(shape_of(system, ["word@s0 upos@b0", "upos@s0 word@b1"]), 3000)
    for _ in range(5):
        words = int(rng.integers(1, 5))
        learner.learn(sentence_of(rng, words), tree_of(rng, words))
    sentence = sentence_of(rng, words := 1 + seed % 4)
    every = learner.kbest(sentence, 3000)
    for root in range(1, words + 1):
        found = learner.best_with_root(sentence, root)
        assert found.heads[root - 1] == 0
        wanted = max(each.score for each in every if each.heads[root - 1] == 0)
        assert found.score == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_beam_finds_a_parse_with_the_root(system: System) -> None:
    rng = np.random.default_rng(0)
    learner = TransitionLearner(shape_of(system, ["word@s0 word@b0"]), 1)
    for words in range(1, 12):
        sentence = sentence_of(rng, words)
        learner.learn(sentence, tree_of(rng, words))
        for root in range(1, words + 1):
            found = learner.best_with_root(sentence, root)
            assert (found.heads == 0).nonzero()[0].tolist() == [root - 1]
            assert len(top_down(found.heads.tolist())) == words
    with pytest.raises(ForestError, match="no word"):
        learner.best_with_root(sentence, words + 1)
