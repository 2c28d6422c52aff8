"""Differences between two analyses of a sentence, given as JSON objects."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Values = Mapping[str, Any]
Items = Callable[[Values], Iterator[dict[str, Any]]]


def compared(a: Values, b: Values) -> dict[str, Any]:
    """Two analyses, the number of items that they share, and the items that only one has."""
    in_a, in_b = _keyed(a), _keyed(b)
    only_a = [item for key, item in in_a.items() if key not in in_b]
    only_b = [item for key, item in in_b.items() if key not in in_a]
    shared = len(in_a) - len(only_a)
    same = not only_a and not only_b
    return {"a": a, "b": b, "same": same, "shared": shared, "only_a": only_a, "only_b": only_b}


def _keyed(values: Values) -> dict[str, Any]:
    return {repr(sorted(item.items())): item for item in items_of(values)}


def items_of(values: Values) -> Iterator[dict[str, Any]]:
    """The items of an analysis that a metric of its kind counts."""
    return ITEMS.get(values["kind"], _words)(values)


def _arcs(values: Values) -> Iterator[dict[str, Any]]:
    for word, (head, label) in enumerate(zip(values["heads"], values["labels"], strict=True)):
        yield {"word": word, "head": head, "label": label}


def _listed(name: str) -> Items:
    return lambda values: iter(values[name])


def _column(name: str) -> Items:
    return lambda values: (
        {"word": word, name: value} for word, value in enumerate(values[name] or ())
    )


def _words(values: Values) -> Iterator[dict[str, Any]]:
    for word, place in zip(values["words"], values["offsets"] or (), strict=False):
        yield {"text": word, "start": place[0], "end": place[1]}


ITEMS: dict[str, Items] = {
    "ccg": _listed("dependencies"),
    "const": _listed("constituents"),
    "dep": _arcs,
    "pos": _column("xpos"),
    "super": _column("supertags"),
}
