"""Constituency parsing as a kind of model (kind "const"): settings, training, loading.

Three models share the treebank grammar: `rich`, a CRF or max-margin model with features of spans
and splits; `rules`, the max-margin paper's weighted grammar, a weight for each rule; `pcfg`, the
same grammar with relative frequencies.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from treewright import _core
from treewright.config import from_dict, setting
from treewright.errors import ConfigError
from treewright.forests.build import Chart
from treewright.forests.const_counts import COUNTINGS, ConstituentCounter
from treewright.forests.constituency import ConstGrammar, Layout, gold_edges
from treewright.forests.example import Example
from treewright.forests.features import FeatureMatrix
from treewright.forests.forest import Indices
from treewright.grammar.binarise import Binariser, Direction
from treewright.grammar.phrase_heads import head_child
from treewright.grammar.treebank import TreebankRules, spans
from treewright.grammar.words import Vocabulary
from treewright.inference.box import Floats
from treewright.losses import BatchObjective
from treewright.losses.settings import ObjectiveSettings
from treewright.metrics import constituency as metrics
from treewright.models.bundle import Bundle
from treewright.models.const_data import Item, read_items
from treewright.models.const_parser import Analysis, ConstParser, PcfgParser
from treewright.models.const_prune import Pruner
from treewright.models.kinds import Kind
from treewright.models.pos import PosTagger, train_in_run
from treewright.models.tagger_settings import PosTaggerSettings
from treewright.models.tagger_training import TaggedCorpus
from treewright.scores.const_features import ConstFeatures
from treewright.scores.spans import Encoder, SpanClasses, SpanModel, SpanSettings
from treewright.scores.spans import train as train_spans
from treewright.train.run import Run
from treewright.train.settings import OptimiserSettings
from treewright.train.svm import SvmSettings, fit_svm

NAME = "const"


@dataclass(frozen=True)
class BinariseSettings:
    """How trees become binary."""

    direction: Direction = setting("right", "right, left, or head: outwards from the head child")
    horizontal: int = setting(0, "how many siblings an artificial label names")
    vertical: int = setting(1, "2: labels name their parent; 3: and its parent")

    def make(self) -> Binariser:
        """The binariser."""
        return Binariser(self.direction, self.horizontal, self.vertical, head_child)


@dataclass(frozen=True)
class ConstSettings:
    """All settings of a constituency parser."""

    train: str = setting("", "a bracket file to train on")
    dev: str = setting("", "a bracket file to score on while training")
    max_words: int = setting(40, "longer sentences are left out of training")
    sentences: int = setting(0, "train on so many, evenly spread; 0 is all")
    model: Literal["rich", "rules", "pcfg"] = setting("rich", "features, weighted rules, or a PCFG")
    word_count: int = setting(2, "rarer words are known by their class only")
    feature_count: int = setting(1, "rich: features that gold trees have less often are left out")
    shared_bits: int = setting(-1, "rich: all other features share 2^bits weights; -1: none")
    folds: int = setting(4, "training charts are pruned by models of the other folds")
    counting: Literal["plain", "collins", "new"] = setting("plain", "what losses count")
    binarised: bool = setting(False, "losses count nodes of the binarised trees instead")
    decoder: Literal["viterbi", "max-constituents", "max-f1"] = setting("viterbi", "")
    solver: Literal["optimiser", "svm"] = setting("optimiser", "svm: objective hinge by dual QP")
    binarise: BinariseSettings = setting(BinariseSettings(), "")
    pruning: SpanSettings = setting(SpanSettings(), "the span model that prunes charts")
    objective: ObjectiveSettings = setting(ObjectiveSettings(), "what to minimise")
    optimiser: OptimiserSettings = setting(OptimiserSettings(iterations=60, prior=0.7), "and how")
    svm: SvmSettings = setting(SvmSettings(), "solver svm")
    pos: bool = setting(False, "train a part-of-speech tagger on the same sentences, too")
    tagger: PosTaggerSettings = setting(PosTaggerSettings(), "and how")

    def __post_init__(self) -> None:
        if not self.train:
            raise ValueError("train must name a bracket file")


class Trainer:
    """Everything between the treebank and the weights."""

    def __init__(self, settings: ConstSettings, run: Run) -> None:
        self.settings, self.run = settings, run
        items = read_items(settings.train, settings.binarise.make(), settings.max_words)
        if settings.sentences and settings.sentences < len(items):
            chosen = np.linspace(0, len(items) - 1, settings.sentences).astype(int)
            items = [items[place] for place in chosen]
        if not items:
            raise ConfigError(
                f"{settings.train}: no sentence of at most {settings.max_words} words"
            )
        self.items = items
        self.grammar = ConstGrammar(TreebankRules.of(item.binary for item in items))
        words = (word for item in items for word in item.words)
        self.encoder = Encoder(Vocabulary.of(words, settings.word_count), self.grammar.rules.tags)
        run.record(sentences=len(items), rules=self.grammar.rules.size)

    def span_models(self) -> list[SpanModel]:
        """The models of all but one fold each, and that of the whole treebank."""
        data = [(self.encoder.arrays(i.words, i.tags), spans(i.binary)) for i in self.items]
        classes = SpanClasses.of_spans([each for _, each in data], self.settings.pruning.classes)
        folds = self.settings.folds if self.settings.folds > 1 else 0
        parts = [[d for k, d in enumerate(data) if k % folds != f] for f in range(folds)]
        found = []
        for number, part in enumerate([*parts, data]):
            bundle = self.run.stage(
                f"spans-{number}",
                lambda part=part: _span_bundle(  # type: ignore[misc]
                    train_spans(part, self.settings.pruning, self.run.seed, classes)
                ),
            )
            found.append(_span_model(bundle))
        return found

    def pruner(self, model: SpanModel) -> Pruner:
        return Pruner(self.grammar, model, self.settings.pruning.threshold)

    @property
    def layout(self) -> Layout:
        return "spans" if self.settings.model == "rich" else "rules"

    def gold_parts(self, item: Item) -> Indices:
        """The parts of the gold tree."""
        return self.grammar.parts_of(item.binary, self.layout)

    def examples(
        self, models: Sequence[SpanModel], features: "Featuriser", counter: ConstituentCounter
    ) -> Iterator[Example]:
        """The training charts, gold added where it was pruned."""
        pruners = [self.pruner(model) for model in (models[:-1] or models)]
        pruned = 0
        with self.run.progress("charts", len(self.items)) as bar:
            for number, item in enumerate(self.items):
                tokens = self.encoder.tokens(item.words, item.tags)
                found = pruners[number % len(pruners)].candidates(tokens)
                gold = self.grammar.candidates(spans(item.binary))
                rows = np.unique(np.concatenate((found, gold)), axis=0)
                pruned += len(rows) > len(np.unique(found, axis=0))
                chart = self.grammar.chart(self.grammar.tag_numbers(item.tags), rows, self.layout)
                assert chart is not None
                counts = counter.count(chart, item.binary, item.tags)
                forest = chart.forest.with_counts(counts.counts, counts.due)
                right = forest.restrict(gold_edges(chart, self.gold_parts(item)))
                yield Example(
                    forest, features.matrix(tokens, chart), right, f"sentence {number + 1}"
                )
                bar.advance()
        self.run.record(charts=len(self.items), gold_was_pruned=pruned)


class Featuriser:
    """Features and scores of parts, for either model."""

    def __init__(self, grammar: ConstGrammar, rich: ConstFeatures | None) -> None:
        self.rich, self.rules = rich, grammar.rules.size

    def __len__(self) -> int:
        return self.rules if self.rich is None else len(self.rich)

    def matrix(self, tokens: _core.Tokens, chart: Chart) -> FeatureMatrix:
        """The parts' features: their rule alone in a weighted grammar."""
        if self.rich is not None:
            return self.rich.matrix(tokens, chart)
        rule = chart.parts[:, 0]
        first = np.concatenate(([0], np.cumsum(rule >= 0))).astype(np.int32)
        return FeatureMatrix.from_csr(first, rule[rule >= 0])

    def scores(self, tokens: _core.Tokens, chart: Chart, weights: Floats) -> Floats:
        """The parts' scores."""
        if self.rich is not None:
            return self.rich.scores(tokens, chart, weights)
        rule = chart.parts[:, 0]
        return np.where(rule >= 0, weights[rule], 0.0)


