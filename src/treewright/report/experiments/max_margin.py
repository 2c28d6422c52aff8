"""The max-margin paper's table 1, its Wilcoxon test and its figure 2 (its section 3).

A weighted grammar is trained as a structured SVM with slack rescaling, once for each loss: 0/1,
false positives and F1 on the binarised trees, F1 on the original ones. C is chosen on training
sentences that are held out. All scores are of the original trees; P, R and F1 are means over
sentences.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.config import setting
from treewright.forests.const_counts import PLAIN, ConstituentCounter
from treewright.forests.example import Example
from treewright.inference.box import Floats
from treewright.losses.settings import ObjectiveSettings
from treewright.metrics.brackets import bracket_counts, match_trees
from treewright.metrics.counts import Counts, sentence_scores
from treewright.metrics.significance import wilcoxon
from treewright.models.const_bundle import Featuriser, assemble
from treewright.models.const_data import Item, read_items
from treewright.models.const_settings import BinariseSettings, ConstSettings
from treewright.models.const_training import Trainer
from treewright.report.experiment import Beside, Cell, Context, Experiment, Plot, Result, Table
from treewright.scores.spans import SpanSettings
from treewright.train.svm import SvmSettings, fit_svm

# name, loss, on binarised trees, the paper's P, R, F1 and 0/1 accuracy
ROWS = (
    ("0/1 (bin.)", "zero-one", True, (88.86, 89.27, 89.00, 27.32)),
    ("#FP (bin.)", "false-positives", True, (90.43, 90.34, 90.32, 27.91)),
    ("F1 (bin.)", "f1", True, (90.33, 90.43, 90.32, 28.69)),
    ("F1", "f1", False, (90.92, 90.82, 90.82, 29.18)),
)


@dataclass(frozen=True)
class Table1Settings:
    """What to train and to score on."""

    train: str = setting("../shared/data/const-craft/train.mrg", "a bracket file")
    test: str = setting("../shared/data/const-craft/dev.mrg", "another")
    max_words: int = setting(20, "longer sentences are left out")
    sentences: int = setting(2000, "to train on, evenly spread; 0 is all")
    held_out: int = setting(300, "of these, for choosing C")
    c: tuple[float, ...] = setting((100.0, 1000.0, 10000.0), "values of C to choose from")
    passes: int = setting(12, "of Frank-Wolfe")
    horizontal: int = setting(1, "order of markovisation")
    vertical: int = setting(2, "labels name their parent")
    threshold: float = setting(1e-3, "of the span model's posteriors that charts are pruned by")


def table1(context: Context) -> Iterator[Result]:
    """Trains for each loss and compares."""
    settings: Table1Settings = context.settings
    bench = _Bench(context)
    found: dict[str, Counts] = {}
    rows: list[Sequence[Cell]] = []
    for name, loss, binarised, paper in ROWS:
        weights, c = bench.choose(name, loss, binarised)
        counts = found[name] = bench.score(weights, bench.test)
        scores = [
            100 * float(sentence_scores(counts, m).mean())
            for m in ("precision", "recall", "f1", "exact")
        ]
        besides = [Beside(ours, theirs) for ours, theirs in zip(scores, paper, strict=True)]
        rows.append((name, *besides, 100 * counts.score().f, f"{c:g}"))
    yield (
        f"{len(bench.train)} training, {len(bench.held_out)} held-out and {len(bench.test)} test "
        f"sentences of at most {settings.max_words} words; "
        f"{bench.trainer.grammar.rules.size} rules (right binarisation, "
        f"h={settings.horizontal}, v={settings.vertical})."
    )
    columns = ("trained for", "P", "R", "F1", "0/1", "F1 of the corpus", "C")
    yield Table(
        "Slack rescaling, by loss", columns, rows, "The paper's figures are of WSJ section 23."
    )
    yield from _compare(found["F1"], found["F1 (bin.)"])


def _compare(original: Counts, binarised: Counts) -> Iterator[Result]:
    test = wilcoxon(original, binarised)
    change = sentence_scores(binarised, "f1") - sentence_scores(original, "f1")
    better, worse = int((change < 0).sum()), int((change > 0).sum())
    yield (
        f"F1 on the original against F1 on the binarised trees: better on {better} "
        f"sentences, worse on {worse}; Wilcoxon signed-rank p = {test.p_value:.2g}."
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.hist(change[change != 0], bins=np.linspace(-1, 1, 41))
        axes.set_xlabel("difference in loss, original less binarised")
        axes.set_ylabel("sentences")

    yield Plot("figure2", "Difference in loss, sentences without one left out", draw)


class _Bench:
    """The sentences, their charts, and a way from a loss to scores."""

    def __init__(self, context: Context) -> None:
        s: Table1Settings = context.settings
        self.context = context
        config = ConstSettings(
            train=s.train,
            max_words=s.max_words,
            sentences=s.sentences,
            model="rules",
            folds=2,
            binarise=BinariseSettings("right", s.horizontal, s.vertical),
            pruning=SpanSettings(bits=16, threshold=s.threshold),
        )
        self.run = context.run("table1")
        self.trainer = Trainer(config, self.run)
        self.models = self.trainer.span_models()
        self.features = Featuriser(self.trainer.grammar, None)
        every = max(2, len(self.trainer.items) // max(1, s.held_out))
        self.held_out = list(enumerate(self.trainer.items))[every - 1 :: every]
        self.train = [i for n, i in enumerate(self.trainer.items) if n % every != every - 1]
        self.kept = [n for n in range(len(self.trainer.items)) if n % every != every - 1]
        self.test = read_items(s.test, config.binarise.make(), s.max_words)
        self._examples: dict[bool, list[Example]] = {}

    def examples(self, binarised: bool) -> list[Example]:
        """Training charts with counts of either kind."""
        if binarised not in self._examples:
            counter = ConstituentCounter(self.trainer.grammar, PLAIN, binarised)
            made = list(self.trainer.examples(self.models, self.features, counter))
            self._examples[binarised] = [made[n] for n in self.kept]
        return self._examples[binarised]

    def choose(self, name: str, loss: str, binarised: bool) -> tuple[Floats, float]:
        """Weights, and the C that is best on the sentences held out."""
        s: Table1Settings = self.context.settings
        best: tuple[float, Floats, float] | None = None
        objective = ObjectiveSettings("hinge-slack", loss)
        for c in s.c:
            kept = self.run.kept(f"{name.replace('/', '')}-{c:g}")
            if kept is None:
                svm = SvmSettings("frank-wolfe", c, 1e-3, s.passes)
                weights = fit_svm(
                    objective, svm, self.examples(binarised), len(self.features), self.run
                )
                self.run.keep(f"{name.replace('/', '')}-{c:g}", {"weights": weights})
            else:
                weights = kept["weights"]
            f = float(sentence_scores(self.score_held_out(weights), "f1").mean())
            self.run.record(loss=name, c=c, held_out=f)
            if best is None or f > best[0]:
                best = f, weights, c
        assert best is not None
        return best[1], best[2]

    def score(self, weights: Floats, items: Sequence[Item], model: int = -1) -> Counts:
        """Counts of the parses of sentences, whose charts one of the span models prunes."""
        t = self.trainer
        pruner = t.pruner(self.models[model])
        parser = assemble(None, t.grammar, t.encoder, pruner, self.features, weights)
        trees = [parser.parse(item.words, item.tags).tree for item in items]
        return bracket_counts(match_trees(trees, [item.tree for item in items], PLAIN))

    def score_held_out(self, weights: Floats) -> Counts:
        """The same of the sentences held out, each pruned by a model that has not seen it."""
        folds = range(len(self.models) - 1)
        parts = [[i for n, i in self.held_out if n % len(folds) == fold] for fold in folds]
        return Counts.concatenate(self.score(weights, parts[fold], fold) for fold in folds)


def table1_to_40(context: Context) -> Iterator[Result]:
    """The same on sentences of up to 40 words."""
    return table1(replace(context))


@dataclass(frozen=True)
class Table1LongSettings(Table1Settings):
    """The same with longer sentences."""

    max_words: int = setting(40, "longer sentences are left out")


EXPERIMENTS = (
    Experiment("max-margin/table1", "Losses of max-margin parsing", Table1Settings, table1),
    Experiment(
        "max-margin/table1-long", "The same up to 40 words", Table1LongSettings, table1_to_40
    ),
)
