"""Model score against F by beam (Auli and Lopez 2011a, figures 1 and 5)."""

from collections.abc import Iterator, Sequence
from typing import Any

from treewright.experiments.experiment import Cell, Context, Experiment, Plot, Result, Table
from treewright.experiments.integrated.systems import PIPELINE, IntegratedSettings, parser_in
from treewright.inference import bp, dual, exact
from treewright.inference.exact import Derivation
from treewright.metrics.ccgdeps import Analysis, labelled_counts
from treewright.models.ccg.dev import CcgDev
from treewright.models.ccg.extraction import dependency_events
from treewright.models.ccg.oracle import ccg_oracle, oracle_charts
from treewright.models.ccg.parser import CcgParser, Problem
from treewright.models.ccg.search import PAPER, Schedule

SYSTEMS = (PIPELINE, "BP k=1", "DD k=25")
ORACLE = "best parses"  # the right half of figure 1
# For each sentence and system, the model score of its parse, and the parse.
Scored = dict[str, list[tuple[float, Analysis]]]
Points = list[tuple[float, float]]  # mean score and labelled F by beam


def figure5(context: Context) -> Iterator[Result]:
    """The parser's score of its best parse, the joint scores of BP's and DD's, F, and oracle F."""
    settings = context.settings
    parser, dev = parser_in(settings.model), CcgDev(settings.dev, settings.sentences)
    points: list[Scored] = []
    for beam in PAPER:
        schedule = f"{beam.beta}:{beam.cutoff}"
        alone = parser.with_settings(schedule=schedule, tagger_weight=1.0)
        points.append(_scored(dev, alone))
    names = [name for name in dev.gold if all(name in each for each in points)]
    curves = {s: [_point(dev, each, names, i) for each in points] for i, s in enumerate(SYSTEMS)}
    curves[ORACLE] = _with_oracle(parser, dev, set(names), curves[PIPELINE])
    columns = [f"{s}, {what}" for s in SYSTEMS for what in ("score", "LF")]
    rows: list[Sequence[Cell]] = [
        [f"{beam.beta:g}", *(v for s in SYSTEMS for v in curves[s][i]), curves[ORACLE][i][1]]
        for i, beam in enumerate(PAPER)
    ]
    note = (
        f"The {len(names)} of {len(dev.gold)} sentences that every beam parses. Scores are means: "
        "the parser's own for the pipeline, the joint model's for BP and DD."
    )
    title = "Model score and labelled F by beam"
    yield Table(title, ("beta", *columns, "best LF"), rows, note)
    yield Plot("figure5", title, lambda f: _draw(f, curves), 15.0)


def _with_oracle(parser: CcgParser, dev: CcgDev, names: set[str], alone: Points) -> Points:
    """The scores of the parser's own parses, and labelled F of the best in the same charts."""
    some = [each for each in dev.derivations if each.id in names]
    schedules = [Schedule((beam,)) for beam in PAPER]
    rows = ccg_oracle(parser, some, schedules, oracle_charts(parser))
    best = [100 * row.best.score().f for row in rows]
    return [(score, f) for (score, _), f in zip(alone, best, strict=True)]


def _scored(dev: CcgDev, parser: CcgParser) -> Scored:
    penalty = parser.inference.penalty
    return {
        problem.analysis.sentence.id: [
            (score, Analysis(frozenset(problem.solved(best).dependencies)))
            for score, best in _parses(problem, penalty)
        ]
        for problem in parser.problems(dev.sentences)
    }


def _parses(problem: Problem, penalty: float) -> list[tuple[float, Derivation]]:
    """The parses of the three systems in one chart, with their model scores."""
    graph, chart, scores = problem.graph, problem.analysis.chart, problem.analysis.scores
    assert chart is not None
    assert scores is not None
    alone = exact.viterbi(chart.forest, scores)
    by_bp = bp.run(graph, 1).state.decode(dependency_events(chart)[0], penalty)
    joint = dual.completed(graph, by_bp.edges)
    assert joint is not None
    by_dd = dual.solve(graph, 25).solution
    best = Derivation(by_dd.score, by_dd.edges[graph.primary])
    return [(alone.score, alone), (joint.score, by_bp), (by_dd.score, best)]


def _point(dev: CcgDev, point: Scored, names: Sequence[str], system: int) -> tuple[float, float]:
    """The mean score, and labelled F."""
    rows = [point[name][system] for name in names]
    counts = labelled_counts((a for _, a in rows), (dev.gold[name] for name in names))
    return sum(score for score, _ in rows) / max(len(rows), 1), 100 * counts.score().f


def _draw(figure: Any, curves: dict[str, Points]) -> None:
    for i, (name, points) in enumerate(curves.items()):
        left = figure.add_subplot(1, len(curves), i + 1, title=name, xlabel="beam")
        place = range(len(points))
        left.plot(place, [score for score, _ in points], "o-", color="tab:blue")
        left.set_xticks(place, [f"{beam.beta:g}" for beam in PAPER])
        right = left.twinx()
        right.plot(place, [f for _, f in points], "s--", color="tab:red")
        left.set_ylabel("model score", color="tab:blue")
        right.set_ylabel("labelled F", color="tab:red")


EXPERIMENTS = (
    Experiment("integrated/figure5", "Model score and F1 by beam", IntegratedSettings, figure5),
)
