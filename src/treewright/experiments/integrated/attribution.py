"""What the pruner, the loss and the supertagger in the model are each worth.

Charts are pruned by a coarse model whose score contains the supertags' log probabilities, so that a
parser without them still profits from them. The papers prune by the supertagger's beams alone. Here
both kinds of charts are trained on and parsed with, for each loss and each kind of inference.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from treewright.config import setting
from treewright.experiments.experiment import Cell, Context, Experiment, Result, Table
from treewright.experiments.integrated.systems import PIPELINE, SYSTEMS
from treewright.experiments.softmax_margin.systems import LossBench, LossSettings
from treewright.models.ccg.dev import CcgDev

INFERENCE = (PIPELINE, "BP k=1", "DD k=25")


@dataclass(frozen=True)
class AttributionSettings(LossSettings):
    """Which losses to train for, and which sentences to parse."""

    losses: tuple[str, ...] = setting(("CLL", "DecF1", "F1"), "training objectives of the parsers")
    schedule: str = setting("reverse", "beam schedule")
    max_words: int = setting(20, "maximum sentence length")


def attribution(context: Context) -> Iterator[Result]:
    """Labelled F by pruner, loss and inference."""
    settings: AttributionSettings = context.settings
    every = CcgDev(settings.dev, settings.dev_sentences).derivations
    dev = CcgDev([each for each in every if len(each.leaves) <= settings.max_words])
    rows: list[Sequence[Cell]] = []
    for pruner in ("off", "on"):
        bench = LossBench(_pruned(context, pruner == "on"), f"pruner-{pruner}")
        for loss in settings.losses:
            parser = bench.parser(loss, settings.objective(loss))
            parser = parser.with_settings(schedule=settings.schedule)
            first = None
            for name in INFERENCE:
                parsed = dev.parse(parser.with_settings(**SYSTEMS[name]))
                first = first or parsed
                scores = dev.scores(parsed)
                figures = [scores.labelled_all.f, scores.unlabelled_all.f, scores.supertags or 0.0]
                p = None if parsed is first else dev.p_value(parsed, first)
                covered = 100 * len(parsed.found) / parsed.sentences
                rows.append([pruner, loss, name, *(100 * f for f in figures), covered, p])
    columns = ("pruner", "trained for", "inference", "LF", "UF", "ST", "coverage", "p, pipeline")
    note = (
        f"{len(dev.derivations)} sentences of at most {settings.max_words} words, "
        f"{settings.schedule} schedule; LF and UF over all of them."
    )
    yield Table("Pruner, loss and inference", columns, rows, note)


def _pruned(context: Context, on: bool) -> Context:
    """The context with the margins of the coarse model, or without any."""
    model = context.settings.model
    if not on:
        free = {"margin": math.inf, "cell_margin": math.inf}
        chart, training = replace(model.chart, **free), replace(model.training, **free)
        model = replace(model, chart=chart, training=training)
    return replace(context, settings=replace(context.settings, model=model))


EXPERIMENTS = (
    Experiment(
        "integrated/attribution",
        "Pruner, loss and inference",
        AttributionSettings,
        attribution,
    ),
)
