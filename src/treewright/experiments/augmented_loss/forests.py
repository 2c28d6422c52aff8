"""Objectives on forests of dependency trees.

The graph-based parser, its features and its data are the same for all objectives, and each training
has its own process. The weight of the loss is chosen on two parts of the treebank, never on dev.
"""

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple, cast

from treewright.arrays import Indices
from treewright.config import setting
from treewright.data import conllu
from treewright.experiments.augmented_loss.runs import (
    EWT,
    Trees,
    p_value,
    parses_of,
    per_cent,
    shuffled_trees,
    stored_parses,
)
from treewright.experiments.experiment import Cell, Context, Experiment, Result, Table
from treewright.losses.settings import ObjectiveSettings
from treewright.machine import peak_rss_mb
from treewright.metrics.sentences import NamedCounts, dep_counts
from treewright.models.dependency.graph.algorithm import TREES, frozen, trainer
from treewright.models.dependency.graph.parser import GraphParser
from treewright.models.dependency.settings import DependencySettings, GraphSettings
from treewright.models.dependency.training import encoded
from treewright.scores.dependency.encoder import TreeEncoder
from treewright.storage.bundle import Bundle
from treewright.train.augmented import DataSet, FullTree, augmented_learner
from treewright.train.loop import Learner, finish
from treewright.train.online import Parse
from treewright.train.progress import progress

Objective = Literal["likelihood", "softmax-margin", "hinge", "risk", "perceptron"]
Decoding = Literal["viterbi", "min-risk"]
RATE = DependencySettings().optimiser.rate
WEIGHTED = ("softmax-margin", "hinge")  # objectives with a tau
SUMS = ("likelihood", "softmax-margin", "risk")  # objectives with probabilistic marginals
OBJECTIVES: tuple[Objective, ...] = ("likelihood", "softmax-margin", "hinge", "perceptron", "risk")
# The perceptron of transition-based parsers is in the other experiments.
OF_ALL_TREES = ("likelihood", "softmax-margin")


@dataclass(frozen=True)
class TreeObjectiveSettings:
    """Training and test data."""

    train: Path = setting(EWT / "train.conllu", "training trees")
    dev: Path = setting(EWT / "dev.conllu", "dev trees")
    sentences: int = setting(0, "maximum number of training sentences; 0: all")
    passes: int = setting(5, "number of epochs")
    algorithms: tuple[Literal["eisner", "mst"], ...] = setting(
        ("eisner", "mst"), "eisner: projective trees; mst: all trees"
    )
    objectives: tuple[Objective, ...] = setting(
        OBJECTIVES, "objectives; mst uses only the first two"
    )
    taus: tuple[float, ...] = setting((1.0, 2.0, 3.0), "candidate values of tau")
    tuning: int = setting(2000, "number of training sentences for choosing tau")
    tuning_passes: int = setting(3, "number of epochs for choosing tau")
    held_out: int = setting(1000, "number of held-out sentences for choosing tau")
    graph: GraphSettings = setting(
        GraphSettings(second_order=False), "parser settings; the experiment sets the decoder"
    )


class Job(NamedTuple):
    """One training: the first `sentences` of the shuffled treebank; then trees to parse."""

    settings: TreeObjectiveSettings
    seed: int
    algorithm: str
    objective: Objective
    tau: float = 1.0
    tuning: bool = False
    quiet: bool = False

    @property
    def name(self) -> str:
        tau = f"-{self.tau:g}" if self.objective in WEIGHTED else ""
        return f"{self.algorithm}-{self.objective}{tau}{'-tuning' * self.tuning}"

    @property
    def decodings(self) -> tuple[Decoding, ...]:
        both = self.objective in SUMS and not self.tuning
        return ("viterbi", "min-risk") if both else ("viterbi",)

    def data(self) -> tuple[Trees, Trees]:
        """Trees to train on, and trees to parse."""
        s = self.settings
        trees = shuffled_trees(s.train, self.seed, s.sentences)
        if self.tuning:
            return trees[: s.tuning], trees[s.tuning :][: s.held_out]
        return trees, list(conllu.read(s.dev))


