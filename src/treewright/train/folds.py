"""Folds: models that have not seen what they are used on (jackknifing)."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
M = TypeVar("M")


def check_folds(name: str, folds: int) -> None:
    """Raises unless a setting is a number of folds, or 0."""
    if folds < 0 or folds == 1:
        raise ValueError(f"{name} must be 0 or at least 2, not {folds}")


def held_out(items: Sequence[T], folds: int, train: Callable[[int, list[T]], M]) -> list[M]:
    """One model per fold, trained on the items of all other folds; item i is in fold i % folds.

    train: makes a model, given the number of the fold that it must not see, and the items.
    """
    return [
        train(fold, [item for i, item in enumerate(items) if i % folds != fold])
        for fold in range(folds)
    ]
