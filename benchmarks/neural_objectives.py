"""Whether exact losses pay when the scorer is strong.

    python -m benchmarks.neural_objectives dep en-neural-dep --train TRAIN.conllu --dev DEV.conllu
    python -m benchmarks.neural_objectives const en-neural-const --train TRAIN.mrg --dev DEV.mrg
    python -m benchmarks.neural_objectives ccg en-neural-ccg --train TRAIN.auto --dev DEV.auto

The second word is a neural parser, installed or a directory, that was trained on *other* sentences.
Its encoder stays as it is, so the vectors of all words are computed once. New heads are trained on
them with every objective and several seeds, and dev is parsed with both decoders. The weight tau of
each loss is chosen on a tenth of TRAIN that is held out. Differences are to likelihood with the
same decoder: p-values of approximate randomisation over the sentences of all seeds, corrected by
Holm's method.
"""

import argparse
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from benchmarks.measure import peak_mb
from benchmarks.neural_charts import Charts
from benchmarks.neural_tables import Contender, FixedVectors, Words, fixed_vectors, tables_of
from benchmarks.table import markdown
from treewright.arrays import Floats32
from treewright.data.held_out import cut
from treewright.forests.features import FeatureMatrix
from treewright.forests.labelled_spans import span_forest
from treewright.losses.settings import ObjectiveSettings
from treewright.metrics.counts import Counts, corpus_score
from treewright.metrics.significance import approximate_randomisation, holm
from treewright.models.neural.constituency import ScoredSpans
from treewright.models.neural.data import Sentences, counted, read_corpus
from treewright.models.neural.dependency import NetworkTrees
from treewright.models.neural.members import ARCS, CHAIN, SPANS
from treewright.models.neural.settings import (
    ConstituencyHeadSettings,
    DependencyHeadSettings,
    JointSettings,
)
from treewright.models.neural.training import NETWORK, joint_task, new_network
from treewright.neural.network import Network
from treewright.neural.settings import NeuralSettings
from treewright.neural.training import Task, train_network
from treewright.train.run import Run

BASE, DECODERS = "likelihood", ("viterbi", "min-risk")


def contenders(kind: str) -> Iterator[Contender]:
    """What is compared. Trees of dependencies have an arc per word: F1 is the Hamming loss."""
    exact = "hamming" if kind == "dep" else "f1"
    summed = "hamming" if kind == "dep" else "dec-f1"
    small, large = (0.3, 1.0, 3.0), (1.0, 5.0, 20.0)
    yield Contender(BASE, ObjectiveSettings(loss=exact))
    yield Contender("local", None, (0.3, 0.6, 1.0) if kind == "ccg" else ())
    yield _contender("softmax-margin", exact, small if kind == "dep" else large)
    if exact != summed:
        yield _contender("softmax-margin", summed, small)
    yield Contender(f"risk, {exact}", ObjectiveSettings("risk", exact))
    yield _contender("hinge", summed, small)


def _contender(name: Any, loss: str, weights: tuple[float, ...]) -> Contender:
    return Contender(f"{name}, {loss}", ObjectiveSettings(name, loss), weights)


class Treebank(Protocol):
    """Sentences to train on and to parse, for one formalism."""

    labels: Mapping[str, Sequence[str]]

    def sentences(self) -> Iterable[Words]:
        """All whose vectors are needed."""

    def task(self, network: Network, contender: Contender) -> Task:
        """What the heads of a network learn."""

    def counts(self, network: Network, contender: Contender, decoder: Any) -> Counts:
        """Right, produced and due arcs, constituents or dependencies of every dev sentence."""


class Trees:
    """Dependency or constituency trees: one head, all trees."""

    def __init__(self, kind: str, train: Path, dev: Path, max_words: int) -> None:
        self.kind, self.head = kind, ARCS if kind == "dep" else SPANS
        how = self._settings(train=train, dev=dev, max_words=max_words)
        corpus = read_corpus(how, [self.head])
        self.labels, words = corpus.labels, corpus.dev.words
        gold = corpus.dev.gold[self.head].items()
        self.due = {words[i]: each for i, each in gold if len(words[i]) <= max_words}
        self.corpus = replace(corpus, dev=Sentences())  # no scores while heads learn

    def _settings(self, neural: NeuralSettings | None = None, **how: Any) -> JointSettings:
        head = DependencyHeadSettings if self.kind == "dep" else ConstituencyHeadSettings
        return JointSettings(**{self.kind: head(**how)}, neural=neural or NeuralSettings())  # type: ignore[arg-type]

    def sentences(self) -> Iterable[Words]:
        return chain(self.corpus.train.words, self.due)

    def task(self, network: Network, contender: Contender) -> Task:
        objective = contender.objective
        how = {"local": True} if objective is None else {"objective": objective}
        settings = self._settings(network.settings, train=Path(self.kind), **how)
        return joint_task(network, self.corpus, settings)

    def counts(self, network: Network, contender: Contender, decoder: Any) -> Counts:  # noqa: ARG002
        count = self._arcs if self.kind == "dep" else self._spans
        tables = tables_of(network, list(self.due), [self.head])
        rows = (count(next(iter(table)), self.due[words], decoder) for words, table in tables)
        return Counts.of_rows(rows)

    def _arcs(self, table: Floats32, gold: Any, decoder: Any) -> tuple[int, int, int]:
        tree = NetworkTrees(None, decoder).best(table)  # type: ignore[arg-type]
        right = (tree.heads == gold.heads) & (tree.labels == gold.labels)
        return int(right.sum()), len(right), len(right)

    def _spans(self, table: Floats32, gold: Any, decoder: Any) -> tuple[int, int, int]:
        _, due = gold
        labels = self.labels[SPANS]
        made = span_forest(len(table) - 1, len(labels))
        scores = FeatureMatrix.from_columns(made.columns()).scores(table.astype(float).ravel())
        chains = tuple(tuple(label.split(CHAIN)) for label in labels)
        edges, _ = ScoredSpans(made, scores, chains).decoded(decoder)
        found = {(b, e, n) for b, e, c in made.spans(edges) for n in counted(labels[c])}
        return len(found & due), len(found), len(due)


