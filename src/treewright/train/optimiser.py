"""The optimiser that a configuration names."""

from typing import cast

from treewright.errors import ConfigError
from treewright.train.lbfgs import Lbfgs
from treewright.train.learner import Learner
from treewright.train.minibatch import Minibatches
from treewright.train.settings import OptimiserSettings
from treewright.train.trainable import MinibatchTrainable, Trainable


def optimiser_for(objective: Trainable, settings: OptimiserSettings, seed: int) -> Learner:
    """The optimiser that the settings name."""
    if settings.name == "lbfgs":
        return Lbfgs(objective, settings)
    if not hasattr(objective, "value_and_gradient_on"):
        raise ConfigError(f"{settings.name} needs minibatches, which this objective does not have")
    return Minibatches(cast(MinibatchTrainable, objective), settings, seed)
