"""Training a structured SVM by any of its solvers."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from treewright.arrays import Floats
from treewright.errors import ConfigError
from treewright.forests.example import Example
from treewright.losses.settings import ObjectiveSettings
from treewright.train.cutting_planes import Hinges, SvmSettings
from treewright.train.frank_wolfe import FrankWolfe
from treewright.train.learner import Arrays, Learner
from treewright.train.n_slack import NSlack
from treewright.train.one_slack import OneSlack
from treewright.train.run import Run

NAME = "svm"  # of the training in records and checkpoints


def svm_learner(
    objective: ObjectiveSettings,
    settings: SvmSettings,
    examples: Sequence[Example],
    features: int,
    run: Run,
) -> Learner:
    """The solver that the settings name; one-slack asks the run's cluster for the hinges."""
    if settings.method == "one-slack":
        return OneSlack(run.objective_over("charts", objective, examples, features), settings)
    hinges = Hinges(objective.make(), examples)
    if settings.method == "n-slack":
        return NSlack(hinges, features, settings)
    return FrankWolfe(hinges, features, settings, run.seed)


def fit_svm(
    objective: ObjectiveSettings,
    settings: SvmSettings,
    examples: Sequence[Example],
    features: int,
    run: Run,
    score: Callable[[Floats], float] | None = None,
) -> Floats:
    """The weights of the SVM: with `choose_c`, of the C that scores best on dev."""

    def scored(model: Arrays) -> dict[str, float]:
        assert score is not None
        return {"score": score(model["weights"])}

    def fit(name: str, c: float) -> Floats:
        how = replace(settings, c=c, choose_c=())
        learner = svm_learner(objective, how, examples, features, run)
        return run.train(name, learner, how, None if score is None else scored)["weights"]

    if not settings.choose_c:
        return fit(NAME, settings.c)
    if score is None:
        raise ConfigError("choose_c needs a dev file to choose by")
    found = [fit(f"{NAME}-c{c:g}", c) for c in settings.choose_c]
    return max(found, key=score)
