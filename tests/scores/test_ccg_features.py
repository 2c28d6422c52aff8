"""Features of CCG charts against a plain twin: the same atoms, places and hashes, one by one."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.ccg_brute import Brute
from tests.ccg_cases import compiled_rules, random_hand_case, random_minibank_case, some_case
from tests.checks import seeded
from tests.hashing import AFTER, BEFORE, key
from treewright import _core
from treewright.errors import ConfigError, ForestError
from treewright.forests.ccg.chart import CcgChart, Cells, ChartSettings, PartKind, ccg_chart
from treewright.scores.ccg.scorer import CcgScorer
from treewright.scores.ccg.templates import GROUPS, PLACES, SETS, VALUES
from treewright.scores.features.encoder import key_of

TAGS = ("NN", "VBZ", "MD", "AUX", "DT", ",", ".", ":", "PUNCT", "-LRB-", "$", "#", "VB")
VERBS = {"VBZ", "MD", "AUX", "VB"}
STOPS = {",", ".", ":", "PUNCT", "-LRB-"}
ATOMS = [
    *VALUES,
    *(f"{column}@{place}" for column in ("word", "pos") for place in PLACES),
    *("word@head[-1]", "pos@right[+2]", "suffix2@left[-2]", "pos@begin[-1]", "pos@end[1]"),
    *("coarse@split[-1]", "lower@head[9]"),
]


class Twin:
    """The features of a chart's parts, computed from its tables."""

    def __init__(self, chart: CcgChart, words: Sequence[str], pos: Sequence[str]) -> None:
        self.chart, self.words, self.pos = chart, words, pos
        self.tables = chart.grammar.tables
        self.rules = compiled_rules(chart.grammar)

    def keys(self, part: int, templates: Sequence[str]) -> list[int]:
        """Those of the part itself, then those of each dependency that it fills."""
        first, filled = self.chart.core.filled()
        group, facts = self.own(*self.chart.parts[part].tolist())
        found = self.hashed(group, facts, templates)
        for number in filled[first[part] : first[part + 1]].tolist():
            row = self.chart.core.dependencies()[number].tolist()
            found += self.hashed("dependency", self.dependency(*row), templates)
        return found

    def own(
        self, kind: int, what: int, left: int, right: int, begin: int, split: int, end: int
    ) -> tuple[str, dict[str, int]]:
        facts = dict.fromkeys(VALUES, 0)
        facts["length"] = size_class(end - begin) if begin >= 0 else -1
        places = {"@head": left, "@left": left, "@right": right}
        places |= {"@begin": begin, "@end": end - 1 if end >= 0 else -1, "@split": split}
        if kind == PartKind.LEXICAL:
            facts["rule"] = int(self.chart.cells.entry[what])
            facts["category"] = self.category(self.tables.entries[facts["rule"]].category.text)
            return "lexical", facts | places
        if kind == PartKind.ROOT:
            facts["rule"] = facts["category"] = self.symbol(what)
            return "root", facts | places
        if kind == PartKind.GLUE:
            return "", facts
        rule = self.rules[what]
        facts |= {"rule": rule.number, "category": self.symbol(rule.result), "side": rule.head}
        facts |= {"left": self.symbol(rule.left), "right": -1}
        if rule.right >= 0:
            facts["right"] = self.symbol(rule.right)
            facts |= self.between(left, right)
            places["@head"] = (left, right)[rule.head]
        return "rule", facts | places

    def dependency(self, cell: int, relation: int, argument: int) -> dict[str, int]:
        functor = next(w for w in range(len(self.words)) if self.chart.cells.first[w + 1] > cell)
        entry = self.tables.entries[int(self.chart.cells.entry[cell])]
        facts = dict.fromkeys([*VALUES, *("@begin", "@end", "@split")], 0)
        facts |= dict.fromkeys(("@begin", "@end", "@split"), -1)
        facts |= {"rule": relation, "category": self.category(entry.category.text)}
        facts |= {"side": int(argument < functor), "@head": functor, "@left": functor}
        return facts | {"@right": argument} | self.between(functor, argument)

    def between(self, one: int, two: int) -> dict[str, int]:
        tags = self.pos[min(one, two) + 1 : max(one, two)]
        verbs, stops = (sum(tag in kind for tag in tags) for kind in (VERBS, STOPS))
        return {
            "distance": min(len(tags), 2),
            "verbs": min(verbs, 1),
            "stops": min(stops, 2),
            "gap": size_class(len(tags)),
        }

    def hashed(self, group: str, facts: dict[str, int], templates: Sequence[str]) -> list[int]:
        found = []
        for number, template in enumerate(templates):
            name, atoms = template.split(": ")
            values = [self.value(atom, facts) for atom in atoms.split()]
            if name == group and None not in values:
                found.append(key(number, (value or 0 for value in values)))
        return found

    def value(self, atom: str, facts: dict[str, int]) -> int | None:
        """An atom's number, None where the part lacks its place."""
        if "@" not in atom:
            return facts.get(atom, 0) % 2**32 + 1
        column, place = atom.split("@")
        place, _, offset = place.rstrip("]").partition("[")
        if facts.get("@" + place, -1) < 0:
            return None
        word = facts["@" + place] + int(offset or 0)
        if word < 0:
            return BEFORE
        return self.attribute(column, word) if word < len(self.words) else AFTER

    def attribute(self, column: str, word: int) -> int:
        text, tag = self.words[word], self.pos[word]
        coarse = tag[:2] if tag[:1].isalpha() else "punctuation"
        low = text.lower()
        return key_of(
            {"word": text, "pos": tag, "suffix2": low[-2:], "coarse": coarse, "lower": low}[column]
        )

    def symbol(self, number: int) -> int:
        return self.category(self.tables.symbols[number].category.text)

    def category(self, text: str) -> int:
        return self.tables.categories.get(text)


