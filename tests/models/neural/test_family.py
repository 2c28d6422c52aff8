"""Parsers that share a network: trained on the minibank, saved, loaded, run without torch."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs torch: pip install treewright[torch]")
pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install treewright[neural]")

import treewright
from tests.models.test_contract import model_named
from tests.models.test_parsing import parsed
from tests.small_family import settings
from treewright.data.auto import read_auto
from treewright.errors import ConfigError, StoreError
from treewright.forests import ForestStore
from treewright.forests.ccg.chart import Outcome
from treewright.forests.tables import chart_features
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.treebank import spans
from treewright.inference import exact
from treewright.losses import objective_named
from treewright.losses.settings import ObjectiveSettings
from treewright.models.ccg.examples import gold_sentence
from treewright.models.ccg.parser import CcgParser
from treewright.models.constituency.analysis import ConstAnalysis
from treewright.models.dependency.analysis import DependencyAnalysis
from treewright.models.kinds import load
from treewright.models.neural.ccg import NeuralCcgParser
from treewright.models.neural.dependency import NetworkTrees, NeuralDependencyParser
from treewright.models.neural.kind import Family, ccg_parser, member, train
from treewright.models.neural.members import ARCS, CCG
from treewright.models.parsing import PIECE
from treewright.scores.ccg.scorer import log_linear
from treewright.scores.neural.network import SharedEncoder, TrainedNetwork
from treewright.scores.neural.slots import FLOOR, USUAL, SlotScorer, arc_worth, part_sums
from treewright.scores.neural.words import HashedWords
from treewright.storage.bundle import read_bundle, write_bundle
from treewright.train.run import Run

PAIRS = ("arcs", "slots", "rules", "spans")  # heads over pairs of words
WORDS = ["The", "cat", "that", "saw", "the", "dog", "sleeps", "."]


def test_every_parser_of_a_family_parses(model: Path) -> None:
    tree = load(model / "dep").parse(WORDS)
    assert isinstance(tree, DependencyAnalysis)
    assert sorted(tree.heads).count(0) == 1
    assert all(word.upos != "_" for word in tree.tree.words)
    sums = np.array([sum(row.values()) for row in tree.marginals])
    assert np.allclose(sums, 1.0, atol=1e-3)
    derivation = load(model, "ccg").parse(WORDS)
    assert derivation.words == tuple(WORDS)
    assert len(derivation.kbest(3)) >= 1
    found = load(model / "const").parse(WORDS)
    assert isinstance(found, ConstAnalysis)
    assert found.bracketed().count("(") > len(WORDS)
    scores = [each.score for each in found.kbest(4)]
    assert scores == sorted(scores, reverse=True)
    best = load(model / "const").with_settings(decoder="viterbi").parse(WORDS)
    assert scores[0] == pytest.approx(best.score)
    assert all(-1e-9 <= p <= 1 + 1e-9 for p in found.marginals.values())


@pytest.mark.parametrize("name", ["dev.conllu", "dev.auto", "dev.mrg"])
def test_every_parser_reads_its_treebank(bank: Path, model: Path, name: str) -> None:
    parser = load(model / {"conllu": "dep", "auto": "ccg", "mrg": "const"}[name.split(".")[1]])
    sentences = list(parser.read(bank / name))
    assert len(sentences) == 8  # a tenth of the training sentences
    assert all(each.parsed for each in parser.parse_many(map(parser.untagged, sentences)))


@pytest.mark.parametrize("name", ["dep", "ccg", "const"])
def test_minimum_risk_and_empty_sentences(model: Path, name: str) -> None:
    parser = load(model / name).with_settings(decoder="min-risk")
    for words in ([], ["dogs"], WORDS):
        assert parser.parse(words).words == tuple(words)
    with pytest.raises(ConfigError):
        parser.with_settings(beam_width=3)


@pytest.mark.parametrize(("joint", "alone"), [("bp", "min-risk"), ("dd", "viterbi")])
def test_bp_and_dd_take_the_network_as_two_factors(model: Path, joint: str, alone: str) -> None:
    parser = load(model, "ccg").with_settings(iterations=50)
    for words in (WORDS, WORDS[:4], ["dogs"]):
        # Tags without transitions: their messages are their scores, so both are exact.
        one, other = (parser.with_settings(decoder=each).parse(words) for each in (joint, alone))
        assert one.format("auto") == other.format("auto")
        assert one.format("json", 2, True)


def test_a_temperature_flattens_the_marginals_of_constituents(model: Path, tmp_path: Path) -> None:
    parser = load(model / "const")
    best = parser.parse(["The", "cat"])
    assert isinstance(best, ConstAnalysis)
    listed = [each for each in best.kbest(100_000) if isinstance(each, ConstAnalysis)]
    assert len(listed) < 100_000
    (span,) = [s for s in best.marginals if (s.begin, s.end, s.label) == (0, 2, "NP")]
    has_span = np.array(
        [each.tree is not None and span in set(spans(each.tree)) for each in listed]
    )
    scores = np.array([each.score for each in listed])
    for temperature in (1.0, 3.0):
        warm = parser.with_settings(temperature=temperature)
        write_bundle(warm.bundle(), tmp_path / "model")
        for each in (warm, load(tmp_path / "model")):
            found = each.parse(["The", "cat"])
            assert isinstance(found, ConstAnalysis)
            assert found.bracketed() == best.bracketed()
            weights = np.exp((scores - scores.max()) / temperature)
            share = weights[has_span].sum() / weights.sum()
            assert found.marginals[span] == pytest.approx(share)
    with pytest.raises(ConfigError, match="temperature must be positive"):
        parser.with_settings(temperature=0.0)


def test_a_temperature_flattens_the_marginals_of_arcs(model: Path, tmp_path: Path) -> None:
    parser, words = load(model / "dep"), ("The", "cat")
    assert isinstance(parser, NeuralDependencyParser)
    (table,) = NetworkTrees(parser.network).tables([words])
    for temperature in (1.0, 3.0):
        warm = parser.with_settings(temperature=temperature)
        write_bundle(warm.bundle(), tmp_path / "model")
        # The trees of two words with one root, for each pair of relations.
        scores = table.astype(np.float64) / temperature
        first = np.exp(scores[0, 1][:, None] + scores[1, 2])
        second = np.exp(scores[0, 2][:, None] + scores[2, 1])
        total = first.sum() + second.sum()
        wanted = {(0, 1): first.sum(1), (1, 2): first.sum(0)}
        wanted |= {(0, 2): second.sum(1), (2, 1): second.sum(0)}
        for each in (warm, load(tmp_path / "model")):
            found = each.parse(words)
            assert isinstance(found, DependencyAnalysis)
            assert found.format("conllu") == parser.parse(words).format("conllu")
            assert len(found.marginals) == 2
            for word, row in enumerate(found.marginals, 1):
                for (head, relation), p in row.items():
                    label = parser.network.labels[ARCS].index(relation)
                    assert p == pytest.approx(wanted[head, word][label] / total, abs=1e-4)
    with pytest.raises(ConfigError, match="temperature must be positive"):
        parser.with_settings(temperature=0.0)


def test_a_penalty_for_constituents(model: Path) -> None:
    parser = load(model / "const")
    few, many = (parser.with_settings(penalty=p).parse(WORDS).bracketed() for p in (0.95, 0.0))
    assert few.count("(") < many.count("(")
    with pytest.raises(ConfigError, match="penalty"):
        parser.with_settings(penalty=1.0)


@pytest.mark.parametrize("name", ["dep", "ccg", "const"])
def test_long_sentences(model: Path, name: str) -> None:
    parser = load(model / name).with_max_words(len(WORDS))
    with pytest.warns(UserWarning, match="has 1000 words and was not parsed: max_words is 8"):
        first, long, last = parser.parse_many([WORDS, ["dogs"] * 1000, WORDS])
    assert not long.parsed
    assert first.format("json") == last.format("json") == parser.parse(WORDS).format("json")
    long.format("json", 2, True)


def test_words_beyond_what_is_encoded_at_a_time(model: Path) -> None:
    network = TrainedNetwork.from_bundle(read_bundle(model).parts["network"])
    encoder, most = network.encoder, network.encoder.codes.max_words
    words = [f"w{i}" for i in range(2 * most + 3)]
    (found,) = encoder.vectors([words])
    pieces = encoder.vectors([words[:most], words[most : 2 * most], words[2 * most :]])
    assert len(found) == len(words) + 1
    assert np.array_equal(found, np.concatenate([pieces[0], pieces[1][1:], pieces[2][1:]]))


def test_a_sentence_has_the_same_vectors_in_any_company() -> None:
    def rounded(rows: np.ndarray, _: np.ndarray) -> np.ndarray:
        """As a graph of 8 bits: by the largest number of all that it is given."""
        return np.round(rows / rows.max() * 127)

    sentences = [["a"], ["b", "c", "d"], ["e", "f"]]
    alone = [SharedEncoder(HashedWords(999), rounded).vectors([each])[0] for each in sentences]  # type: ignore[arg-type]
    together = SharedEncoder(HashedWords(999), rounded).vectors(sentences)  # type: ignore[arg-type]
    for one, other in zip(alone, together, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("name", ["dep", "ccg", "const"])
def test_one_by_one_or_together(model: Path, name: str) -> None:
    sentences = [WORDS, WORDS[:3], WORDS[2:]]
    together = [each.format("json") for each in load(model / name).parse_many(sentences)]
    for words, found in zip(sentences, together, strict=True):
        parser = load(model / name)
        assert parser.parse(words).format("json") == found


@pytest.mark.parametrize("name", ["dep", "ccg", "const"])
def test_latex_is_a_document(model: Path, name: str, tmp_path: Path) -> None:
    text = tmp_path / "in.txt"
    text.write_text("the dog sees a cat\n")
    made = parsed(model / name, text, "--tokens", "--format", "latex").stdout
    assert made.startswith(r"\documentclass")
    assert made.endswith("\\end{document}\n")


def test_two_processes_give_what_one_gives(model: Path, tmp_path: Path) -> None:
    text = tmp_path / "in.txt"
    text.write_text("".join(" ".join(WORDS[i % 5 :]) + "\n" for i in range(PIECE + 5)))
    how = ("--tokens", "--format", "json", "--jobs")
    one, two = (parsed(model / "dep", text, *how, jobs) for jobs in "12")
    assert (one.returncode, one.stderr) == (two.returncode, two.stderr) == (0, "")
    assert two.stdout == one.stdout
    assert one.stdout.count("\n") == PIECE + 5


def test_one_parser_alone_is_saved_and_loaded(model: Path, tmp_path: Path) -> None:
    for name in ("dep", "ccg", "const"):
        parser = load(model, name)
        parser.save(tmp_path / name)
        again = treewright.load(tmp_path / name)
        assert type(again) is type(parser)
        assert again.parse(WORDS).format("json") == parser.parse(WORDS).format("json")


def test_the_dependencies_of_a_derivation_are_worth_their_sum(model: Path) -> None:
    parser = load(model, "ccg")
    assert isinstance(parser, NeuralCcgParser)
    assert isinstance(parser, CcgParser)
    analysis = parser.parse(["the", "cat", "sees", "a", "dog"])
    chart = analysis.chart
    if chart is None or analysis.outcome is not Outcome.PARSED:
        pytest.skip("the small model has no parse")
    worth = parser.scorer.worth(chart, analysis.words)
    parts = part_sums(chart, worth)
    first, number = chart.filled
    rows, row_of = chart.dependencies
    for part in range(len(parts)):
        due = [row_of[n] for n in number[first[part] : first[part + 1]]]
        assert parts[part] == pytest.approx(sum(worth[r] for r in due))
    scores = parser.scorer.scores(chart, (analysis.words, None), 1.0)
    assert exact.viterbi(chart.forest, scores).score >= analysis.score - 1e-6
    assert rows.shape[1] == 3


def test_a_chart_adds_up_the_table_of_its_entries_and_dependencies(model: Path) -> None:
    parser = load(model, "ccg")
    assert isinstance(parser, NeuralCcgParser)
    words = ("the", "cat", "sees", "a", "dog")
    chart = parser.parse(words).chart
    assert chart is not None
    network = parser.supertagger.network
    (tags,), (slots,) = (
        network.tables("super", [words]),
        network.tables("slots", [words], pairs=True),
    )
    tag_of_entry = np.full(len(parser.grammar.tables.entries), -1, np.int32)
    known = parser.entry_of_tag >= 0
    tag_of_entry[parser.entry_of_tag[known]] = np.flatnonzero(known)
    features = chart_features(chart, tag_of_entry, tags.shape[1], slots.shape[2])
    worth = slots - slots[:, :1]
    table = np.concatenate((tags.ravel(), worth.ravel())).astype(np.float64)
    # The parser has log p(entry | word): all derivations have the same sum of normalisers.
    found = exact.viterbi(chart.forest, features.scores(table))
    scorer = SlotScorer(network, "slots", 1.0)
    due = exact.viterbi(chart.forest, scorer.scores(chart, scorer.encode(words, ()), 1.0))
    normalisers = np.log(np.exp(tags.astype(np.float64)).sum(axis=1)).sum()
    assert found.score == pytest.approx(due.score + normalisers, abs=1e-3)
    assert np.array_equal(found.edges, due.edges)


def test_weights_of_features_are_added(bank: Path, model: Path, tmp_path: Path) -> None:
    other = model_named("ccg")
    assert isinstance(other, CcgParser)
    other.save(tmp_path / "ccg")
    plain = settings(bank, "float32")
    weights = replace(plain.parser, arc_weight=0.0, rule_weight=0.0)
    how = replace(plain, ccg=replace(plain.ccg, features=tmp_path / "ccg"), parser=weights)
    network = TrainedNetwork.from_bundle(read_bundle(model).parts["network"])
    parser = ccg_parser(how, network)
    sentence = other.as_sentence("the cat sees a dog")
    chart = other.parse(sentence).chart
    assert chart is not None
    pos = ["DT"] * len(sentence.words)
    found = parser.scorer.scores(chart, parser.scorer.encode(sentence.words, pos))
    slots = part_sums(chart, parser.scorer.worth(chart, sentence.words))
    features = log_linear(other.scorer)
    expected = slots + 0.5 * features.scores(chart, features.encode(sentence.words, pos))
    assert np.allclose(found, expected)
    again = NeuralCcgParser.from_bundle(parser.bundle())
    assert np.array_equal(
        again.scorer.scores(chart, again.scorer.encode(sentence.words, pos)), found
    )
    with pytest.raises(ConfigError, match="not a model of kind 'ccg'"):
        ccg_parser(replace(plain, ccg=replace(plain.ccg, features=model / "dep")), network)


def test_links_in_dependency_trees_score_dependencies(model: Path) -> None:
    parser = load(model, "ccg")
    assert isinstance(parser, NeuralCcgParser)
    words = ("the", "cat", "sees", "a", "dog")
    chart = parser.parse(words).chart
    assert chart is not None
    arcs = np.random.default_rng(0).dirichlet(np.ones(6), 6).T
    functor, _, argument = chart.dependencies[0].T + 1
    for f, a, found in zip(functor, argument, arc_worth(chart, arcs), strict=True):
        over = sum(arcs[a, n] * arcs[n, f] for n in range(6))
        link = min(1.0, arcs[a, f] + arcs[f, a] + over)
        assert found == pytest.approx(np.log((link + FLOOR) / (USUAL + FLOOR)))
    probabilities = NetworkTrees(parser.supertagger.network).arcs(words)
    assert np.allclose(probabilities[:, 1:].sum(axis=0), 1.0)
    plain = parser.with_config(replace(parser.config, arc_weight=0.0)).scorer
    assert parser.config.arc_weight == 0.5
    seen = parser.scorer.encode(words, ())
    difference = parser.scorer.scores(chart, seen) - plain.scores(chart, seen)
    assert np.allclose(difference, 0.5 * part_sums(chart, arc_worth(chart, probabilities)))


def test_models_without_a_weight_of_arcs(model: Path) -> None:
    """The first models have no such weight; networks without trees have no use for one."""
    parser = load(model, "ccg")
    assert isinstance(parser, NeuralCcgParser)
    bundle = parser.bundle()
    assert NeuralCcgParser.from_bundle(bundle).config == parser.config
    old = {k: v for k, v in bundle.config.items() if k != "arc_weight"}
    assert NeuralCcgParser.from_bundle(replace(bundle, config=old)).config.arc_weight == 0.0
    without = {"network": parser.supertagger.network.only(CCG)}
    alone = NeuralCcgParser.from_bundle(replace(bundle, parts=without))
    assert alone.scorer.arcs is None
    assert alone.parse(WORDS).words == tuple(WORDS)


def test_charts_are_trained_on_beside_every_word(bank: Path, model: Path, tmp_path: Path) -> None:
    other = model_named("ccg")
    other.save(tmp_path / "ccg")
    plain = settings(bank, "float32")
    objective = ObjectiveSettings("softmax-margin", "f1", 3.0)
    ccg = replace(plain.ccg, charts=tmp_path / "ccg", objective=objective)
    none = type(plain.dep)()
    how = replace(plain, ccg=ccg, dep=none, const=type(plain.const)(), tokeniser=False)
    run = Run(tmp_path / "run", threads=1, quiet=True)
    trained = train(how, run).parsers["ccg"]
    assert trained.parse(WORDS).score != 0
    charts = ForestStore(run.directory / "charts.store")
    assert len(charts) > 20
    local = train(replace(how, ccg=plain.ccg), Run(tmp_path / "local", threads=1, quiet=True))
    assert local.parsers["ccg"].parse(WORDS).score != trained.parse(WORDS).score
    with pytest.raises(ConfigError, match="not a model of kind 'ccg'"):
        train(
            replace(how, ccg=replace(ccg, charts=model / "dep")),
            Run(tmp_path / "bad", threads=1, quiet=True),
        )


def test_the_loss_of_a_chart_is_that_of_its_table(bank: Path) -> None:
    torch = pytest.importorskip("torch")
    from treewright.models.neural.charts import ChartMaker
    from treewright.neural.charts import ChartPart, chart_table
    from treewright.torch import ForestLoss

    other = model_named("ccg")
    assert isinstance(other, CcgParser)
    maker = ChartMaker(other, other.supertagger.tagger.tags, 2)
    (derivation, *_) = read_auto(bank / "train.auto")
    gold = gold_sentence(other.grammar, Lexicon().learn([derivation]), derivation)
    example = maker.example(gold, "1")
    assert example is not None
    assert example.gold is not None
    words = len(gold.words)
    tags = torch.randn(words + 2, maker.sizes[0], dtype=torch.float64)
    slots = torch.randn(words + 3, words + 3, 2, dtype=torch.float64)  # with padding
    part = ChartPart("charts", ("super", "slots"), ForestLoss(objective_named("likelihood")), {})
    found = float(part.loss(tags[None], slots[None], [(words, example)]))
    table = chart_table(tags[:words], slots[: words + 1, : words + 1]).numpy()
    scores = example.features.scores(table)
    due = exact.log_z(example.forest, scores) - exact.log_z(example.gold, scores)
    assert found == pytest.approx(due)
    assert found > 0


def test_the_graph_says_what_the_network_says(bank: Path, model: Path) -> None:
    torch = pytest.importorskip("torch")
    from treewright.models.neural.training import new_network
    from treewright.neural.network import kept_encoder

    weights = read_bundle(bank / "run" / "stages" / "network")
    trained = TrainedNetwork.from_bundle(read_bundle(model).parts["network"])
    how = settings(bank, "float32").neural
    network = new_network(
        kept_encoder(how.encoder, weights.texts, weights.arrays), trained.labels, how
    )
    network.restore(weights.arrays)
    network.eval()
    sentences = [WORDS, ["dogs"], WORDS[:4]]
    with torch.inference_mode():
        alone = [network.vectors([network.encoder.prepare(words)]) for words in sentences]
        for name in trained.labels:
            for words, vectors, found in zip(
                sentences, alone, trained.tables(name, sentences, name in PAIRS), strict=True
            ):
                wanted = network.scores(name, vectors).numpy()[0]
                size = tuple(slice(n) for n in found.shape)
                assert len(found) in (len(words), len(words) + 1)
                np.testing.assert_allclose(found, wanted[size], atol=1e-4)


def test_eight_bits_are_smaller_and_nearly_the_same(bank: Path, model: Path) -> None:
    run = Run(bank / "run", threads=1, seed=1, quiet=True)
    (bank / "run" / "stages" / "exported").rename(bank / "run" / "stages" / "exported32")
    family = train(settings(bank, "int8"), run)
    assert isinstance(family, Family)
    small, large = (
        family.network,
        TrainedNetwork.from_bundle(member(read_bundle(model)).parts["network"]),
    )
    sizes = [sum(a.nbytes for a in each.bundle.arrays.values()) for each in (small, large)]
    assert sizes[0] < 0.6 * sizes[1]
    (a,), (b,) = (each.tables("tag", [WORDS]) for each in (small, large))
    assert (a.argmax(axis=1) == b.argmax(axis=1)).mean() >= 0.7


def test_what_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no part 'super'"):
        load(model / "super")
    bundle = read_bundle(model)
    network = bundle.parts["network"]
    network.arrays["encoder"] = np.frombuffer(b"not a graph", np.uint8)
    write_bundle(bundle, tmp_path / "damaged")
    with pytest.raises(StoreError, match="graph is damaged"):
        load(tmp_path / "damaged").parse(WORDS)


def test_parsing_does_not_import_torch(model: Path) -> None:
    import subprocess

    code = (
        "import sys, treewright; "
        f"p = treewright.load({str(model / 'dep')!r}); p.parse('dogs sleep'); "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
