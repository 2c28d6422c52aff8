"""Augmented-loss training: updates as in the paper's algorithms, against a plain reference."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from tests.scores.test_arcs import PlainModel
from tests.trees import all_trees
from treewright.errors import ConfigError
from treewright.losses.trees import GoldTree, attachment, root
from treewright.models.dependency.graph.parser import GraphParser
from treewright.models.dependency.settings import GraphSettings
from treewright.scores.dependency.arc_templates import NAMED
from treewright.scores.dependency.encoder import ATTRIBUTES, EncodedSentence
from treewright.train.augmented import (
    DataSet,
    FullTree,
    Ranked,
    Rooted,
    TreeLearner,
    augmented_learner,
)
from treewright.train.loop import Step, finish
from treewright.train.online import Parse

LABELS = 2
FEW = ["near: upos@head upos@dep", "word@dep", "plain: word@head word@dep"]  # so few do not collide


def sentences(count: int) -> list[tuple[EncodedSentence, Parse]]:
    rng = np.random.default_rng(4)
    found = []
    for _ in range(count):
        words = int(rng.integers(2, 4))
        table = rng.integers(1, 6, size=(words, len(ATTRIBUTES)), dtype=np.uint64)
        trees = all_trees(words, single_root=True)
        heads = np.array(trees[rng.integers(len(trees))], np.int32)
        labels = rng.integers(0, LABELS, words).astype(np.int32)
        found.append((EncodedSentence(table), Parse(heads, labels)))
    return found


class PlainParser:
    """The same parser with dictionaries and enumeration."""

    def __init__(self) -> None:
        self.model, self.time = PlainModel(FEW), 0

    def kbest(self, sentence: EncodedSentence, k: int) -> list[Parse]:
        found = []
        for heads in all_trees(len(sentence), single_root=True):
            best = [
                max((self.model.score(sentence, (h, m, -1), label), -label) for label in range(2))
                for m, h in enumerate(heads, 1)
            ]
            labels = np.array([-label for _, label in best], np.int32)
            found.append(Parse(np.array(heads, np.int32), labels, sum(s for s, _ in best)))
        return sorted(found, key=lambda parse: -parse.score)[:k]

    def best_with_root(self, sentence: EncodedSentence, root: int) -> Parse:
        every = self.kbest(sentence, 1000)
        return next(each for each in every if each.heads[root - 1] == 0)

    def update(
        self, sentence: EncodedSentence, better: Parse, worse: Parse, rate: float = 1.0
    ) -> None:
        for parse, by in ((better, rate), (worse, -rate)):
            for m, (head, label) in enumerate(zip(parse.heads, parse.labels, strict=True), 1):
                self.model.update(sentence, (int(head), m, -1), int(label), by, self.time)

    def learn(self, sentence: EncodedSentence, gold: Parse) -> bool:
        found = self.kbest(sentence, 1)[0]
        wrong = [*found.heads, *found.labels] != [*gold.heads, *gold.labels]
        if wrong:
            self.update(sentence, gold, found)
        return wrong

    def tick(self) -> None:
        self.time += 1

    def averaged(self) -> dict[str, np.ndarray]:
        return {}

    def state(self) -> dict[str, np.ndarray]:
        return {}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None: ...


def learn(parser: TreeLearner, data: list[tuple[EncodedSentence, Parse]]) -> list[Step]:
    trees = DataSet("trees", [FullTree(s, gold) for s, gold in data[:6]])
    ranked = [
        Ranked(s, attachment(GoldTree(gold.heads, gold.labels), labelled=False), k=3)
        for s, gold in data[6:]
    ]
    others = [DataSet("ranked", ranked, schedule=0.5)]
    return finish(augmented_learner(parser, trees, others, passes=3, seed=2))


def test_training_equals_the_plain_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NAMED, "few", FEW)
    data = sentences(10)
    parser = GraphParser(LABELS, GraphSettings(features="few", bits=20))
    # Random starting weights keep ties away.
    noise = np.random.default_rng(0)
    plain = PlainParser()
    for s, gold in data:
        trees = all_trees(len(s), single_root=True)
        for rate in noise.normal(size=4):
            heads = np.array(trees[noise.integers(len(trees))], np.int32)
            other = Parse(heads, 1 - gold.labels)
            parser.update(s, other, gold, float(rate))
            plain.update(s, other, gold, float(rate))
    found, wanted = learn(parser, data), learn(plain, data)
    assert found == wanted
    assert sum(each.figures["updates"]["ranked"] for each in found) > 0
    for s, _ in data:
        ours, theirs = parser.kbest(s, 4), plain.kbest(s, 4)
        np.testing.assert_allclose([p.score for p in ours], [p.score for p in theirs], atol=1e-3)


def test_the_schedule_says_how_many_examples_are_seen() -> None:
    passes = learn(GraphParser(LABELS, GraphSettings(features="paper", bits=16)), sentences(10))
    assert [each.figures["seen"] for each in passes] == [{"trees": 6, "ranked": 3}] * 3


class Fixed:
    """A parser whose k-best list never changes; it remembers its updates."""

    def __init__(self, roots: list[int]) -> None:
        labels = np.zeros(2, np.int32)
        heads = {1: [0, 1], 2: [2, 0]}
        self.list = [Parse(np.array(heads[r], np.int32), labels) for r in roots]
        self.updates: list[tuple[Parse, Parse, float]] = []

    def kbest(self, _: EncodedSentence, k: int) -> list[Parse]:
        return self.list[:k]

    def best_with_root(self, _: EncodedSentence, root: int) -> Parse:
        return next(each for each in self.kbest(_, 100) if each.heads[root - 1] == 0)

    def update(self, _: EncodedSentence, better: Parse, worse: Parse, rate: float = 1.0) -> None:
        self.updates.append((better, worse, rate))

    def learn(self, _: EncodedSentence, __: Parse) -> bool:
        raise AssertionError("there is no tree to learn")

    def tick(self) -> None: ...

    def averaged(self) -> dict[str, np.ndarray]:
        return {}

    def state(self) -> dict[str, np.ndarray]:
        return {}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None: ...


SENTENCE = EncodedSentence(np.ones((2, len(ATTRIBUTES)), np.uint64))
ROOT_IS_2 = root(GoldTree(np.array([2, 0], np.int32), np.zeros(2, np.int32)))


@pytest.mark.parametrize(
    ("roots", "k", "towards"),
    [([1, 2], 2, 1), ([1, 1, 2, 2], 4, 2), ([2, 1], 2, None), ([1, 1], 2, None), ([1, 2], 1, None)],
)
def test_the_ranker_moves_to_the_first_of_strictly_lower_loss(
    roots: list[int], k: int, towards: int | None
) -> None:
    parser = Fixed(roots)
    assert Ranked(SENTENCE, ROOT_IS_2, k, rate=0.5)(parser) == (towards is not None)
    wanted = [] if towards is None else [(parser.list[towards], parser.list[0], 0.5)]
    assert parser.updates == wanted


@pytest.mark.parametrize(
    ("roots", "better", "moves"),
    [([1, 1, 2], -1.0, True), ([2, 1], -1.0, False), ([1, 2], 1.0, False)],
)
def test_a_known_root_is_moved_to_from_any_distance(
    roots: list[int], better: float, moves: bool
) -> None:
    parser = Fixed(roots)
    parser.list[-1] = replace(parser.list[-1], score=better)  # the first has 0
    assert Rooted(SENTENCE, 2, rate=0.5)(parser) == moves
    assert parser.updates == ([(parser.list[-1], parser.list[0], 0.5)] if moves else [])


def test_any_callable_can_be_a_loss() -> None:
    calls: list[list[int]] = []

    def loss(heads: np.ndarray, _: np.ndarray) -> float:
        calls.append(heads.tolist())
        return float(heads[0])

    assert not Ranked(SENTENCE, loss)(Fixed([1, 2]))
    assert calls == [[0, 1], [2, 0]]


@pytest.mark.parametrize(
    "make", [lambda: DataSet("none", []), lambda: DataSet("never", [lambda _: True], 0.0)]
)
def test_useless_data_sets_are_errors(make: Callable[[], DataSet]) -> None:
    with pytest.raises(ConfigError):
        make()


# Theorem 1


class VectorParser:
    """Parses are rows of a table of features; a parse's only head is its row's number."""

    def __init__(self, features: np.ndarray, weights: np.ndarray | None = None) -> None:
        self.features, self.updates = features, 0
        self.weights = np.zeros(features.shape[1]) if weights is None else weights

    def kbest(self, sentence: EncodedSentence, k: int) -> list[Parse]:  # noqa: ARG002
        scores = self.features @ self.weights
        none = np.zeros(1, np.int32)
        order = np.argsort(-scores, kind="stable")[:k]
        return [Parse(np.array([row], np.int32), none, float(scores[row])) for row in order]

    def update(
        self,
        sentence: EncodedSentence,  # noqa: ARG002
        better: Parse,
        worse: Parse,
        rate: float = 1.0,
    ) -> None:
        change = self.features[better.heads[0]] - self.features[worse.heads[0]]
        self.weights = self.weights + rate * change
        self.updates += 1


def ranking(losses: np.ndarray, k: int) -> Ranked:
    (sentence, _), *_ = sentences(1)
    return Ranked(sentence, lambda heads, _: float(losses[heads[0]]), k)


@pytest.mark.parametrize("k", [2, 8])
@pytest.mark.parametrize("seed", range(10))
def test_mistakes_are_bounded_on_separable_data(seed: int, k: int) -> None:
    """Theorem 1: at most R^2 / gamma^2, where a unit vector ranks parses by loss with a margin."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(8, 5))
    ranker = rng.normal(size=5)
    quality = features @ (ranker / np.linalg.norm(ranker))
    losses = np.round(quality.max() - quality, 1)  # parses of the same loss need no margin
    gaps = quality[:, None] - quality[None, :]
    margin = gaps[losses[:, None] < losses[None, :]].min()
    radius = np.linalg.norm(features[:, None] - features[None, :], axis=2).max()
    parser = VectorParser(features)
    example = ranking(losses, k)
    assert margin > 0
    while example(parser):  # type: ignore[arg-type]
        assert parser.updates <= radius**2 / margin**2
    listed = parser.kbest(example.sentence, k)
    assert losses[listed[0].heads[0]] == min(losses[each.heads[0]] for each in listed)


def test_two_best_do_not_find_what_is_third() -> None:
    """The paper's counterexample: separable data, a parse without loss, and nothing is learned."""
    features, losses = np.eye(3), np.array([1.0, 2.0, 0.0])
    start = np.array([3.0, 2.0, 1.0])
    two, three = (VectorParser(features, start.copy()) for _ in range(2))
    assert not ranking(losses, 2)(two)  # type: ignore[arg-type]
    assert losses[two.kbest(ranking(losses, 2).sentence, 1)[0].heads[0]] == 1.0
    while ranking(losses, 3)(three):  # type: ignore[arg-type]
        assert three.updates < 10
    assert losses[three.kbest(ranking(losses, 3).sentence, 1)[0].heads[0]] == 0.0
