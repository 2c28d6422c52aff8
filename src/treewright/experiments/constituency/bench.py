"""A treebank with pruned charts, on which constituency experiments train several models."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from treewright.arrays import Floats
from treewright.config import setting
from treewright.data.brackets import Bracketed
from treewright.forests.constituency.counts import PLAIN
from treewright.forests.features import Example
from treewright.grammar.binarise import restore
from treewright.metrics.brackets import Rules, bracket_counts, match_trees
from treewright.metrics.counts import Counts
from treewright.models.constituency.data import Item, read_items
from treewright.models.constituency.parser import assemble, load
from treewright.models.constituency.settings import BinariseSettings, ConstSettings, make_bundle
from treewright.models.constituency.training import Trainer, features_of
from treewright.scores.constituency.spans import SpanSettings
from treewright.train.run import Run


@dataclass(frozen=True)
class BracketSettings:
    """Training and test data of constituency experiments."""

    train: Path = setting(Path("data/const-craft/train.mrg"), "training trees (brackets)")
    test: Path = setting(Path("data/const-craft/dev.mrg"), "dev trees (brackets)")
    max_words: int = setting(40, "maximum sentence length")
    sentences: int = setting(0, "number of training sentences, sampled at even intervals; 0: all")


def weighted_grammar(
    data: BracketSettings, pruning: SpanSettings, horizontal: int = 1, vertical: int = 2
) -> ConstSettings:
    """The settings of a weighted grammar, right-binarised, as structured SVMs train it."""
    return ConstSettings(
        tagger=False,
        train=data.train,
        max_words=data.max_words,
        sentences=data.sentences,
        model="rules",
        folds=2,
        binarise=BinariseSettings("right", horizontal, vertical),
        pruning=pruning,
    )


class ConstBench:
    """Training sentences and their charts, held-out sentences, and test sentences.

    The grammar includes the rules of held-out sentences; weights and features do not.
    """

    def __init__(
        self, config: ConstSettings, run: Run, held_out: int, test: Path, test_sentences: int = 0
    ) -> None:
        self.run = run
        self.trainer = Trainer(config, run)
        self.models = self.trainer.span_models()
        items = self.trainer.items
        every = max(2, len(items) // held_out) if held_out else len(items) + 1
        self.held_out = list(enumerate(items))[every - 1 :: every]
        self.kept = [n for n in range(len(items)) if n % every != every - 1]
        self.train = [items[n] for n in self.kept]
        self.features = features_of(self.trainer, self.train)
        tested = read_items(test, config.binarise.make(), config.max_words)
        self.test = tested[:: max(1, len(tested) // test_sentences)] if test_sentences else tested
        self._examples: dict[bool, list[Example]] = {}

    def examples(self, binarised: bool = False) -> list[Example]:
        """Training charts with counts of the original or the binarised trees."""
        if binarised not in self._examples:
            chosen = (self.models, self.features, "plain", binarised, set(self.kept))
            self._examples[binarised] = list(self.trainer.examples(*chosen))
        return self._examples[binarised]

    def forget(self) -> None:
        """Frees the charts."""
        self._examples.clear()

    def score(
        self,
        weights: Floats,
        items: Sequence[Item],
        rules: Rules = PLAIN,
        model: int = -1,
    ) -> Counts:
        """Counts of the parses of sentences, in charts pruned by one of the span models."""
        t = self.trainer
        pruner = t.pruner(self.models[model])
        parser = assemble(None, t.grammar, t.encoder, pruner, self.features, weights)
        trees = [each.tree for each in parser.parse_many(item.sentence for item in items)]
        return self.score_trees(trees, items, rules)

    def score_trees(
        self, trees: Sequence[Bracketed | None], items: Sequence[Item], rules: Rules = PLAIN
    ) -> Counts:
        """Counts of trees of sentences."""
        return bracket_counts(match_trees(trees, [item.tree for item in items], rules))

    def span_trees(self, items: Sequence[Item]) -> list[Bracketed | None]:
        """The best trees of the span model, without a grammar."""
        encoder, pruner = self.trainer.encoder, self.trainer.pruner(self.models[-1])
        tokens = (encoder.tokens(item.words, item.tags) for item in items)
        return [
            restore(pruner.fallback(each, item.words, item.tags))
            for item, each in zip(items, tokens, strict=True)
        ]

    def pcfg_trees(self, items: Sequence[Item]) -> list[Bracketed | None]:
        """The best trees of the grammar with relative frequencies, nothing pruned."""
        t = self.trainer
        settings = replace(t.settings, model="pcfg")
        weights = {"weights": t.grammar.rules.log_probabilities()}
        parser = load(make_bundle(settings, t.grammar, t.encoder, weights))
        return [each.tree for each in parser.parse_many(item.sentence for item in items)]

    def score_held_out(self, weights: Floats, rules: Rules = PLAIN) -> Counts:
        """Counts of the parses of held-out sentences, each pruned by a model trained without it."""
        folds = range(len(self.models) - 1)
        parts = [[i for n, i in self.held_out if n % len(folds) == fold] for fold in folds]
        return Counts.concatenate(self.score(weights, parts[fold], rules, fold) for fold in folds)
