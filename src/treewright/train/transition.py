"""Training of transition-based parsers: the averaged structured perceptron with beam search.

Collins and Roark (2004) for early updates, Huang, Fayong and Guo (2012) for max-violation updates,
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
SPREAD = 32  # weights above a 32nd of the largest are never dropped


@dataclass(frozen=True, eq=False)
class Corpus:
    """Concatenated sentences with their projective trees and gold action sequences."""

    table: Keys
    first: Integers
    heads: Indices
    labels: Indices
    actions: Indices
    actions_first: Integers

    def __len__(self) -> int:
        return len(self.first) - 1


class TransitionLearner:
    """A transition-based parser with trainable weights: an `OnlineParser`.

    Args:
        shape: actions and features.
        beam: beam size.
        update: where in the sequence a wrong search is corrected.
        aggressiveness: 0 for perceptron steps of size 1, otherwise the maximum passive-aggressive
            step.
        reduce_early: which arc-eager sequence of a tree is gold.
        exploration: None, or the probability of following wrong actions in greedy training with the
            dynamic oracle of the arc-hybrid system.
        threshold: averaged weights up to this size are dropped, or up to a 32nd of the largest one
            if that is less: after few updates, all weights are small.
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
        """Gold trees as actions; non-projective trees are lifted until they are projective."""
        table, first = join(sentences)
        rows = [projectivise(parse.heads.tolist()) for parse in gold]
        heads = np.array([head for row in rows for head in row], np.int32)
        labels = np.concatenate([np.zeros(0, np.int32), *(parse.labels for parse in gold)])
        actions = self._model.oracle(heads, labels, first, self.reduce_early)
        return Corpus(table, first, heads, labels, *actions)

    def learn_all(self, corpus: Corpus, order: Integers) -> int:
        """Learns from the sentences in this order, with a tick for each.

        Returns the number of wrong ones.
        """
        return self._learn(corpus, order, ticking=True)

    def learn(self, sentence: EncodedSentence, gold: Parse) -> bool:
        """Searches next to the gold sequence and updates the weights if needed; no tick."""
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
        arrays = self._core.averaged(self.threshold)
        largest = _largest(arrays) or _largest(self._core.averaged(0.0))
        if largest < SPREAD * self.threshold:
            arrays = self._core.averaged(largest / SPREAD)
        return dict(zip(WEIGHTS, arrays, strict=True))

    def state(self) -> dict[str, NDArray[Any]]:
        """The state for a checkpoint."""
        return dict(zip(STATE, map(np.asarray, self._core.state()), strict=True))

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restores the state of another learner; this one must be untrained."""
        state = {name: arrays[name] for name in STATE[:-1]}
        self._core.restore(**state, time=float(arrays["time"]))

    @property
    def features(self) -> int:
        """The number of features that have been updated."""
        return self._core.features


def _largest(arrays: Sequence[NDArray[Any]]) -> float:
    """The size of the largest weight in arrays like `WEIGHTS`; 0 without weights."""
    return float(np.abs(arrays[WEIGHTS.index("weights")]).max(initial=0))
