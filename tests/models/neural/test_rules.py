"""Rules as labels of spans: read from derivations, added up in charts, trained and saved."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs torch: pip install treewright[torch]")
pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install treewright[neural]")

from tests.models.test_contract import model_named
from tests.small_family import settings
from treewright.data.auto import read_auto
from treewright.data.records import Derivation, Leaf, Node
from treewright.errors import ForestError, StoreError
from treewright.forests.ccg.chart import CcgChart, ChartSettings, ccg_chart
from treewright.forests.ccg.rules import RARE, RARE_UNARY, RuleLabels
from treewright.forests.tables import chart_features
from treewright.grammar.lexicon import Lexicon
from treewright.inference import exact
from treewright.losses import objective_named
from treewright.models.ccg.examples import gold_sentence
from treewright.models.ccg.parser import CcgParser
from treewright.models.kinds import load
from treewright.models.neural.ccg import NeuralCcgParser
from treewright.models.neural.data import read_corpus, rule_spans
from treewright.models.neural.members import CCG, RULES, SLOTS, SUPER
from treewright.scores.neural.rules import RuleScorer
from treewright.storage.bundle import read_bundle

SENTENCES = "the cat sees a dog", "The cat that saw the dog sleeps .", "dogs sleep"


@pytest.fixture
def parser(model: Path) -> NeuralCcgParser:
    found = load(model, "ccg")
    assert isinstance(found, NeuralCcgParser)
    return found


def weighted(parser: NeuralCcgParser, weight: float) -> NeuralCcgParser:
    return parser.with_config(replace(parser.config, rule_weight=weight))


def test_the_rules_of_a_derivation() -> None:
    noun, verb = Leaf("N", "dogs", "NNS", "NNS"), Leaf(r"S\NP", "bark", "VBP", "VBP")
    derivation = Derivation("1", Node("S", (Node("NP", (noun,)), verb), 1))
    assert rule_spans(derivation) == [(0, 1, "NP N"), (0, 2, "S")]


def test_rare_rules_share_a_label() -> None:
    labels = RuleLabels((RARE, RARE_UNARY, "S", "NP N"))
    assert [labels.number(name) for name in ("S", "NP N", "S/S", "S/S S")] == [2, 3, 0, 1]
    with pytest.raises(ForestError, match=r"lack '\* \*'"):
        RuleLabels((RARE, "S"))


def test_rare_labels_of_a_treebank(bank: Path) -> None:
    plain = settings(bank, "float32")
    how = replace(plain, ccg=replace(plain.ccg, rule_cutoff=60))
    corpus = read_corpus(how, (RULES,))
    names = corpus.labels[RULES]
    assert names[:2] == (RARE, RARE_UNARY)
    assert 2 < len(names) < len(read_corpus(plain, (RULES,)).labels[RULES])
    derivations = {each.sentence.words: each for each in read_auto(bank / "train.auto")}
    for number, (words, rows) in corpus.train.gold[RULES].items():
        derivation = derivations[corpus.train.words[number]]
        assert words == len(derivation.leaves)
        for (*span, label), (begin, end, wanted) in zip(
            rows.tolist(), rule_spans(derivation), strict=True
        ):
            rare = RARE_UNARY if " " in wanted else RARE
            assert span == [begin, end]
            assert names[label] == (wanted if wanted in names else rare)
    known = (RARE, RARE_UNARY, "X", "NP")
    again = read_corpus(how, (RULES,), known={RULES: known}).labels[RULES]
    assert again[:4] == known
    assert set(again) == {*names, "X"}
    none = replace(plain, ccg=replace(plain.ccg, rule_cutoff=0))
    assert RULES not in read_corpus(none).labels


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_derivation_has_the_scores_of_its_spans(parser: NeuralCcgParser, sentence: str) -> None:
    assert parser.scorer.uses_spans
    analysis = weighted(parser, 0.7).parse(sentence)
    words, chart = analysis.words, analysis.chart
    assert chart is not None
    assert not analysis.is_fragments
    plain, scored = (
        each.scorer.scores(chart, each.scorer.encode(words, ()), 1.0)
        for each in (weighted(parser, 0.0), weighted(parser, 0.7))
    )
    network = parser.supertagger.network
    number = RuleLabels(network.labels[RULES]).number
    (table,) = network.tables(RULES, [words], pairs=True)
    assert len(table) == len(words) + 1
    several = exact.kbest(chart.forest, scored, 5)
    assert len(several) > 1
    for best in several:
        parts = chart.forest.part[best.edges]
        due = 0.0
        for begin, end, label in rule_spans(replace(analysis, best=best).derivation):
            due += 0.7 * float(table[begin, end, number(label)])
        assert (scored - plain)[parts].sum() == pytest.approx(due, abs=1e-5)


def test_charts_without_spans_are_refused(parser: NeuralCcgParser) -> None:
    sentence = parser.as_sentence(SENTENCES[0])
    (lattice,) = parser.lattices([sentence])
    cells = lattice.cells(parser.schedule.beams[-1])
    chart = ccg_chart(parser.grammar, cells, ChartSettings(), fragments=True)
    assert isinstance(chart, CcgChart)
    assert chart.usable
    with pytest.raises(ForestError, match="a chart with spans"):
        parser.scorer.scores(chart, parser.scorer.encode(sentence.words, ()))


def test_a_chart_adds_up_the_table_of_its_rules(parser: NeuralCcgParser) -> None:
    words = tuple(SENTENCES[0].split())
    chart = parser.parse(words).chart
    assert chart is not None
    network = parser.supertagger.network
    (tags,) = network.tables(SUPER, [words])
    slots, rules = (next(network.tables(name, [words], pairs=True)) for name in (SLOTS, RULES))
    no_entry = np.full(len(parser.grammar.tables.entries), -1, np.int32)
    sizes, labels = (tags.shape[1], slots.shape[2]), RuleLabels(network.labels[RULES])
    features = chart_features(chart, no_entry, *sizes, labels)
    worth = (slots - slots[:, :1]).ravel()
    table = np.concatenate((tags.ravel(), worth, rules.ravel())).astype(np.float64)
    scorer = RuleScorer(network, RULES)
    without = chart_features(chart, no_entry, *sizes).scores(table)
    assert np.allclose(features.scores(table) - without, scorer.scores(chart, words))
    assert np.abs(scorer.scores(chart, words)).sum() > 0


def test_the_loss_of_a_chart_has_gradients_of_rules(bank: Path) -> None:
    import torch

    from treewright.models.neural.charts import ChartMaker
    from treewright.neural.charts import ChartPart
    from treewright.torch import ForestLoss

    other = model_named("ccg")
    assert isinstance(other, CcgParser)
    derivations = list(read_auto(bank / "train.auto"))
    names = (RARE, RARE_UNARY, "NP", "S", r"S\\NP")
    maker = ChartMaker(other, other.supertagger.tagger.tags, 2, names)
    lexicon = Lexicon().learn(derivations)
    golds = [gold_sentence(other.grammar, lexicon, each) for each in derivations[:5]]
    gold, example = next(
        (gold, example) for gold in golds if (example := maker.example(gold, "1")) is not None
    )
    words = len(gold.words)
    torch.manual_seed(0)
    tags = torch.randn(1, words + 2, maker.sizes[0], dtype=torch.float64)  # with padding
    slots = torch.randn(1, words + 3, words + 3, 2, dtype=torch.float64)
    rules = torch.randn(1, words + 3, words + 3, len(names), dtype=torch.float64)
    rules.requires_grad_()
    objective = ForestLoss(objective_named("softmax-margin", loss="f1"))
    part = ChartPart("charts", (SUPER, SLOTS, RULES), objective, {})
    value = part.loss(tags, slots, rules, [(words, example)])
    (slope,) = torch.autograd.grad(value, rules)
    assert (slope[:, words + 1 :] == 0).all()
    assert (slope[:, :, words + 1 :] == 0).all()
    towards = torch.randn(rules.shape, dtype=torch.float64)
    step = 1e-5
    with torch.no_grad():
        above, below = (
            part.loss(tags, slots, rules + sign * step * towards, [(words, example)])
            for sign in (1, -1)
        )
    assert float((slope * towards).sum()) == pytest.approx(
        float((above - below) / (2 * step)), rel=1e-4
    )
    assert float(slope.abs().sum()) > 0.1


def test_models_without_rules(model: Path, parser: NeuralCcgParser, tmp_path: Path) -> None:
    """Older models have neither the head nor its weight; a parser without weight has no head."""
    bundle = parser.bundle()
    assert NeuralCcgParser.from_bundle(bundle).config == parser.config
    old = {k: v for k, v in bundle.config.items() if k != "rule_weight"}
    alone = {"network": parser.supertagger.network.only((*CCG, "arcs"))}
    first = NeuralCcgParser.from_bundle(replace(bundle, config=old, parts=alone))
    assert (first.config.rule_weight, first.scorer.rules) == (0.0, None)
    assert not first.chart.spans
    weighted(parser, 0.0).save(tmp_path / "none")
    none = load(tmp_path / "none")
    assert isinstance(none, NeuralCcgParser)
    assert RULES not in none.supertagger.network.labels
    for sentence in SENTENCES:
        assert none.parse(sentence).format("json") == first.parse(sentence).format("json")
    damaged = read_bundle(model).parts["network"]
    texts = {**damaged.texts, "rules.labels": damaged.texts["rules.labels"].replace("* *", "x")}
    with pytest.raises(StoreError, match="head 'rules': labels of rules lack"):
        NeuralCcgParser.from_bundle(
            replace(bundle, parts={"network": replace(damaged, texts=texts)})
        )
