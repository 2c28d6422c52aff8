"""Ties in minimum-risk decoding are broken by the model score, as in enumeration.

Inference is tested in tests/inference; these tests are about the models' decoders.
"""

import itertools
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from tests.brute import Brute
from tests.inference.test_minrisk import gains
from tests.packages import ENGLISH
from tests.small_ccg import bank, small_parser
from tests.trees import all_trees
from treewright.data.records import Sentence
from treewright.inference import exact
from treewright.inference.minrisk import Events
from treewright.models.ccg.extraction import dependency_events
from treewright.models.ccg.parser import CcgParser
from treewright.models.constituency.decode import PENALTY
from treewright.models.dependency.algorithms import Found
from treewright.models.dependency.transition.algorithm import min_risk
from treewright.models.kinds import load
from treewright.models.tagging.analysis import TagAnalysis
from treewright.scores.tagging.base import Posteriors


def lists_of(events: Events) -> list[list[int]]:
    return [row.tolist() for row in np.split(events.event, events.first[1:-1])]


def check(
    forest: object, scores: np.ndarray, events: Events, penalty: float, edges: object
) -> None:
    """Of the derivations with the least risk, the model must score none higher."""
    model = Brute(forest, scores.tolist())  # type: ignore[arg-type]
    expected = gains(model, lists_of(events), penalty)
    equal = [d for d, gain in expected.items() if gain > max(expected.values()) - 1e-8]
    chosen = tuple(edges)  # type: ignore[arg-type, var-annotated]
    assert chosen in equal
    assert model.score(chosen) == pytest.approx(max(map(model.score, equal)))


# Taggers


@pytest.mark.parametrize("seed", range(20))
def test_of_equally_likely_tags_those_of_the_best_sequence(seed: int) -> None:
    """Two probabilities, and tags that are shown alike: many sequences have the same risk."""
    rng = np.random.default_rng(seed)
    tagger = small_parser().supertagger
    (found,) = tagger.parse_many([bank()[seed].sentence])
    assert isinstance(found, TagAnalysis)
    posteriors = found.posteriors
    assert posteriors is not None
    few = posteriors.above(0.0)
    likely = rng.integers(1, 3, size=len(few.tag)) / 4
    keep = np.concatenate([few.first[:-1], few.first[:-1] + 1])
    keep = np.unique(np.minimum(keep, np.repeat([few.first[1:] - 1], 2, axis=0).ravel()))
    small = restricted(replace(few, probability=likely), keep)
    one = replace(found, decoder="min-risk", posteriors=small)
    wanted = max(map(worth, every_choice(one)), default=None)
    assert worth(one) == pytest.approx(wanted)


def restricted(posteriors: Posteriors, keep: np.ndarray) -> Posteriors:
    sizes = np.bincount(posteriors.positions[keep], minlength=len(posteriors))
    first = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    emission = posteriors.emission
    assert emission is not None
    kept = (posteriors.tag[keep], posteriors.probability[keep])
    return Posteriors(first, *kept, posteriors.first_position, emission[keep])


def every_choice(one: TagAnalysis) -> list[TagAnalysis]:
    assert one.posteriors is not None
    rows = itertools.pairwise(one.posteriors.first.tolist())
    words = [range(a, b) for a, b in rows]
    return [replace(one, chosen=np.array(c, np.int32)) for c in itertools.product(*words)]


def worth(one: TagAnalysis) -> tuple[float, float]:
    return round(sum(one.probabilities), 8), one.score


# Dependencies


@pytest.mark.parametrize("seed", range(30))
def test_of_equal_trees_in_a_beam_the_best_scored(seed: int) -> None:
    rng = np.random.default_rng(seed)
    heads = [np.array(each, np.int32) for each in all_trees(3, single_root=True)]
    scores = np.sort(rng.integers(0, 3, size=len(heads)).astype(float))[::-1]
    order = rng.permutation(len(heads))
    trees = [Found(heads[i], np.zeros(3, np.int32), s) for i, s in zip(order, scores, strict=True)]
    weights = np.exp(scores) / np.exp(scores).sum()

    def worth(one: Found) -> tuple[float, float]:
        right = [(one.heads == other.heads).sum() for other in trees]
        return round(float(weights @ right), 8), one.score

    assert worth(min_risk(trees)) == max(map(worth, trees))


