"""Measures the core and writes docs/results/core.md: `make bench`.

Every ratio is of times measured in turns in one run (benchmarks/measure.py), on one thread unless a
row says otherwise. Absolute times are of the machine that the report names.
"""

import argparse
import platform
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import peers, tau
from benchmarks.forests import FEATURES, SYMBOLS, TEMPLATES, example
from benchmarks.measure import growth, peak_mb, race
from benchmarks.table import markdown
from treewright import _core
from treewright.errors import ForestError
from treewright.forests import Example
from treewright.inference import exact, oracle
from treewright.inference.corpus import corpus_expectation
from treewright.inference.count_range import count_range_of
from treewright.losses import BatchObjective, Likelihood, SoftmaxMargin, loss_named
from treewright.losses.objective import Objective

LENGTHS = (10, 15, 20, 30, 40, 60, 80)
REPORT = Path(__file__).parents[1] / "docs" / "results" / "core.md"
EDGES_A_BATCH = 100_000
# The exact methods are run while one pass is predicted to take less than this.
SLOWEST = 4.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--report", type=Path, default=REPORT)
    parser.add_argument("--tau", nargs="*", default=[], help="NAME=report.json of training/tau")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    weights = rng.normal(scale=0.3, size=FEATURES)
    examples = {n: example(n) for n in arguments.lengths}
    sections = [
        introduction(),
        sweeps(examples, weights),
        passes(examples, weights),
        *([tau.section(arguments.tau)] if arguments.tau else []),
        methods(examples, weights),
        decoding(examples, weights),
        threads(examples, weights),
        corpus(weights),
        peers.section(),
        f"Peak RSS of the whole run: {peak_mb():,.0f} MB.\n",
    ]
    arguments.report.parent.mkdir(parents=True, exist_ok=True)
    arguments.report.write_text("\n".join(sections), encoding="utf-8")
    print(f"wrote {arguments.report}")


