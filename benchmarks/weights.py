"""Search for the weights of scores: chosen on a sample of dev, reported on the rest of it."""

import random
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

FACTORS = (0.6, 0.8, 1.25, 1.6)  # of each weight, on its turn
SEED = 1
T = TypeVar("T")
W = TypeVar("W", bound=Any)


def split(items: Sequence[T], size: int) -> tuple[list[T], list[T]]:
    """A random sample of items, and the others, both in order."""
    inside = set(random.Random(SEED).sample(range(len(items)), min(size, len(items))))
    sample = [each for i, each in enumerate(items) if i in inside]
    return sample, [each for i, each in enumerate(items) if i not in inside]


def chosen(start: W, score: Callable[[W], float], rounds: int) -> W:
    """The best weights of a coordinate search: each field takes its turn; 0 stays 0.

    start: a frozen dataclass of weights. score: its score in percent.
    """
    best, top = start, 0.0
    tried = [start] if rounds else []
    for name in rounds * [field.name for field in fields(start)]:
        start = best
        factors = FACTORS if getattr(start, name) else ()
        values = (round(getattr(start, name) * factor, 3) for factor in factors)
        tried += [replace(start, **{name: value}) for value in values]
        for weights in tried:
            value = score(weights)
            print(f"{value:.2f}  {weights}", flush=True)
            if value > top:
                best, top = weights, value
        tried = []
    return best
