"""Calibration: of the items to which a parser gives a probability, how many are correct.

The bins and the expected calibration error are those of Naeini, Cooper and Hauskrecht (2015) and
Guo et al. (2017), over all items of the marginals and not only the chosen ones.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.data.lines import read_lines
from treewright.errors import FormatError, TreewrightError
from treewright.report.mistakes import Values, items

BINS = 10
FAINT = 0.01  # less probable items are left out: they are numerous and hardly ever correct
Judged = tuple[float, bool]


@dataclass(frozen=True)
class Bin:
    """Items whose probability is between `low` and `high`."""

    low: float
    high: float
    size: int
    probability: float  # mean
    correct: float  # share


def read_marginals(path: Path) -> list[Values]:
    """Reads the objects of a file written by `parse --format json --marginals`."""
    rows: list[Values] = []
    for number, line in read_lines(path):
        try:
            values = json.loads(line)
            found = [(item, _probability(p)) for item, p in _rows(values["marginals"])]
            hash(tuple(item for item, _ in found))
            rows.append({"words": values["words"], "rows": found})
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            message = "not an analysis by parse --format json --marginals"
            raise FormatError(str(path), number, message) from error
    return rows


def _rows(marginals: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], float]]:
    """Items, as in `mistakes.items`, with their probabilities."""
    for word, arcs in enumerate(marginals.get("arcs", ())):
        for arc in arcs:
            yield (word, arc["head"], arc["label"]), arc["probability"]
    name = "dependencies" if "dependencies" in marginals else "constituents"
    for row in marginals.get(name, ()):
        yield tuple(row[key] for key in row if key != "probability"), row["probability"]


def _probability(value: float) -> float:
    if not 0 <= value <= 1.001:  # sums are rounded
        raise ValueError(f"a probability of {value}")
    return float(value)


def judged(marginals: Sequence[Values], gold: Sequence[Values]) -> list[Judged]:
    """Probabilities of items, and whether each item is correct."""
    if [each["words"] for each in marginals] != [list(each["words"]) for each in gold]:
        raise TreewrightError("the marginals and the gold treebank have different sentences")
    return [
        (probability, item in due)
        for sentence, values in zip(marginals, gold, strict=True)
        for due in [items(values)]
        for item, probability in sentence["rows"]
        if probability >= FAINT
    ]


def bins(rows: Sequence[Judged]) -> list[Bin]:
    """Bins of equal width that have items, by probability."""
    parts: list[list[Judged]] = [[] for _ in range(BINS)]
    for row in rows:
        parts[min(BINS - 1, int(row[0] * BINS))].append(row)
    return [
        Bin(
            number / BINS,
            (number + 1) / BINS,
            len(part),
            sum(probability for probability, _ in part) / len(part),
            sum(correct for _, correct in part) / len(part),
        )
        for number, part in enumerate(parts)
        if part
    ]


def calibration_error(groups: Sequence[Bin]) -> float:
    """The mean distance between probability and share correct, weighted by size."""
    total = sum(each.size for each in groups)
    return sum(each.size * abs(each.probability - each.correct) for each in groups) / total
