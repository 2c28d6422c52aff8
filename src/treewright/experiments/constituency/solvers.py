"""Constituency parsing: the solvers of structured SVMs, on the same charts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from treewright.config import setting
from treewright.experiments.constituency.bench import BracketSettings, ConstBench, weighted_grammar
from treewright.experiments.experiment import Cell, Context, Experiment, Result, Table
from treewright.losses.settings import ObjectiveSettings
from treewright.scores.constituency.spans import SpanSettings
from treewright.train.cutting_planes import SvmSettings
from treewright.train.frank_wolfe import FrankWolfe
from treewright.train.loop import finish
from treewright.train.svm import svm_learner

Method = Literal["one-slack", "n-slack", "frank-wolfe"]


@dataclass(frozen=True)
class SolverSettings(BracketSettings):
    """What to solve, and when to stop."""

    max_words: int = setting(20)
    sentences: int = setting(200)
    rounds: int = setting(30, "maximum number of rounds or epochs")
    c: float = setting(100.0, "C of the structured SVMs")
    losses: tuple[str, ...] = setting(("f1", "false-positives"), "losses")
    methods: tuple[Method, ...] = setting(get_args(Method), "solvers")


def solvers(context: Context) -> Iterator[Result]:
    """Weighted grammars by slack rescaling."""
    s: SolverSettings = context.settings
    config = weighted_grammar(s, SpanSettings(bits=16))
    bench = ConstBench(config, context.run("solvers"), 0, s.test)
    rows = [_solved(bench, loss, method, s) for loss in s.losses for method in s.methods]
    columns = (
        "loss",
        "method",
        "rounds",
        "objective",
        "gap",
        "s per round",
        "s in all",
        "QP's share",
    )
    note = (
        f"{len(bench.train)} sentences of at most {s.max_words} words, C = {s.c:g}, slack "
        "rescaling; CPU time. The gap is the objective less its lower bound, as a fraction of it; "
        f"a method stops at a violation of 0.001 or after {s.rounds} rounds."
    )
    yield Table("Structured SVMs", columns, rows, note, digits=3)


def _solved(bench: ConstBench, loss: str, method: Method, s: SolverSettings) -> Sequence[Cell]:
    objective = ObjectiveSettings("hinge-slack", loss)
    how = SvmSettings(method, s.c, 1e-3, s.rounds, averaging=False)
    learner = svm_learner(objective, how, bench.examples(), len(bench.features), bench.run)
    last = finish(learner)[-1]
    value, figures = float(last.value or 0), last.figures
    if isinstance(learner, FrankWolfe):
        value, gap = learner.certified_gap()
    else:
        gap = value - figures["dual"]
    seconds = figures["cpu_seconds"]
    share = figures.get("qp_seconds", 0.0) / seconds
    each = seconds / last.iteration
    return loss, method, last.iteration, value, gap / value, each, seconds, share


EXPERIMENTS = (
    Experiment("max-margin/solvers", "Solvers of structured SVMs", SolverSettings, solvers),
)