@dataclass(frozen=True)
class Experiment:
    """A treebank, vectors of its words, and how heads are trained on them."""

    treebank: Treebank
    vectors: FixedVectors
    neural: NeuralSettings
    runs: Path

    def trained(self, contender: Contender, seed: int) -> Network:
        """The network with heads that are trained, unless the run is there and finished."""
        torch.manual_seed(seed)
        network = new_network(self.vectors, self.treebank.labels, self.neural)
        place = self.runs / f"{contender.name.replace(', ', '-')}-{seed}"
        place.mkdir(parents=True, exist_ok=True)
        run = Run(place, threads=torch.get_num_threads(), seed=seed, quiet=True)
        network.restore(train_network(self.treebank.task(network, contender), run, NETWORK))
        return network


def with_best_weight(contender: Contender, experiment: Experiment) -> Contender:
    """The contender with the weight that is best on held-out sentences, one seed, Viterbi."""
    if not contender.weights:
        return contender

    def score(weighted: Contender) -> float:
        network = experiment.trained(weighted, 1)
        return corpus_score(experiment.treebank.counts(network, weighted, "viterbi"), "f1")

    return max(map(contender.weighted, contender.weights), key=score)


def joined(several: Sequence[Counts]) -> Counts:
    """The counts of several seeds, end to end."""
    names = ("correct", "produced", "due")
    return Counts(*(np.concatenate([getattr(each, name) for each in several]) for name in names))


def table(results: Mapping[tuple[str, str], Sequence[Counts]], cost: Mapping[str, float]) -> str:
    """Mean and range over seeds, and the difference from likelihood with the same decoder."""
    others = [key for key in results if key[0] != BASE]
    tests = {
        key: approximate_randomisation(joined(results[key]), joined(results[BASE, key[1]]))
        for key in others
    }
    corrected = dict(zip(others, holm([tests[key].p_value for key in others]), strict=True))
    rows = []
    for key, several in results.items():
        scores = [100 * corpus_score(each, "f1") for each in several]
        row = [*key, f"{np.mean(scores):.2f}", f"{min(scores):.2f} to {max(scores):.2f}"]
        row += [f"{100 * tests[key].difference:+.2f}" if key in tests else ""]
        row += [f"{corrected[key]:.3f}" if key in tests else "", f"{cost[key[0]]:.0f}"]
        rows.append(row)
    heads = ["objective", "decoder", "mean", "seeds", "difference", "p, Holm", "CPU s"]
    return markdown(heads, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("kind", choices=("ccg", "const", "dep"))
    parser.add_argument("model", help="a neural parser whose encoder is used")
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--share", type=float, default=0.5, help="of TRAIN to learn from")
    parser.add_argument("--max-words", type=int, default=40)
    parser.add_argument("--iterations", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=Path, default=Path("build/objectives"))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    place = options.runs / options.kind
    suffix = options.train.suffix
    sample, part = place / f"test{suffix}", place / "tau"
    if not (part / f"test{suffix}").exists():
        cut(options.train, place, seed=0, share=options.share)
        cut(sample, part, seed=1, share=0.1)
    treebank = _treebank(options, sample, options.dev)
    tuning = _treebank(options, part / f"train{suffix}", part / f"test{suffix}")
    vectors = fixed_vectors(options.model, chain(treebank.sentences(), tuning.sentences()))
    neural = NeuralSettings(
        iterations=options.iterations, score_every=options.iterations, batch=800
    )
    experiment = Experiment(treebank, vectors, neural, place / "trained")
    tuned = Experiment(tuning, vectors, neural, part / "trained")
    results: dict[tuple[str, str], list[Counts]] = {}
    cost: dict[str, float] = {}
    for each in contenders(options.kind):
        contender = with_best_weight(each, tuned)
        cost[contender.name] = 0.0
        for seed in range(1, options.seeds + 1):
            begin = time.process_time()
            network = experiment.trained(contender, seed)
            cost[contender.name] += (time.process_time() - begin) / options.seeds
            for decoder in DECODERS:
                counts = treebank.counts(network, contender, decoder)
                results.setdefault((contender.name, decoder), []).append(counts)
        print(table(results, cost), flush=True)
    print(f"peak RSS {peak_mb():,.0f} MB")


def _treebank(options: argparse.Namespace, train: Path, dev: Path) -> Treebank:
    if options.kind == "ccg":
        return Charts(options.model, train, dev, options.max_words)
    return Trees(options.kind, train, dev, options.max_words)


if __name__ == "__main__":
    main()
