"""Training of constituency parsers."""

import sys
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ConfigError
from treewright.forests.constituency.chart import ConstGrammar
from treewright.forests.features import Example
from treewright.grammar.treebank import Span, TreebankRules, spans
from treewright.grammar.words import Vocabulary
from treewright.metrics import constituency as metrics
from treewright.models.constituency.analysis import legal
from treewright.models.constituency.charts import ChartMaker, pieces
from treewright.models.constituency.data import Item, read_items, read_tagged, retagged
from treewright.models.constituency.parser import ConstParser, assemble, load
from treewright.models.constituency.prune import Pruner
from treewright.models.constituency.settings import (
    ConstSettings,
    feature_templates,
    make_bundle,
    span_bundle,
    span_model,
)
from treewright.models.tagging.model import tags_bundle, tags_from_bundle
from treewright.models.tagging.parser import tag_all
from treewright.models.tagging.pos import PosTagger, train_in_run
from treewright.models.tagging.supertagger import jackknife
from treewright.models.tagging.training import TaggedCorpus
from treewright.scores.constituency.features import ConstFeatures, Featuriser
from treewright.scores.constituency.spans import SpanClasses, SpanModel
from treewright.scores.constituency.spans import train as train_spans
from treewright.scores.constituency.templates import Arrays as SpanArrays
from treewright.scores.constituency.templates import SpanEncoder
from treewright.storage.bundle import Bundle
from treewright.train.folds import held_out
from treewright.train.run import Run
from treewright.train.svm import fit_svm

TaggedSpans = tuple[SpanArrays, list[Span]]  # a sentence and the spans of its tree


class Trainer:
    """The treebank, the grammar and the encoder, with which models and charts are built."""

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
        self.gold = items
        self.items = items = retagged_items(items, settings, run) if settings.pos_folds else items
        self.grammar = ConstGrammar(TreebankRules.of(item.binary for item in items))
        words = (word for item in items for word in item.words)
        templates = feature_templates(settings.features, settings.templates)
        self.encoder = SpanEncoder(Vocabulary.of(words, settings.word_count), templates)
        run.record(sentences=len(items), rules=self.grammar.rules.size)

    def span_models(self) -> list[SpanModel]:
        """Span models for jackknifing, one per fold, then that of the whole treebank."""
        data = [(self.encoder.arrays(i.words, i.tags), spans(i.binary)) for i in self.items]
        classes = SpanClasses.of_spans([each for _, each in data], self.settings.pruning.classes)

        def train(fold: int, part: list[TaggedSpans]) -> SpanModel:
            def make() -> Bundle:
                templates, pruning = self.encoder.templates, self.settings.pruning
                return span_bundle(train_spans(part, templates, pruning, self.run.seed, classes))

            return span_model(self.run.stage(f"spans-{fold}", make), self.encoder)

        folds = self.settings.folds if self.settings.folds > 1 else 0
        return [*held_out(data, folds, train, "folds"), train(folds, data)]

    def pruner(self, model: SpanModel) -> Pruner:
        return Pruner(self.grammar, model, self.settings.pruning.threshold)

    def examples(
        self,
        models: Sequence[SpanModel],
        features: Featuriser,
        counting: str,
        binarised: bool,
        chosen: Container[int] | None = None,
    ) -> Iterator[Example]:
        """The training charts of all sentences, or of those `chosen`, with gold added."""
        threshold, folds = self.settings.pruning.threshold, models[:-1] or models
        make = ChartMaker(
            self.grammar, self.encoder, folds, threshold, features, counting, binarised
        )
        numbered = [(n, i) for n, i in enumerate(self.items) if chosen is None or n in chosen]
        pruned = 0
        for made in self.run.map("charts", make, pieces(numbered), size=len):
            for example, lacked in made:
                pruned += lacked
                yield example
        self.run.record(charts=len(numbered), gold_was_pruned=pruned)


def train(settings: ConstSettings, run: Run) -> ConstParser:
    """Trains a parser on a treebank, with a POS tagger if `settings.tagger`."""
    trainer = Trainer(settings, run)
    dev = _dev_items(settings)
    if settings.pos_folds and dev:
        tagger = PosTagger.from_bundle(_tagger(settings, trainer.gold, run)).tagger
        tags = tag_all(tagger, [legal(item.words) for item in dev])
        dev = [retagged(item, row) for item, row in zip(dev, tags, strict=True)]
    parser = _train_parser(settings, trainer, run, dev)
    if not settings.tagger:
        return parser
    return load(replace(parser.bundle(), parts={"pos": _tagger(settings, trainer.gold, run)}))


