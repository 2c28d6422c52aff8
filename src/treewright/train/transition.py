"""Training of transition parsers: the averaged structured perceptron with beam search.

Collins and Roark (2004) for early updates, Huang, Fayong and Guo (2012) for max-violation ones,
Crammer et al. (2006) for passive-aggressive steps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.arrays import Indices, Integers, Keys
from treewright.data.pseudo import projectivise
from treewright.inference.transition import WEIGHTS, TransitionShape, join
from treewright.scores.dependency.encoder import EncodedSentence
from treewright.train.online import Parse

STATE = (*WEIGHTS, "moments", "random", "time")


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sentences with their projective trees and the actions that build them, end to end."""

    table: Keys
    first: Integers
    heads: Indices
    labels: Indices
    actions: Indices
    actions_first: Integers

    def __len__(self) -> int:
        return len(self.first) - 1


class TransitionLearner:
    """A transition parser whose weights change: an `OnlineParser`.

    Args:
        shape: actions and features.
        beam: of the search.
        update: where a wrong search is corrected.
        aggressiveness: 0 for the perceptron's steps of 1, else passive-aggressive steps up to it.
        reduce_early: which of the arc-eager sequences of a tree is gold.
        exploration: None, or greedy learning with the dynamic oracle of the arc-hybrid system
            instead of the beam: the share of wrong actions that are followed.
        threshold: averaged weights up to this size are left out.
    """

    def __init__(
        self,
        shape: TransitionShape,
        beam: int = 8,
        update: Literal["max-violation", "early"] = "max-violation",
        aggressiveness: float = 0.0,
        reduce_early: bool = False,
        exploration: float | None = None,
        threshold: float = 0.0,
    ) -> None:
        self.shape, self.beam, self.reduce_early = shape, beam, reduce_early
        self.exploration, self.threshold = exploration, threshold
        self._rule = update == "max-violation", aggressiveness
        self._model = shape.core()
        self._core = _core.TransitionLearner(self._model)

    def corpus(self, sentences: Sequence[EncodedSentence], gold: Sequence[Parse]) -> Corpus:
        """Gold trees as actions; trees that are not projective are lifted until they are."""
        table, first = join(sentences)
        rows = [projectivise(parse.heads.tolist()) for parse in gold]
        heads = np.array([head for row in rows for head in row], np.int32)
        labels = np.concatenate([np.zeros(0, np.int32), *(parse.labels for parse in gold)])
        actions = self._model.oracle(heads, labels, first, self.reduce_early)
        return Corpus(table, first, heads, labels, *actions)

    def learn_all(self, corpus: Corpus, order: Integers) -> int:
        """Learns from the sentences in this order, each a tick; how many were wrong."""
        return self._learn(corpus, order, ticking=True)

    def learn(self, sentence: EncodedSentence, gold: Parse) -> bool:
        """One search beside the gold tree, and the update that it calls for; no tick."""
        corpus = self.corpus([sentence], [gold])
        return bool(self._learn(corpus, np.zeros(1, np.int64), ticking=False))

    def _learn(self, corpus: Corpus, order: Integers, ticking: bool) -> int:
        words = corpus.table, corpus.first
        if self.exploration is not None:
            trees = corpus.heads, corpus.labels
            return self._core.explore(*words, *trees, order, self.exploration, ticking)
        actions = corpus.actions, corpus.actions_first
        return self._core.learn(*words, *actions, order, self.beam, *self._rule, ticking)

    def kbest(self, sentence: EncodedSentence, k: int) -> list[Parse]:
        listed = self._core.kbest(sentence.table.ravel(), k, self.beam)
        return [Parse(*tree) for tree in listed]

    def best_with_root(self, sentence: EncodedSentence, root: int) -> Parse:
        return Parse(*self._core.kbest(sentence.table.ravel(), 1, self.beam, root)[0])

    def update(
        self, sentence: EncodedSentence, better: Parse, worse: Parse, rate: float = 1.0
    ) -> None:
        """w += rate * (f(better) - f(worse)), with the oracle's sequence for each tree."""
        better_heads = np.array(projectivise(better.heads.tolist()), np.int32)
        trees = better_heads, better.labels, worse.heads, worse.labels
        self._core.update(sentence.table.ravel(), *trees, rate, self.reduce_early)

    def tick(self) -> None:
        self._core.tick()

    def averaged(self) -> dict[str, NDArray[Any]]:
        """The averaged weights above the threshold."""
        return dict(zip(WEIGHTS, self._core.averaged(self.threshold), strict=True))

    def state(self) -> dict[str, NDArray[Any]]:
        """All that learning goes on from."""
        return dict(zip(STATE, map(np.asarray, self._core.state()), strict=True))

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continues, in a learner without weights, from the state of another."""
        state = {name: arrays[name] for name in STATE[:-1]}
        self._core.restore(**state, time=float(arrays["time"]))

    @property
    def features(self) -> int:
        """How many features have met an update."""
        return self._core.features
