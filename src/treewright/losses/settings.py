"""Objectives by name, and the `[objective]` section of a training configuration."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, cast, get_args

from treewright.config import setting
from treewright.errors import ConfigError
from treewright.forests.features import Example
from treewright.inference.corpus import CorpusMethod
from treewright.inference.plans import Method
from treewright.losses.batch import BatchObjective
from treewright.losses.corpus import CorpusBatchObjective
from treewright.losses.costs import SIZED, is_code, loss_named
from treewright.losses.hinge import Hinge, Perceptron
from treewright.losses.objective import Likelihood, Objective
from treewright.losses.softmax_margin import Risk, SoftmaxMargin

NAMES = ("likelihood", "softmax-margin", "risk", "hinge", "hinge-slack", "perceptron")


def objective_named(
    name: str,
    loss: str = "f1",
    tau: float = 1.0,
    method: Method = "auto",
    tolerance: float = 1e-4,
) -> Objective:
    """Returns an objective by name; settings that it does not use are ignored.

    Args:
        name: one of NAMES.
        loss: name of a loss; likelihood and perceptron have none.
        tau: weight of the loss in softmax-margin and hinge objectives.
        method: algorithm of softmax-margin and risk for losses that do not decompose.
        tolerance: tolerance of this algorithm, see `SoftmaxMargin`.
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


Summed = BatchObjective | CorpusBatchObjective


@dataclass(frozen=True)
class ObjectiveSettings:
    """Settings of the objective; `make` creates it."""

    name: Literal["likelihood", "softmax-margin", "risk", "hinge", "hinge-slack", "perceptron"] = (
        setting("likelihood", "likelihood and perceptron ignore the loss")
    )
    loss: str = setting(
        "f1",
        "f1, f<beta>, precision, recall, zero-one, false-positives, hamming,\n"
        "dec-f1, dec-precision or dec-recall; sized-f1, sized-recall, ...: multiplied by |y|;\n"
        "or your own module:function of n, d and |y| (needs `train --allow-code`)",
    )
    tau: float = setting(1.0, "weight of the loss in softmax-margin and hinge objectives")
    method: Method = setting(
        "auto", "softmax-margin, risk: algorithm for losses that do not decompose"
    )
    tolerance: float = setting(
        1e-4, "softmax-margin, risk: maximum relative error for these losses"
    )
    level: Literal["sentence", "corpus"] = setting(
        "sentence", "corpus: softmax-margin with the loss of each minibatch as a whole"
    )

    def __post_init__(self) -> None:
        try:
            loss = "f1" if is_code(self.loss) else self.loss  # custom code is not run to check it
            loss_named(loss)  # even if the objective has no loss
            self._make(loss)
            self._check_level(loss)
        except ConfigError as error:
            raise ValueError(str(error)) from error

    def _check_level(self, loss: str) -> None:
        if self.level == "corpus" and self.name != "softmax-margin":
            raise ConfigError(
                f"{self.name} does not support level = corpus; only softmax-margin does"
            )
        if self.level == "corpus" and self.loss.startswith(SIZED):
            raise ConfigError(
                f"{self.loss}: sized losses do not support level = corpus; change tau instead"
            )
        if self.level == "corpus" and self.loss == "false-positives":
            raise ConfigError(
                f"{self.loss} of a corpus are those of its sentences: use level = sentence"
            )
        if self.level == "corpus" and self.method not in get_args(CorpusMethod):
            raise ConfigError(
                f"level = corpus needs method auto, expsum or fourier, not {self.method!r}"
            )
        if self.level == "corpus" and loss_named(loss).of_counts is None:
            raise ConfigError(f"{self.loss} is not a function of the corpus's counts")

    def over(self, examples: Iterable[Example], features: int, threads: int) -> Summed:
        """The objective over examples, for optimisers."""
        if self.level == "corpus":
            loss = loss_named(self.loss)
            method = cast(CorpusMethod, self.method)
            return CorpusBatchObjective(loss, self.tau, examples, features, self.tolerance, method)
        return BatchObjective(self.make(), examples, features, threads)

    def make(self) -> Objective:
        """A new objective for single sentences."""
        return self._make(self.loss)

    def _make(self, loss: str) -> Objective:
        return objective_named(self.name, loss, self.tau, self.method, self.tolerance)
