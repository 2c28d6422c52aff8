"""Scores of log-linear models added to those of networks: dependencies, constituents, tags."""

from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs torch: pip install treewright[torch]")
pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install treewright[neural]")

from tests.models.test_parsing import parsed
from tests.small_family import log_linear_parser, settings
from treewright.config import from_dict
from treewright.data import conllu
from treewright.data.brackets import Phrase
from treewright.data.records import Sentence
from treewright.errors import ConfigError
from treewright.grammar.binarise import is_artificial
from treewright.inference import exact
from treewright.models.constituency.analysis import ConstAnalysis
from treewright.models.constituency.parser import PrunedParser
from treewright.models.dependency.parser import DependencyParser
from treewright.models.kinds import kind_named, load
from treewright.models.neural.arc_features import ArcFeatures, log_linear_arcs
from treewright.models.neural.ccg import NeuralCcgParser
from treewright.models.neural.chart_features import ChartFeatures, log_linear_charts
from treewright.models.neural.constituency import NeuralConstParser, SpanAnalysis
from treewright.models.neural.data import labelled_spans
from treewright.models.neural.dependency import NeuralDependencyParser
from treewright.models.neural.kind import train
from treewright.models.neural.members import ARCS, SPANS
from treewright.models.neural.tagging import (
    NetworkPosTagger,
    NetworkSupertagger,
    log_linear_tags,
    with_features,
)
from treewright.models.packing import pack
from treewright.models.training import plan_of
from treewright.models.training import train as train_plan
from treewright.scores.neural.network import log_softmax
from treewright.scores.neural.tagger import FLOOR
from treewright.storage.bundle import write_bundle
from treewright.train.run import Run

WORDS = ["The", "cat", "that", "saw", "the", "dog", "sleeps", "."]
WEIGHT, MANY = 0.7, 300


@pytest.fixture(scope="module")
def arcs(bank: Path) -> DependencyParser:
    made = log_linear_parser("dep", bank)
    assert isinstance(made, DependencyParser)
    return made


@pytest.fixture(scope="module")
def charts(bank: Path) -> PrunedParser:
    made = log_linear_parser("const", bank)
    assert isinstance(made, PrunedParser)
    return made


@pytest.fixture(scope="module")
def dep(model: Path, arcs: DependencyParser) -> NeuralDependencyParser:
    plain = load(model / "dep")
    assert isinstance(plain, NeuralDependencyParser)
    return plain.with_features(arcs, WEIGHT)


@pytest.fixture(scope="module")
def const(model: Path, charts: PrunedParser) -> NeuralConstParser:
    plain = load(model / "const")
    assert isinstance(plain, NeuralConstParser)
    return plain.with_features(charts, WEIGHT)


@pytest.fixture(scope="module")
def tagged(bank: Path, const: NeuralConstParser) -> list[Sentence]:
    """Sentences with tags of the treebank, short ones first."""
    return sorted(const.read(bank / "train.mrg"), key=lambda sentence: len(sentence.tokens))


def test_the_score_of_a_tree_is_the_sum_of_both_parts(
    bank: Path, model: Path, arcs: DependencyParser, dep: NeuralDependencyParser
) -> None:
    features = ArcFeatures(arcs, dep.encoder.relations)
    for tree in list(conllu.read(bank / "dev.conllu"))[:5]:
        (table,) = dep.network.tables(ARCS, [tree.forms], pairs=True)
        own = features.scores(*features.encode_all([tree.words]))
        for each in dep.parse(tree).kbest(5):
            labels = [dep.encoder.relations.index(name) for name in each.labels]
            places = (np.array(each.heads), np.arange(1, len(labels) + 1), np.array(labels))
            due = table[places].sum() + WEIGHT * own[places].sum()
            assert each.score == pytest.approx(due, abs=1e-3)
    with pytest.raises(ConfigError, match="no setting 'feature_weight'; it has decoder"):
        load(model / "dep").with_settings(feature_weight=1.0)


