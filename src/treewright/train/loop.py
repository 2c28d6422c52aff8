"""The loop that trains every learner: records, dev scores, early stopping, checkpoints."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Indices, Integers
from treewright.errors import ConfigError, StoreError, TreewrightError
from treewright.losses.batch import SparseGradient
from treewright.storage.bundle import UNSOUND

if TYPE_CHECKING:
    from treewright.train.run import Run


class Trainable(Protocol):
    """An objective for optimisers: value and gradient as functions of the weights."""

    features: int

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]: ...


class MinibatchTrainable(Trainable, Protocol):
    """An objective for minibatches; see `treewright.losses.batch`."""

    def __len__(self) -> int: ...

    def value_and_gradient_on(self, examples: Integers, weights: Floats) -> SparseGradient: ...

    def uses(self) -> Indices: ...


def dot(a: Floats, b: Floats) -> float:
    """The inner product, summed in a fixed order."""
    return float(np.einsum("i,i->", a, b))


Arrays = dict[str, NDArray[Any]]
Values = dict[str, Any]  # JSON values
State = tuple[Arrays, Values]
Tick = Callable[[float], None]  # called with the number of finished iterations, including fractions


def silent(_: float) -> None:
    """A tick that does nothing."""


@dataclass(frozen=True)
class Step:
    """One finished iteration: number, objective, and other values for the records."""

    iteration: int
    value: float | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)


class Learner(Protocol):
    """A training state that can be advanced, saved and restored."""

    @property
    def done(self) -> bool:
        """Whether training is finished."""

    def advance(self, tick: Tick = silent, /) -> Step:
        """Runs one iteration or epoch; calls `tick` whenever the state can be saved."""

    def model(self) -> Arrays:
        """The current weights of the model."""

    def state(self) -> State:
        """Arrays and JSON values, for `restore`."""

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values, /) -> None:
        """Restores a saved state in a new learner with the same settings and data."""


def prefixed(groups: Mapping[str, Mapping[str, NDArray[Any]]]) -> Arrays:
    """Merges groups of arrays; names are prefixed with the group and a dot."""
    return {f"{name}.{key}": a for name, arrays in groups.items() for key, a in arrays.items()}


def without_prefix(arrays: Mapping[str, NDArray[Any]], name: str) -> Arrays:
    """The arrays of one group."""
    start = f"{name}."
    return {key.removeprefix(start): a for key, a in arrays.items() if key.startswith(start)}


def finish(learner: Learner, tick: Tick = silent) -> list[Step]:
    """Trains a learner to its end, without a run directory; returns all steps."""
    steps = []
    while not learner.done:
        steps.append(learner.advance(tick))
    return steps


# Dev scores of a model; "score" is the main one, higher is better.
Score = Callable[[Arrays], Mapping[str, float]]
MOST = 1e30  # of a number in a checkpoint
COUNTS = {
    "passes",
    "place",
    "batch",
    "steps",
    "iteration",
    "evaluations",
    "pairs",
    "rounds",
    "waited",
}
NOTHING = np.zeros(0)
LEARNER, BEST, MODEL = "learner", "best", "model"  # groups of arrays in a checkpoint


class LoopSettings(Protocol):
    """The settings of the loop in an `[optimiser]` or `[svm]` section."""

    @property
    def iterations(self) -> int: ...
    @property
    def patience(self) -> int: ...
    @property
    def score_every(self) -> int: ...
    @property
    def checkpoint_seconds(self) -> float: ...


class Watch:
    """The best dev score, its model, and early stopping."""

    def __init__(self, patience: int) -> None:
        self.patience, self.best, self.waited = patience, -float("inf"), 0
        self.model: Arrays = {}

    @property
    def stopped(self) -> bool:
        return 0 < self.patience <= self.waited

    def see(self, score: float, model: Arrays) -> None:
        """Records a new score; keeps the model only if it can still be needed."""
        self.waited = 0 if score > self.best else self.waited + 1
        if score > self.best:
            self.best, self.model = score, model if self.patience else {}

    def state(self) -> State:
        seen = self.best > -float("inf")
        return self.model, {"best": self.best if seen else None, "waited": self.waited}

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values) -> None:
        self.best = -float("inf") if values["best"] is None else values["best"]
        self.waited, self.model = values["waited"], dict(arrays)


class Checkpoint:
    """Saves learner and watch periodically in one file, and the model at the end."""

    def __init__(
        self, run: "Run", name: str, learner: Learner, watch: Watch, seconds: float
    ) -> None:
        self.run, self.name, self.seconds = run, name, seconds
        self.learner, self.watch = learner, watch
        self._last = time.monotonic()

    def maybe_save(self) -> None:
        """Saves if enough time has passed since the last checkpoint."""
        if time.monotonic() - self._last < self.seconds:
            return
        (arrays, values), (best, watched) = self.learner.state(), self.watch.state()
        saved = prefixed({LEARNER: arrays, BEST: best})
        self.run.save_checkpoint(self.name, saved, {"learner": values, "watch": watched})
        self._last = time.monotonic()

    def save_model(self, model: Arrays) -> None:
        """Replaces the state with the trained model, so that a resumed run does not train again."""
        self.run.save_checkpoint(self.name, prefixed({MODEL: model}), {"finished": True})

    def restore(self) -> Arrays | None:
        """Restores the checkpoint, if there is one; returns the model if training was finished."""
        if (checkpoint := self.run.load_checkpoint(self.name)) is None:
            return None
        try:
            return self._restored(*checkpoint)
        except (*UNSOUND, RuntimeError) as error:
            what = f"{self.run.directory}: the checkpoint {self.name!r} belongs to another training"
            raise StoreError(f"{what}: {error!s:.200}") from error

    def _restored(self, arrays: Arrays, values: Values) -> Arrays | None:
        if values.get("finished"):
            model = without_prefix(arrays, MODEL)
            check_like(model, self.learner.model())
            return model
        own, plain = self.learner.state()
        saved, best = without_prefix(arrays, LEARNER), without_prefix(arrays, BEST)
        check_like(saved, own)
        check_numbers(values["learner"], plain)
        check_numbers(values["watch"], self.watch.state()[1])
        if best:
            check_like(best, self.learner.model())
        self.learner.restore(saved, values["learner"])
        self.watch.restore(best, values["watch"])
        return None


def check_like(saved: Mapping[str, NDArray[Any]], own: Mapping[str, NDArray[Any]]) -> None:
    """Raises an error if saved arrays cannot be those of this learner; some arrays grow."""
    weights = own.get("weights", NOTHING)
    for name, array in own.items():
        found = saved[name]
        if (found.dtype, found.ndim) != (array.dtype, array.ndim):
            raise ValueError(f"{name} is {found.dtype}, [{found.ndim}]")
        is_fixed = array.size and (array.shape, array.dtype) == (weights.shape, weights.dtype)
        if is_fixed and found.shape != array.shape:
            raise ValueError(f"{name} has the shape {found.shape}, not {array.shape}")


def check_numbers(saved: Values, own: Values) -> None:
    """Raises an error if saved values have other names than the learner's, or are too large."""
    if saved.keys() != own.keys():
        raise ValueError(f"the values are {', '.join(map(str, saved))}")
    for name, value in saved.items():
        numbers = value.values() if isinstance(own[name], dict) else [value]
        known = all(map(_is_number, numbers)) or value == own[name]
        if not known or (name in COUNTS and not (type(value) is int and value >= 0)):
            raise ValueError(f"{name} is {value!r:.80}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and -MOST <= value <= MOST


def train(
    run: "Run", name: str, learner: Learner, settings: LoopSettings, score: Score | None = None
) -> Arrays:
    """See `Run.train`."""
    watch = Watch(settings.patience)
    checkpoint = Checkpoint(run, name, learner, watch, settings.checkpoint_seconds)
    if (model := checkpoint.restore()) is not None:
        return model
    with run.progress(name, settings.iterations) as bar:

        def tick(iterations: float) -> None:
            bar.move_to(iterations)
            checkpoint.maybe_save()

        while not (learner.done or watch.stopped):
            step = learner.advance(tick)
            _check(name, step)
            shown: dict[str, Any] = {} if step.value is None else {"objective": step.value}
            if score is not None and (step.iteration % settings.score_every == 0 or learner.done):
                model = learner.model()
                shown |= score(model)
                watch.see(shown["score"], model)
            run.record(optimise=name, iteration=step.iteration, **shown, **step.figures)
            bar.move_to(step.iteration, **shown)
            checkpoint.maybe_save()
    model = watch.model or learner.model()
    checkpoint.save_model(model)
    return model


def _check(name: str, step: Step) -> None:
    if step.value is not None and not math.isfinite(step.value):
        where = f"{name}: the objective is {step.value} after iteration {step.iteration}"
        raise TreewrightError(f"{where}; a smaller rate or prior may help")


def check_patience(name: str, settings: LoopSettings, score: object) -> None:
    """Raises an error if patience is set without dev scores."""
    if settings.patience and score is None:
        raise ConfigError(f"{name}: patience needs a dev score, which this stage does not have")