def train(settings: ConstSettings, run: Run) -> ConstParser | PcfgParser:
    """A parser trained on a treebank, with a tagger for plain text where that is asked."""
    trainer = Trainer(settings, run)
    parser = _train_parser(settings, trainer, run)
    return _with_tagger(parser, trainer.items, run) if settings.pos else parser


def _with_tagger(
    parser: ConstParser | PcfgParser, items: Sequence[Item], run: Run
) -> ConstParser | PcfgParser:
    config: Any = parser.bundle().config
    pos = run.stage("pos", lambda: train_pos(items, config_of(config), run).bundle())
    return _load(replace(parser.bundle(), parts={"pos": pos}))


def config_of(config: Mapping[str, object]) -> ConstSettings:
    """The settings that a model was trained with."""
    return from_dict(ConstSettings, config, "config.toml")


def train_pos(items: Sequence[Item], settings: ConstSettings, run: Run) -> PosTagger:
    """A part-of-speech tagger of the sentences."""
    corpus = TaggedCorpus([list(i.words) for i in items], None, [list(i.tags) for i in items])
    return PosTagger(train_in_run(corpus, settings.tagger, run, "pos"))


def _train_parser(settings: ConstSettings, trainer: Trainer, run: Run) -> ConstParser | PcfgParser:
    if settings.model == "pcfg":
        weights = trainer.grammar.rules.log_probabilities()
        return _load(_bundle(settings, trainer, {"weights": weights}))
    models = trainer.span_models()
    features = _features(trainer)
    counter = ConstituentCounter(trainer.grammar, COUNTINGS[settings.counting], settings.binarised)
    examples = list(trainer.examples(models, features, counter))
    run.record(features=len(features), edges=sum(e.forest.edges for e in examples))
    dev = _dev_items(settings)

    def parser(weights: Floats) -> ConstParser:
        arrays = {"weights": weights, "spans": models[-1].weights()}
        if features.rich is not None:
            arrays["keys"] = features.rich.keys
        bundle = _bundle(settings, trainer, arrays, models[-1].classes)
        return assemble(
            bundle, trainer.grammar, trainer.encoder, trainer.pruner(models[-1]), features, weights
        )

    score = None if not dev else lambda weights: f1(parser(weights), dev)
    if settings.solver == "svm":
        return parser(
            fit_svm(settings.objective, settings.svm, examples, len(features), run, score)
        )
    objective = BatchObjective(settings.objective.make(), examples, len(features), run.threads)
    return parser(run.optimise("weights", objective, settings.optimiser, score))