def test_no_weight_no_change(
    model: Path, dep: NeuralDependencyParser, const: NeuralConstParser, tagged: list[Sentence]
) -> None:
    plain = load(model / "dep").parse(WORDS).format("json", 3, True)
    assert dep.with_settings(feature_weight=0.0).parse(WORDS).format("json", 3, True) == plain
    assert dep.parse(WORDS).format("json", 3, True) != plain
    found = const.with_settings(feature_weight=0.0, decoder="viterbi").parse(tagged[-1])
    every = load(model / "const").with_settings(decoder="viterbi").parse(tagged[-1])
    assert found.score <= every.score + 1e-3  # the trees of a chart are some of all trees


def test_all_dependency_trees_by_brute_force(dep: NeuralDependencyParser) -> None:
    words = WORDS[:3]
    analysis = dep.with_settings(temperature=1.0).parse(words)
    encoded = dep.encoder.encode_all([analysis.tree.words])
    (table,) = dep.trees.tables(encoded)  # type: ignore[attr-defined]
    total: dict[tuple[int, ...], float] = {}
    for heads in product(range(4), repeat=3):
        if heads.count(0) == 1 and all(reaches_root(heads, m) for m in (1, 2, 3)):
            rows = [np.logaddexp.reduce(table[h, m].astype(float)) for m, h in enumerate(heads, 1)]
            total[heads] = sum(rows)
    log_z = np.logaddexp.reduce(list(total.values()))
    assert analysis.log_z == pytest.approx(log_z)
    for m, row in enumerate(analysis.marginals):
        for head in range(4):
            due = sum(np.exp(s - log_z) for heads, s in total.items() if heads[m] == head)
            assert sum(p for arc, p in row.items() if arc[0] == head) == pytest.approx(
                due, abs=1e-4
            )


def reaches_root(heads: tuple[int, ...], word: int) -> bool:
    for _ in heads:
        word = heads[word - 1] if word else 0
    return word == 0


def test_relations_that_the_other_model_lacks_or_forbids(arcs: DependencyParser) -> None:
    names = ("other", *arcs.encoder.relations)
    features = ArcFeatures(arcs, names)
    tree = load_tree(arcs)
    (encoded,) = features.encode_all([tree.words])
    own = arcs.trees.parser.scores(encoded)  # type: ignore[attr-defined]
    found = features.scores(encoded)
    assert np.isfinite(found).all()
    allowed = np.isfinite(own)
    assert np.array_equal(found[..., 1:][allowed], own[allowed])
    assert not allowed[:, 1:].all()
    for h, m in [(0, 1), (2, 1), (1, 3)]:
        lowest = own[h, m][allowed[h, m]].min()
        assert found[h, m, 0] == lowest
        assert (found[h, m, 1:][~allowed[h, m]] == lowest).all()


def load_tree(parser: DependencyParser) -> Any:
    tree = parser.from_words(Sentence.of(WORDS, ["DT"] * len(WORDS)))
    return replace(tree, words=tuple(word._replace(upos="DET") for word in tree.words))


def network_score(const: NeuralConstParser, sentence: Sentence, tree: Phrase) -> float:
    table = table_of(const, sentence)
    number = {label: i for i, label in enumerate(const.network.labels[SPANS])}
    return sum(
        float(table[b, e, number[c]]) if c in number else float(table[b, e].min())
        for b, e, c in labelled_spans(tree)
    )


def test_the_score_of_constituents_is_the_sum_of_both_parts(
    const: NeuralConstParser, charts: PrunedParser, tagged: list[Sentence]
) -> None:
    several = 0
    for sentence in (tagged[0], ambiguous(const, tagged), tagged[-1]):
        listed = const.parse(sentence).kbest(10)
        several += len(listed) > 1
        alone = charts.scored(sentence, likely(const, sentence))
        every = ConstAnalysis(sentence, None, 0.0, charts.counter, partial(same, alone))
        own = {each.bracketed(): each.score for each in every.kbest(10_000)}
        for each in listed:
            assert isinstance(each.tree, Phrase)
            due = network_score(const, sentence, each.tree) + WEIGHT * own[each.bracketed()]
            assert each.score == pytest.approx(due, abs=1e-3)
    assert several


def ambiguous(const: NeuralConstParser, tagged: list[Sentence]) -> Sentence:
    """A sentence with several trees, but not many."""
    return next(each for each in tagged if 5 < len(const.parse(each).kbest(MANY)) < MANY)