def size_class(size: int) -> int:
    """0, 1, 2, 3, 4, 5-6, 7-10, 11+."""
    return sum(size >= least for least in (1, 2, 3, 4, 5, 7, 11))


def sentence(random: Random, length: int) -> tuple[list[str], list[str]]:
    words = ["".join(random.choices("aBc9", k=random.randint(2, 4))) for _ in range(length)]
    return words, random.choices(TAGS, k=length)


def any_chart(random: Random) -> tuple[CcgChart, list[str], list[str]]:
    case: Brute = some_case(random, random.choice([random_hand_case, random_minibank_case]))
    how = ChartSettings(spans=random.choice([True, False]))
    chart = ccg_chart(case.grammar, case.cells, how)
    return chart, *sentence(random, case.cells.words)


charts = seeded(any_chart)
Sample = tuple[CcgChart, list[str], list[str]]
templates = st.lists(
    st.tuples(st.sampled_from(GROUPS), st.lists(st.sampled_from(ATOMS), min_size=1, max_size=4)),
    min_size=1,
    max_size=12,
).map(lambda rows: [f"{group}: {' '.join(atoms)}" for group, atoms in rows])


def check_keys(sample: Sample, names: Sequence[str]) -> None:
    chart, words, pos = sample
    scorer = CcgScorer(names)
    first, keys = scorer.part_keys(chart, scorer.encode(words, pos))
    twin = Twin(chart, words, pos)
    for part in range(chart.forest.parts):
        assert keys[first[part] : first[part + 1]].tolist() == twin.keys(part, names)


@settings(max_examples=25)
@given(charts, templates)
def test_hashed_features(sample: Sample, names: list[str]) -> None:
    check_keys(sample, names)


@settings(max_examples=25)
@given(charts)
def test_every_atom_of_every_group(sample: Sample) -> None:
    check_keys(sample, [f"{group}: {atom}" for group in GROUPS for atom in ATOMS])


