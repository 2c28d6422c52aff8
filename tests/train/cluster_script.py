"""What tests/train/test_cluster.py runs in a process of its own; its findings go to found.json.

They do not go to the terminal, where Ray prints when workers die.
"""

import filecmp
import json
import os
import signal
import sys
from functools import partial
from pathlib import Path

import numpy as np
import ray

from treewright.data.auto import write_auto
from treewright.errors import ForestError, TreewrightError
from treewright.experiments.core.toy import HASH_SPACE, ToyParser, sample
from treewright.forests import ForestStore
from treewright.losses.settings import ObjectiveSettings
from treewright.minibank.brackets import bracketed
from treewright.minibank.sentences import sample as sample_derivations
from treewright.models.kinds import load
from treewright.models.parsing import FileParser, ParseOptions, parse_file
from treewright.models.training import read_plan, train
from treewright.train.cluster import Cluster
from treewright.train.run import Run
from treewright.train.shards import local_objective, store_shards

CONFIG = """
kind = "toy"
sentences = 24
dev_sentences = 2
[optimiser]
name = "{name}"
iterations = 3
batch = 9
"""
TEXT = "the man saw the dog with a telescope\nno word\n" * 300


def main(place: Path) -> dict[str, object]:
    ray.init("local", num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level=40)
    cluster = Cluster.at("auto")
    return (
        {"workers": cluster.workers}
        | killed(cluster, place)
        | trained(place)
        | mapped(cluster, place)
        | {kind: treebank_model(kind, make(place), place) for kind, make in TREEBANKS.items()}
    )


def killed(cluster: Cluster, place: Path) -> dict[str, object]:
    """Gradients before and after one of four workers is killed, beside those of one process."""
    parser = ToyParser()
    with ForestStore.create(place / "toy.forests") as writer:
        for sentence in sample(20, 1):
            writer.add(parser.example(sentence))
    shards, settings = store_shards(place / "toy.forests", 4), ObjectiveSettings("softmax-margin")
    events: list[object] = []
    ours = cluster.objective(settings, shards, HASH_SPACE, lambda **fields: events.append(fields))
    alone = local_objective(settings, shards, HASH_SPACE, 1)
    weights = np.random.default_rng(0).normal(size=HASH_SPACE)
    value, gradient = alone.value_and_gradient(weights)
    before = ours.value_and_gradient(weights)
    processes = ours.processes()
    os.kill(processes[2], signal.SIGKILL)
    after = ours.value_and_gradient(weights)
    chosen = np.array([19, 0, 7, 6, 12])
    part, expected = (each.value_and_gradient_on(chosen, weights) for each in (ours, alone))
    dense = [np.zeros(HASH_SPACE) for _ in range(2)]
    for vector, found in zip(dense, (part, expected), strict=True):
        vector[found.features] = found.gradient * found.uses
    return {
        "processes": len(set(processes)),
        "same after": before[0] == after[0] and np.array_equal(before[1], after[1]),
        "value": abs(before[0] / value - 1),
        "gradient": float(np.abs(before[1] - gradient).max()),
        "minibatch": float(np.abs(dense[0] - dense[1]).max()),
        "uses": np.array_equal(ours.uses(), alone.uses()),
        "events": events,
    }


def trained(place: Path) -> dict[str, object]:
    """How far apart models are that are trained here and on the cluster."""
    far = {}
    for name in ("adagrad",):
        (place / "toy.toml").write_text(CONFIG.format(name=name))
        plan = read_plan(place / "toy.toml")
        weights = []
        for address in (None, "auto"):
            run = Run(place / f"{name}-{address}", 1, plan.seed, address)
            model = load(train(plan, run))
            weights.append(model.bundle().arrays["weights"])
        far[name] = float(np.abs(weights[0] - weights[1]).max())
    return {"far": far}


def ccg_config(place: Path) -> str:
    write_auto(place / "train.auto", sample_derivations(80, 3))
    return f"""
    kind = "ccg"
    train = "{place / "train.auto"}"
    training.tagger_folds = 2
    optimiser.iterations = 4
    tagger = {{local_passes = 2, chain.iterations = 3}}
    pos = {{local_passes = 2, chain.iterations = 2}}
    """


def const_config(place: Path) -> str:
    trees = (bracketed(derivation) + "\n" for derivation in sample_derivations(40, 3))
    (place / "train.mrg").write_text("".join(trees))
    return f"""
    kind = "const"
    train = "{place / "train.mrg"}"
    folds = 2
    tagger = false
    optimiser.iterations = 4
    """


def svm_config(place: Path) -> str:
    more = (
        'solver = "svm"\nmodel = "rules"\nobjective.name = "hinge"\nsvm = {c = 10, iterations = 4}'
    )
    return const_config(place) + more


def pcfg_config(place: Path) -> str:
    return const_config(place) + 'model = "pcfg"'


TREEBANKS = {
    "ccg": ccg_config,
    "const": const_config,
    "const-svm": svm_config,
    "const-pcfg": pcfg_config,
}


def treebank_model(kind: str, config: str, place: Path) -> dict[str, object]:
    """A parser trained by two threads and on the cluster: its forests and its weights."""
    (place / f"{kind}.toml").write_text(config)
    plan = read_plan(place / f"{kind}.toml")
    here, there = (
        Run(place / f"{kind}-{address}", threads, plan.seed, address)
        for threads, address in ((2, None), (0, "auto"))
    )
    weights = [load(train(plan, run)).bundle().arrays["weights"] for run in (here, there)]
    stores = [path.name for path in here.directory.glob("*.store")]
    model = there.directory / "model"
    text = place / f"{kind}.txt"
    text.write_text("the|DT dog|NN barks|VBZ\n" * 150)
    parser = FileParser(model, None, ParseOptions(tagged=kind == "ccg"))
    return {
        "parsed": list(parser.on_cluster(text, "auto")) == list(parser.here(text)),
        "far": float(np.abs(weights[0] - weights[1]).max()),
        "same stores": {
            name: filecmp.cmp(here.directory / name, there.directory / name, shallow=False)
            for name in stores
        },
        "stores there": sorted(path.name for path in there.directory.glob("*.store")),
    }


def parts(words: list[str]) -> int:
    return ToyParser().chart(words).forest.parts


def dies(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dies_once(place: Path, number: int) -> int:
    """Kills its process in the middle of the map, but not a second time."""
    if number == 7 and not (place / "died").exists():
        (place / "died").touch()
        dies(number)
    return number * number


def mapped(cluster: Cluster, place: Path) -> dict[str, object]:
    """Maps, their errors, and a file parsed in pieces."""
    powers = list(cluster.map(partial(pow, 2), range(20)))
    squares = list(cluster.map(partial(dies_once, place), range(20)))
    try:
        list(cluster.map(parts, [["no"]]))
        error = ""
    except ForestError as caught:
        error = str(caught)
    try:
        list(cluster.map(dies, [0]))
        deaths = ""
    except TreewrightError as caught:
        deaths = str(caught)
    (place / "in.txt").write_text(TEXT)
    model, options = place / "adagrad-None" / "model", ParseOptions()
    there = list(FileParser(model, "brackets", options).on_cluster(place / "in.txt", "auto"))
    here = list(parse_file(load(model), place / "in.txt", "brackets", options))
    return {
        "powers": powers == [2**i for i in range(20)],
        "died": (place / "died").exists(),
        "squares": squares == [i * i for i in range(20)],
        "error": error,
        "deaths": deaths,
        "parsed": there == here,
    }


place = Path(sys.argv[1])
(place / "found.json").write_text(json.dumps(main(place)))
