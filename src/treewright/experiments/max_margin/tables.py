"""Table 1 of the max-margin paper, its Wilcoxon test, and figure 2 (its section 3).

A weighted grammar is trained as a structured SVM with slack rescaling, once per loss: 0/1, false
positives and F1 on the binarised trees, F1 on the original ones. C is chosen on held-out training
sentences. All scores are of the original trees; P, R and F1 are means over sentences.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.config import setting
from treewright.experiments.constituency.bench import BracketSettings, ConstBench
from treewright.experiments.experiment import Beside, Cell, Context, Experiment, Plot, Result, Table
from treewright.losses.settings import ObjectiveSettings
from treewright.metrics.counts import Counts, sentence_scores
from treewright.metrics.significance import wilcoxon
from treewright.models.constituency.settings import BinariseSettings, ConstSettings
from treewright.scores.constituency.spans import SpanSettings
from treewright.train.cutting_planes import SvmSettings
from treewright.train.loop import finish
from treewright.train.svm import svm_learner

# name, loss, on binarised trees, the paper's P, R, F1 and 0/1 accuracy
ROWS = (
    ("0/1 (bin.)", "zero-one", True, (88.86, 89.27, 89.00, 27.32)),
    ("#FP (bin.)", "false-positives", True, (90.43, 90.34, 90.32, 27.91)),
    ("F1 (bin.)", "f1", True, (90.33, 90.43, 90.32, 28.69)),
    ("F1", "f1", False, (90.92, 90.82, 90.82, 29.18)),
)


@dataclass(frozen=True)
class Table1Settings(BracketSettings):
    """Training and test data."""

    max_words: int = setting(20)
    sentences: int = setting(2000)
    held_out: int = setting(300, "number of these for choosing C")
    c: tuple[float, ...] = setting((100.0, 1000.0, 10000.0), "candidate values of C")
    passes: int = setting(12, "maximum number of Frank-Wolfe epochs")
    epsilon: float = setting(1e-3, "stop when the duality gap is below this times C")
    horizontal: int = setting(1, "horizontal markovisation")
    vertical: int = setting(2, "vertical markovisation: 2 adds parent annotation")
    threshold: float = setting(1e-3, "pruning threshold on the span model's posteriors")


def table1(context: Context) -> Iterator[Result]:
    """Trains for each loss and compares."""
    settings: Table1Settings = context.settings
    bench = _Bench(context)
    by_name: dict[str, Counts] = {}
    rows: list[Sequence[Cell]] = []
    data = bench.data
    for name, loss, binarised, paper in ROWS:
        chosen = bench.choose(name, loss, binarised)
        counts = by_name[name] = data.score(chosen.weights, data.test)
        scores = [
            100 * float(sentence_scores(counts, m).mean())
            for m in ("precision", "recall", "f1", "exact")
        ]
        besides = [Beside(ours, theirs) for ours, theirs in zip(scores, paper, strict=True)]
        rows.append(
            (name, *besides, 100 * counts.score().f, f"{chosen.c:g}", f"{100 * chosen.gap:.1f} %")
        )
    yield (
        f"{len(data.train)} training, {len(data.held_out)} held-out and {len(data.test)} test "
        f"sentences of at most {settings.max_words} words; "
        f"{data.trainer.grammar.rules.size} rules (right binarisation, "
        f"h={settings.horizontal}, v={settings.vertical})."
    )
    columns = ("trained for", "P", "R", "F1", "0/1", "F1 of the corpus", "C", "gap")
    yield Table(
        "Slack rescaling, by loss", columns, rows, "The paper's figures are of WSJ section 23."
    )
    yield from _compare(by_name["F1"], by_name["F1 (bin.)"])


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
    """The charts, and a function from a loss to weights."""

    def __init__(self, context: Context) -> None:
        s: Table1Settings = context.settings
        self.settings, self.run = s, context.run("table1")
        config = ConstSettings(
            tagger=False,
            train=Path(s.train),
            max_words=s.max_words,
            sentences=s.sentences,
            model="rules",
            folds=2,
            binarise=BinariseSettings("right", s.horizontal, s.vertical),
            pruning=SpanSettings(bits=16, threshold=s.threshold),
        )
        self.data = ConstBench(config, self.run, s.held_out, s.test)

    def choose(self, name: str, loss: str, binarised: bool) -> "_Chosen":
        """Weights with the C that is best on the held-out sentences."""
        tried = []
        for c in self.settings.c:
            weights = self._weights(name, loss, binarised, c)
            counts = self.data.score_held_out(weights)
            f = float(sentence_scores(counts, "f1").mean())
            self.run.record(loss=name, c=c, held_out=f)
            tried.append(_Chosen(f, c, weights, self._gap(name, c)))
        return max(tried, key=lambda each: each.held_out)

    def _weights(self, name: str, loss: str, binarised: bool, c: float) -> Floats:
        stored = self._name(name, c)
        if (checkpoint := self.run.load_checkpoint(stored)) is not None:
            return checkpoint[0]["weights"]
        learner = svm_learner(
            ObjectiveSettings("hinge-slack", loss),
            SvmSettings("frank-wolfe", c, self.settings.epsilon, self.settings.passes),
            self.data.examples(binarised),
            len(self.data.features),
            self.run,
        )
        last, weights = finish(learner)[-1], learner.model()["weights"]
        gap = last.figures["gap"] / last.value
        self.run.save_checkpoint(stored, {"weights": weights}, {"gap": gap})
        return weights

    def _gap(self, name: str, c: float) -> float:
        checkpoint = self.run.load_checkpoint(self._name(name, c))
        assert checkpoint is not None
        return float(checkpoint[1]["gap"])

    def _name(self, name: str, c: float) -> str:
        return f"{name.replace('/', '')}-{c:g}"


@dataclass(frozen=True, eq=False)
class _Chosen:
    """Weights, F1 on the held-out sentences, and the relative duality gap."""

    held_out: float
    c: float
    weights: Floats
    gap: float


@dataclass(frozen=True)
class Table1LongSettings(Table1Settings):
    """Settings for longer sentences."""

    max_words: int = setting(40, "maximum sentence length")


EXPERIMENTS = (
    Experiment("max-margin/table1", "Losses of max-margin parsing", Table1Settings, table1),
    Experiment(
        "max-margin/table1-long",
        "Losses of max-margin parsing, up to 40 words",
        Table1LongSettings,
        table1,
    ),
)
