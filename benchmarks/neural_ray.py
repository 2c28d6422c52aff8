"""What a training step of a network spends on the network and on forests, here and on Ray workers.

    python -m benchmarks.neural_ray ccg en-neural-ccg --train TRAIN.auto
    python -m benchmarks.neural_ray const en-neural-const --train TRAIN.mrg

The second word is a neural parser to fine-tune, installed or a directory. The same minibatches are
learnt in every way, several times, and the shortest times count. "Network" is a step without its
sums over forests: encoder, scoring layers, other losses, AdamW. "Forests" are the sums, "sending"
what they take beyond the slowest worker's own time. CPU time of workers is the sum over workers.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.table import markdown
from treewright.data.held_out import cut
from treewright.losses.settings import ObjectiveSettings
from treewright.models.installed import model_directory
from treewright.models.neural.charts import training_charts
from treewright.models.neural.data import Corpus, read_corpus
from treewright.models.neural.settings import (
    CcgHeadSettings,
    ConstituencyHeadSettings,
    JointSettings,
)
from treewright.models.neural.training import first_network, joint_task, trained_model
from treewright.neural.batches import Batch, shuffled_batches
from treewright.neural.charts import ChartPart
from treewright.neural.network import Network
from treewright.neural.parts import JointTask
from treewright.neural.settings import EncoderSettings, NeuralSettings
from treewright.neural.spans import SpanPart
from treewright.neural.training import Optimiser
from treewright.scores.neural.network import TrainedNetwork
from treewright.torch.forests import ForestLoss
from treewright.train.run import Run
from treewright.train.shards import Shard
from treewright.train.tables import ClusterTables, Tables, TableWorker, ValuesAndGradient

Clocks = tuple[float, float]  # seconds of the wall and of the CPU


def clocks() -> Clocks:
    return time.perf_counter(), time.process_time()


def since(start: Clocks) -> Clocks:
    now = clocks()
    return now[0] - start[0], now[1] - start[1]


class TimedWorker(TableWorker):
    """A worker that knows what its last answer took."""

    last: Clocks = (0.0, 0.0)

    def values_and_gradient(self, *asked: Any) -> ValuesAndGradient:
        start = clocks()
        found = super().values_and_gradient(*asked)
        self.last = since(start)
        return found

    def seconds(self) -> Clocks:
        return self.last


class TimedTables(ClusterTables):
    """Asks the workers, and counts the bytes that are sent to them and back."""

    worker = TimedWorker
    bytes = 0

    def __call__(self, examples: Sequence[int], tables: Tables, first: Any) -> ValuesAndGradient:
        self.bytes = 2 * tables.nbytes
        return super().__call__(examples, tables, first)

    def seconds(self) -> Clocks:
        """What the last minibatch took: the slowest worker's time, and the CPU time of all."""
        found = self._ask("seconds", [()] * len(self._workers))
        return max(wall for wall, _ in found), sum(cpu for _, cpu in found)

    def _fits(self, method: str, arguments: tuple[Any, ...], found: Any) -> bool:
        return method == "seconds" or super()._fits(method, arguments, found)


class TimedRun(Run):
    """A run whose workers are timed."""

    def tables(self, settings: ObjectiveSettings, shards: Sequence[Shard]) -> ClusterTables:
        self.held = TimedTables(self._cluster(), settings, shards, self.record)
        return self.held


@dataclass
class Timed:
    """An objective that knows what its last call took."""

    objective: Callable[[Sequence[Any], Sequence[Tensor]], Tensor]
    last: Clocks = (0.0, 0.0)

    def __call__(self, items: Sequence[Any], tables: Sequence[Tensor]) -> Tensor:
        start = clocks()
        found = self.objective(items, tables)
        self.last = since(start)
        return found


@dataclass
class Way:
    """A way to sum over forests, and the shortest times of every minibatch.

    network, forests, workers: seconds by minibatch, wall and CPU.
    """

    name: str
    task: JointTask
    objective: Timed
    held: TimedTables | None
    network: dict[int, list[Clocks]] = field(default_factory=dict)
    forests: dict[int, list[Clocks]] = field(default_factory=dict)
    workers: dict[int, list[Clocks]] = field(default_factory=dict)
    sent: dict[int, int] = field(default_factory=dict)

    def step(self, number: int, batch: Batch, optimiser: Optimiser) -> None:
        """One training step."""
        torch.manual_seed(number)
        start = clocks()
        optimiser.step(self.task.loss(batch))
        whole, forests = since(start), self.objective.last
        rest = whole[0] - forests[0], whole[1] - forests[1]
        self.network.setdefault(number, []).append(rest)
        self.forests.setdefault(number, []).append(forests)
        if self.held is not None:
            self.workers.setdefault(number, []).append(self.held.seconds())
            self.sent[number] = self.held.bytes

    def row(self, sentences: int) -> list[str]:
        """Milliseconds per sentence, and the size of what is sent."""
        network, forests, workers = map(_shortest, (self.network, self.forests, self.workers))
        cells = [*network, *forests] + ([forests[0] - workers[0], workers[1]] if self.held else [])
        shown = [f"{1000 * each / sentences:.1f}" for each in cells]
        sent = [f"{sum(self.sent.values()) / sentences / 1e3:.0f}"] if self.held else ["", "", ""]
        return [self.name, *shown, *sent]


