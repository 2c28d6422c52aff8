"""What tests/models/neural/test_ray.py runs in a process of its own; it writes found.json."""

import filecmp
import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import ray

from tests.small_ccg import small_parser
from treewright.forests import ForestStore
from treewright.forests.features import Example
from treewright.forests.tables import SpanExamples
from treewright.losses.settings import ObjectiveSettings
from treewright.losses.tables import offsets, table_objective
from treewright.minibank.write import write_minibank
from treewright.models.training import read_plan, train
from treewright.storage.bundle import read_bundle
from treewright.train.run import Run
from treewright.train.shards import Shard, dealt, store_items

HOW = ObjectiveSettings("softmax-margin", "f1", 2.0)
CHAINS = [("NP",), ("S", "VP")]
TREES = [(n, [(0, n, n % 2), (n - 2, n, 0)]) for n in range(3, 15)]
CONFIG = """
kind = "{kind}"
train = "{train}"
{more}
objective = {{ name = "softmax-margin", loss = "f1" }}
[scorer]
kind = "neural"
iterations = 2
batch = 200
precision = "float32"
encoder = {{ width = 16, layers = 1, rows = 50 }}
"""


def main(place: Path) -> dict[str, object]:
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=40)
    write_minibank(place, 60, seed=3)
    small_parser().save(place / "parser")
    charts = f'charts = "{place / "parser"}"'
    found = {"ccg": trained("ccg", "train.auto", charts, place)}
    found["const"] = trained("const", "train.mrg", "label_cutoff = 1", place)
    here, there = (place / f"ccg-{address}" / "charts.store" for address in (None, "auto"))
    return {
        "same stores": filecmp.cmp(here, there, shallow=False),
        "charts": len(ForestStore(here)),
        "same weights": found,
        "killed": [killed_charts(here, place), killed_trees(place)],
    }


def trained(kind: str, train_file: str, more: str, place: Path) -> bool:
    """Whether networks are the same bit by bit, trained here and on the cluster."""
    config = place / f"{kind}.toml"
    config.write_text(CONFIG.format(kind=kind, train=place / train_file, more=more))
    plan, networks = read_plan(config), []
    for address in (None, "auto"):
        run = Run(place / f"{kind}-{address}", 1, plan.seed, address, quiet=True)
        train(plan, run)
        networks.append(read_bundle(run.directory / "stages" / "network").arrays)
    here, there = networks
    return here.keys() == there.keys() and all(np.array_equal(here[k], there[k]) for k in here)


def killed_charts(path: Path, place: Path) -> object:
    examples = ForestStore(path)[:20]
    sizes = [int(each.features.vocabulary.max()) + 1 for each in examples]
    hands = dealt(sizes, 2)
    return killed(examples, sizes, [Shard(store_items, (path, each)) for each in hands], place)


def killed_trees(place: Path) -> object:
    sizes = [(words + 1) ** 2 * len(CHAINS) for words, _ in TREES]
    hands = dealt(sizes, 2)
    shards = [Shard(SpanExamples, ([TREES[i] for i in hand], CHAINS)) for hand in hands]
    return killed(SpanExamples(TREES, CHAINS)[:], sizes, shards, place)


def killed(examples: list[Example], sizes: list[int], shards: list[Shard], place: Path) -> object:
    """Values and gradients before and after a worker is killed, beside those of this process."""
    run = Run(place / "killed", 1, ray="auto")
    ours = run.tables(HOW, shards)
    hands = dealt(sizes, 2)
    order = [i for hand in hands for i in hand]
    first = offsets([sizes[i] for i in order])
    tables = np.random.default_rng(0).normal(size=first[-1]).astype(np.float32)
    alone = table_objective(HOW.make(), [examples[i] for i in order], 1)
    values, gradient = alone(tables.astype(np.float64), first)
    found = [ours(range(len(order)), tables, first)]
    processes = ours.processes()
    os.kill(processes[1], signal.SIGKILL)
    found.append(ours(range(len(order)), tables, first))
    same = [
        np.array_equal(each, values) and np.array_equal(slope, gradient.astype(np.float32))
        for each, slope in found
    ]
    return {"same": same, "replaced": ours.processes()[1] != processes[1]}


if __name__ == "__main__":
    directory = Path(sys.argv[1])
    (directory / "found.json").write_text(json.dumps(main(directory)))
