"""Contributions of pruning, loss and the joint supertagger to accuracy.

Charts are pruned by a coarse model whose score includes the supertags' log probabilities, so even a
parser without a supertagger model benefits from them. The papers prune by the supertagger's beams
alone. Here charts with other margins, or none, are compared with the parser's own, in training and
parsing, for each loss and each kind of inference.
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
Trained = tuple[str, int]  # loss and seed


@dataclass(frozen=True)
class AttributionSettings(LossSettings):
    """Losses to train for, and sentences to train on and to parse."""

    losses: tuple[str, ...] = setting(("CLL", "DecF1", "F1"), "training objectives of the parsers")
    margins: tuple[float, ...] = setting(
        (math.inf,), "pruning margins to compare with those of the model; inf: no pruning"
    )
    seeds: tuple[int, ...] = setting((0,), "seeds for the order of training sentences")
    schedule: str = setting("reverse", "beam schedule")
    max_words: int = setting(20, "maximum length of dev sentences; 0: no limit")


def attribution(context: Context) -> Iterator[Result]:
    """Scores by pruner, loss and inference, and the beams that the charts have."""
    settings: AttributionSettings = context.settings
    every = CcgDev(settings.dev, settings.dev_sentences).derivations
    limit = settings.max_words or math.inf
    dev = CcgDev([each for each in every if len(each.leaves) <= limit])
    rows: list[Sequence[Cell]] = []
    of_beams: list[Sequence[Cell]] = []
    for pruner, bench in _benches(context):
        parsers = {
            (loss, seed): bench.parser(f"{loss}-{seed}", settings.objective(loss), seed)
            for loss in settings.losses
            for seed in settings.seeds
        }
        parsed, beams = _parsed(context, dev, parsers, settings.schedule)
        rows += [[pruner, *row] for row in _rows(dev, parsed)]
        shares = ((beam, 100 * beams[beam] / len(dev.derivations)) for beam in sorted(beams))
        of_beams += [[pruner, beam.beta, beam.cutoff, share] for beam, share in shares]
    names = ("pruner", "trained for", "inference")
    figures = (*FIGURES, "coverage", "LF of seeds", "p, pipeline", "p, CLL")
    length = f" of at most {settings.max_words} words" if settings.max_words else ""
    note = (
        f"{len(dev.derivations)} sentences{length}, {settings.schedule} schedule, scored where "
        f"there is a parse. Means over {len(settings.seeds)} seeds; p-values are for the sums of "
        "their counts."
    )
    yield Table("Pruner, loss and inference", (*names, *figures), rows, note)
    names = ("pruner", "beta", "cutoff")
    yield Table("Beams of the charts", (*names, "sentences, %"), of_beams, digits=3)


def _benches(context: Context) -> Iterator[tuple[str, LossBench]]:
    """Forests with each of the margins, and with those of the model."""
    model = context.settings.model
    for margin in context.settings.margins:
        free = {"margin": margin, "cell_margin": math.inf}
        wide = replace(
            model, chart=replace(model.chart, **free), training=replace(model.training, **free)
        )
        settings = replace(context.settings, model=wide)
        name = "off" if math.isinf(margin) else f"margin {margin:g}"
        bench = LossBench(replace(context, settings=settings), f"pruner-{name.replace(' ', '-')}")
        yield name, bench
    yield "on", LossBench(context, "pruner-on")


def _parsed(
    context: Context, dev: CcgDev, parsers: Mapping[Trained, CcgParser], schedule: str
) -> tuple[dict[System, list[Parsed]], Counter[Beam]]:
    """The parses of each system, one per seed, and the number of charts by beam.

    The parsers only differ in weights, so they share charts, which take most of the time.
    """
    analyses: dict[tuple[str, str, int], dict[str, Analysis]] = defaultdict(dict)
    beams: Counter[Beam] = Counter()
    any_parser = next(iter(parsers.values()))
    charts = any_parser.with_settings(schedule=schedule, tagger_weight=1.0)
    with context.progress("sentences", len(dev.derivations)) as bar:
        for problem in charts.problems(dev.sentences):
            beams[problem.beam] += 1
            for (loss, seed), parser in parsers.items():
                own = problem.rescored(parser.scorer)
                for name, found in _decoded(own, parser.inference.penalty):
                    analyses[loss, name, seed][problem.analysis.sentence.id] = found
            bar.advance()
    parsed: dict[System, list[Parsed]] = defaultdict(list)
    for (loss, name, _), each in analyses.items():
        parsed[loss, name].append(Parsed(each, len(dev.derivations), 0.0, {}))
    return parsed, beams


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


def _rows(dev: CcgDev, parsed: Mapping[System, Sequence[Parsed]]) -> Iterator[list[Cell]]:
    for (loss, name), seeds in parsed.items():
        of_seeds = [_figures(dev, each) for each in seeds]
        means = [sum(column) / len(seeds) for column in zip(*of_seeds, strict=True)]
        of_lf = sorted(figures[0] for figures in of_seeds)
        p: list[Cell] = []
        for other in ((loss, PIPELINE), ("CLL", name)):
            tested = other != (loss, name) and other in parsed
            p.append(dev.p_value(seeds, parsed[other]) if tested else None)
        yield [loss, name, *means, f"{of_lf[0]:.2f} to {of_lf[-1]:.2f}", *p]


def _figures(dev: CcgDev, parsed: Parsed) -> list[float]:
    """FIGURES and coverage."""
    scores = dev.scores(parsed)
    return [*percentages(scores), 100 * (scores.supertags or 0.0), 100 * scores.coverage]


EXPERIMENTS = (
    Experiment(
        "integrated/attribution",
        "Pruner, loss and inference",
        AttributionSettings,
        attribution,
    ),
)
