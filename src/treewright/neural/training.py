"""Training of networks: AdamW with warm-up, a dev score after every pass, checkpoints.

The order of sentences and the dropout of a pass follow from seed and number of the pass, so a run
that is continued after a checkpoint gives the same weights, bit for bit.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from treewright.neural.batches import Batch, shuffled_batches
from treewright.neural.network import Network
from treewright.storage.tensors import Arrays
from treewright.train.online import prefixed, without_prefix
from treewright.train.progress import Progress
from treewright.train.run import Run

WEIGHTS, BEST, FIRST, SECOND = "weights", "best", "first", "second"


class Task(Protocol):
    """What a network learns."""

    network: Network
    lengths: Sequence[int]

    def loss(self, batch: Batch) -> Tensor:
        """The value to minimise on a minibatch of training sentences, per word."""

    def score(self) -> Mapping[str, float]:
        """Scores on dev, higher is better; `score` is what passes are chosen by; {} without dev."""


class Optimiser:
    """AdamW with a step size per layer, linear warm-up and linear decay."""

    def __init__(self, network: Network, steps: int) -> None:
        how = network.settings
        self.steps, self.warm_up, self.clip = steps, how.warm_up, how.clip
        self.parameters = list(network.parameters())
        groups = [
            {"params": some, "lr": rate, "top": rate, "weight_decay": decay}
            for parameters, rate in network.groups()
            for some, decay in (
                ([p for p in parameters if p.dim() > 1], how.weight_decay),
                ([p for p in parameters if p.dim() <= 1], 0.0),
            )
            if some
        ]
        self.adam = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-8)
        self.done = 0

    def step(self, value: Tensor) -> None:
        """One step down the gradient of a value."""
        self.adam.zero_grad()
        value.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.parameters, self.clip)
        for group in self.adam.param_groups:
            group["lr"] = group["top"] * self._height((self.done + 1) / self.steps)
        self.adam.step()
        self.done += 1

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

    def restore(self, arrays: Arrays, done: int) -> None:
        """Continues after so many steps."""
        self.done = done
        for number, parameter in enumerate(self.parameters):
            if f"{FIRST}.{number}" in arrays:
                self.adam.state[parameter] = {
                    "step": torch.tensor(float(done)),
                    "exp_avg": _tensor(arrays[f"{FIRST}.{number}"], parameter),
                    "exp_avg_sq": _tensor(arrays[f"{SECOND}.{number}"], parameter),
                }


def _tensor(array: NDArray[Any], like: Tensor) -> Tensor:
    return torch.from_numpy(np.array(array)).to(like)


def train_network(task: Task, run: Run, name: str) -> Arrays:
    """The weights after the pass that does best on dev, or after the last one without dev."""
    how = task.network.settings
    torch.set_num_threads(run.threads)
    steps = sum(len(_order(task, run, number)) for number in range(1, how.passes + 1))
    training = _Training(task, run, name, Optimiser(task.network, steps))
    done = training.resume()
    with run.progress("words", how.passes * sum(task.lengths)) as bar:
        bar.advance(done * sum(task.lengths))
        for number in range(done + 1, how.passes + 1):
            training.run_pass(number, bar)
            if training.after(number):
                break
    return training.best or task.network.arrays()


def _order(task: Task, run: Run, number: int) -> list[Batch]:
    return shuffled_batches(task.lengths, task.network.settings.batch, run.seed, number)


class _Training:
    """The state between two passes."""

    def __init__(self, task: Task, run: Run, name: str, optimiser: Optimiser) -> None:
        self.task, self.run, self.name, self.optimiser = task, run, name, optimiser
        self.best: Arrays = {}
        self.best_score, self.best_number = -1.0, 0
        self.fields: dict[str, object] = {}

    def run_pass(self, number: int, bar: Progress) -> None:
        began, total, words = time.perf_counter(), 0.0, 0
        torch.manual_seed(self.run.seed * 1_000_003 + number)
        self.task.network.train()
        for batch in _order(self.task, self.run, number):
            value = self.task.loss(batch)
            self.optimiser.step(value)
            size = sum(self.task.lengths[i] for i in batch)
            total, words = total + float(value.detach()) * size, words + size
            bar.advance(size, loss=total / words)
        self.fields = {
            "optimise": self.name,
            "iteration": number,
            "objective": total / max(1, words),
            "pass_seconds": round(time.perf_counter() - began, 3),
        }

    def after(self, number: int) -> bool:
        """Scores, records and keeps a pass; says whether no further one is worth its time."""
        self.task.network.eval()
        with torch.inference_mode():
            scores = dict(self.task.score())
        if not scores or scores["score"] > self.best_score:
            self.best_number, self.best_score = number, scores.get("score", -1.0)
            self.best = {key: value.copy() for key, value in self.task.network.arrays().items()}
        patience = self.task.network.settings.patience
        stopped = 0 < patience <= number - self.best_number
        self.run.record(**self.fields, **scores)
        self._keep(number, stopped)
        return stopped

    def _keep(self, number: int, stopped: bool) -> None:
        parts = {WEIGHTS: self.task.network.arrays(), BEST: self.best}
        arrays = prefixed(parts | {"moments": self.optimiser.arrays()})
        self.run.keep(
            self.name,
            arrays,
            done=number,
            stopped=stopped,
            steps=self.optimiser.done,
            best_score=self.best_score,
            best_number=self.best_number,
        )

    def resume(self) -> int:
        """Continues from the checkpoint, if there is one: the passes that need not be made."""
        if (arrays := self.run.kept(self.name)) is None:
            return 0
        values = self.run.kept_values(self.name)
        self.task.network.restore(without_prefix(arrays, WEIGHTS))
        self.best = without_prefix(arrays, BEST)
        self.best_score, self.best_number = values["best_score"], values["best_number"]
        self.optimiser.restore(without_prefix(arrays, "moments"), values["steps"])
        passes = self.task.network.settings.passes
        return passes if values["stopped"] else int(values["done"])
