"""Table 1 of the max-margin paper, its Wilcoxon test, and figure 2 (its section 3).

A weighted grammar is trained as a structured SVM with slack rescaling, once per loss: 0/1, false
positives and F1 on the binarised trees, F1 on the original ones. C is chosen on held-out training
sentences; training for each C starts from the dual solution of the previous C. All scores are of
the original trees; P, R and F1 are means over sentences.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.config import setting
from treewright.experiments.constituency.bench import BracketSettings, ConstBench, weighted_grammar
from treewright.experiments.experiment import Beside, Cell, Context, Experiment, Plot, Result, Table
from treewright.losses.settings import ObjectiveSettings
from treewright.metrics.counts import Counts, sentence_scores
from treewright.metrics.significance import wilcoxon
from treewright.scores.constituency.spans import SpanSettings
from treewright.train.cutting_planes import Hinges, SvmSettings
from treewright.train.frank_wolfe import FrankWolfe

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
    c: tuple[float, ...] = setting(
        (1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0), "candidate values of C, in ascending order"
    )
    passes: int = setting(30, "maximum number of Frank-Wolfe epochs per C")
    gap: float = setting(0.01, "stop when the duality gap is below this fraction of the objective")
    horizontal: int = setting(1, "horizontal markovisation")
    vertical: int = setting(2, "vertical markovisation: 2 adds parent annotation")
    threshold: float = setting(1e-3, "pruning threshold on the span model's posteriors")


def table1(context: Context) -> Iterator[Result]:
    """Trains for each loss and compares."""
    settings: Table1Settings = context.settings
    bench = _Bench(context)
    data, grammar = bench.data, bench.data.trainer.grammar
    spans, parses = data.span_trees(data.test), data.pcfg_trees(data.test)
    either = [parse or other for parse, other in zip(parses, spans, strict=True)]
    by_name: dict[str, Counts] = {
        "span model alone": data.score_trees(spans, data.test),
        "PCFG": data.score_trees(parses, data.test),
        "PCFG, else span model": data.score_trees(either, data.test),
        "PCFG, pruned": data.score(grammar.rules.log_probabilities(), data.test),
    }
    rows: list[Sequence[Cell]] = [(name, *_means(each)) for name, each in by_name.items()]
    rows = [(*row, None, None, None, None) for row in rows]
    for name, loss, binarised, paper in ROWS:
        chosen = bench.choose(name, loss, binarised)
        counts = by_name[name] = data.score(chosen.weights, data.test)
        *means, corpus = _means(counts)
        besides = [Beside(ours, theirs) for ours, theirs in zip(means, paper, strict=True)]
        gap = f"{100 * chosen.gap:.1f} %"
        rows.append((name, *besides, corpus, f"{chosen.c:g}", gap, chosen.passes, chosen.seconds))
    yield (
        f"{len(data.train)} training, {len(data.held_out)} held-out and {len(data.test)} test "
        f"sentences of at most {settings.max_words} words; {grammar.rules.size} rules (right "
        f"binarisation, h={settings.horizontal}, v={settings.vertical}); "
        f"{bench.edges() / len(data.train):.0f} edges per training chart. "
        f"{parses.count(None)} test sentences have no derivation: all rows but PCFG have the span "
        "model's trees for them."
    )
    columns = (
        *("trained for", "P", "R", "F1", "0/1", "F1 of the corpus"),
        *("C", "gap", "epochs", "CPU s"),
    )
    note = (
        "The paper's figures are of WSJ section 23. The gap is that of the scored weights, "
        "exact, as a fraction of the objective; epochs and CPU time are those of all C."
    )
    yield Table("Slack rescaling, by loss", columns, rows, note)
    yield bench.held_out()
    yield from _compare(by_name["F1"], by_name["F1 (bin.)"])


def _means(counts: Counts) -> list[float]:
    """P, R, F1 and 0/1 accuracy as means over sentences, and F1 of the corpus."""
    metrics = ("precision", "recall", "f1", "exact")
    means = [100 * float(sentence_scores(counts, metric).mean()) for metric in metrics]
    return [*means, 100 * counts.score().f]


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
    """The charts, and a function from a loss to weights.

    tried: the solutions for each C, by name of the loss.
    """

    def __init__(self, context: Context) -> None:
        s: Table1Settings = context.settings
        self.settings, self.run = s, context.run("table1")
        pruning = SpanSettings(bits=16, threshold=s.threshold)
        config = weighted_grammar(s, pruning, s.horizontal, s.vertical)
        self.data = ConstBench(config, self.run, s.held_out, s.test)
        self.tried: dict[str, list[_Chosen]] = {}

    def choose(self, name: str, loss: str, binarised: bool) -> "_Chosen":
        """Weights with the C that is best on the held-out sentences."""
        tried = self.tried[name] = self._path(name, loss, binarised)
        best = max(tried, key=lambda each: each.held_out)
        passes, seconds = sum(each.passes for each in tried), sum(each.seconds for each in tried)
        return replace(best, passes=passes, seconds=seconds)

    def edges(self) -> int:
        """The number of edges of all training charts."""
        return sum(each.forest.edges for each in self.data.examples(False))

    def held_out(self) -> Table:
        """Mean F1 of the sentences held out, by loss and C."""
        columns = ("held-out F1", *(f"C = {c:g}" for c in self.settings.c))
        rows = [
            (name, *(f"{100 * each.held_out:.2f} (gap {100 * each.gap:.1f} %)" for each in tried))
            for name, tried in self.tried.items()
        ]
        return Table("Choice of C", columns, rows)

    def _path(self, name: str, loss: str, binarised: bool) -> list["_Chosen"]:
        """The solutions for each C."""
        stored = name.replace("/", "")
        if (checkpoint := self.run.load_checkpoint(stored)) is not None:
            arrays, values = checkpoint
            return [_Chosen(arrays[c], *values[c]) for c in map(str, self.settings.c)]
        hinges = Hinges(
            ObjectiveSettings("hinge-slack", loss).make(), self.data.examples(binarised)
        )
        how = SvmSettings("frank-wolfe", self.settings.c[0], 1e-9, self.settings.passes, False)
        learner = FrankWolfe(hinges, len(self.data.features), how, self.run.seed)
        tried = [self._solved(learner, name, c) for c in self.settings.c]
        arrays = {str(each.c): each.weights for each in tried}
        values = {str(each.c): list(each.figures) for each in tried}
        self.run.save_checkpoint(stored, arrays, values)
        return tried

    def _solved(self, learner: FrankWolfe, name: str, c: float) -> "_Chosen":
        """The solution for one C, and what it scores on the held-out sentences."""
        before = learner.seconds
        learner.continue_with(c)
        while not learner.done:
            step = learner.advance()
            assert step.value is not None
            if step.figures["gap"] <= self.settings.gap * step.value:
                break
        seconds, weights = learner.seconds - before, learner.model()["weights"]
        objective, gap = learner.certified_gap()
        f = float(sentence_scores(self.data.score_held_out(weights), "f1").mean())
        found = _Chosen(weights, f, c, gap / objective, learner.passes, seconds)
        self.run.record(loss=name, held_out=f, c=c, gap=gap / objective, passes=learner.passes)
        return found


@dataclass(frozen=True, eq=False)
class _Chosen:
    """F1 of the sentences held out, and the exact duality gap as a fraction of the objective."""

    weights: Floats
    held_out: float
    c: float
    gap: float
    passes: int
    seconds: float

    @property
    def figures(self) -> tuple[float, ...]:
        """All but the weights."""
        return self.held_out, self.c, self.gap, self.passes, self.seconds


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
