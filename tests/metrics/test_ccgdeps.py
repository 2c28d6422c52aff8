"""Scores of CCG parses, on counts that can be checked by hand."""

import pytest

from treewright.data.records import Dependency
from treewright.errors import TreewrightError
from treewright.metrics.ccgdeps import Analysis, score

RIGHT = Dependency(1, r"(S\NP)/NP", 1, 0)
RELABELLED = Dependency(1, r"S\NP", 1, 0)
OBJECT = Dependency(1, r"(S\NP)/NP", 2, 2)
WRONG = Dependency(2, "NP/NP", 1, 0)


def analysis(*rows: Dependency, tags: tuple[str, ...] | None = ("NP", "V", "NP")) -> Analysis:
    return Analysis(frozenset(rows), tags)


def test_labels_count_only_where_they_should() -> None:
    scores = score({"a": analysis(RELABELLED, WRONG)}, {"a": analysis(RIGHT, OBJECT)})
    assert (scores.labelled.correct, scores.labelled.produced, scores.labelled.due) == (0, 2, 2)
    assert (scores.unlabelled.correct, scores.unlabelled.f) == (1, 0.5)


def test_failures_are_misses_only_in_the_scores_over_all() -> None:
    gold = {"a": analysis(RIGHT, OBJECT), "b": analysis(RIGHT, OBJECT)}
    scores = score({"a": analysis(RIGHT, OBJECT)}, gold)
    assert scores.labelled.f == 1.0
    assert scores.labelled_all.r == 0.5
    assert scores.unlabelled_all.f == pytest.approx(2 / 3)
    assert scores.coverage == 0.5
    assert scores.supertags == 1.0


def test_supertags() -> None:
    gold = {"a": analysis()}
    assert score({"a": analysis(tags=("NP", "V", "X"))}, gold).supertags == pytest.approx(2 / 3)
    assert score({"a": analysis(tags=None)}, gold).supertags is None
    with pytest.raises(TreewrightError, match="sentence a: 1 words, but 3 in gold"):
        score({"a": analysis(tags=("NP",))}, gold)


def test_a_sentence_that_gold_lacks() -> None:
    with pytest.raises(TreewrightError, match="sentence b is not in"):
        score({"b": analysis()}, {"a": analysis()})


def test_nothing_at_all() -> None:
    scores = score({}, {})
    assert (scores.labelled.f, scores.coverage, scores.supertags) == (1.0, 1.0, None)


def test_scores_without_a_single_parse_are_zero() -> None:
    gold = {"1": Analysis(frozenset({Dependency(1, "S\\NP", 1, 0)}))}
    scores = score({}, gold)
    assert (scores.labelled.f, scores.unlabelled.f, scores.coverage) == (0.0, 0.0, 0.0)
