"""The `[svm]` section of a training configuration, and training by it."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from treewright.config import setting
from treewright.errors import ConfigError
from treewright.forests.example import Example
from treewright.inference.box import Floats
from treewright.losses import BatchObjective
from treewright.losses.settings import ObjectiveSettings
from treewright.train.cutting_plane import Round, n_slack, one_slack
from treewright.train.frank_wolfe import Pass, frank_wolfe
from treewright.train.planes import Planes
from treewright.train.run import Run


@dataclass(frozen=True)
class SvmSettings:
    """How a structured SVM is solved; the loss and its rescaling are the objective's."""

    method: Literal["one-slack", "n-slack", "frank-wolfe"] = setting("one-slack", "")
    c: float = setting(1000.0, "the weight of the mean hinge against |w|^2 / 2")
    epsilon: float = setting(0.001, "the largest violation, or gap / C, at which to stop")
    rounds: int = setting(200, "at most so many: of the cutting plane, or passes of Frank-Wolfe")
    averaging: bool = setting(True, "frank-wolfe: weighted mean of the weights")
    choose_c: tuple[float, ...] = setting((), "instead of c: the best of these by the score on dev")

    def __post_init__(self) -> None:
        if not (min(self.c, *self.choose_c, self.epsilon) > 0 and self.rounds > 0):
            raise ValueError("c, choose_c, epsilon and rounds must be positive")


def fit_svm(
    objective: ObjectiveSettings,
    settings: SvmSettings,
    examples: Sequence[Example],
    features: int,
    run: Run,
    score: Callable[[Floats], float] | None = None,
    on_step: Callable[[Round | Pass], object] | None = None,
) -> Floats:
    """The weights of the SVM; every round is a line of the run's records."""
    if settings.choose_c:
        return _choose(objective, settings, examples, features, run, score)

    def on_round(step: Round | Pass, weights: Floats) -> None:
        found = {} if score is None or step.number % 10 else {"dev": score(weights)}
        run.record(svm=settings.method, **asdict(step), **found)
        if on_step is not None:
            on_step(step)

    c, epsilon, rounds = settings.c, settings.epsilon, settings.rounds
    if settings.method == "one-slack":
        batch = BatchObjective(objective.make(), examples, features, run.threads)
        return one_slack(batch, c, epsilon, rounds, on_round)
    planes = Planes(objective.make(), examples)
    if settings.method == "n-slack":
        return n_slack(planes, features, c, epsilon, rounds, on_round)
    return frank_wolfe(planes, features, c, epsilon, rounds, run.seed, settings.averaging, on_round)


def _choose(
    objective: ObjectiveSettings,
    settings: SvmSettings,
    examples: Sequence[Example],
    features: int,
    run: Run,
    score: Callable[[Floats], float] | None,
) -> Floats:
    """The weights of the C that scores best on dev, the first of equals."""
    if score is None:
        raise ConfigError("choose_c needs a dev file to choose by")
    found: list[tuple[float, Floats]] = []
    for c in settings.choose_c:
        one = replace(settings, c=c, choose_c=())
        weights = fit_svm(objective, one, examples, features, run)
        found.append((score(weights), weights))
        run.record(c=c, score=found[-1][0])
    return max(found, key=lambda each: each[0])[1]
