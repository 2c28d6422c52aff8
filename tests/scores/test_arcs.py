"""Hashed arc features against a plain twin that keeps features as tuples."""

from collections import defaultdict

import numpy as np
import pytest

from treewright.errors import ConfigError, ForestError
from treewright.scores.dependency.arc_templates import NAMED, SIBLINGS, compile_templates
from treewright.scores.dependency.arcs import LinearRows, Rows, all_arcs, columns
from treewright.scores.dependency.encoder import ATTRIBUTES, EncodedSentence

BITS = 22  # large: no two of the few features here share a weight
LABELS = 3


def sentence(seed: int, words: int) -> EncodedSentence:
    rng = np.random.default_rng(seed)
    return EncodedSentence(rng.integers(1, 5, size=(words, len(ATTRIBUTES)), dtype=np.uint64))


def plain_features(template: str, table: np.ndarray, row: tuple[int, int, int]) -> list[tuple]:
    """The features of a row as tuples; the last entry says whether labels share it."""
    words = template.split()
    marks = {w for w in words if w.endswith(":")}
    atoms = [w for w in words if not w.endswith(":")]
    head, word, _ = row
    rest, between = [], [()]
    for atom in atoms:
        attribute, place = atom.split("@")
        place, _, offset = place.rstrip("]").partition("[")
        column = [0, *table[:, ATTRIBUTES.index(attribute)].tolist()]
        if place == "between":
            span = column[min(head, word) + 1 : max(head, word)]
            between = [(value,) for value in sorted(set(span))]
            continue
        at = row[("head", "dep", "sibling").index(place)]
        p = at + int(offset or 0)
        rest.append("nobody" if at < 0 else column[p] if 0 <= p < len(column) else "outside")
    length = abs(head - word)
    bucket = length if length <= 5 else 6 if length <= 10 else 7 if length <= 20 else 8
    ends = [] if "far:" in marks else [head < word]
    ends += [] if "near:" in marks else [(head < word, bucket)]
    return [(template, *rest, *value, end, "plain:" in marks) for value in between for end in ends]


class PlainModel:
    """The same model with a dictionary for its weights."""

    def __init__(self, templates: list[str]) -> None:
        self.templates = templates
        self.weights: dict[tuple, float] = defaultdict(float)
        self.totals: dict[tuple, float] = defaultdict(float)

    def _keys(self, s: EncodedSentence, row: tuple[int, int, int], label: int) -> list[tuple]:
        found = [f for t in self.templates for f in plain_features(t, s.table, row)]
        return [(feature, None if feature[-1] else label) for feature in found]

    def score(self, s: EncodedSentence, row: tuple[int, int, int], label: int) -> float:
        return sum(self.weights[key] for key in self._keys(s, row, label))

    def update(
        self, s: EncodedSentence, row: tuple[int, int, int], label: int, by: float, time: float
    ) -> None:
        for key in self._keys(s, row, label):
            self.weights[key] += by
            self.totals[key] += time * by


SETS = {
    "paper": NAMED["paper"],
    "rich": NAMED["rich"],
    "siblings": SIBLINGS,
    "marks": [
        "plain: upos@head upos@dep",
        "far: word@sibling",
        "plain: near: upos@between word@dep[-1]",
    ],
}


@pytest.mark.parametrize("name", SETS)
def test_scores_and_updates_equal_the_plain_model(name: str) -> None:
    templates = SETS[name]
    model = LinearRows.new(compile_templates(templates), LABELS, BITS, "perceptron")
    twin = PlainModel(templates)
    rng = np.random.default_rng(0)
    for time in range(1, 3):
        s = sentence(time, 7)
        rows = Rows(*rng.integers([[0], [1], [-1]], [[8], [8], [8]], (3, 3)).astype(np.int32))
        change = rng.integers(-1, 2, (3, LABELS)).astype(np.float32)
        model.time = time
        model.update(columns(s), rows, change)
        triples = list(
            zip(*(each.tolist() for each in (rows.head, rows.word, rows.sibling)), strict=True)
        )
        for row, changes in zip(triples, change.tolist(), strict=True):
            for label, by in enumerate(changes):
                twin.update(s, row, label, by, time)
        found = model.scores(columns(s), rows)
        wanted = [[twin.score(s, row, label) for label in range(LABELS)] for row in triples]
        np.testing.assert_allclose(found, wanted, atol=1e-4)
    model.time = 10.0
    mean = model.averaged()
    expected = sorted(w - twin.totals[key] / 10 for key, w in twin.weights.items())
    expected = [x for x in expected if abs(x) > 1e-6]
    np.testing.assert_allclose(np.sort(mean[np.abs(mean) > 1e-6]), expected, atol=1e-5)


def test_adagrad_follows_its_formula() -> None:
    model = LinearRows.new(compile_templates(["plain: near: upos@head upos@dep"]), 2, 10, "adagrad")
    s, rows = sentence(1, 3), Rows.of_arcs(np.array([0], np.int32), np.array([2], np.int32))
    square = float(model.squares[0])
    weight = 0.0
    for gradient in (0.5, -0.25, 1.0):
        model.descend(columns(s), rows, np.array([[gradient, 0.0]], np.float32), 0.1)
        square += gradient**2
        weight -= 0.1 * gradient / np.sqrt(square)
    assert model.scores(columns(s), rows)[0, 0] == pytest.approx(weight, rel=1e-5)


def test_all_arcs_are_those_between_two_positions() -> None:
    rows = all_arcs(3)
    pairs = set(zip(rows.head.tolist(), rows.word.tolist(), strict=True))
    assert pairs == {(h, m) for h in range(4) for m in range(1, 4) if h != m}
    assert len(rows) == 9


@pytest.mark.parametrize(
    "text", ["nothing@head", "word@x", "head word", "close: word@head", "upos@between xpos@between"]
)
def test_bad_templates_are_errors(text: str) -> None:
    with pytest.raises(ConfigError):
        compile_templates([text])


def test_rows_outside_of_the_sentence_are_errors() -> None:
    model = LinearRows.new(compile_templates(["upos@head"]), 1, 4)
    wrong = Rows.of_arcs(np.array([9], np.int32), np.array([1], np.int32))
    with pytest.raises(ForestError, match="outside of the sentence"):
        model.scores(columns(sentence(0, 3)), wrong)
    model.weights = model.weights[:-1]
    with pytest.raises(ForestError, match="2\\^bits"):
        model.scores(columns(sentence(0, 3)), all_arcs(3))
