"""What the loop trains: a learner advances step by step, from a state that can be saved.

A learner that `restore`s the state of another goes on exactly as that one would have, bit for bit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
Values = dict[str, Any]  # whatever JSON can hold
State = tuple[Arrays, Values]
Tick = Callable[[float], None]  # is told how many iterations are done, parts of one included


def silent(_: float) -> None:
    """A tick for those whom nobody watches."""


@dataclass(frozen=True)
class Step:
    """One finished iteration: its number, the objective, and further figures for the records."""

    iteration: int
    value: float | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)


class Learner(Protocol):
    """A state, and a way to advance it."""

    @property
    def done(self) -> bool:
        """Whether there is nothing more to do."""

    def advance(self, tick: Tick = silent, /) -> Step:
        """Does one iteration or pass; calls `tick` inside it wherever the state can be saved."""

    def model(self) -> Arrays:
        """The trained arrays so far, as they would be used."""

    def state(self) -> State:
        """Arrays and plain values that `restore` continues from."""

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values, /) -> None:
        """Continues, in a new learner of the same settings and data, from a saved state."""


def prefixed(groups: Mapping[str, Mapping[str, NDArray[Any]]]) -> Arrays:
    """Arrays of several in one: each name begins with its group's and a dot."""
    return {f"{name}.{key}": a for name, arrays in groups.items() for key, a in arrays.items()}


def without_prefix(arrays: Mapping[str, NDArray[Any]], name: str) -> Arrays:
    """The arrays of one group."""
    start = f"{name}."
    return {key.removeprefix(start): a for key, a in arrays.items() if key.startswith(start)}


def finish(learner: Learner, tick: Tick = silent) -> list[Step]:
    """Advances a learner to its end, without a run directory; all of its steps."""
    steps = []
    while not learner.done:
        steps.append(learner.advance(tick))
    return steps