def train_and_parse(job: Job) -> Bundle:
    """The parses of each decoder, the CPU time of training, and the peak memory."""
    trees, test = job.data()
    words = [tree.words for tree in trees]
    encoder = TreeEncoder.fit(words, (word.deprel for sentence in words for word in sentence))
    pairs = list(zip(*encoded(encoder, words), strict=True))
    how, online = job.settings.graph, job.objective == "perceptron"
    learns: Literal["perceptron", "adagrad"] = "perceptron" if online else "adagrad"
    parser = GraphParser(len(encoder.relations), how, TREES[job.algorithm], learns)
    passes = job.settings.tuning_passes if job.tuning else job.settings.passes
    began = time.process_time()
    learner: Learner
    if online:
        treebank = DataSet("treebank", [FullTree(*pair) for pair in pairs])
        learner = augmented_learner(parser, treebank, (), passes, job.seed)
    else:
        objective = ObjectiveSettings(job.objective, "hamming", job.tau)
        learner = trainer(parser, objective, RATE).learner(pairs, passes, job.seed)
    with progress(job.name, passes, job.quiet) as bar:
        finish(learner, bar.move_to)
    config: dict[str, object] = {"seconds": time.process_time() - began, "peak_mb": peak_rss_mb()}
    trained, sentences = frozen(parser), [encoder.encode(tree.words) for tree in test]
    arrays: dict[str, Indices] = {}
    for decoding in job.decodings:
        parsed = trained.with_decoder(decoding).parse_batch(sentences)
        parses = [Parse(*each[:3]) for each in parsed]
        arrays |= {f"{decoding}.{name}": value for name, value in stored_parses(parses).items()}
    return Bundle("parses", config, arrays, {"relations": "\n".join(encoder.relations)}, {})


def _outcome(context: Context, job: Job) -> Bundle:
    """The outcome of a job in its own process, to measure its memory; cached in a run directory."""

    def make() -> Bundle:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            return pool.apply(train_and_parse, (job,))

    return context.run(job.name).stage("parses", make)


def _counts(made: Bundle, test: Trees, decoding: Decoding = "viterbi") -> NamedCounts:
    return dep_counts(parses_of(made, test, f"{decoding}."), test)


def _best_tau(context: Context, job: Job) -> tuple[float, list[Cell]]:
    """The best weight on held-out sentences, and all scores; a single weight is not scored."""
    scores: dict[float, float] = {}
    if len(job.settings.taus) == 1:
        return job.settings.taus[0], [None]
    for tau in job.settings.taus:
        tried = job._replace(tau=tau, tuning=True)
        scores[tau] = per_cent(_counts(_outcome(context, tried), tried.data()[1])["LAS"])
    return max(scores, key=lambda tau: scores[tau]), list(scores.values())


def forests(context: Context) -> Iterator[Result]:
    """Compares objectives with likelihood on projective trees; then lists the weights tried."""
    s: TreeObjectiveSettings = context.settings
    test = list(conllu.read(s.dev))
    first: NamedCounts | None = None
    rows: list[Sequence[Cell]] = []
    tried: list[Sequence[Cell]] = []
    for algorithm, objective in product(s.algorithms, s.objectives):
        if algorithm == "mst" and objective not in OF_ALL_TREES:
            continue
        job = Job(s, context.seed, algorithm, objective, quiet=context.quiet)
        if objective in WEIGHTED:
            tau, scores = _best_tau(context, job)
            job = job._replace(tau=tau)
            tried.append((algorithm, objective, *scores))
        made = _outcome(context, job)
        for decoding in job.decodings:
            counts = _counts(made, test, decoding)
            first = first or counts
            cells: list[Cell] = []
            for metric in ("LAS", "UAS"):
                now = counts[metric]
                cells += [per_cent(now), p_value(now, first[metric], context.seed)]
            costs = (cast(float, made.config[name]) for name in ("seconds", "peak_mb"))
            weight = job.tau if objective in WEIGHTED else None
            rows.append((algorithm, objective, weight, decoding, *cells, *costs))
    columns = ("trees", "objective", "tau", "decoding", "LAS", "p", "UAS", "p", "CPU s", "peak MB")
    note = (
        "Per cent, CoNLL 2018. p: paired bootstrap over sentences against the first row. CPU time "
        "of training and peak memory of its process. eisner: projective trees; mst: all trees."
    )
    yield Table("Objectives on dependency trees", columns, rows, note, digits=3)
    note = f"LAS on {s.held_out} training sentences, trained on {s.tuning} others."
    shown = [f"tau {tau:g}" for tau in s.taus]
    yield Table("Weights of the loss", ("trees", "objective", *shown), tried, note)


EXPERIMENTS = (
    Experiment(
        "augmented-loss/forests", "Objectives on dependency trees", TreeObjectiveSettings, forests
    ),
)