def f1(parser: ConstParser | PcfgParser, items: Sequence[Item]) -> float:
    """EVALB's F1 of the parses of sentences with gold tags, failures as misses."""
    found = [parser.parse(item.words, item.tags) for item in items]
    trees = [each.tree if isinstance(each, Analysis) else each for each in found]
    return metrics.score(trees, [item.tree for item in items]).brackets_all.f


def _dev_items(settings: ConstSettings) -> list[Item]:
    if not settings.dev:
        return []
    return read_items(settings.dev, settings.binarise.make(), settings.max_words)


def _features(trainer: Trainer) -> Featuriser:
    settings = trainer.settings
    if settings.model != "rich":
        return Featuriser(trainer.grammar, None)
    gold = (
        (trainer.encoder.tokens(item.words, item.tags), trainer.gold_parts(item))
        for item in trainer.items
    )
    rich = ConstFeatures.of(trainer.grammar, gold, settings.feature_count, settings.shared_bits)
    return Featuriser(trainer.grammar, rich)


def _bundle(
    settings: ConstSettings,
    trainer: Trainer,
    arrays: dict[str, Any],
    classes: SpanClasses | None = None,
) -> Bundle:
    texts = {
        "grammar.txt": trainer.grammar.rules.lines(),
        "words.txt": "".join(f"{word}\n" for word in trainer.encoder.vocabulary.words),
        "classes.txt": "".join(f"{name}\n" for name in (classes.names if classes else ())),
    }
    return Bundle(NAME, asdict(settings), arrays, texts)


def _span_bundle(model: SpanModel) -> Bundle:
    names = "".join(f"{name}\n" for name in model.classes.names)
    return Bundle(
        "spans", {"bits": model.bits}, {"weights": model.weights()}, {"classes.txt": names}
    )


def _span_model(bundle: Bundle) -> SpanModel:
    model = SpanModel(
        SpanClasses(tuple(bundle.texts["classes.txt"].split("\n")[:-1])),
        int(str(bundle.config["bits"])),
    )
    model.core.set_weights(np.ascontiguousarray(bundle.arrays["weights"]).ravel())
    return model


def assemble(
    bundle: Bundle | None,
    grammar: ConstGrammar,
    encoder: Encoder,
    pruner: Pruner,
    features: Featuriser,
    weights: Floats,
) -> ConstParser:
    """A parser of its pieces; without a bundle it cannot be saved."""
    layout: Layout = "spans" if features.rich is not None else "rules"
    return ConstParser(
        grammar,
        encoder,
        pruner,
        layout,
        lambda tokens, chart: features.scores(tokens, chart, weights),
        bundle,
        str(bundle.config["decoder"]) if bundle else "viterbi",
    )


def _load(bundle: Bundle) -> ConstParser | PcfgParser:
    config: Any = bundle.config
    grammar = ConstGrammar(TreebankRules.from_lines(bundle.texts["grammar.txt"]))
    weights = bundle.arrays["weights"]
    tagger = PosTagger.from_bundle(bundle.parts["pos"]).tag if "pos" in bundle.parts else None
    if config["model"] == "pcfg":
        return PcfgParser(grammar, weights, bundle, tagger)
    vocabulary = Vocabulary(tuple(bundle.texts["words.txt"].split("\n")[:-1]))
    spans = replace_bits(bundle)
    pruner = Pruner(grammar, spans, float(config["pruning"]["threshold"]))
    rich = None
    if config["model"] == "rich":
        rich = ConstFeatures(grammar, bundle.arrays["keys"], int(config["shared_bits"]))
    features = Featuriser(grammar, rich)
    encoder = Encoder(vocabulary, grammar.rules.tags)
    parser = assemble(bundle, grammar, encoder, pruner, features, weights)
    parser.tagger = tagger
    return parser


def replace_bits(bundle: Bundle) -> SpanModel:
    """The span model inside a parser's bundle."""
    config: Any = bundle.config
    bits = {"bits": config["pruning"]["bits"]}
    return _span_model(replace(bundle, config=bits, arrays={"weights": bundle.arrays["spans"]}))


KIND = Kind(NAME, ConstSettings, train, _load)