@pytest.mark.parametrize("seed", range(20))
def test_of_equal_trees_of_a_network_the_best_scored(seed: int) -> None:
    """Scores of few values, so that many trees are equally likely to be right."""
    pytest.importorskip("torch", reason="needs torch: pip install treewright[torch]")
    from treewright.models.neural.dependency import NetworkTrees

    rng, words = np.random.default_rng(seed), 2 + seed % 2
    table = rng.integers(0, 2, size=(words + 1, words + 1, 2)).astype(np.float32)
    decoder = NetworkTrees(None, "min-risk")  # type: ignore[arg-type]
    places = np.arange(1, words + 1)
    every = [
        (np.array(heads), np.array(labels))
        for heads in all_trees(words, single_root=True)
        for labels in itertools.product(range(2), repeat=words)
    ]
    scores = np.array([table[heads, places, labels].sum() for heads, labels in every])
    weights = np.exp(scores) / np.exp(scores).sum()

    def worth(heads: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
        right = [((heads == h) & (labels == x)).sum() for h, x in every]
        return round(float(weights @ right), 8), float(table[heads, places, labels].sum())

    found = decoder.best(table)
    assert worth(found.heads, found.labels) == pytest.approx(max(worth(*each) for each in every))


# Constituents


@pytest.mark.parametrize("decoder", ["min-risk", "max-f1"])
@pytest.mark.parametrize("seed", range(10))
def test_of_equal_spans_of_a_network_the_best_scored(seed: int, decoder: str) -> None:
    pytest.importorskip("torch", reason="needs torch: pip install treewright[torch]")
    from treewright.forests.labelled_spans import span_forest
    from treewright.models.neural.constituency import ScoredSpans

    random = Random(seed)
    made = span_forest(3, 3)
    scores = np.array([random.choice([0.0, 1.0]) for _ in range(made.forest.parts)])
    spans = ScoredSpans(made, scores, ((), ("NP",), ("NP", "NP")))
    edges, gain = spans.decoded(decoder, PENALTY)  # type: ignore[arg-type]
    assert gain is not None
    if decoder == "min-risk":
        check(made.forest, scores, spans.events.events, PENALTY, edges)
    else:
        assert gain <= 1


# CCG


@pytest.mark.parametrize("algorithm", ["min-risk", "bp"])
def test_of_all_derivations_the_least_risky_and_best_scored(algorithm: str) -> None:
    parser = small_parser().with_settings(algorithm=algorithm, schedule="0:100000")
    parser.chart = replace(parser.chart, margin=np.inf, cell_margin=np.inf)
    short = [each.sentence for each in bank() if len(each.leaves) <= 7][:12]
    checked = 0
    for one in parser.parse_many(short):
        if one.is_fragments or one.chart is None or one.chart.forest.edges > 200:
            continue
        scores = one.scores if one.joint is None else one.joint.scores
        assert scores is not None
        assert one.best is not None
        events = dependency_events(one.chart)[0]
        check(one.chart.forest, scores, events, parser.inference.penalty, one.best.edges)
        checked += 1
    assert checked > 5


ONE_WORD = ["Hi", "Yes", "No", "Thanks", "Go", "Wow", "Dogs", "Sleep", "Why", "Call", "running"]


@pytest.mark.parametrize("algorithm", ["min-risk", "bp"])
def test_sentences_of_one_word_have_the_derivation_of_the_best_score(algorithm: str) -> None:
    """They have no dependencies, so all of their derivations have the same risk."""
    parser = load(ENGLISH / "treewright_en" / "ccg")
    assert isinstance(parser, CcgParser)
    parser = parser.with_settings(algorithm=algorithm, schedule="0.0001:0")
    several = 0
    for one in parser.parse_many(Sentence.of([word]) for word in ONE_WORD):
        if one.is_fragments or one.chart is None:
            continue
        scores = one.scores if one.joint is None else one.joint.scores
        assert scores is not None
        assert one.best is not None
        best = exact.viterbi(one.chart.forest, scores)
        assert exact.rescored(one.chart.forest, scores, one.best.edges).score == best.score
        several += exact.count(one.chart.forest) > 1
    assert several > 3
