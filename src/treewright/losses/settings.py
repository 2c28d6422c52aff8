"""The `[objective]` section of a training configuration."""

from dataclasses import dataclass
from typing import Literal

from treewright.config import setting
from treewright.errors import ConfigError
from treewright.inference.plans import Method
from treewright.losses.costs import loss_named
from treewright.losses.objective import Objective
from treewright.losses.registry import objective_named


@dataclass(frozen=True)
class ObjectiveSettings:
    """What to minimise; `make` gives the objective."""

    name: Literal["likelihood", "softmax-margin", "risk", "hinge", "hinge-slack", "perceptron"] = (
        setting("likelihood", "likelihood and perceptron have no loss")
    )
    loss: str = setting(
        "f1",
        "f1, f<beta>, precision, recall, zero-one, false-positives, hamming,\n"
        "dec-f1, dec-precision or dec-recall",
    )
    tau: float = setting(1.0, "the loss's weight in softmax-margin and the hinges")
    method: Method = setting("auto", "softmax-margin and risk: for losses that do not decompose")
    tolerance: float = setting(1e-4, "softmax-margin and risk: relative error of such losses")

    def __post_init__(self) -> None:
        try:
            loss_named(self.loss)  # even where the objective has none
            self.make()
        except ConfigError as error:
            raise ValueError(str(error)) from error

    def make(self) -> Objective:
        """A new objective."""
        return objective_named(self.name, self.loss, self.tau, self.method, self.tolerance)
