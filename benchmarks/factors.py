"""Measures belief propagation and dual decomposition: `python -m benchmarks.factors`.

Problems are synthetic: a CKY chart of a random grammar over the candidate tags of each word, and a
chain over the same tags; both prefer one derivation that was drawn at random, by a signal over
noise. Without a signal they have nothing in common, which is the hardest case for DD. Every
ratio is of processor times taken in turns in one run (benchmarks/measure.py):
an iteration of BP against one forward-backward and one inside-outside, k rounds of DD against one
Viterbi of the chart, alone and with building the chart.
"""

import argparse
import time
from dataclasses import dataclass
from itertools import product

import numpy as np

from benchmarks.measure import race
from benchmarks.table import markdown
from treewright.forests import Chain, Chart, Grammar, chain, chart
from treewright.inference import bp, dual, exact
from treewright.inference.factors import FactorGraph, ForestFactor, Variables, chain_factor

LENGTHS = (10, 20, 40)
SYMBOLS, RULES = 30, 200
SIGNALS = (2.5, 1.0, 0.0)  # how much both models prefer the truth, over noise of deviation 1


@dataclass(frozen=True, eq=False)
class Problem:
    """A tagger and a parser over the same tags, with scores."""

    variables: Variables
    chain: Chain
    chart: Chart
    chain_scores: np.ndarray
    chart_scores: np.ndarray
    entries: np.ndarray
    grammar: Grammar

    def graph(self) -> FactorGraph:
        """The factors, made anew: nothing is warm."""
        v, entries = self.variables, np.arange(self.variables.values)
        tagger = chain_factor(v, self.chain, self.chain_scores)
        parser = ForestFactor(v, self.chart.forest, self.chart_scores, entries, entries)
        return FactorGraph(v, [tagger, parser])

    def build(self) -> Chart | None:
        return chart(self.grammar, len(self.variables), self.entries, goal=0)


def problem(words: int, tags: int, seed: int = 0, signal: float = SIGNALS[0]) -> Problem:
    """Words with so many candidate tags each."""
    rng = np.random.default_rng([seed, words, tags])
    binary = np.unique(rng.integers(SYMBOLS, size=(RULES, 3)), axis=0)
    spine = [(s, (s + 1) % SYMBOLS, (7 * s) % SYMBOLS) for s in range(SYMBOLS)]
    grammar = Grammar.of(SYMBOLS, np.unique(np.concatenate((binary, spine)), axis=0))
    while True:
        candidates = [np.sort(rng.permutation(SYMBOLS)[:tags]) for _ in range(words)]
        entries = np.array([(i, s) for i, row in enumerate(candidates) for s in row])
        found = chart(grammar, words, entries, goal=0)
        if found is not None:
            break
    lattice = chain([row.astype(np.int32) for row in candidates], 1)
    variables = Variables.of_sizes([tags] * words)
    # Both models know something of the same truth: one derivation drawn at random.
    scores = rng.normal(size=len(found.parts))
    gold = found.forest.part[exact.sample(found.forest, scores, 1, seed)[0]]
    scores[gold] += signal
    tag_scores = rng.normal(size=lattice.forest.parts)
    tag_scores[gold[gold < variables.values]] += signal
    return Problem(variables, lattice, found, tag_scores, scores, entries, grammar)


def row(words: int, tags: int, signal: float) -> list[object]:
    """Ratios for one size."""
    it = problem(words, tags, signal=signal)
    parser, graph, nothing = it.chart.forest, it.graph(), np.zeros(it.variables.values)

    def sweeps() -> None:
        for factor in graph.factors:
            factor.marginals(nothing)

    times = race(
        {
            "sweeps": sweeps,
            "bp 1": lambda: bp.run(graph, 1, 0.0),
            "bp 5": lambda: bp.run(graph, 5, 0.0),
            "viterbi": lambda: exact.viterbi(parser, it.chart_scores),
            "dd 25": lambda: dual.solve(it.graph(), 25),
            "build": it.build,
        },
        rounds=15,
        clock=time.process_time,
    )
    rounds = dual.solve(it.graph(), 25).rounds
    parse = times["viterbi"] + times["build"]
    return [
        f"{words} x {tags}",
        f"{signal:g}",
        parser.edges,
        f"{times['sweeps'] * 1e6:.0f}",
        f"{times['bp 1'] / times['sweeps']:.2f}",
        f"{times['bp 5'] / times['sweeps'] / 5:.2f}",
        f"{times['viterbi'] * 1e6:.0f}",
        f"{times['dd 25'] / times['viterbi']:.1f}",
        f"{(parse + times['dd 25'] - times['viterbi']) / parse:.2f}",
        f"{len(rounds)}{'' if rounds[-1].certified else ', open'}",
        f"{sum(r.work for r in rounds) / max(len(rounds), 1) / parser.edges:.2f}",
    ]


HEADER = (
    "words x tags",
    "signal",
    "edges",
    "sweeps, µs",
    "BP k=1",
    "BP, an iteration of 5",
    "Viterbi, µs",
    "DD k=25",
    "DD k=25, chart built",
    "rounds",
    "edges a round",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--tags", type=int, nargs="+", default=(2, 5, 10))
    arguments = parser.parse_args()
    sizes = product(arguments.lengths, arguments.tags, SIGNALS)
    rows = [row(words, tags, signal) for words, tags, signal in sizes]
    print(markdown(HEADER, rows))


if __name__ == "__main__":
    main()
