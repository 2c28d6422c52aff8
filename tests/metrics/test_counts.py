"""Counts, the scores that come from them, and count files."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.errors import ConfigError, FormatError
from treewright.metrics.count_files import read_counts, read_paired_counts, write_counts
from treewright.metrics.counts import (
    Counts,
    Formula,
    Score,
    corpus_score,
    f_measure,
    metric_named,
    precision,
    recall,
    sentence_scores,
)

HEADER = "sentence-id\tcorrect\tproduced\tdue\n"
FORMULAS: dict[str, Formula] = {
    "precision": precision,
    "recall": recall,
    "f1": f_measure,
    "f2": lambda n, d, y: f_measure(n, d, y, 2),
    "f0.5": lambda n, d, y: f_measure(n, d, y, 0.5),
}


@st.composite
def rows(draw: st.DrawFn) -> tuple[int, int, int]:
    produced, due = draw(st.integers(0, 12)), draw(st.integers(0, 12))
    return draw(st.integers(0, min(produced, due))), produced, due


corpora = st.lists(rows(), max_size=12).map(Counts.of_rows)
items = st.lists(st.lists(st.integers(0, 4), max_size=8), min_size=3, max_size=3)
sentence_ids = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r"), min_size=1)


# Formulas


@pytest.mark.parametrize(
    ("formula", "n", "d", "y", "expected"),
    [
        (precision, 0, 0, 0, 1.0),
        (recall, 0, 0, 0, 1.0),
        (f_measure, 0, 0, 0, 1.0),
        (precision, 0, 0, 3, 0.0),
        (recall, 0, 0, 3, 0.0),
        (f_measure, 0, 0, 3, 0.0),
        (precision, 0, 3, 0, 0.0),
        (recall, 0, 3, 0, 0.0),
        (f_measure, 0, 3, 0, 0.0),
        (precision, 3, 4, 6, 0.75),
        (recall, 3, 4, 6, 0.5),
        (f_measure, 3, 4, 6, 0.6),
    ],
)
def test_formula_on_one_cell(
    formula: Callable[..., np.ndarray], n: int, d: int, y: int, expected: float
) -> None:
    assert float(formula(n, d, y)) == expected


@pytest.mark.parametrize("beta", [0, 0.5, 1, 2])
def test_formulas_equal_exact_fractions(beta: float) -> None:
    square = Fraction(beta) ** 2
    for d, y in product(range(1, 8), repeat=2):
        for n in range(min(d, y) + 1):
            assert float(precision(n, d, y)) == float(Fraction(n, d))
            assert float(recall(n, d, y)) == float(Fraction(n, y))
            exact = (1 + square) * n / (d + square * y)
            assert float(f_measure(n, d, y, beta)) == float(exact)


@given(rows(), st.floats(0.1, 10))
def test_f_is_the_weighted_harmonic_mean(row: tuple[int, int, int], beta: float) -> None:
    p, r = float(precision(*row)), float(recall(*row))
    bottom = beta**2 * p + r
    mean = (1 + beta**2) * p * r / bottom if bottom else 0.0
    assert float(f_measure(*row, beta)) == pytest.approx(mean, abs=1e-12)
    assert min(p, r) - 1e-12 <= mean <= max(p, r) + 1e-12


@given(rows())
def test_exchanging_produced_and_due_exchanges_precision_and_recall(
    row: tuple[int, int, int],
) -> None:
    n, d, y = row
    assert precision(n, d, y) == recall(n, y, d)
    assert f_measure(n, d, y) == f_measure(n, y, d)
    assert f_measure(n, d, y, 2) == pytest.approx(float(f_measure(n, y, d, 0.5)))


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_broadcast_over_grids(name: str) -> None:
    formula = FORMULAS[name]
    n, d = np.arange(4)[:, np.newaxis], np.arange(6)
    grid = formula(n, d, 5)
    assert grid.shape == (4, 6)
    for i, j in product(range(4), range(6)):
        assert grid[i, j] == float(formula(i, j, 5))
    assert formula(1, 2, np.full((2, 3, 1), 4)).shape == (2, 3, 1)


@pytest.mark.parametrize("name", FORMULAS)
def test_small_integer_types_do_not_overflow(name: str) -> None:
    small = FORMULAS[name](*np.array([[100], [150], [150]], dtype=np.uint8))
    assert small.dtype == np.float64
    assert small == pytest.approx([2 / 3])


@pytest.mark.parametrize("beta", [-1.0, float("nan"), float("inf"), 1e200])
def test_a_beta_without_meaning_is_refused(beta: float) -> None:
    with pytest.raises(ValueError, match="beta"):
        f_measure(1, 2, 2, beta)


# Counts


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([1], [1, 2], [1, 2]), "differ in length: 1, 2, 2"),
        (([0, 3], [1, 2], [1, 4]), "sentence 1 .* correct 3, produced 2, due 4"),
        (([0, 3], [1, 4], [1, 2]), "sentence 1 .* correct 3, produced 4, due 2"),
        (([-1], [2], [2]), "sentence 0 .* correct -1"),
        (([-2], [-1], [2]), "sentence 0 .* produced -1"),
        (([[1]], [[1]], [[1]]), "correct must be a one-dimensional array"),
        (([1], [1.0], [1]), "produced must be a .* integers, not 1 dimensions of float64"),
        (([1], [1], [True]), "due must be a .* integers, not 1 dimensions of bool"),
    ],
)
def test_counts_that_cannot_be_are_refused(
    columns: tuple[list[int], list[int], list[int]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Counts(*map(np.array, columns))


def test_counts_keep_their_own_read_only_arrays() -> None:
    source = np.array([1, 2])
    counts = Counts(source, source, source)
    source[0] = 9
    assert counts.correct.tolist() == [1, 2]
    assert counts.correct.dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        counts.correct[0] = 9


def matched_one_by_one(pred: list[int], gold: list[int]) -> int:
    left = list(gold)
    matched = 0
    for item in pred:
        if item in left:
            left.remove(item)
            matched += 1
    return matched


@given(items, items)
def test_multisets_match_one_by_one(pred: list[list[int]], gold: list[list[int]]) -> None:
    expected = [(matched_one_by_one(p, g), len(p), len(g)) for p, g in zip(pred, gold, strict=True)]
    assert Counts.of_multisets(pred, gold).rows() == expected


@given(items, items)
def test_sets_count_repeated_items_once(pred: list[list[int]], gold: list[list[int]]) -> None:
    unique_pred, unique_gold = ([sorted(set(s)) for s in side] for side in (pred, gold))
    assert Counts.of_sets(pred, gold) == Counts.of_multisets(unique_pred, unique_gold)


def test_sets_and_multisets_differ_on_repeated_items() -> None:
    pred, gold = ["aab"], ["abb"]
    assert Counts.of_multisets(pred, gold).rows() == [(2, 3, 3)]
    assert Counts.of_sets(pred, gold).rows() == [(2, 2, 2)]


@pytest.mark.parametrize("build", [Counts.of_sets, Counts.of_multisets])
def test_predicted_and_gold_must_be_of_one_length(build: Callable[..., Counts]) -> None:
    with pytest.raises(ValueError, match="1 predicted sentences against 2 gold"):
        build([[1]], [[1], [2]])


@given(st.lists(corpora, max_size=4))
def test_totals_of_a_concatenation_are_sums_of_totals(parts: list[Counts]) -> None:
    whole = Counts.concatenate(parts)
    assert len(whole) == sum(len(part) for part in parts)
    assert whole.rows() == [row for part in parts for row in part.rows()]
    assert whole.total() == tuple(np.sum([part.total() for part in parts] + [(0, 0, 0)], axis=0))


def test_sums_add_the_counts_of_each_sentence() -> None:
    one, two = Counts.of_rows([(1, 2, 3), (0, 1, 2)]), Counts.of_rows([(2, 2, 3), (1, 1, 2)])
    assert Counts.sums([one, two]).rows() == [(3, 4, 6), (1, 2, 4)]
    assert Counts.sums([one]) == one
    with pytest.raises(ValueError, match="same shape"):
        Counts.sums([one, one.subset([0])])


def test_subset_takes_slices_positions_and_masks() -> None:
    counts = Counts.of_rows([(0, 1, 2), (1, 2, 3), (2, 3, 4), (3, 4, 5)])
    assert counts.subset(slice(1, 3)).rows() == [(1, 2, 3), (2, 3, 4)]
    assert counts.subset([3, 0, 0]).rows() == [(3, 4, 5), (0, 1, 2), (0, 1, 2)]
    assert counts.subset(np.array([True, False, False, True])).rows() == [(0, 1, 2), (3, 4, 5)]


def test_counts_are_equal_when_every_column_is() -> None:
    rows_a = [(1, 2, 3), (0, 4, 5)]
    assert Counts.of_rows(rows_a) == Counts.of_rows(rows_a)
    assert hash(Counts.of_rows(rows_a)) == hash(Counts.of_rows(rows_a))
    for other in ([(1, 2, 3), (0, 4, 6)], [(1, 2, 3), (0, 5, 5)], [(1, 2, 3)]):
        assert Counts.of_rows(rows_a) != Counts.of_rows(other)
    assert Counts.of_rows(rows_a) != rows_a


# Scores


def test_the_corpus_score_comes_from_sums() -> None:
    counts = Counts.of_rows([(1, 1, 1), (1, 9, 4)])
    score = counts.score()
    assert (score.p, score.r, score.f) == (2 / 10, 2 / 5, 4 / 15)
    assert (score.correct, score.produced, score.due) == (2, 10, 5)
    assert sentence_scores(counts, "precision").tolist() == [1, 1 / 9]


@given(corpora, st.sampled_from(sorted(FORMULAS)))
def test_named_metrics_apply_their_formula(counts: Counts, name: str) -> None:
    formula = FORMULAS[name]
    assert corpus_score(counts, name) == float(formula(*counts.total()))
    assert sentence_scores(counts, name).tolist() == [float(formula(*r)) for r in counts.rows()]


@given(corpora.filter(len))
def test_exact_match_is_the_share_of_perfect_sentences(counts: Counts) -> None:
    perfect = [n == d == y for n, d, y in counts.rows()]
    assert sentence_scores(counts, "exact").tolist() == perfect
    assert corpus_score(counts, "exact") == pytest.approx(np.mean(perfect))


@given(corpora)
def test_a_score_holds_what_the_formulas_give(counts: Counts) -> None:
    score = counts.score(beta=2)
    assert (score.p, score.r) == (corpus_score(counts, "precision"), corpus_score(counts, "recall"))
    assert score.f == corpus_score(counts, "f2")
    assert Score(**score.as_dict()) == score  # type: ignore[arg-type]


def test_a_score_prints_in_percent() -> None:
    text = "P 75.00%  R 50.00%  F1 60.00%  (3 correct, 4 produced, 6 due)"
    assert str(Score.of_totals(3, 4, 6)) == text
    assert "F0.5 68.18%" in str(Score.of_totals(3, 4, 6, beta=0.5))


@pytest.mark.parametrize(
    "name", ["", "F1", "f", "f-1", "f1.", "f1e3", "f1000", "accuracy", "precision "]
)
def test_an_unknown_metric_is_refused_with_the_known_names(name: str) -> None:
    with pytest.raises(ConfigError, match="precision, recall, f1, exact or f<beta>"):
        metric_named(name)


# Count files


@settings(deadline=None)
@given(st.lists(st.tuples(sentence_ids, rows()), max_size=8, unique_by=lambda pair: pair[0]))
def test_count_files_round_trip(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, tuple[int, int, int]]]
) -> None:
    path = tmp_path_factory.mktemp("counts") / "counts.tsv"
    ids = tuple(sentence_id for sentence_id, _ in lines)
    counts = Counts.of_rows(row for _, row in lines)
    write_counts(path, ids, counts)
    assert read_counts(path) == (ids, counts)


def test_count_files_look_as_documented(tmp_path: Path) -> None:
    write_counts(tmp_path / "a.tsv", ["wsj_0001.1", "né"], Counts.of_rows([(1, 2, 3), (0, 0, 0)]))
    text = HEADER + "wsj_0001.1\t1\t2\t3\nné\t0\t0\t0\n"
    assert (tmp_path / "a.tsv").read_bytes() == text.encode()


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "header"),
        (b"id\tcorrect\tproduced\tdue\n", 1, "header"),
        (b"s1\t1\t1\t1\n", 1, "header"),
        (HEADER.replace("\n", "\r\n").encode(), 1, "header"),
        (HEADER.encode() + b"s1\t1\t2\n", 2, "expected 4 fields, found 3"),
        (HEADER.encode() + b"s1\t1\t2\t3\t4\n", 2, "expected 4 fields, found 5"),
        (HEADER.encode() + b"s1\t1\t2\t3\n\n", 3, "expected 4 fields, found 1"),
        (HEADER.encode() + b"s1\t1\t2\t3\ns2\tx\t2\t3\n", 3, "correct is not a count: 'x'"),
        (HEADER.encode() + b"s1\t1\t-2\t3\n", 2, "produced is not a count: '-2'"),
        (HEADER.encode() + b"s1\t1\t2\t3.0\n", 2, "due is not a count: '3.0'"),
        (HEADER.encode() + b"s1\t1\t2\t3\r\n", 2, r"due is not a count: '3\\r'"),
        (HEADER.encode() + "s1\t1\t2\t٣\n".encode(), 2, "due is not a count"),
        (HEADER.encode() + b"s1\t1\t2\t" + b"9" * 5000 + b"\n", 2, "due is not a count"),
        (HEADER.encode() + b"s1\t3\t2\t4\n", 2, "correct 3, produced 2, due 4"),
        (HEADER.encode() + b"s1\t3\t4\t2\n", 2, "correct 3, produced 4, due 2"),
        (HEADER.encode() + b"s1\t1\t2\t3\ns1\t1\t2\t3\n", 3, "'s1' appears twice"),
        (HEADER.encode() + b"\t1\t2\t3\n", 2, "sentence id"),
        (HEADER.encode() + b"s1\t1\t2\t3\n\xff\t1\t2\t3\n", 3, "not UTF-8"),
        (HEADER.encode() + b"s1\t1\t2\t30", 2, "truncated"),
    ],
)
def test_malformed_count_files_name_the_line(
    tmp_path: Path, content: bytes, line: int, message: str
) -> None:
    path = tmp_path / "bad.tsv"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=rf"bad\.tsv:{line}: .*{message}"):
        read_counts(path)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["s1"], "1 sentence ids for 2 sentences"),
        (["s1", "s1"], "'s1' appears twice"),
        (["s1", ""], "sentence id"),
        (["s1", "s\t2"], "sentence id"),
        (["s1", "s\n2"], "sentence id"),
    ],
)
def test_nothing_is_written_that_could_not_be_read(
    tmp_path: Path, ids: list[str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        write_counts(tmp_path / "a.tsv", ids, Counts.of_rows([(0, 1, 1), (1, 1, 1)]))
    assert not (tmp_path / "a.tsv").exists()


def paired_files(tmp_path: Path, ids_a: str, ids_b: str) -> tuple[Path, Path]:
    paths = tmp_path / "a.tsv", tmp_path / "b.tsv"
    for path, ids, correct in zip(paths, (ids_a, ids_b), (0, 1), strict=True):
        write_counts(path, ids, Counts.of_rows([(correct, 1, 1)] * len(ids)))
    return paths


def test_paired_files_give_the_counts_of_both_systems(tmp_path: Path) -> None:
    a, b = read_paired_counts(*paired_files(tmp_path, "xyz", "xyz"))
    assert (a.total(), b.total()) == ((0, 3, 3), (3, 3, 3))


@pytest.mark.parametrize(
    ("ids_b", "message"),
    [
        ("xzy", r"b\.tsv:3: sentence 'z', but 'y' in .*a\.tsv"),
        ("xy", r"b\.tsv:4: 2 sentences, but 3 in .*a\.tsv"),
        ("xyzw", r"b\.tsv:5: 4 sentences, but 3 in .*a\.tsv"),
    ],
)
def test_paired_files_must_list_the_same_sentences(
    tmp_path: Path, ids_b: str, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        read_paired_counts(*paired_files(tmp_path, "xyz", ids_b))