def _tagger(settings: ConstSettings, items: Sequence[Item], run: Run) -> Bundle:
    return run.stage("pos", lambda: train_pos(items, settings, run).bundle())


def train_pos(items: Sequence[Item], settings: ConstSettings, run: Run) -> PosTagger:
    """Trains a POS tagger on the sentences, and on those of `settings.pos_train`."""
    dev = _dev_items(settings)
    held_out = _tagged_corpus(dev) if dev else None
    corpus = _tagged_corpus(items)
    if settings.pos_train is not None:
        known = {tag for item in items for tag in item.tags}
        more = list(read_tagged(settings.pos_train, known))
        if not more:
            raise ConfigError(f"{settings.pos_train}: every sentence has tags that the trees lack")
        words = [*corpus.words, *(legal(row) for row, _ in more)]
        corpus = TaggedCorpus(words, None, [*corpus.tags, *(legal(tags) for _, tags in more)])
        run.record(pos_train=len(more))
    return PosTagger(train_in_run(corpus, settings.pos, run, "pos", held_out))


def retagged_items(items: Sequence[Item], settings: ConstSettings, run: Run) -> list[Item]:
    """The sentences with POS tags predicted by jackknifing."""
    dev = _dev_items(settings)
    held_out = _tagged_corpus(dev) if dev else None

    def make() -> Bundle:
        corpus = _tagged_corpus(items)
        predicted = jackknife(corpus, settings.pos_folds, settings.pos, run, held_out)
        return tags_bundle(predicted)

    tags = tags_from_bundle(run.stage("pos-folds", make))
    return [retagged(item, row) for item, row in zip(items, tags, strict=True)]


def _tagged_corpus(items: Sequence[Item]) -> TaggedCorpus:
    return TaggedCorpus([list(i.words) for i in items], None, [list(i.tags) for i in items])


def _train_parser(
    settings: ConstSettings, trainer: Trainer, run: Run, dev: Sequence[Item]
) -> ConstParser:
    if settings.model == "pcfg":
        weights = trainer.grammar.rules.log_probabilities()
        made = load(make_bundle(settings, trainer.grammar, trainer.encoder, {"weights": weights}))
        if dev:
            run.record(score=f1(made, dev))
        return made
    models = trainer.span_models()
    features = features_of(trainer, trainer.items)
    examples = list(trainer.examples(models, features, settings.counting, settings.binarised))
    run.record(features=len(features), edges=sum(e.forest.edges for e in examples))

    def parser(weights: Floats) -> ConstParser:
        arrays = {"weights": weights, "spans": models[-1].weights()}
        if features.rich is not None:
            arrays["keys"] = features.rich.keys
        bundle = make_bundle(settings, trainer.grammar, trainer.encoder, arrays, models[-1].classes)
        return assemble(
            bundle, trainer.grammar, trainer.encoder, trainer.pruner(models[-1]), features, weights
        )

    score = None if not dev else lambda weights: f1(parser(weights), dev)
    if settings.solver == "svm":
        return parser(
            fit_svm(settings.objective, settings.svm, examples, len(features), run, score)
        )
    objective = run.objective_over("charts", settings.objective, examples, len(features))
    return parser(run.optimise("weights", objective, settings.optimiser, score))


def f1(parser: ConstParser, items: Sequence[Item]) -> float:
    """EVALB's F1 of a parser on tagged sentences; a failed parse counts as missed brackets."""
    trees = [each.tree for each in parser.parse_many(item.sentence for item in items)]
    return metrics.score(trees, [item.tree for item in items]).brackets_all.f


def _dev_items(settings: ConstSettings) -> list[Item]:
    """All dev sentences, whatever their length."""
    if settings.dev is None:
        return []
    return read_items(settings.dev, settings.binarise.make(), sys.maxsize)


def features_of(trainer: Trainer, items: Iterable[Item]) -> Featuriser:
    """The features that occur in gold trees; other models than `rich` have rule features only."""
    settings = trainer.settings
    if settings.model != "rich":
        return Featuriser(trainer.grammar, None)
    gold = (
        (trainer.encoder.tokens(i.words, i.tags), trainer.grammar.parts_of(i.binary)) for i in items
    )
    rich = ConstFeatures.of(
        trainer.grammar,
        trainer.encoder.templates,
        gold,
        settings.feature_count,
        settings.shared_bits,
    )
    return Featuriser(trainer.grammar, rich)
