"""Contributions of pruning, loss and the joint supertagger to accuracy.

Charts are pruned by a coarse model whose score includes the supertags' log probabilities, so even a
parser without a supertagger model benefits from them. The papers prune by the supertagger's beams
alone. Here both kinds of charts are used in training and parsing, for each loss and each kind of
inference.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from treewright.config import setting
from treewright.experiments.ccg_figures import FIGURES, percentages
from treewright.experiments.experiment import Cell, Context, Experiment, Result, Table
from treewright.experiments.integrated.systems import PIPELINE, SYSTEMS
from treewright.experiments.softmax_margin.systems import LossBench, LossSettings
from treewright.inference.settings import InferenceSettings, decode
from treewright.metrics.ccgdeps import Analysis
from treewright.models.ccg.dev import CcgDev, Parsed
from treewright.models.ccg.extraction import dependency_events
from treewright.models.ccg.parser import CcgParser, Problem
from treewright.models.ccg.search import Beam

INFERENCE = (PIPELINE, "BP k=1", "DD k=25")
System = tuple[str, str]  # loss and inference


@dataclass(frozen=True)
class AttributionSettings(LossSettings):
    """Losses to train for, and sentences to train on and to parse."""

    losses: tuple[str, ...] = setting(("CLL", "DecF1", "F1"), "training objectives of the parsers")
    schedule: str = setting("reverse", "beam schedule")
    max_words: int = setting(20, "maximum length of dev sentences")


def attribution(context: Context) -> Iterator[Result]:
    """Scores by pruner, loss and inference, and the beams that the charts have."""
    settings: AttributionSettings = context.settings
    every = CcgDev(settings.dev, settings.dev_sentences).derivations
    dev = CcgDev([each for each in every if len(each.leaves) <= settings.max_words])
    rows: list[Sequence[Cell]] = []
    of_beams: list[Sequence[Cell]] = []
    for pruner in ("off", "on"):
        bench = LossBench(_pruned(context, pruner == "on"), f"pruner-{pruner}")
        parsers = {loss: bench.parser(loss, settings.objective(loss)) for loss in settings.losses}
        parsed, beams = _parsed(context, dev, parsers, settings.schedule)
        rows += [[pruner, *row] for row in _rows(dev, parsed)]
        shares = ((beam, 100 * beams[beam] / len(dev.derivations)) for beam in sorted(beams))
        of_beams += [[pruner, beam.beta, beam.cutoff, share] for beam, share in shares]
    names = ("pruner", "trained for", "inference")
    figures = (*FIGURES, "coverage", "p, pipeline", "p, CLL")
    note = (
        f"{len(dev.derivations)} sentences of at most {settings.max_words} words, "
        f"{settings.schedule} schedule, scored where there is a parse."
    )
    yield Table("Pruner, loss and inference", (*names, *figures), rows, note)
    names = ("pruner", "beta", "cutoff")
    yield Table("Beams of the charts", (*names, "sentences, %"), of_beams, digits=3)


def _pruned(context: Context, on: bool) -> Context:
    """The context with the margins of the coarse model, or without pruning."""
    model = context.settings.model
    if not on:
        free = {"margin": math.inf, "cell_margin": math.inf}
        chart, training = replace(model.chart, **free), replace(model.training, **free)
        model = replace(model, chart=chart, training=training)
    return replace(context, settings=replace(context.settings, model=model))


def _parsed(
    context: Context, dev: CcgDev, parsers: Mapping[str, CcgParser], schedule: str
) -> tuple[dict[System, Parsed], Counter[Beam]]:
    """The parses of each system, and the number of charts by beam.

    The parsers only differ in weights, so they share charts, which take most of the time.
    """
    analyses: dict[System, dict[str, Analysis]] = defaultdict(dict)
    beams: Counter[Beam] = Counter()
    any_parser = next(iter(parsers.values()))
    charts = any_parser.with_settings(schedule=schedule, tagger_weight=1.0)
    with context.progress("sentences", len(dev.derivations)) as bar:
        for problem in charts.problems(dev.sentences):
            beams[problem.beam] += 1
            for loss, parser in parsers.items():
                own = problem.rescored(parser.scorer)
                for name, found in _decoded(own, parser.inference.penalty):
                    analyses[loss, name][problem.analysis.sentence.id] = found
            bar.advance()
    size = len(dev.derivations)
    return {system: Parsed(each, size, 0.0, {}) for system, each in analyses.items()}, beams


def _decoded(problem: Problem, penalty: float) -> Iterator[tuple[str, Analysis]]:
    """The parses of each kind of inference."""
    chart = problem.analysis.chart
    assert chart is not None
    events = dependency_events(chart)[0]
    for name in INFERENCE:
        changes = {k: v for k, v in SYSTEMS[name].items() if k != "tagger_weight"}
        how = InferenceSettings(penalty=penalty, **changes)  # type: ignore[arg-type]
        solved = problem.solved(decode(problem.graph, how, events).derivation)
        yield name, Analysis(frozenset(solved.dependencies), solved.supertags)


def _rows(dev: CcgDev, parsed: Mapping[System, Parsed]) -> Iterator[list[Cell]]:
    for (loss, name), each in parsed.items():
        scores = dev.scores(each)
        rest = [100 * (scores.supertags or 0.0), 100 * scores.coverage]
        p: list[Cell] = []
        for other in ((loss, PIPELINE), ("CLL", name)):
            tested = other != (loss, name) and other in parsed
            p.append(dev.p_value(each, parsed[other]) if tested else None)
        yield [loss, name, *percentages(scores), *rest, *p]


EXPERIMENTS = (
    Experiment(
        "integrated/attribution",
        "Pruner, loss and inference",
        AttributionSettings,
        attribution,
    ),
)