def _shortest(times: dict[int, list[Clocks]]) -> Clocks:
    """The sums over minibatches of the shortest times."""
    found = [np.min(each, axis=0) for each in times.values()]
    wall, cpu = np.sum(found, axis=0) if found else (0.0, 0.0)
    return float(wall), float(cpu)


def way(
    name: str,
    network: Network,
    corpus: Corpus,
    settings: JointSettings,
    run: TimedRun,
    threads: int,
) -> Way:
    """The task of a training run, with its objective on forests timed."""
    charts = training_charts(settings.ccg, corpus, run)
    task = joint_task(network, corpus, settings, charts, run=run)
    (part,) = (each for each in task.parts if isinstance(each, ChartPart | SpanPart))
    assert part.objective is not None
    if isinstance(part.objective, ForestLoss):
        part.objective.threads = threads
    part.objective = Timed(part.objective)
    return Way(name, task, part.objective, getattr(run, "held", None))


def settings_of(options: argparse.Namespace, train: Path) -> JointSettings:
    neural = NeuralSettings(EncoderSettings(options.model), batch=options.batch)
    objective = ObjectiveSettings(options.objective, options.loss, options.tau)
    how = {"train": train, "max_words": options.max_words, "objective": objective}
    if options.kind == "const":
        return JointSettings(const=ConstituencyHeadSettings(**how), neural=neural)
    charts = model_directory(options.charts or options.model)
    return JointSettings(ccg=CcgHeadSettings(**how, charts=charts), neural=neural)


def measure(options: argparse.Namespace, place: Path) -> None:
    cut(options.train, place, seed=0, share=options.share)
    settings = settings_of(options, place / f"test{options.train.suffix}")
    trained = trained_model(options.model)
    assert trained is not None, f"{options.model} is not a neural model"
    corpus = read_corpus(settings, known=TrainedNetwork.from_bundle(trained).labels)
    network, _ = first_network(settings.neural, corpus.labels, trained)
    here = TimedRun(place / "run", 1, quiet=True)
    there = TimedRun(place / "run", 1, ray=options.ray, quiet=True)
    ways = [way("1 thread", network, corpus, settings, here, 1)]
    ways += [way("all cores", network, corpus, settings, here, 0)]
    ways += [way(f"{there.shards} Ray workers", network, corpus, settings, there, 1)]
    task = ways[0].task
    sizes = [len(each) for each in task.sentences]
    batches = shuffled_batches(sizes, settings.neural.batch, 0, 1)[: options.steps]
    steps = len(batches) * len(ways) * (options.rounds + 1)
    optimiser = Optimiser(at_rest(network), steps)
    network.train()
    for each in [*ways, *ways]:  # warm up; workers start, forests are read
        each.task.loss(batches[0])
    for _ in range(options.rounds):
        for number, batch in enumerate(batches):
            for each in ways:
                each.step(number, batch, optimiser)
    sentences = sum(map(len, batches))
    words = sum(task.lengths[i] for batch in batches for i in batch)
    print(
        f"{len(batches)} minibatches, {sentences} sentences, {words / sentences:.1f} words each\n"
    )
    columns = ["ms per sentence", "network", "CPU", "forests", "CPU", "sending", "workers' CPU"]
    print(markdown([*columns, "kB sent"], [each.row(sentences) for each in ways]))


def at_rest(network: Network) -> Network:
    """The network with steps so small that its scores stay as they are."""
    network.settings = replace(network.settings, rate=1e-9, encoder_rate=1e-9)
    return network


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("kind", choices=("ccg", "const"))
    parser.add_argument("model", help="a neural parser to fine-tune")
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--share", type=float, default=0.1, help="of TRAIN")
    parser.add_argument("--ray", default="auto", help="the address of a cluster")
    parser.add_argument("--charts", help="ccg: the parser that builds charts; default: the model")
    parser.add_argument("--objective", default="softmax-margin")
    parser.add_argument("--loss", default="f1")
    parser.add_argument("--tau", type=float, default=3.0)
    parser.add_argument("--max-words", type=int, default=200)
    parser.add_argument("--batch", type=int, default=1200, help="word pieces per minibatch")
    parser.add_argument("--steps", type=int, default=6, help="number of minibatches")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1, help="of the network")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    with TemporaryDirectory() as place:
        measure(options, Path(place))


if __name__ == "__main__":
    main()
