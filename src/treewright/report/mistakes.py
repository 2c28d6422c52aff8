"""Errors by sentence, by sentence length, and by label (confusions)."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.draw.objects import Sight, picture_of
from treewright.draw.svg import Picture
from treewright.errors import TreewrightError
from treewright.formats.treebanks import OBJECTS
from treewright.metrics.counts import Counts

Values = Mapping[str, Any]
FORMATS = {"ccg": "auto", "const": "brackets", "dep": "conllu"}
LENGTHS = (10, 20, 30, 40)  # maximum lengths of all rows but the last
PAGE = 1100.0  # pixels of a drawing


@dataclass(frozen=True)
class Pair:
    """A gold sentence, and a parser's analysis of it, if there is one."""

    gold: Values
    parsed: Values | None

    def counts(self) -> tuple[int, int, int]:
        """Items that are correct, produced and due."""
        due = items(self.gold)
        produced = set() if self.parsed is None else items(self.parsed)
        return len(due & produced), len(produced), len(due)

    @property
    def errors(self) -> int:
        n, d, c = self.counts()
        return d + c - 2 * n

    def picture(self) -> Picture:
        """The analysis with its errors marked: what is wrong above, what is missing below."""
        if self.parsed is None:
            return picture_of(self.gold, Sight(_view(self.gold), width=PAGE))
        return picture_of(self.parsed, Sight(_view(self.gold), self.gold, width=PAGE))


def _view(values: Values) -> str:
    return "tree" if values["kind"] == "const" else "arcs"


def items(values: Values) -> set[tuple[Any, ...]]:
    """The items that the metric of a kind counts."""
    if "heads" in values:
        return {*zip(range(len(values["heads"])), values["heads"], values["labels"], strict=True)}
    rows = values["dependencies"] if "dependencies" in values else values["constituents"]
    return {tuple(row.values()) for row in rows}


def labels(values: Values) -> dict[Any, str]:
    """The label of each position: relations and categories of words, labels of spans."""
    if "labels" in values:
        return dict(enumerate(values["labels"]))
    if "supertags" in values:
        return dict(enumerate(values["supertags"]))
    return {(row["begin"], row["end"]): row["label"] for row in values["constituents"]}


def read_objects(kind: str, path: Path) -> list[Values]:
    """Reads the sentences of a treebank; raises an error if they cannot be drawn."""
    if kind not in FORMATS:
        raise TreewrightError(f"sentences of kind {kind!r} are not drawn")
    return list(OBJECTS[FORMATS[kind]](path))


def read_pairs(kind: str, pred: Path, gold: Path) -> list[Pair]:
    """Reads pairs of sentences from two files; raises an error if they cannot be drawn."""
    due, produced = read_objects(kind, gold), read_objects(kind, pred)
    if kind == "ccg":
        by_name = {values["id"]: values for values in produced}
        pairs = [Pair(each, by_name.get(each["id"])) for each in due]
    elif len(due) == len(produced):
        pairs = [Pair(a, b if b["words"] else None) for a, b in zip(due, produced, strict=True)]
    else:
        raise TreewrightError("the two files have different sentences")
    if any(p.parsed and list(p.parsed["words"]) != list(p.gold["words"]) for p in pairs):
        raise TreewrightError("the two files have different tokens")
    return pairs


def by_length(pairs: Sequence[Pair]) -> Iterator[tuple[str, int, float]]:
    """Ranges of sentence lengths, their numbers of sentences, and their F1."""
    for first, last in zip((0, *LENGTHS), (*LENGTHS, 1 << 30), strict=True):
        rows = [pair.counts() for pair in pairs if first < len(pair.gold["words"]) <= last]
        if rows:
            name = f"{first + 1}-{last}" if last < 1 << 30 else f"over {first}"
            yield name, len(rows), Counts.of_rows(rows).score().f


def confusion(pairs: Sequence[Pair]) -> Counter[tuple[str, str]]:
    """Pairs of gold and predicted labels at the same position."""
    counts: Counter[tuple[str, str]] = Counter()
    for pair in pairs:
        due, produced = labels(pair.gold), labels(pair.parsed) if pair.parsed else {}
        counts.update(
            (label, produced[place])
            for place, label in due.items()
            if place in produced and produced[place] != label
        )
    return counts


def worst(pairs: Sequence[Pair], key: Callable[[Pair], int], most: int) -> list[Pair]:
    """The sentences with the highest counts; ties: the shortest first."""
    chosen = [pair for pair in pairs if key(pair) > 0]
    return sorted(chosen, key=lambda pair: (-key(pair), len(pair.gold["words"])))[:most]
