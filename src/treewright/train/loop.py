"""The loop around an optimiser: records, the dev score, early stopping, checkpoints."""

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ConfigError, TreewrightError
from treewright.train.lbfgs import Lbfgs
from treewright.train.minibatch import Minibatches
from treewright.train.optimiser import MinibatchTrainable, Optimiser, Step, Trainable, Values
from treewright.train.settings import OptimiserSettings

if TYPE_CHECKING:
    from treewright.train.run import Run

Score = Callable[[Floats], float]


def optimiser_for(objective: Trainable, settings: OptimiserSettings, seed: int) -> Optimiser:
    """The optimiser that the settings name."""
    if settings.name == "lbfgs":
        return Lbfgs(objective, settings)
    if not hasattr(objective, "value_and_gradient_on"):
        raise ConfigError(f"{settings.name} needs minibatches, which this objective does not have")
    return Minibatches(cast(MinibatchTrainable, objective), settings, seed)


class Watch:
    """The best dev score, the weights that had it, and when to give up waiting for a better."""

    def __init__(self, patience: int) -> None:
        self.patience, self.best, self.waited = patience, -float("inf"), 0
        self.weights: Floats | None = None

    @property
    def stopped(self) -> bool:
        return 0 < self.patience <= self.waited

    def see(self, score: float, weights: Floats) -> None:
        """Compares a new score; weights are kept only where they may be wanted."""
        self.waited = 0 if score > self.best else self.waited + 1
        if score > self.best:
            self.best, self.weights = score, weights if self.patience else None

    def state(self) -> tuple[dict[str, NDArray[Any]], Values]:
        arrays = {} if self.weights is None else {"best": self.weights}
        seen = self.best > -float("inf")
        return arrays, {"best": self.best if seen else None, "waited": self.waited}

    def restore(self, arrays: dict[str, NDArray[Any]], values: Values) -> None:
        self.best = -float("inf") if values["best"] is None else values["best"]
        self.waited, self.weights = values["waited"], arrays.get("best")


class Checkpoints:
    """Saves optimiser and watch now and then, in one file."""

    def __init__(
        self, run: "Run", name: str, optimiser: Optimiser, watch: Watch, seconds: float
    ) -> None:
        self.run, self.name, self.parts, self.seconds = run, name, (optimiser, watch), seconds
        self._last = time.monotonic()

    def maybe(self) -> None:
        """Saves if the last time is long enough ago."""
        if time.monotonic() - self._last < self.seconds:
            return
        (arrays, values), (best, watched) = (part.state() for part in self.parts)
        self.run.keep(self.name, arrays | best, optimiser=values, watch=watched)
        self._last = time.monotonic()

    def restore(self) -> Floats | None:
        """Continues from the checkpoint, if there is one; the result, if that was the end."""
        arrays = self.run.kept(self.name)
        if arrays is None:
            return None
        if "result" in arrays:
            return arrays["result"]
        values = self.run.kept_values(self.name)
        optimiser, watch = self.parts
        optimiser.restore(arrays, values["optimiser"])
        watch.restore(arrays, values["watch"])
        return None


def _check(name: str, step: Step) -> None:
    if not math.isfinite(step.value):
        where = f"{name}: the objective is {step.value} after iteration {step.iteration}"
        raise TreewrightError(f"{where}; a smaller rate or prior may help")


def optimise(
    run: "Run",
    name: str,
    objective: Trainable,
    settings: OptimiserSettings,
    score: Score | None = None,
) -> Floats:
    """See `Run.optimise`."""
    if settings.patience and score is None:
        raise ConfigError(f"{name}: patience needs a dev score, which is not measured here")
    optimiser, watch = optimiser_for(objective, settings, run.seed), Watch(settings.patience)
    saved = Checkpoints(run, f"optimise-{name}", optimiser, watch, settings.checkpoint_seconds)
    if (result := saved.restore()) is not None:
        return result
    with run.progress(name, settings.iterations) as bar:
        while not (optimiser.done or watch.stopped):
            step = optimiser.advance(saved.maybe)
            _check(name, step)
            shown: dict[str, float] = {"objective": step.value}
            due = step.iteration % settings.score_every == 0 or optimiser.done
            if score is not None and due:
                shown["score"] = float(score(optimiser.weights))
                watch.see(shown["score"], optimiser.weights)
            run.record(
                optimise=name, iteration=step.iteration, **shown, gradient_norm=step.gradient_norm
            )
            bar.advance(1, **shown)
            saved.maybe()
    weights = optimiser.weights if watch.weights is None else watch.weights
    run.keep(f"optimise-{name}", {"result": weights})
    return weights
