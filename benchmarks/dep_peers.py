"""Treewright, UDPipe 1, spaCy and SuPar on the same trees, tags and core: accuracy, time, memory.

    pip install -e .[bench]
    python -m benchmarks.dep_peers data/dep-ewt --sentences 2000

All train on the first sentences of train.conllu (0: all) with its tags, or with `--tags automatic`
on jackknifed tags of our tagger, and parse dev.conllu. `--parsers "Treewright, neural"` is a
network from scratch. Attachment is of full labels. Every parser has its own process, one to train
and one to parse; seconds are CPU time, sentences/s the best of three rounds in which they take
turns, memory the process's peak. `--options` are those of training: passes, steps, or UDPipe's own;
behind those of the network and spaCy may be a file of static vectors, "spaCy=2400 glove.txt"
(`benchmarks.glove`), and behind SuPar's the width of its LSTMs.
With `--models` a folder keeps the models, and those in it are not trained again.
"""

import argparse
import json
import multiprocessing as mp
import os
import tempfile
import time
from collections.abc import Mapping
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.dep_contenders import CONTENDERS, Trees
from benchmarks.dep_parser import full_las
from benchmarks.measure import peak_mb
from benchmarks.table import markdown
from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.metrics.dependency import score
from treewright.models.dependency.analysis import parsed_tree
from treewright.models.dependency.tags import jackknifed, train_dependency_tagger
from treewright.models.tagging.settings import MorphologySettings
from treewright.train.run import Run

OPTIONS = {
    "Treewright": "6",  # passes
    "Treewright, neural": "12",  # passes
    "UDPipe 1": "iterations=4;structured_interval=0",
    "spaCy": "2400",  # steps
    "SuPar, biaffine": "12",  # passes
    "SuPar, all trees": "12",
}
DEFAULT = ["Treewright", "UDPipe 1", "spaCy"]
HEADER = (
    "parser", "UAS", "LAS", "LAS, full labels", "training s", "MB", "sentences/s", "MB, parsing",
)  # fmt: skip
Answer = tuple[float, float, list[tuple[list[int], tuple[str, ...]]]]  # seconds, MB, trees
ROUNDS = 3
PROCESSES = mp.get_context("spawn")  # a fork would count our memory as theirs


def train(name: str, file: Path, model: Path, options: str) -> None:
    """In a process of its own: trains, and leaves the time and memory beside the model."""
    trees, contender = list(conllu.read(file)), CONTENDERS[name]()
    began = time.process_time()
    contender.train(trees, model, options)
    cost = {"seconds": time.process_time() - began, "mb": peak_mb()}
    model.with_suffix(".json").write_text(json.dumps(cost))


def serve(name: str, file: Path, model: Path, pipe: Connection) -> None:
    """In a process of its own: parses the file each time it is told to."""
    trees, contender = list(conllu.read(file)), CONTENDERS[name]()
    contender.load(model)
    while pipe.recv():
        given = contender.prepare(trees)
        began = time.process_time()
        found = contender.parse(given)
        seconds, memory = time.process_time() - began, peak_mb()
        made = contender.trees(found, trees)
        pipe.send((seconds, memory, [(tree.heads.tolist(), tree.deprels) for tree in made]))


def automatic_tags(train: Trees, dev: Trees, folder: Path) -> tuple[Trees, Trees]:
    """The sentences with tags of our tagger, those to train on from taggers that lack them."""
    settings, run = MorphologySettings(), Run(folder / "tags", threads=1, quiet=True)
    words = jackknifed(train, settings, run, folds=5)
    tagged = [DependencyTree(tuple(each)) for each in words]
    tagger = train_dependency_tagger(train, settings, run)
    return tagged, [DependencyTree(tuple(each)) for each in tagger.tag([t.words for t in dev])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="a folder with train.conllu and dev.conllu")
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--tags", choices=("gold", "automatic"), default="gold")
    parser.add_argument("--parsers", nargs="+", choices=list(CONTENDERS), default=DEFAULT)
    parser.add_argument("--options", nargs="+", default=[], metavar="PARSER=OPTIONS")
    parser.add_argument("--models", type=Path)
    chosen = parser.parse_args()
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    trees = list(islice(conllu.read(chosen.data / "train.conllu"), chosen.sentences or None))
    dev = list(conllu.read(chosen.data / "dev.conllu"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.models or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        given = automatic_tags(trees, dev, folder) if chosen.tags == "automatic" else (trees, dev)
        for name, some in zip(("train", "dev"), given, strict=True):
            conllu.write(some, folder / f"{name}.conllu")
        how = OPTIONS | dict(each.split("=", 1) for each in chosen.options)
        print(markdown(HEADER, compare(chosen.parsers, folder, dev, how)))


def compare(
    names: list[str], folder: Path, gold: Trees, options: Mapping[str, str]
) -> list[list[str]]:
    models = {name: folder / f"{name}.model" for name in names}
    for name, model in models.items():
        if not model.with_suffix(".json").exists():
            job = (name, folder / "train.conllu", model, options[name])
            process = PROCESSES.Process(target=train, args=job)
            process.start()
            process.join()
            if process.exitcode:
                raise RuntimeError(f"{name}: training failed")
    pipes = {name: start(name, folder / "dev.conllu", model) for name, model in models.items()}
    answers = [{name: ask(pipe) for name, pipe in pipes.items()} for _ in range(ROUNDS)]
    for pipe in pipes.values():
        pipe.send(False)
    return [row(name, models[name], [answer[name] for answer in answers], gold) for name in names]


def start(name: str, file: Path, model: Path) -> Connection:
    ours, theirs = PROCESSES.Pipe()
    PROCESSES.Process(target=serve, args=(name, file, model, theirs), daemon=True).start()
    theirs.close()
    return ours


def ask(pipe: Connection) -> Answer:
    pipe.send(True)
    found: Answer = pipe.recv()
    return found


def row(name: str, model: Path, answers: list[Answer], gold: Trees) -> list[str]:
    found = [parsed_tree(tree, *parse) for tree, parse in zip(gold, answers[0][2], strict=True)]
    words = score(found, gold).words
    attachment = [100 * words[metric].score.f for metric in ("UAS", "LAS")]
    cost = json.loads(model.with_suffix(".json").read_text())
    speed = len(gold) / min(seconds for seconds, _, _ in answers)
    figures = [f"{each:.2f}" for each in (*attachment, full_las(found, gold))]
    memory = max(mb for _, mb, _ in answers)
    return [
        name,
        *figures,
        f"{cost['seconds']:.0f}",
        f"{cost['mb']:,.0f}",
        f"{speed:,.0f}",
        f"{memory:,.0f}",
    ]


if __name__ == "__main__":
    main()
