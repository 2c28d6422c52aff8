"""Networks for constituency trees from scratch, Treewright's and SuPar's, on the same trees.

    pip install --no-deps supar dill
    python -m benchmarks.const_networks data/const-craft --sentences 2000 --max-words 20

All train on the same trees (sampled at even intervals; 0: all) of at most `--max-words` words,
without traces and function tags, for a number of passes, and parse those of dev from their words;
no dev set chooses the pass. The log-linear parser is `examples/const.toml`, with its tagger. Every
training and every parse has a process of its own; seconds are CPU time, memory is its peak. With
`--models` a folder keeps the models, and those in it are not trained again.
"""

import argparse
import json
import multiprocessing as mp
import os
import tempfile
import time
import tomllib
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, TypeVar

from benchmarks.dep_contenders import SCORER
from benchmarks.measure import peak_mb
from benchmarks.supar_parsers import SuParSpans
from benchmarks.table import markdown
from treewright.data import ptb
from treewright.data.brackets import Bracketed, Phrase, Tagged, fold
from treewright.data.records import Sentence
from treewright.grammar.binarise import Binariser
from treewright.metrics.brackets import bracket_counts, match_trees
from treewright.metrics.significance import paired_bootstrap
from treewright.models.constituency.data import Item, read_items
from treewright.models.kinds import load
from treewright.models.training import plan_of, train
from treewright.train.run import Run

LOG_LINEAR = Path(__file__).parents[1] / "examples" / "const.toml"
HEADER = (
    "parser", "P", "R", "F1", "exact", "p", "training s", "MB", "sentences/s", "MB, parsing",
)  # fmt: skip
Trees = list[Bracketed | None]
T = TypeVar("T")
PROCESSES = mp.get_context("spawn")


class Contender(Protocol):
    """A parser under test."""

    def train(self, trees: Path, model: Path, options: str) -> None: ...
    def load(self, model: Path) -> None: ...
    def parse(self, sentences: Sequence[Sequence[str]]) -> Trees: ...


class LogLinear:
    """Treewright with features of spans and splits. Options: passes."""

    def train(self, trees: Path, model: Path, options: str) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            plan = plan_of({**self._config(options), "train": str(trees)}, "benchmark")
            run = Run(Path(scratch) / "run", threads=1, seed=1, quiet=True)
            load(train(plan, run)).save(model)

    def load(self, model: Path) -> None:
        self.parser: Any = load(model)

    def parse(self, sentences: Sequence[Sequence[str]]) -> Trees:
        return [each.tree for each in self.parser.parse_many(map(Sentence.of, sentences))]

    def _config(self, options: str) -> dict[str, Any]:
        config = tomllib.loads(LOG_LINEAR.read_text())
        del config["dev"]
        return {**config, "optimiser": {**config["optimiser"], "iterations": int(options)}}


class Network(LogLinear):
    """The network of `dep_peers` without tags: hashed embeddings, LSTMs, all labelled trees."""

    def _config(self, options: str) -> dict[str, Any]:
        encoder = {"width": SCORER["encoder"]["width"]}
        scorer = {**SCORER, "encoder": encoder, "iterations": int(options)}
        return {"kind": "const", "scorer": scorer}


CONTENDERS: dict[str, tuple[type[Contender], str]] = {
    "Treewright, log-linear": (LogLinear, "8"),
    "Treewright, neural": (Network, "12"),
    "SuPar": (SuParSpans, "12 200"),
}


def learn(name: str, trees: Path, model: Path, options: str) -> None:
    """In a process of its own: trains, and leaves time and memory beside the model."""
    contender, began = CONTENDERS[name][0](), time.process_time()
    contender.train(trees, model, options)
    cost = {"s": time.process_time() - began, "mb": peak_mb()}
    model.with_suffix(".json").write_text(json.dumps(cost))


def parse(
    name: str, words: list[tuple[str, ...]], model: Path
) -> tuple[list[Bracketed | None], float, float]:
    """In a process of its own: trees, CPU seconds and peak MB."""
    contender = CONTENDERS[name][0]()
    contender.load(model)
    began = time.process_time()
    found = contender.parse(words)
    seconds, memory = time.process_time() - began, peak_mb()
    return found, seconds, memory


def apart(job: Callable[..., T], *arguments: Any) -> T:
    with ProcessPoolExecutor(1, PROCESSES) as pool:
        return pool.submit(job, *arguments).result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path, help="a folder with train.mrg and dev.mrg")
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--max-words", type=int, default=20)
    parser.add_argument("--parsers", nargs="+", choices=list(CONTENDERS), default=list(CONTENDERS))
    parser.add_argument("--options", nargs="+", default=[], metavar="PARSER=OPTIONS")
    parser.add_argument("--models", type=Path)
    chosen = parser.parse_args()
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    given, dev = (
        read_items(chosen.data / f"{part}.mrg", Binariser(), chosen.max_words)
        for part in ("train", "dev")
    )
    given = given[:: max(1, len(given) // chosen.sentences)] if chosen.sentences else given
    print(f"{len(given)} training and {len(dev)} dev sentences\n")
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.models or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        ptb.write((item.tree for item in given), folder / "train.mrg")
        options = {name: each for name, (_, each) in CONTENDERS.items()}
        options |= dict(each.split("=", 1) for each in chosen.options)
        print(markdown(HEADER, compare(chosen.parsers, folder, dev, options)))


def compare(
    names: Sequence[str], folder: Path, dev: Sequence[Item], options: dict[str, str]
) -> list[list[str]]:
    """Rows of the table; p is of the difference in F1 to the row before."""
    rows, counts = [], []
    for name in names:
        model = folder / f"{name}.model"
        if not model.with_suffix(".json").exists():
            apart(learn, name, folder / "train.mrg", model, options[name])
        found, seconds, memory = apart(parse, name, [item.words for item in dev], model)
        trees = [with_gold_tags(tree, item) for tree, item in zip(found, dev, strict=True)]
        matches = match_trees(trees, [item.tree for item in dev])
        counts.append(bracket_counts(matches))
        score, cost = counts[-1].score(), json.loads(model.with_suffix(".json").read_text())
        exact = 100 * sum(match.complete for match in matches) / len(dev)
        rows.append([
            name, *(f"{100 * x:.2f}" for x in (score.p, score.r, score.f)), f"{exact:.2f}", "",
            f"{cost['s']:,.0f}", f"{cost['mb']:,.0f}",
            f"{len(dev) / seconds:,.0f}", f"{memory:,.0f}",
        ])  # fmt: skip
    for row, (before, after) in zip(rows[1:], pairwise(counts), strict=True):
        row[HEADER.index("p")] = f"{paired_bootstrap(after, before, 'f1').p_value:.4f}"
    return rows


def with_gold_tags(tree: Bracketed | None, item: Item) -> Bracketed | None:
    """A parse with the treebank's words and tags, as SuPar gives no tags."""
    leaves = map(Tagged, item.tags, item.words)
    if tree is None:
        return None
    return fold(tree, lambda _: next(leaves), lambda node, below: Phrase(node.label, tuple(below)))


if __name__ == "__main__":
    main()
