"""Folds for jackknifing: models that have not seen the data to which they are applied."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from treewright.errors import ConfigError

T = TypeVar("T")
M = TypeVar("M")


def check_folds(name: str, folds: int) -> None:
    """Raises an error unless a setting is 0 or a number of folds."""
    if folds < 0 or folds == 1:
        raise ValueError(f"{name} must be 0 or at least 2, not {folds}")


def held_out(
    items: Sequence[T], folds: int, train: Callable[[int, list[T]], M], name: str
) -> list[M]:
    """One model per fold, trained on all other folds; item i is in fold i % folds.

    train: trains a model, given the held-out fold's number and the items of the other folds.
    name: the setting with the number of folds, for errors.
    """
    if folds and len(items) < 2:
        raise ConfigError(
            f"{name} = {folds} needs at least two training sentences, not {len(items)}: "
            f"set {name} = 0"
        )
    return [
        train(fold, [item for i, item in enumerate(items) if i % folds != fold])
        for fold in range(folds)
    ]