@settings(max_examples=25)
@given(charts, st.sampled_from(sorted(SETS)), st.integers(0, 100))
def test_scores_are_weights_of_features(sample: Sample, name: str, seed: int) -> None:
    chart, words, pos = sample
    bare = CcgScorer(SETS[name])
    _, keys = bare.part_keys(chart, bare.encode(words, pos))
    random = np.random.default_rng(seed)
    known = np.unique(keys)
    known = known[random.random(len(known)) < 0.7]  # the others have no weight
    scorer = CcgScorer(SETS[name], known, random.normal(size=len(known)))
    encoded = scorer.encode(words, pos)
    matrix = scorer.features(chart, encoded)
    wanted = matrix.scores(scorer.weights) + 0.5 * cell_scores(chart)
    np.testing.assert_allclose(scorer.scores(chart, encoded, 0.5), wanted, atol=1e-12)
    more = scorer.features(chart, encoded, with_tagger=True).scores(np.append(scorer.weights, 0.5))
    np.testing.assert_allclose(more, wanted, atol=1e-6)  # values are of single precision
    twin = Twin(chart, words, pos)
    number = {key: i for i, key in enumerate(known.tolist())}
    own = [
        sum(scorer.weights[number[k]] for k in twin.keys(part, SETS[name]) if k in number)
        for part in range(chart.forest.parts)
    ]
    np.testing.assert_allclose(scorer.scores(chart, encoded), own, atol=1e-12)


def cell_scores(chart: CcgChart) -> NDArray[np.float64]:
    """The tagger's scores on the lexical parts."""
    assert chart.cells.score is not None
    scores = chart.cells.score.tolist()
    rows = chart.parts[:, :2].tolist()
    return np.array([scores[what] if kind == PartKind.LEXICAL else 0.0 for kind, what in rows])


@settings(max_examples=5)
@given(charts)
def test_one_score_a_cell(sample: Sample) -> None:
    chart, words, pos = sample
    scorer = CcgScorer(SETS["normal-form"])
    rows = (scorer.encoder.templates.core, scorer.table, scorer.weights)
    more = np.zeros(len(chart.cells.entry) + 1)
    with pytest.raises(ForestError, match=r"differ in number|another grammar"):
        _core.ccg_feature_scores(
            chart.tables.core, chart.core, scorer.encode(words, pos), *rows, more, 1.0
        )


def test_only_spans_tell_places_of_parts_apart() -> None:
    assert not any(CcgScorer(SETS[name]).uses_spans for name in SETS if name != "spans")
    assert CcgScorer(SETS["spans"]).uses_spans
    assert CcgScorer(["rule: pos@split[1]"]).uses_spans


@pytest.mark.parametrize(
    "text",
    [
        *("", "rule", "rule:", "rule: ", "verb: rule", "Rule: rule", ": rule"),
        *("rule: nothing", "rule: word", "rule: word@", "rule: word@nowhere", "rule: @head"),
        *("rule: word@head[", "rule: word@head[x]", "rule: word@head[100]", "rule: word@head[1"),
        *("rule: colour@head", "rule: word@head@left", "lexical: suffix99@head"),
    ],
)
def test_malformed_templates(text: str) -> None:
    with pytest.raises(ConfigError):
        CcgScorer(["rule: rule", text])


def test_attributes_that_are_missing() -> None:
    case = some_case(Random(1), random_hand_case)
    chart = ccg_chart(case.grammar, case.cells, ChartSettings())
    scorer = CcgScorer(["rule: word@left", "lexical: pos@head"])
    length = case.cells.words
    short = scorer.encode(["x"] * (length - 1), ["NN"] * (length - 1))
    narrow = CcgScorer(["rule: rule"]).encode(["x"] * length, ["NN"] * length)
    ends = np.zeros(length + 1, dtype=np.int32)
    with pytest.raises(ForestError, match="attributes of words"):
        _core.CcgWords(np.zeros(0, dtype=np.uint64), ends, ends, -1)
    for words in (short, narrow):
        with pytest.raises(ForestError):
            scorer.scores(chart, words)


def test_weights_and_features_differ_in_number() -> None:
    with pytest.raises(ForestError, match="2 weights for 1 features"):
        CcgScorer(["rule: rule"], np.zeros(1, dtype=np.uint64), np.zeros(2))


def test_charts_without_a_forest_have_no_features() -> None:
    case = some_case(Random(1), random_hand_case)
    chart = ccg_chart(case.grammar, Cells.of([[0], []]), ChartSettings())
    scorer = CcgScorer(SETS["hybrid"])
    first, keys = scorer.part_keys(chart, scorer.encode(["a", "b"], ["NN", "NN"]))
    assert (first.tolist(), keys.tolist()) == ([0], [])