def same(given: Any) -> Any:
    return given


def likely(const: NeuralConstParser, sentence: Sentence) -> Any:
    assert const.features is not None
    return const.features.likely(len(sentence.tokens), table_of(const, sentence))


def table_of(const: NeuralConstParser, sentence: Sentence) -> Any:
    (table,) = const.network.tables(SPANS, [sentence.words], pairs=True)
    return table


def test_constituents_by_brute_force(const: NeuralConstParser, tagged: list[Sentence]) -> None:
    flat = const.with_settings(temperature=1.0)
    found = flat.parse(ambiguous(const, tagged))
    listed = found.kbest(MANY)
    scores = np.array([each.score for each in listed])
    share = np.exp(scores - np.logaddexp.reduce(scores))
    due: dict[Any, float] = {}
    for each, p in zip(listed, share, strict=True):
        for begin, end, chain in labelled_spans(each.tree):  # type: ignore[arg-type]
            for name in chain.split(" "):
                due[begin, end, name] = due.get((begin, end, name), 0.0) + p
    assert found.log_z == pytest.approx(np.logaddexp.reduce(scores))
    for span, p in found.marginals.items():
        if "'" not in span.label:
            assert p == pytest.approx(due.get(tuple(span), 0.0), abs=1e-6)


@pytest.mark.parametrize("decoder", ["viterbi", "min-risk", "max-constituents", "max-f1"])
def test_every_decoder_of_constituents(
    const: NeuralConstParser, decoder: str, tagged: list[Sentence]
) -> None:
    found = const.with_settings(decoder=decoder).parse(tagged[-1])
    assert (found.expected_gain is None) == (decoder == "viterbi")
    assert found.score <= const.with_settings(decoder="viterbi").parse(tagged[-1]).score + 1e-9


def test_likely_constituents_are_in_the_chart(
    const: NeuralConstParser, charts: PrunedParser, tagged: list[Sentence]
) -> None:
    rows = likely(const, tagged[-1])
    names = {charts.grammar.rules.symbols[symbol] for symbol in rows[:, 2].tolist()}
    assert names
    assert not any(is_artificial(name) for name in names)
    narrow, wide = charts.scored(tagged[-1]), charts.scored(tagged[-1], rows)
    assert narrow is not None
    assert wide is not None
    assert wide[0].forest.edges >= narrow[0].forest.edges
    assert exact.log_z(wide[0].forest, wide[1]) >= exact.log_z(narrow[0].forest, narrow[1])


def test_a_sentence_that_the_grammar_cannot_derive(const: NeuralConstParser, model: Path) -> None:
    tags = Sentence.of(WORDS[:2], [".", "."])
    with pytest.warns(UserWarning, match="has no tree for The cat ...: parsed by the network"):
        found = const.parse(tags)
    assert isinstance(found, SpanAnalysis)
    assert found.bracketed() == load(model / "const").parse(tags).bracketed()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["dep", "const"])
def test_trained_with_features_stored_and_packed(
    name: str,
    bank: Path,
    tmp_path: Path,
    arcs: DependencyParser,
    charts: PrunedParser,
    tagged: list[Sentence],
) -> None:
    given = WORDS if name == "dep" else tagged[-1]
    (arcs if name == "dep" else charts).save(tmp_path / "other")
    plain = settings(bank, "float32")
    head = replace(getattr(plain, name), features=tmp_path / "other", feature_weight=0.4)
    how = replace(plain, **{name: head}, neural=replace(plain.neural, iterations=1))
    run = Run(tmp_path / "run", threads=1, seed=1, quiet=True)
    write_bundle(train(how, run).bundle(), tmp_path / "model")
    parser = load(tmp_path / "model", name)
    expected = parser.parse(given)
    assert parser.config.feature_weight == 0.4  # type: ignore[attr-defined]
    assert parser.features is not None  # type: ignore[attr-defined]
    assert load(tmp_path / "model", "ccg").parse(WORDS).parsed
    others = {"dep", "const"} - {name}
    assert all(load(tmp_path / "model", each).features is None for each in others)  # type: ignore[attr-defined]
    parser.save(tmp_path / "alone")
    pack(tmp_path / "model", tmp_path / "packed")
    again = load(tmp_path / "alone").parse(given)
    assert again.format("json", 3, True) == expected.format("json", 3, True)
    assert load(tmp_path / "packed", name).parse(given).score == pytest.approx(
        expected.score, abs=0.5
    )
    source = bank / {"dep": "dev.conllu", "const": "dev.mrg"}[name]
    options = ("--format", "json", "--k-best", "3", "--marginals", "--jobs", "2")
    done = parsed(tmp_path / "alone", source, *options)
    assert done.returncode == 0
    assert all("parsed by the network alone" in line for line in done.stderr.splitlines())
    assert '"kbest"' in done.stdout


