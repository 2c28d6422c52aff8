"""Training of networks with AdamW and warm-up, as a learner of the training loop.

The order of sentences depends on seed and epoch, and dropout on seed and step, so resumed training
ends in bit-identical weights.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from treewright.arrays import Integers
from treewright.neural.batches import Batch, shuffled_batches
from treewright.neural.network import Network
from treewright.train.loop import (
    Arrays,
    State,
    Step,
    Tick,
    Values,
    prefixed,
    silent,
    without_prefix,
)
from treewright.train.run import Run

WEIGHTS, MOMENTS, FIRST, SECOND = "weights", "moments", "first", "second"


class Task(Protocol):
    """A training task of a network."""

    network: Network
    sentences: Sequence[Integers]
    lengths: Sequence[int]

    @property
    def has_dev(self) -> bool:
        """Whether there is something to score on."""

    def loss(self, batch: Batch) -> Tensor:
        """The value to minimise on a minibatch of training sentences, per word."""

    def score(self) -> Mapping[str, float]:
        """Dev metrics; `score` is used to choose the best epoch, higher is better."""


class Optimiser:
    """AdamW with learning rates per layer, linear warm-up and linear decay."""

    def __init__(self, network: Network, steps: int) -> None:
        how = network.settings
        self.steps, self.warm_up, self.clip = steps, how.warm_up, how.clip
        self.parameters = [each for each in network.parameters() if each.requires_grad]
        groups = [
            {"params": some, "lr": rate, "top": rate, "weight_decay": decay}
            for parameters, rate in network.groups()
            for some, decay in (
                ([p for p in parameters if p.dim() > 1], how.weight_decay),
                ([p for p in parameters if p.dim() <= 1], 0.0),
            )
            if some
        ]
        self.adam = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-8, fused=True)
        self.done = 0

    def step(self, value: Tensor) -> bool:
        """One gradient step; returns whether the gradient was finite (otherwise it counts as 0).

        Sums over all trees have no finite gradient if a matrix is nearly singular.
        """
        self.adam.zero_grad()
        value.backward()  # type: ignore[no-untyped-call]
        size = nn.utils.clip_grad_norm_(self.parameters, self.clip)
        finite = bool(torch.isfinite(size))
        if not finite:
            self.adam.zero_grad(set_to_none=False)
        for group in self.adam.param_groups:
            group["lr"] = group["top"] * self._height((self.done + 1) / self.steps)
        self.adam.step()
        self.done += 1
        return finite

    def _height(self, share: float) -> float:
        """The step size at a share of all steps, as a part of the highest."""
        rising = share / self.warm_up if self.warm_up else 1.0
        return max(0.0, min(rising, (1.0 - share) / (1.0 - self.warm_up)))

    def arrays(self) -> Arrays:
        """The moments of all parameters that have any."""
        found = {}
        for number, parameter in enumerate(self.parameters):
            state = self.adam.state.get(parameter)
            if state:
                found[f"{FIRST}.{number}"] = state["exp_avg"].cpu().numpy()
                found[f"{SECOND}.{number}"] = state["exp_avg_sq"].cpu().numpy()
        return found

    def restore(self, arrays: Mapping[str, NDArray[Any]], done: int) -> None:
        """Continues after a number of steps."""
        self.done = done
        for number, parameter in enumerate(self.parameters):
            if f"{FIRST}.{number}" in arrays:
                self.adam.state[parameter] = {
                    "step": torch.tensor(float(done), device=parameter.device),
                    "exp_avg": _tensor(arrays[f"{FIRST}.{number}"], parameter),
                    "exp_avg_sq": _tensor(arrays[f"{SECOND}.{number}"], parameter),
                }


def _tensor(array: NDArray[Any], like: Tensor) -> Tensor:
    return torch.from_numpy(np.array(array)).to(like)


class NetworkLearner:
    """Trains a network on the minibatches of a task."""

    def __init__(self, task: Task, seed: int) -> None:
        self.task, self.seed = task, seed
        self.passes = self.place = self.words = 0
        self.total = 0.0
        numbers = range(1, task.network.settings.iterations + 1)
        self.optimiser = Optimiser(task.network, sum(len(self._order(each)) for each in numbers))

    @property
    def done(self) -> bool:
        return self.passes >= self.task.network.settings.iterations

    def model(self) -> Arrays:
        return {name: array.copy() for name, array in self.task.network.arrays().items()}

    def advance(self, tick: Tick = silent) -> Step:
        """One pass."""
        order = self._order(self.passes + 1)
        while self.place < len(order):
            if self.place:
                tick(self.passes + self.place / len(order))
            self._learn(order[self.place])
            self.place += 1
        value = self.total / max(1, self.words)
        self.passes, self.place, self.words, self.total = self.passes + 1, 0, 0, 0.0
        return Step(self.passes, value)

    def _learn(self, batch: Batch) -> None:
        torch.manual_seed(self.seed * 1_000_003 + self.optimiser.done)
        self.task.network.train()
        value = self.task.loss(batch)
        if self.optimiser.step(value):
            size = sum(self.task.lengths[i] for i in batch)
            self.total, self.words = self.total + float(value.detach()) * size, self.words + size

    def _order(self, number: int) -> list[Batch]:
        sizes = [len(each) for each in self.task.sentences]
        return shuffled_batches(sizes, self.task.network.settings.batch, self.seed, number)

    def state(self) -> State:
        groups = {WEIGHTS: self.task.network.arrays(), MOMENTS: self.optimiser.arrays()}
        names = ("passes", "place", "words", "total")
        values = {name: getattr(self, name) for name in names}
        return prefixed(groups), values | {"steps": self.optimiser.done}

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values) -> None:
        self.task.network.restore(without_prefix(arrays, WEIGHTS))
        self.optimiser.restore(without_prefix(arrays, MOMENTS), values["steps"])
        self.passes, self.place = values["passes"], values["place"]
        self.words, self.total = values["words"], values["total"]


def train_network(task: Task, run: Run, name: str) -> Arrays:
    """The trained weights: of the best epoch on dev with patience, otherwise of the last.

    The network is trained on a GPU if there is one, and is on the CPU afterwards.
    """
    torch.set_num_threads(run.threads)
    task.network.to("cuda" if torch.cuda.is_available() else "cpu")

    def score(_: Arrays) -> Mapping[str, float]:
        task.network.eval()
        return task.score()

    learner = NetworkLearner(task, run.seed)
    weights = run.train(name, learner, task.network.settings, score if task.has_dev else None)
    task.network.to("cpu")
    return weights
