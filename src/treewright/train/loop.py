"""The loop that trains every learner: records, dev scores, early stopping, checkpoints."""

import math
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from numpy.typing import NDArray

from treewright.errors import ConfigError, TreewrightError
from treewright.train.learner import (
    Arrays,
    Learner,
    State,
    Step,
    Values,
    prefixed,
    without_prefix,
)

if TYPE_CHECKING:
    from treewright.train.run import Run

# Figures of a model on dev; "score" is the one that counts, higher is better.
Score = Callable[[Arrays], Mapping[str, float]]
LEARNER, BEST, MODEL = "learner", "best", "model"  # groups of arrays in a checkpoint


class LoopSettings(Protocol):
    """What the loop reads of an `[optimiser]` or `[svm]` section."""

    @property
    def iterations(self) -> int: ...
    @property
    def patience(self) -> int: ...
    @property
    def score_every(self) -> int: ...
    @property
    def checkpoint_seconds(self) -> float: ...


class Watch:
    """The best dev score, the model that had it, and when to stop waiting for a better one."""

    def __init__(self, patience: int) -> None:
        self.patience, self.best, self.waited = patience, -float("inf"), 0
        self.model: Arrays = {}

    @property
    def stopped(self) -> bool:
        return 0 < self.patience <= self.waited

    def see(self, score: float, model: Arrays) -> None:
        """Compares a new score; the model is held only where it may be wanted."""
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
    """Saves learner and watch now and then, in one file; at the end, the trained model."""

    def __init__(
        self, run: "Run", name: str, learner: Learner, watch: Watch, seconds: float
    ) -> None:
        self.run, self.name, self.seconds = run, name, seconds
        self.learner, self.watch = learner, watch
        self._last = time.monotonic()

    def maybe_save(self) -> None:
        """Saves if the last time is long enough ago."""
        if time.monotonic() - self._last < self.seconds:
            return
        (arrays, values), (best, watched) = self.learner.state(), self.watch.state()
        saved = prefixed({LEARNER: arrays, BEST: best})
        self.run.save_checkpoint(self.name, saved, {"learner": values, "watch": watched})
        self._last = time.monotonic()

    def save_model(self, model: Arrays) -> None:
        """Replaces the state by the result: training that is done is not done again."""
        self.run.save_checkpoint(self.name, prefixed({MODEL: model}), {"finished": True})

    def restore(self) -> Arrays | None:
        """Continues from the checkpoint, if there is one; the model, if that was the end."""
        if (checkpoint := self.run.load_checkpoint(self.name)) is None:
            return None
        arrays, values = checkpoint
        if values.get("finished"):
            return without_prefix(arrays, MODEL)
        self.learner.restore(without_prefix(arrays, LEARNER), values["learner"])
        self.watch.restore(without_prefix(arrays, BEST), values["watch"])
        return None


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
    """Raises if dev scores are to be waited for and none are measured."""
    if settings.patience and score is None:
        raise ConfigError(f"{name}: patience needs a dev score, which is not measured here")
