"""The `[optimiser]` section of a training configuration."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treewright.config import setting


@dataclass(frozen=True)
class OptimiserSettings:
    """How weights are found; what only some optimisers use says so."""

    name: Literal["lbfgs", "sgd", "adagrad", "adam"] = setting(
        "lbfgs", "sgd, adagrad and adam use minibatches"
    )
    prior: float = setting(1.0, "standard deviation of the Gaussian prior; inf: none")
    iterations: int = setting(
        200, "largest number of iterations of lbfgs, or of passes over the examples"
    )
    tolerance: float = setting(1e-5, "lbfgs: stop when the relative improvement is below this")
    history: int = setting(10, "lbfgs: number of past steps to remember")
    rate: float = setting(0.1, "minibatches: the step size")
    decay: float = setting(0.0, "minibatches: the step size falls as rate / (1 + decay * passes)")
    batch: int = setting(16, "minibatches: number of examples")
    averaging: bool = setting(True, "minibatches: average the weights over all steps")
    patience: int = setting(0, "stop after this number of dev scores without a new best; 0: never")
    score_every: int = setting(
        1, "iterations or passes between dev scores; the last one is always scored"
    )
    checkpoint_seconds: float = setting(60.0, "minimum time between two checkpoints")

    def check_dev(self, dev: Path | None) -> None:
        """Raises if dev scores are to be waited for and there is nothing to score on."""
        if self.patience and dev is None:
            raise ValueError("patience needs a dev file to score on")

    def __post_init__(self) -> None:
        positive = ("prior", "iterations", "history", "rate", "batch", "score_every")
        for name in positive:
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, not {getattr(self, name)}")
        for name in ("tolerance", "decay", "patience", "checkpoint_seconds"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must not be negative, not {getattr(self, name)}")