def test_features_are_pruned(tmp_path: Path, arcs: DependencyParser, charts: PrunedParser) -> None:
    arcs.save(tmp_path / "arcs")
    charts.save(tmp_path / "charts")
    few = [log_linear_arcs(tmp_path / "arcs", p).bundle().arrays for p in (0.0, 0.2)]
    assert len(few[1]["arcs.value"]) < len(few[0]["arcs.value"]) == len(few[0]["arcs.index"])
    keys = [log_linear_charts(tmp_path / "charts", p).bundle().arrays for p in (0.0, 0.2)]
    assert len(keys[1]["keys"]) < len(keys[0]["keys"])


@pytest.mark.parametrize(
    ("kind", "more", "message"),
    [
        ("dep", {"algorithm": "arc-eager", "objective": {}}, "need a graph-based parser"),
        ("dep", {"graph": {"bits": 14}}, "need a parser with graph.second_order = false"),
        ("const", {"model": "pcfg"}, "need a log-linear parser: model = rich, rules"),
    ],
)
def test_other_models_are_refused_before_training(
    kind: str, more: dict[str, Any], message: str, bank: Path, tmp_path: Path
) -> None:
    log_linear_parser(kind, bank, **more).save(tmp_path / "other")
    how = settings(bank, "float32")
    head = replace(getattr(how, kind), features=tmp_path / "other")
    with pytest.raises(ConfigError, match=f"{tmp_path}/other: .*{message}"):
        train(replace(how, **{kind: head}), Run(tmp_path / "run", quiet=True))


@pytest.mark.parametrize(("kind", "other"), [("dep", "const"), ("const", "dep"), ("dep", "dep")])
def test_models_of_other_kinds_are_refused(
    kind: str, other: str, bank: Path, model: Path, tmp_path: Path
) -> None:
    how = settings(bank, "float32")
    head = replace(getattr(how, kind), features=model / other)
    with pytest.raises(ConfigError, match=f"/{other}: "):
        train(replace(how, **{kind: head}), Run(tmp_path / "run", quiet=True))


def test_malformed_settings(bank: Path, const: NeuralConstParser, model: Path) -> None:
    how = settings(bank, "float32").dep
    for weight in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="feature_weight must be finite and not negative"):
            replace(how, feature_weight=weight)
    for wrong in (-1.0, float("nan"), "much"):
        with pytest.raises(ConfigError, match="feature_weight"):
            const.with_settings(feature_weight=wrong)
    with pytest.raises(ValueError, match="pruned must be from 0 up to 1, not 1"):
        replace(how, pruned=1.0)
    with pytest.raises(ConfigError, match="has no features"):
        load(model / "const").with_settings(feature_weight=0.5)


def test_symbols_of_a_grammar_have_the_labels_of_a_network(charts: PrunedParser) -> None:
    features = ChartFeatures(charts, ("NP", "S VP", "VP"))
    rules = charts.grammar.rules
    for symbol, name in enumerate(rules.symbols):
        column = int(features._column[symbol])
        if symbol < len(rules.tags) or is_artificial(name):
            assert column == -1
        else:
            due = {"NP": 0, "S+VP": 1, "VP": 2}.get(name, 3)
            assert column == due
    assert int(features._column[-1]) == -1


