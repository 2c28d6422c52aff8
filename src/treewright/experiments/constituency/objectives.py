"""Models with rich features, trained for each objective on the same charts.

The loss weight and the prior of each objective are chosen on held-out training sentences; losses
are F1 on the original trees. The perceptron has no prior: with one, its minimum is at 0.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from treewright.arrays import Floats
from treewright.config import setting
from treewright.experiments.constituency.bench import BracketSettings, ConstBench
from treewright.experiments.experiment import Cell, Context, Experiment, Result, Table
from treewright.losses.settings import ObjectiveSettings
from treewright.metrics.brackets import COLLINS
from treewright.metrics.counts import Counts, sentence_scores
from treewright.metrics.significance import compare
from treewright.models.constituency.settings import ConstSettings
from treewright.train.settings import OptimiserSettings

# Objectives, and whether they have a loss with a weight.
OBJECTIVES = (
    ("likelihood", False),
    ("softmax-margin", True),
    ("risk", False),
    ("hinge", True),
    ("perceptron", False),
)


@dataclass(frozen=True)
class ObjectiveComparisonSettings(BracketSettings):
    """Training and test data."""

    sentences: int = setting(2500)
    held_out: int = setting(300, "number of these for choosing tau and the prior")
    tau: tuple[float, ...] = setting((1.0, 3.0, 10.0), "candidate values of tau")
    prior: tuple[float, ...] = setting(
        (0.5, 1.0, 3.0), "candidate standard deviations of the prior"
    )
    passes: int = setting(8, "number of AdaGrad epochs")
    shared_bits: int = setting(20, "hash features that are not in gold trees into 2^bits weights")
    samples: int = setting(10_000, "number of samples for resampling tests")


def objectives(context: Context) -> Iterator[Result]:
    """EVALB's figures (COLLINS.prm) of one model for each objective."""
    s: ObjectiveComparisonSettings = context.settings
    config = ConstSettings(
        tagger=False,
        train=s.train,
        max_words=s.max_words,
        sentences=s.sentences,
        folds=2,
        shared_bits=s.shared_bits,
    )
    bench = ConstBench(config, context.run("objectives"), s.held_out, s.test)
    by_name: dict[str, Counts] = {}
    rows: list[Sequence[Cell]] = []
    for name, has_tau in OBJECTIVES:
        priors = (math.inf,) if name == "perceptron" else s.prior
        weights, tau, prior = _best(bench, s, name, s.tau if has_tau else (1.0,), priors)
        counts = by_name[name] = bench.score(weights, bench.test, COLLINS)
        total = counts.score()
        exact = float(sentence_scores(counts, "exact").mean())
        tests = compare(counts, by_name["likelihood"], samples=s.samples)
        figures = [100 * each for each in (total.p, total.r, total.f, exact, tests[0].difference)]
        chosen = f"{tau:g}" if has_tau else "", f"{prior:g}"
        ps = [None if name == "likelihood" else test.p_value for test in tests]
        rows.append((name, *figures, *ps, *chosen))
    names = ("p, bootstrap", "p, randomisation", "p, Wilcoxon")
    columns = ("objective", "P", "R", "F1", "exact", "gain", *names, "tau", "prior")
    note = (
        f"{len(bench.train)} training, {len(bench.held_out)} held-out and {len(bench.test)} test "
        f"sentences of at most {s.max_words} words, gold tags, Viterbi; gain over likelihood."
    )
    yield Table("Objectives with the same features", columns, rows, note)


def _best(
    bench: ConstBench,
    s: ObjectiveComparisonSettings,
    name: str,
    taus: Sequence[float],
    priors: Sequence[float],
) -> tuple[Floats, float, float]:
    """The weights of an objective, with the best settings on the held-out sentences."""
    tried: list[tuple[float, Floats, float, float]] = []
    for tau, prior in product(taus, priors):
        weights = _weights(bench, s, name, tau, prior)
        f = bench.score_held_out(weights, COLLINS).score().f
        bench.run.record(name=name, tau=tau, prior=prior, held_out=f)
        tried.append((f, weights, tau, prior))
    return max(tried, key=lambda each: each[0])[1:]


def _weights(
    bench: ConstBench, s: ObjectiveComparisonSettings, name: str, tau: float, prior: float
) -> Floats:
    objective = ObjectiveSettings(name, "f1", tau)  # type: ignore[arg-type]
    batch = objective.over(bench.examples(), len(bench.features), bench.run.threads)
    optimiser = OptimiserSettings("adagrad", prior, s.passes, rate=0.15, batch=32)
    return bench.run.optimise(f"{name}-{tau:g}-{prior:g}", batch, optimiser)


EXPERIMENTS = (
    Experiment(
        "max-margin/objectives",
        "Objectives with rich features",
        ObjectiveComparisonSettings,
        objectives,
    ),
)
