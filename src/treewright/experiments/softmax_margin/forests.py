"""Training forests of the softmax-margin paper: its table 3 and figures 4 and 5, on our data."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.config import setting
from treewright.data.auto import read_auto
from treewright.experiments.ccg_figures import percentages
from treewright.experiments.experiment import Beside, Context, Experiment, Plot, Result, Table
from treewright.experiments.softmax_margin.systems import LossBench, LossSettings
from treewright.forests.forest import Forest
from treewright.models.ccg.dev import Parsed

# Table 3, section 00: LF, LP, LR, UF, UP, UR, and the proportion of the data used.
TABLE_3 = {
    "drop": (87.40, 87.85, 86.95, 93.11, 93.59, 92.63, 91),
    "add-tags": (None,) * 7,
    "max-f": (87.46, 87.95, 86.98, 93.09, 93.61, 92.57, 99),
    "oracle": (87.45, 87.96, 86.94, 93.09, 93.63, 92.55, 99),
    "add-tags+oracle": (None,) * 7,
}
TITLES = {
    "drop": "gold; without it, not at all",
    "add-tags": "gold, its tags added",
    "max-f": "parses of highest F1",
    "oracle": "gold, else highest F1",
    "add-tags+oracle": "gold, its tags added, else highest F1",
}


def table3(context: Context) -> Iterator[Result]:
    """Likelihood towards gold, or towards the derivations of highest F1 in the chart."""
    rows: list[tuple[Any, ...]] = []
    first: Parsed | None = None
    for name, paper in TABLE_3.items():
        bench = LossBench(context, f"forests-{name}", unreachable=name)
        parser = bench.parser("CLL", bench.settings.objective("CLL"))
        parses = bench.dev.parse(parser.with_settings(algorithm="viterbi"))
        first = first or parses
        figures = (*percentages(bench.dev.scores(parses)), 100 * _used(bench))
        p = None if parses is first else bench.dev.p_value(parses, first)
        rows.append((TITLES[name], *map(Beside, figures, paper), p))
    columns = ("trained towards", "LF", "LP", "LR", "UF", "UP", "UR", "used, %", "p")
    yield Table("Gold that is out of reach, Viterbi (the paper's table 3)", columns, rows)


def _used(bench: LossBench) -> float:
    derivations = sum(1 for _ in read_auto(bench.model.train))
    return len(bench.forests()) / (bench.model.training.sentences or derivations)


@dataclass(frozen=True)
class SplitSettings(LossSettings):
    """Settings with the number of forests."""

    forests: int = setting(300, "use only the first forests of the store")


def splits(context: Context) -> Iterator[Result]:
    """The number of pairs (n, d) per node, into which exact losses split it."""
    store = LossBench(context).forests()
    by_length: dict[int, list[int]] = {}
    pairs: Counter[tuple[int, int]] = Counter()
    number = min(context.settings.forests, len(store))
    with context.progress("forests", number) as bar:
        for example in store[:number]:
            for length, states in zip(*node_states(example.forest), strict=True):
                by_length.setdefault(length, []).append(len(states))
                pairs.update(states)
            bar.advance()
    sizes = [size for group in by_length.values() for size in group]
    yield (
        f"{number} forests, {len(sizes):,} nodes, {sum(sizes):,} states: {np.mean(sizes):.1f} a "
        f"node, at most {max(sizes):,} (the paper's: 44 on average, at most 4,888)."
    )
    yield _by_length(by_length, len(sizes))
    yield Plot("figure4", "States a node, by words below it", _draw_lengths(by_length))
    yield Plot("figure5", "States by d and n", _draw_pairs(pairs))


def node_states(forest: Forest) -> tuple[list[int], list[list[tuple[int, int]]]]:
    """For each node, the number of words below it, and all (n, d) of its derivations."""
    width = _most_produced(forest) + 1
    left, right = forest.left.tolist(), forest.right.tolist()
    own = (forest.correct.astype(int) * width + forest.produced)[forest.part].tolist()
    first = forest.first_edge.tolist()
    words: list[int] = []
    sets: list[int] = []  # bit n * width + d
    for node in range(forest.nodes):
        total = 0
        for e in range(first[node], first[node + 1]):
            below = sets[left[e]] if left[e] >= 0 else 1
            total |= (_sums(below, sets[right[e]]) if right[e] >= 0 else below) << own[e]
        sets.append(total)
        e = first[node]
        tails = [tail for tail in (left[e], right[e]) if tail >= 0]
        words.append(sum(words[tail] for tail in tails) if tails else 1)
    return words, [[divmod(bit, width) for bit in _bits(total)] for total in sets]


def _most_produced(forest: Forest) -> int:
    """The largest d of any derivation."""
    most: list[int] = []
    produced = forest.produced.astype(int)[forest.part].tolist()
    edges = list(zip(forest.left.tolist(), forest.right.tolist(), produced, strict=True))
    first = forest.first_edge.tolist()
    for node in range(forest.nodes):
        here = edges[first[node] : first[node + 1]]
        most.append(max(d + sum(most[t] for t in (a, b) if t >= 0) for a, b, d in here))
    return max(most)


def _bits(number: int) -> Iterator[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def _sums(one: int, two: int) -> int:
    """All sums of bit positions in one and two."""
    few, many = sorted((one, two), key=int.bit_count)
    total = 0
    for place in _bits(few):
        total |= many << place
    return total


def _by_length(by_length: dict[int, list[int]], nodes: int) -> Table:
    rows = [
        (length, 100 * len(sizes) / nodes, float(np.mean(sizes)), max(sizes))
        for length, sizes in sorted(by_length.items())
        if length <= 5 or length % 5 == 0
    ]
    columns = ("words", "share of nodes, %", "states a node", "most")
    return Table("State splits (the paper's figure 4)", columns, rows)


def _draw_lengths(by_length: dict[int, list[int]]) -> Any:
    def draw(figure: Any) -> None:
        axes = figure.add_subplot(1, 1, 1, xlabel="words", ylabel="states a node", yscale="log")
        lengths = sorted(by_length)
        axes.plot(lengths, [np.mean(by_length[n]) for n in lengths], label="states a node")
        share = axes.twinx()
        share.set_ylabel("nodes")
        share.set_yscale("log")
        share.plot(lengths, [len(by_length[n]) for n in lengths], "--", label="nodes")
        figure.legend()

    return draw


def _draw_pairs(pairs: Counter[tuple[int, int]]) -> Any:
    def draw(figure: Any) -> None:
        most = max(d for _, d in pairs)
        table = np.zeros((most + 1, most + 1))
        for (n, d), count in pairs.items():
            table[n, d] = np.log10(count)
        axes = figure.add_subplot(1, 1, 1, xlabel="d: dependencies", ylabel="n: correct")
        figure.colorbar(axes.imshow(table, origin="lower"), label="states, log10")

    return draw


EXPERIMENTS = (
    Experiment(
        "softmax-margin/table3", "Unreachable gold derivations, CCG", LossSettings, table3, ray=True
    ),
    Experiment(
        "softmax-margin/splits", "State splits (figures 4, 5)", SplitSettings, splits, ray=True
    ),
)
