"""The `[optimiser]` section of a training configuration."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treewright.config import setting


@dataclass(frozen=True)
class OptimiserSettings:
    """Settings of the optimiser; some apply only to some optimisers."""

    name: Literal["lbfgs", "sgd", "adagrad", "adam"] = setting(
        "lbfgs", "lbfgs uses all examples at once, the others use minibatches"
    )
    prior: float = setting(1.0, "standard deviation of the Gaussian prior; inf: no prior")
    iterations: int = setting(200, "maximum number of lbfgs iterations, or of epochs")
    tolerance: float = setting(1e-5, "lbfgs: stop when the relative improvement is below this")
    history: int = setting(10, "lbfgs: number of past steps to store")
    rate: float = setting(0.1, "minibatches: learning rate")
    decay: float = setting(
        0.0, "minibatches: the learning rate decays as rate / (1 + decay * epochs)"
    )
    batch: int = setting(16, "minibatches: number of examples per batch")
    averaging: bool = setting(True, "minibatches: average the weights over all steps")
    patience: int = setting(0, "stop after this number of dev scores without improvement; 0: never")
    score_every: int = setting(
        1, "iterations or epochs between dev scores; the last one is always scored"
    )
    checkpoint_seconds: float = setting(60.0, "minimum seconds between checkpoints")

    def check_dev(self, dev: Path | None) -> None:
        """Raises an error if patience is set without a dev file."""
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