def tagger_of(kind: str, path: Path, tmp_path: Path) -> Path:
    """A log-linear tagger of a kind, trained on a file."""
    chain = {"local_passes": 2, "chain": {"iterations": 3}}
    how = {"super": {"tagger": chain, "pos": chain}, "pos": {"pos": chain}}[kind]
    found = kind_named(kind)
    given = from_dict(found.settings, {"train": str(path), **how}, kind)
    found.train(given, Run(tmp_path / f"{kind}-run", threads=1, quiet=True)).save(tmp_path / kind)
    return tmp_path / kind


@pytest.mark.parametrize("kind", ["pos", "super"])
def test_posteriors_of_a_tagger_are_added(
    kind: str, bank: Path, model: Path, tmp_path: Path
) -> None:
    parser = load(model, "ccg")
    assert isinstance(parser, NeuralCcgParser)
    network = parser.supertagger.network
    alone: Any = (NetworkPosTagger if kind == "pos" else NetworkSupertagger)(network)
    tagger = log_linear_tags(tagger_of(kind, bank / "train.auto", tmp_path), kind, 0.0)
    both = with_features(alone, tagger, WEIGHT)
    pos = None if kind == "pos" else [["DT"] * len(WORDS)]
    own = log_softmax(alone.tagger._table([WORDS], pos))
    other = np.zeros((len(WORDS), len(tagger.tags)))
    found = tagger.posteriors_batch([WORDS], pos)
    other[found.positions, found.tag] = found.probability
    due = own.astype(float)
    for i, tag in enumerate(both.tagger.tags):
        p = other[:, tagger.tags.index(tag)] if tag in tagger.tags else 0.0
        due[:, i] += WEIGHT * np.log(p + FLOOR)
    due -= np.logaddexp.reduce(due, axis=1, keepdims=True)
    got = both.tagger.posteriors_batch([WORDS], pos)
    assert np.allclose(got.emission, due[got.positions, got.tag], atol=1e-4)
    assert np.array_equal(got.best(), due.argmax(axis=1))
    both.save(tmp_path / "model")
    pack(tmp_path / "model", tmp_path / "packed")
    expected = both.parse(WORDS).format("json", 1, True)
    assert load(tmp_path / "model").parse(WORDS).format("json", 1, True) == expected
    assert load(tmp_path / "packed").with_settings(decoder="viterbi").parse(WORDS).parsed
    assert both.with_settings(decoder="viterbi").parse([]).words == ()
    assert with_features(alone, tagger, 0.0).parse(WORDS).tags == alone.parse(WORDS).tags


@pytest.mark.parametrize("kind", ["pos", "super"])
def test_taggers_are_trained_with_features(kind: str, bank: Path, tmp_path: Path) -> None:
    other = tagger_of(kind, bank / "train.auto", tmp_path)
    small = {"kind": "neural", "iterations": 1, "hidden": 8, "precision": "float32"}
    small["encoder"] = {"width": 16, "layers": 1, "rows": 50}
    config = {"kind": kind, "train": str(bank / "train.auto"), "features": str(other)}
    config |= {"pruned": 0.1, "parser": {"feature_weight": 0.25}, "scorer": small}
    made = train_plan(plan_of(config, "x"), Run(tmp_path / "run", threads=1, quiet=True))
    tagger: Any = load(made)
    assert tagger.features.weight == 0.25
    whole: Any = load(other)
    assert len(tagger.features.tagger.weights.keys) < len(whole.tagger.weights.keys)
    assert len(tagger.parse(WORDS).tags) == len(WORDS)
    wrong = tagger_of({"pos": "super", "super": "pos"}[kind], bank / "train.auto", tmp_path)
    config["features"] = str(wrong)
    with pytest.raises(ConfigError, match=f"not a log-linear model of kind '{kind}'"):
        train_plan(plan_of(config, "x"), Run(tmp_path / "second", quiet=True))


def test_taggers_without_a_common_tag(model: Path, bank: Path, tmp_path: Path) -> None:
    parser = load(model, "ccg")
    assert isinstance(parser, NeuralCcgParser)
    tagger = log_linear_tags(tagger_of("pos", bank / "train.auto", tmp_path), "pos", 0.0)
    with pytest.raises(ConfigError, match="no tag in common"):
        with_features(parser.supertagger, tagger, 1.0)
