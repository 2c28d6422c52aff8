"""Exact losses with strong neural scorers.

    python -m benchmarks.neural_objectives dep en-neural-dep --train TRAIN.conllu --dev DEV.conllu
    python -m benchmarks.neural_objectives const en-neural-const --train TRAIN.mrg --dev DEV.mrg
    python -m benchmarks.neural_objectives ccg en-neural-ccg --train TRAIN.auto --dev DEV.auto

The second word is a neural parser, installed or a directory, that was trained on *other* sentences.
Its encoder stays as it is, so the vectors of all words are computed once, and new heads are trained
on them. With --whole, the encoder learns along: every training fine-tunes the whole network,
starting from the parser's encoder and heads. Every objective is trained with several seeds, and dev
is parsed with both decoders. The weight tau of each loss is chosen on held-out sentences of TRAIN:
a tenth of those to learn from; with --whole, which learns from few, a tenth of the others.
Differences are to likelihood with the same decoder: p-values of approximate randomisation over the
sentences of all seeds, corrected by Holm's method.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
import torch

from benchmarks.measure import peak_mb
from benchmarks.neural_charts import Charts
from benchmarks.neural_tables import Contender, Words, fixed_vectors
from benchmarks.neural_trees import Trees
from benchmarks.table import markdown
from treewright.data.held_out import cut
from treewright.losses.settings import ObjectiveSettings
from treewright.metrics.counts import Counts, corpus_score
from treewright.metrics.significance import approximate_randomisation, holm
from treewright.models.neural.training import NETWORK, first_network, new_network, trained_model
from treewright.neural.network import HASHED, Network
from treewright.neural.settings import EncoderSettings, NeuralSettings
from treewright.neural.training import Task, train_network
from treewright.scores.neural.network import TrainedNetwork
from treewright.train.run import RECORDS, Run

BASE, DECODERS = "likelihood", ("viterbi", "min-risk")


def contenders(kind: str, grids: Mapping[str, tuple[float, ...]]) -> Iterator[Contender]:
    """What is compared, with the weights to choose from: those of `grids` by name, or defaults."""
    for each in _contenders(kind):
        yield replace(each, weights=grids.get(each.name, each.weights))


def _contenders(kind: str) -> Iterator[Contender]:
    """Trees of dependencies have an arc per word: F1 is the Hamming loss."""
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

    def counts(
        self, network: Network, contender: Contender, decoders: Sequence[Any]
    ) -> dict[str, Counts]:
        """Right, produced and due arcs, constituents or dependencies of every dev sentence."""


@dataclass(frozen=True)
class Experiment:
    """A treebank, the network that every training starts from, and where trained ones are kept."""

    treebank: Treebank
    start: Callable[[], Network]
    runs: Path

    def trained(self, contender: Contender, seed: int) -> Network:
        """The trained network, unless the run is there and finished."""
        torch.manual_seed(seed)
        network = self.start()
        run = Run(self._place(contender, seed), torch.get_num_threads(), seed, quiet=True)
        begin = time.process_time()
        network.restore(train_network(self.treebank.task(network, contender), run, NETWORK))
        run.record(cpu=time.process_time() - begin)
        return network

    def cost(self, contender: Contender, seed: int) -> float:
        """CPU seconds of the training; those of a run that is only read again do not count."""
        lines = (self._place(contender, seed) / RECORDS).read_text(encoding="utf-8").splitlines()
        return next(line["cpu"] for line in map(json.loads, lines) if "cpu" in line)

    def scores(self, network: Network, contender: Contender) -> dict[str, Counts]:
        """The counts of every dev sentence by decoder."""
        return self.treebank.counts(network, contender, DECODERS)

    def _place(self, contender: Contender, seed: int) -> Path:
        return self.runs / f"{contender.training}-{seed}"


def with_best_weight(contender: Contender, experiment: Experiment) -> Contender:
    """The contender with the weight that is best on held-out sentences, one seed, Viterbi."""
    if not contender.weights:
        return contender

    def score(weighted: Contender) -> float:
        network = experiment.trained(weighted, 1)
        counts = experiment.treebank.counts(network, weighted, DECODERS[:1])
        return corpus_score(counts[DECODERS[0]], "f1")

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


def compare(options: argparse.Namespace, experiment: Experiment, tuned: Experiment) -> None:
    """Trains and parses with every objective, and prints the table after each."""
    results: dict[tuple[str, str], list[Counts]] = {}
    cost: dict[str, float] = {}
    for each in contenders(options.kind, dict(map(_grid, options.weights))):
        contender = with_best_weight(each, tuned)
        seeds = range(1, options.seeds + 1)
        for seed in seeds:
            network = experiment.trained(contender, seed)
            for decoder, counts in experiment.scores(network, contender).items():
                results.setdefault((contender.name, decoder), []).append(counts)
        cost[contender.name] = sum(experiment.cost(contender, s) for s in seeds) / options.seeds
        print(table(results, cost), flush=True)


def experiments(options: argparse.Namespace) -> tuple[Experiment, Experiment]:
    """The comparison, and the choice of weights on held-out sentences."""
    place, suffix = options.runs / options.kind, options.train.suffix
    rest, sample, part = place / f"train{suffix}", place / f"test{suffix}", place / "tau"
    if not (part / f"test{suffix}").exists():
        cut(options.train, place, seed=0, share=options.share)
        cut(rest if options.whole else sample, part, seed=1, share=0.1)
    held_out = part / f"test{suffix}"
    if options.whole:
        return _whole(options, sample, held_out)
    return _frozen(options, sample, part / f"train{suffix}", held_out)


def _frozen(
    options: argparse.Namespace, sample: Path, part: Path, held_out: Path
) -> tuple[Experiment, Experiment]:
    """New heads on fixed vectors; weights are chosen by training on a part of the sample."""
    treebank, tuning = _treebank(options, sample, options.dev), _treebank(options, part, held_out)
    vectors = fixed_vectors(options.model, chain(treebank.sentences(), tuning.sentences()))
    how = _settings(options)
    return (
        Experiment(
            treebank, lambda: new_network(vectors, treebank.labels, how), sample.parent / "trained"
        ),
        Experiment(
            tuning, lambda: new_network(vectors, tuning.labels, how), part.parent / "trained"
        ),
    )


def _whole(
    options: argparse.Namespace, sample: Path, held_out: Path
) -> tuple[Experiment, Experiment]:
    """Trained networks that are fine-tuned; the same ones serve to choose weights."""
    trained = trained_model(options.model)
    assert trained is not None, f"{options.model} is not a neural model"
    known = TrainedNetwork.from_bundle(trained).labels
    treebank = _treebank(options, sample, options.dev, known)
    tuning = _treebank(options, sample, held_out, known)
    network, started = first_network(_settings(options), treebank.labels, trained)
    assert set(started) == set(treebank.labels), "a head would start from scratch"
    experiment = Experiment(treebank, lambda: deepcopy(network), sample.parent / "whole")
    nothing = Contender("before", None, (1.0,))
    for decoder, counts in experiment.scores(network, nothing).items():
        print(f"before fine-tuning, {decoder}: {100 * corpus_score(counts, 'f1'):.2f}")
    return experiment, replace(experiment, treebank=tuning)


def _grid(text: str) -> tuple[str, tuple[float, ...]]:
    """An option such as "hinge, dec-f1=1,3,10"."""
    name, weights = text.split("=")
    return name, tuple(map(float, weights.split(",")))


def _settings(options: argparse.Namespace) -> NeuralSettings:
    return NeuralSettings(
        EncoderSettings(options.model if options.whole else HASHED),
        iterations=options.iterations,
        score_every=options.iterations,
        batch=options.batch,
        rate=options.rate,
        encoder_rate=options.encoder_rate,
    )


def _treebank(
    options: argparse.Namespace,
    train: Path,
    dev: Path,
    known: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Treebank:
    if options.kind == "ccg":
        return Charts(options.model, train, dev, options.max_words)
    return Trees(options.kind, train, dev, options.max_words, known)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("kind", choices=("ccg", "const", "dep"))
    parser.add_argument("model", help="a neural parser whose encoder is used")
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--whole", action="store_true", help="fine-tune the encoder, too")
    parser.add_argument("--share", type=float, default=0.5, help="of TRAIN to learn from")
    parser.add_argument("--max-words", type=int, default=40)
    parser.add_argument("--iterations", type=int, default=6)
    parser.add_argument("--batch", type=int, default=800, help="word pieces per minibatch")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of the heads")
    parser.add_argument("--encoder-rate", type=float, default=1e-4)
    parser.add_argument(
        "--weights", nargs="+", default=[], metavar="NAME=WEIGHTS", help='"hinge, dec-f1=1,3,10"'
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=Path, default=Path("build/objectives"))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    compare(options, *experiments(options))
    print(f"peak RSS {peak_mb():,.0f} MB, CPU {time.process_time():,.0f} s")


if __name__ == "__main__":
    main()
