"""F1 of whole minibatches against F1 of sentences (softmax-margin paper, appendix A)."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from treewright.config import setting
from treewright.experiments.ccg_figures import percentages
from treewright.experiments.experiment import Context, Experiment, Result, Table
from treewright.experiments.softmax_margin.systems import LossBench, LossSettings
from treewright.losses.settings import ObjectiveSettings
from treewright.models.ccg.dev import Parsed
from treewright.train.settings import OptimiserSettings


@dataclass(frozen=True)
class CorpusSettings(LossSettings):
    """Settings with the sizes of minibatches."""

    tau: float = setting(1.0, "weight of F1 for one sentence")
    batches: tuple[int, ...] = setting((1, 4, 16, 64, 256), "number of sentences per corpus")
    passes: int = setting(5, "number of AdaGrad epochs")
    rate: float = setting(0.2, "learning rate")


def corpus(context: Context) -> Iterator[Result]:
    """Accuracy and cost of both losses by the size of the minibatch, and of likelihood."""
    bench = LossBench(context)
    settings: CorpusSettings = context.settings
    tau = settings.tau
    rows: list[tuple[Any, ...]] = []
    first: Parsed | None = None
    for batch in settings.batches:
        for level, objective in (
            ("likelihood", ObjectiveSettings("likelihood")),
            ("F1 of sentences", ObjectiveSettings("softmax-margin", "f1", tau)),
            (
                "F1 of minibatches",
                ObjectiveSettings("softmax-margin", "f1", tau, level="corpus"),
            ),
        ):
            weights, seconds = _trained(bench, f"{level}-{batch}", objective, batch)
            first = first or weights
            figures = list(percentages(bench.dev.scores(weights)))[:3]
            p = None if weights is first else bench.dev.p_value(weights, first)
            rows.append((batch, level, *figures, p, seconds / settings.passes))
    columns = ("sentences", "trained for", "LF", "LP", "LR", "p against the first", "s per pass")
    yield Table("F1 of minibatches and of sentences, Viterbi", columns, rows)


def _trained(
    bench: LossBench, name: str, objective: ObjectiveSettings, batch: int
) -> tuple[Parsed, float]:
    settings: CorpusSettings = bench.settings
    _ = bench.prepared  # not what is timed
    how = OptimiserSettings(
        "adagrad", iterations=settings.passes, rate=settings.rate, batch=batch, averaging=True
    )
    bench.model = replace(bench.model, optimiser=how)
    began = time.process_time()
    parser = bench.parser(name, objective)
    seconds = time.process_time() - began
    return bench.dev.parse(parser.with_settings(algorithm="viterbi")), seconds


EXPERIMENTS = (
    Experiment("softmax-margin/corpus", "F1 of minibatches", CorpusSettings, corpus, ray=True),
)
