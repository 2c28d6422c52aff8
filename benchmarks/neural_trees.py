"""Dependency and constituency trees for `benchmarks.neural_objectives`: one head, all trees."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.neural_tables import Contender, Words, tables_of
from treewright.arrays import Floats32
from treewright.forests.labelled_spans import span_forest
from treewright.metrics.counts import Counts
from treewright.models.neural.constituency import ScoredSpans
from treewright.models.neural.data import Sentences, counted, read_corpus
from treewright.models.neural.dependency import NetworkTrees
from treewright.models.neural.members import ARCS, CHAIN, SPANS
from treewright.models.neural.settings import (
    ConstituencyHeadSettings,
    DependencyHeadSettings,
    JointSettings,
)
from treewright.models.neural.training import joint_task
from treewright.neural.network import Network
from treewright.neural.settings import NeuralSettings
from treewright.neural.training import Task


class Trees:
    """Dependency or constituency trees.

    Args:
        kind: dep or const.
        train: trees to learn from.
        dev: trees to score on.
        max_words: longer sentences are left out.
        known: labels of a trained network by head, which come first.
    """

    def __init__(
        self,
        kind: str,
        train: Path,
        dev: Path,
        max_words: int,
        known: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    ) -> None:
        self.kind, self.head = kind, ARCS if kind == "dep" else SPANS
        how = self._settings(train=train, dev=dev, max_words=max_words)
        corpus = read_corpus(how, [self.head], known=known)
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

    def counts(
        self,
        network: Network,
        contender: Contender,  # noqa: ARG002 - trees are scored in one way
        decoders: Sequence[Any],
    ) -> dict[str, Counts]:
        count = self._arcs if self.kind == "dep" else self._spans
        rows: dict[str, list[tuple[int, int, int]]] = {decoder: [] for decoder in decoders}
        for words, (table,) in tables_of(network, list(self.due), [self.head]):
            for decoder, found in rows.items():
                found.append(count(table, self.due[words], decoder))
        return {decoder: Counts.of_rows(found) for decoder, found in rows.items()}

    def _arcs(self, table: Floats32, gold: Any, decoder: Any) -> tuple[int, int, int]:
        tree = NetworkTrees(None, decoder).best(table)  # type: ignore[arg-type]
        right = (tree.heads == gold.heads) & (tree.labels == gold.labels)
        return int(right.sum()), len(right), len(right)

    def _spans(self, table: Floats32, gold: Any, decoder: Any) -> tuple[int, int, int]:
        _, due = gold
        labels = self.labels[SPANS]
        made = span_forest(len(table) - 1, len(labels))
        chains = tuple(tuple(label.split(CHAIN)) for label in labels)
        edges, _ = ScoredSpans(made, made.scores(table), chains).decoded(decoder)
        found = {(b, e, n) for b, e, c in made.spans(edges) for n in counted(labels[c])}
        return len(found & due), len(found), len(due)
