"""Folds: models that have not seen what they are used on (jackknifing)."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
M = TypeVar("M")


def held_out(items: Sequence[T], folds: int, train: Callable[[int, list[T]], M]) -> list[M]:
    """One model per fold, trained on the items of all other folds; item i is in fold i % folds.

    train: makes a model, given the number of the fold that it must not see, and the items.
    """
    return [
        train(fold, [item for i, item in enumerate(items) if i % folds != fold])
        for fold in range(folds)
    ]