def progress(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def introduction() -> str:
    return f"""# Core results

This page reports the speed of the C++ core. `make bench` (`benchmarks/core.py`) generates it.
Forests are synthetic and CCG-like (`benchmarks/forests.py`): {SYMBOLS} symbols per span, every
split point, two edges per part on average, {TEMPLATES} of {FEATURES:,} features per part. Ratios
are from times measured alternately in one run, best of up to seven rounds, with one thread.
Absolute times are for this machine:
{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}, core compiled by
{_core.compiler()}, running {_core.simd_level()} code.
"""


def sweeps(examples: dict[int, Example], weights: np.ndarray) -> str:
    rows = []
    for words, item in examples.items():
        progress(f"sweeps, {words} words")
        forest = item.forest
        scores = item.features.scores(weights)
        times = race(
            {
                "inside": partial(_core.log_inside, forest.core, scores),
                "marginals": partial(_core.marginals, forest.core, scores),
                "viterbi": partial(_core.viterbi, forest.core, scores),
            }
        )
        structure = sum(a.nbytes for a in (forest.first_edge, forest.left, forest.right))
        structure += forest.part.nbytes
        rows.append(
            (
                str(words),
                forest.nodes,
                forest.edges,
                forest.parts,
                f"{forest.edges / times['marginals'] / 1e6:.0f}",
                f"{times['inside'] / forest.edges * 1e9:.1f}",
                f"{times['marginals'] / forest.edges * 1e9:.1f}",
                f"{times['viterbi'] / forest.edges * 1e9:.1f}",
                f"{structure / forest.edges:.1f}",
                f"{forest.counts.nbytes / forest.edges:.1f}" if forest.counts is not None else "",
            )
        )
    header = (
        "words,nodes,edges,parts,inside+outside+marginals M edges/s,inside ns/edge,"
        "inside+outside+marginals ns/edge,Viterbi ns/edge,structure B/edge,counts B/edge"
    )
    return "## Sweeps\n\n" + markdown(header.split(","), rows)


def batch(objective: Objective, item: Example, threads: int = 1) -> BatchObjective:
    copies = max(1, EDGES_A_BATCH // item.forest.edges)
    return BatchObjective(objective, [item] * copies, FEATURES, threads)


def run(objective: BatchObjective, weights: np.ndarray) -> Callable[[], object]:
    return lambda: objective.value_and_gradient(weights)


def softmax_margin(
    loss: str, method: str = "auto", tolerance: float = 1e-4, tau: float = 1.0
) -> SoftmaxMargin:
    return SoftmaxMargin(loss_named(loss), tau, method, tolerance)  # type: ignore[arg-type]


CONTENDERS: dict[str, Callable[[], Objective]] = {
    "likelihood": Likelihood,
    "dec-f1": lambda: softmax_margin("dec-f1"),
    "recall": lambda: softmax_margin("recall"),
    "precision, 1e-4": lambda: softmax_margin("precision", "expsum"),
    "F1, 1e-4": lambda: softmax_margin("f1", "expsum"),
    "F1, 1e-4, tau 5": lambda: softmax_margin("f1", "expsum", tau=5.0),
    "F1, 1e-9": lambda: softmax_margin("f1", "expsum", 1e-9),
}


def passes(examples: dict[int, Example], weights: np.ndarray) -> str:
    """Value and gradient over the features, relative to likelihood."""
    rows, series = [], {name: [] for name in CONTENDERS}
    for words, item in examples.items():
        progress(f"passes, {words} words")
        batches = {}
        for name, make in CONTENDERS.items():
            try:
                batches[name] = batch(make(), item)
            except ForestError:
                continue
        times = race({name: run(b, weights) for name, b in batches.items()})
        base = times["likelihood"]
        edges = item.forest.edges * len(batches["likelihood"])
        for name, seconds in times.items():
            series[name].append((words, seconds / len(batches["likelihood"])))
        ratios = [f"{times[n] / base:.2f}" if n in times else "-" for n in CONTENDERS]
        bounds = count_range_of(item.forest)
        rows.append(
            (str(words), f"{bounds.d_low}-{bounds.d_high}", f"{base / edges * 1e9:.0f}", *ratios)
        )
    exponents = [
        f"{growth(*map(list, zip(*points, strict=True))):.2f}" if len(points) > 2 else "-"
        for points in series.values()
    ]
    rows.append(("growth exponent", "", "", *exponents))
    header = ["words", "range of d", "likelihood ns/edge", *CONTENDERS]
    return (
        "## A pass over the forests\n\n"
        "Time for scores, value and gradient with respect to features, relative to likelihood in\n"
        "the same run. Tolerances are certified bounds on the relative error of the tilted\n"
        "marginals. The last row fits time ~ words^x. [Training](training.md) has results for tau\n"
        "up to 30, on the forests of a CCG training run with trained and with zero weights.\n\n"
        + markdown(header, rows)
    )


def methods(examples: dict[int, Example], weights: np.ndarray) -> str:
    """The four methods for F1, relative to likelihood, while they are practical."""
    names = {"expsum 1e-4": ("expsum", 1e-4), "expsum 1e-9": ("expsum", 1e-9)}
    names |= {m: (m, 1e-9) for m in ("split", "sliced", "fourier")}
    rows, series = [], {name: [] for name in names}
    slowest = dict.fromkeys(names, 0.0)
    for words, item in examples.items():
        progress(f"methods, {words} words")
        contenders = {"likelihood": run(batch(Likelihood(), item), weights)}
        copies = dict.fromkeys(("likelihood", *names), max(1, EDGES_A_BATCH // item.forest.edges))
        terms = []
        for name, (method, tolerance) in names.items():
            objective = softmax_margin("f1", method, tolerance)
            try:
                plan = objective.plan(item.forest)
            except ForestError:
                terms.append("-")
                continue
            terms.append(f"{plan.terms:,}")
            if slowest[name] < SLOWEST / 10:
                copies[name] = _affordable(objective, item, weights, copies[name])
                many = BatchObjective(objective, [item] * copies[name], FEATURES, 1)
                contenders[name] = run(many, weights)
        times = {name: t / copies[name] for name, t in race(contenders).items()}
        for name in names:
            slowest[name] = times.get(name, np.inf)
            if name in times:
                series[name].append((words, times[name]))
        cells = [f"{times[n] / times['likelihood']:.2f}" if n in times else "-" for n in names]
        rows.append((str(words), *cells, *terms))
    exponents = [
        f"{growth(*map(list, zip(*points, strict=True))):.2f}" if len(points) > 2 else "-"
        for points in series.values()
    ]
    rows.append(("growth exponent", *exponents, *[""] * len(names)))
    header = ["words", *names, *(f"terms: {name}" for name in names)]
    return (
        "## Methods for exact F1\n\n"
        "Time for value and gradient of softmax-margin with F1 (tau 1) with each method, relative\n"
        "to likelihood on the same forest. A dash means not run, because the previous length took\n"
        "too long or the tolerance cannot be reached.\n\n" + markdown(header, rows)
    )


def _affordable(
    objective: Objective, item: Example, weights: np.ndarray, most: int, seconds: float = 0.3
) -> int:
    """How many copies of an item a batch may hold, so that a slow method takes about so long."""
    one = race({"": run(BatchObjective(objective, [item], FEATURES, 1), weights)}, rounds=1)[""]
    return max(1, min(most, int(seconds / one)))


def decoding(examples: dict[int, Example], weights: np.ndarray) -> str:
    rows = []
    for words, item in examples.items():
        progress(f"decoding, {words} words")
        forest, scores = item.forest, item.features.scores(weights)
        contenders = {
            f"{k}-best": partial(exact.kbest, forest, scores, k) for k in (1, 10, 100, 1000)
        }
        contenders |= {
            "100 samples": partial(exact.sample, forest, scores, 100),
            "best F1": partial(oracle.best_f1, forest),
        }
        times = race({"Viterbi": partial(exact.viterbi, forest, scores), **contenders})
        sweeps_of_oracle = oracle.best_f1(forest).sweeps
        ratios = [f"{times[name] / times['Viterbi']:.2f}" for name in contenders]
        rows.append((str(words), f"{times['Viterbi'] * 1e3:.2f}", *ratios, sweeps_of_oracle))
    header = ["words", "Viterbi ms", *contenders, "sweeps of the oracle"]
    return "## Decoding, relative to Viterbi\n\n" + markdown(header, rows)


def threads(examples: dict[int, Example], weights: np.ndarray) -> str:
    progress("threads")
    words = min(40, max(examples))
    item = examples[words] if words in examples else example(words)
    rows = []
    for name in ("likelihood", "F1, 1e-4"):
        copies = [item] * 16
        objective = CONTENDERS[name]()
        times = race(
            {str(t): run(BatchObjective(objective, copies, FEATURES, t), weights) for t in (1, 2)}
        )
        rows.append((name, f"{times['1'] / times['2']:.2f}"))
    table = markdown(["objective", "speed-up of 2 threads over 1"], rows)
    return f"## Threads\n\n16 forests of {words} words; results are bit-identical.\n\n{table}"


def corpus(weights: np.ndarray) -> str:
    """Corpus-level F1: cost by the number of sentences."""
    rows = []
    slowest = {"expsum": 0.0, "fourier": 0.0}
    likelihood = Likelihood()
    for sentences in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000):
        progress(f"corpus, {sentences} sentences")
        items = [CORPUS[i % len(CORPUS)] for i in range(sentences)]
        pairs = [(i.forest, i.features.scores(weights)) for i in items]
        size = sum(i.forest.gold_size or 0 for i in items)

        def f1(n: np.ndarray, d: np.ndarray, size: int = size) -> np.ndarray:
            return np.exp(1 - 2 * n / (d + size))

        base = race({"": run(BatchObjective(likelihood, items, FEATURES, 1), weights)}, rounds=2)[
            ""
        ]
        cells: list[str] = [f"{base:.3f}"]
        for method, last in tuple(slowest.items()):
            if last > SLOWEST:
                cells += ["-", "-"]
                continue
            once = partial(corpus_expectation, pairs, f1, method, 1e-4)
            start = time.perf_counter()
            found = once()
            slowest[method] = time.perf_counter() - start
            if slowest[method] < 1:
                slowest[method] = race({"": once}, rounds=3)[""]
            cells += [f"{found.terms:,}", f"{slowest[method] / base:.1f}"]
        rows.append((f"{sentences:,}", *cells))
    header = [
        "sentences",
        "likelihood s",
        "expsum terms",
        "expsum time/likelihood",
        "fourier terms",
        "fourier time/likelihood",
    ]
    return (
        "## Corpus-level F1\n\n"
        "E[exp(1 - F1)] of the counts of the whole corpus with a certified error of 1e-4, and\n"
        "the gradient for every sentence, for sentences of 10 to 20 words. A dash means that\n"
        f"the previous step took over {SLOWEST:.0f} s. The product of characteristic functions\n"
        "needs a grid that grows with the corpus; the sum of real exponentials does not.\n\n"
        + markdown(header, rows)
    )


CORPUS = [example(words, seed) for words in (10, 15, 20) for seed in range(3)]


if __name__ == "__main__":
    main()
