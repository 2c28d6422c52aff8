"""Objectives by name, as configurations and the command line give them."""

from collections.abc import Callable

from treewright.errors import ConfigError
from treewright.inference.plans import Method
from treewright.losses.costs import loss_named
from treewright.losses.hinge import Hinge, Perceptron
from treewright.losses.likelihood import Likelihood
from treewright.losses.objective import Objective
from treewright.losses.risk import Risk
from treewright.losses.softmax_margin import SoftmaxMargin

NAMES = ("likelihood", "softmax-margin", "risk", "hinge", "hinge-slack", "perceptron")


def objective_named(
    name: str,
    loss: str = "f1",
    tau: float = 1.0,
    method: Method = "auto",
    tolerance: float = 1e-4,
) -> Objective:
    """An objective by name; settings that it has no use for are ignored by design of its formula.

    Args:
        name: one of NAMES.
        loss: a loss's name; likelihood and perceptron have none.
        tau: the loss's weight in softmax-margin and the hinges.
        method: how softmax-margin and risk treat losses that do not decompose.
        tolerance: theirs, see `SoftmaxMargin`.
    """
    makers: dict[str, Callable[[], Objective]] = {
        "likelihood": Likelihood,
        "perceptron": Perceptron,
        "softmax-margin": lambda: SoftmaxMargin(loss_named(loss), tau, method, tolerance),
        "risk": lambda: Risk(loss_named(loss), method, tolerance),
        "hinge": lambda: Hinge(loss_named(loss), "margin", tau),
        "hinge-slack": lambda: Hinge(loss_named(loss), "slack", tau),
    }
    if name not in makers:
        raise ConfigError(f"unknown objective {name!r}: one of {', '.join(NAMES)}")
    return makers[name]()
