"""The `[svm]` section of a training configuration, and training by it."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from treewright.arrays import Floats
from treewright.config import setting
from treewright.errors import ConfigError
from treewright.forests.example import Example
from treewright.losses import BatchObjective
from treewright.losses.settings import ObjectiveSettings
from treewright.train.cutting_plane import Round, n_slack, one_slack
from treewright.train.frank_wolfe import Pass, frank_wolfe
from treewright.train.planes import Planes
from treewright.train.run import Run

NAME = "svm"  # of the training in the records
SCORE_EVERY = 10  # rounds
Step = Round | Pass
Score = Callable[[Floats], float]


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
    score: Score | None = None,
    on_step: Callable[[Step], object] | None = None,
) -> Floats:
    """The weights of the SVM; every round is a line of the run's records.

    Every tenth round and the last have the score of their weights.
    """
    if settings.choose_c:
        return _choose(objective, settings, examples, features, run, score)
    rounds = _Rounds(run, NAME, settings, score, on_step)
    weights = _solve(objective, settings, examples, features, run, rounds)
    if score is not None and not rounds.scored:
        rounds.record(score(weights))
    return weights


class _Rounds:
    """The records of one training."""

    def __init__(
        self,
        run: Run,
        name: str,
        settings: SvmSettings,
        score: Score | None = None,
        on_step: Callable[[Step], object] | None = None,
    ) -> None:
        self.run, self.score, self.on_step = run, score, on_step
        self.how = {"optimise": name, "svm": settings.method, "c": settings.c}
        self.last: dict[str, object] = {}
        self.scored = False

    def __call__(self, step: Step, weights: Floats) -> None:
        self.last = {"iteration": step.number, "objective": step.primal, **asdict(step)}
        self.scored = self.score is not None and step.number % SCORE_EVERY == 0
        self.record(self.score(weights) if self.score is not None and self.scored else None)
        if self.on_step is not None:
            self.on_step(step)

    def record(self, score: float | None) -> None:
        """The last round, with its score where there is one: a second record replaces the first."""
        found = {} if score is None else {"score": score, "dev": score}
        self.run.record(**self.how, **self.last, **found)


def _solve(
    objective: ObjectiveSettings,
    settings: SvmSettings,
    examples: Sequence[Example],
    features: int,
    run: Run,
    on_round: _Rounds,
) -> Floats:
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
    score: Score | None,
) -> Floats:
    """The weights of the C that scores best on dev, the first of equals."""
    if score is None:
        raise ConfigError("choose_c needs a dev file to choose by")
    found: list[tuple[float, Floats]] = []
    for c in settings.choose_c:
        one = replace(settings, c=c, choose_c=())
        rounds = _Rounds(run, f"{NAME}, c = {c:g}", one)
        weights = _solve(objective, one, examples, features, run, rounds)
        found.append((score(weights), weights))
        rounds.record(found[-1][0])
    return max(found, key=lambda each: each[0])[1]
