"""The graph-based parser: arc-factored labelled scores with spanning-tree or projective search.

McDonald et al. (2005); k-best lists as in Hall et al. (2011). With `second_order`, the projective
decoder also scores adjacent siblings (McDonald and Pereira 2006).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Floats32, Indices
from treewright.forests.dependency.arcs import Arcs, complete_arcs
from treewright.inference import exact, trees
from treewright.inference.labelled_arcs import (
    most_expected,
    part_scores,
    projective_marginals,
    spanning_marginals,
    sum_labels,
)
from treewright.models.dependency.settings import GraphModelSettings
from treewright.scores.dependency.arc_templates import NAMED, SIBLINGS, compile_templates
from treewright.scores.dependency.arcs import (
    ArcLabels,
    Learning,
    LinearRows,
    Rows,
    all_arcs,
    columns,
)
from treewright.scores.dependency.encoder import EncodedSentence
from treewright.train.augmented import perceptron
from treewright.train.loop import prefixed, without_prefix
from treewright.train.online import Parse

Trees = Literal["spanning", "projective"]
MAX_WORDS = 2000  # maximum length of sentences for which all arcs are scored
# The longest sentences whose projective forests have fewer than MAX_EDGES edges.
MAX_PROJECTIVE, MAX_SECOND_ORDER = 460, 390


class GraphParser:
    """A parser with weights, for online training or parsing.

    Args:
        labels: the number of relations.
        settings: features and search.
        decoder: search over all trees, or over projective ones.
        learns: the kind of weight updates, if any.
        allowed: the labels that arcs can have; None: any.
    """

    def __init__(
        self,
        labels: int,
        settings: GraphModelSettings,
        decoder: Trees = "spanning",
        learns: Learning = "perceptron",
        allowed: ArcLabels | None = None,
    ) -> None:
        self.labels, self.settings, self.decoder, self.allowed = labels, settings, decoder, allowed
        templates = compile_templates([*NAMED[settings.features], *settings.templates])
        self.arcs = LinearRows.new(templates, labels, settings.bits, learns)
        self.siblings: LinearRows | None = None
        if decoder == "projective" and settings.second_order:
            second = compile_templates(SIBLINGS)
            self.siblings = LinearRows.new(second, 1, settings.bits - 2, learns)

    def scores(self, sentence: EncodedSentence) -> Floats32:
        """The scores of labelled arcs: float32 [words + 1, words + 1, labels], -inf for no arc."""
        rows, words = all_arcs(len(sentence)), len(sentence)
        out = np.full((words + 1, words + 1, self.labels), -np.inf, np.float32)
        scores = self._allowed_scores(sentence, rows)
        out[rows.head, rows.word] = scores
        return out

    def _allowed_scores(self, sentence: EncodedSentence, rows: Rows) -> Floats32:
        """The scores of given arcs: float32 [arcs, labels], -inf for disallowed labels."""
        scores = self.arcs.scores(columns(sentence), rows)
        if self.allowed is not None:
            scores[~self.allowed.of_arcs(sentence, rows)] = -np.inf
        return scores

    def scores_all_arcs(self, sentence: EncodedSentence) -> bool:
        """Whether a sentence has words, and is short enough to score all its arcs."""
        return 0 < len(sentence) <= MAX_WORDS

    def kbest(self, sentence: EncodedSentence, k: int) -> list[Parse]:
        """At most k parses with the current weights, best score first."""
        if not len(sentence):
            return [Parse(np.zeros(0, np.int32), np.zeros(0, np.int32))]
        if len(sentence) > MAX_WORDS:
            return [self._flat(sentence)]
        return self._best_of(sentence, self.scores(sentence), k)

    def _flat(self, sentence: EncodedSentence) -> Parse:
        """The fallback for long sentences: the first word heads all others."""
        heads = np.ones(len(sentence), np.int32)
        heads[0] = 0
        rows = Rows.of_arcs(heads, np.arange(1, len(sentence) + 1, dtype=np.int32))
        scores = self._allowed_scores(sentence, rows)
        return Parse(heads, scores.argmax(axis=1).astype(np.int32), float(scores.max(axis=1).sum()))

    def allows_all_trees(self, words: int) -> bool:
        """Whether the search is over all trees: always, or for sentences of this length."""
        most = MAX_PROJECTIVE if self.siblings is None else MAX_SECOND_ORDER
        return self.decoder == "spanning" or words > most

    def _best_of(self, sentence: EncodedSentence, scores: Floats32, k: int) -> list[Parse]:
        any_trees, settings = self.allows_all_trees(len(sentence)), self.settings
        if self.siblings is not None and not any_trees:
            return self._second_order(sentence, scores, k, self.siblings)
        search = trees.labelled_spanning_trees if any_trees else trees.labelled_projective_trees
        listed = search(scores, k, settings.single_root, settings.label_variants)
        return [Parse(*tree) for tree in listed]

    def min_risk(self, sentence: EncodedSentence) -> tuple[Parse, float]:
        """The parse with the highest expected number of correct labelled arcs, and this number."""
        scores, root = self.scores(sentence), self.settings.single_root
        projective = not self.allows_all_trees(len(sentence))
        second = self._second_scores(sentence)
        arcs = self._sums(sentence, sum_labels(scores).arcs, second)[1]
        heads, labels, gain = most_expected(scores, arcs, projective, root, second)
        chosen = scores[heads, np.arange(1, len(heads) + 1), labels]
        score = float(chosen.sum(dtype=np.float64))
        if projective and self.siblings is not None:
            pairs = self.siblings.scores(columns(sentence), sibling_rows(heads))
            score += float(pairs.sum(dtype=np.float64))
        return Parse(heads, labels, score), float(gain)

    def marginals(self, sentence: EncodedSentence) -> Floats:
        """The probabilities of labelled arcs: float64 [words + 1, words + 1, labels]."""
        summed = sum_labels(self.scores(sentence))
        second = self._second_scores(sentence)
        return self._sums(sentence, summed.arcs, second)[1][..., None] * summed.share

    def log_z(self, sentence: EncodedSentence) -> float:
        """The log of the total weight of all trees of the decoder."""
        arcs = sum_labels(self.scores(sentence)).arcs
        return self._sums(sentence, arcs, self._second_scores(sentence))[0]

    def _sums(
        self, sentence: EncodedSentence, arcs: Floats, second: Floats | None
    ) -> tuple[float, Floats]:
        """log Z, and the probabilities of arcs [head, word]; arc scores are summed over labels."""
        root = self.settings.single_root
        if self.allows_all_trees(len(sentence)):
            all_trees = spanning_marginals(arcs, root)
            return all_trees.log_z, all_trees.arcs
        marginals = projective_marginals(arcs, root, second)
        return marginals.log_z, marginals.arcs

    def _second_scores(self, sentence: EncodedSentence) -> Floats | None:
        """The scores of sibling parts, if the search uses them."""
        if self.siblings is None or self.allows_all_trees(len(sentence)):
            return None
        return self.sibling_scores(sentence, self.siblings)

    def best_with_root(self, sentence: EncodedSentence, root: int) -> Parse:
        """The best parse whose only root is the given word, counted from 1."""
        scores = self.scores(sentence)
        others = np.arange(len(scores)) != root
        scores[0, others] = scores[1:, root] = -np.inf
        return self._best_of(sentence, scores, 1)[0]

    def update(
        self, sentence: EncodedSentence, better: Parse, worse: Parse, rate: float = 1.0
    ) -> None:
        """w += rate * (f(better) - f(worse))."""
        attributes = columns(sentence)
        differ = (better.heads != worse.heads) | (better.labels != worse.labels)
        word = np.flatnonzero(differ).astype(np.int32) + 1
        head = np.concatenate((better.heads[differ], worse.heads[differ])).astype(np.int32)
        label = np.concatenate((better.labels[differ], worse.labels[differ]))
        change = np.zeros((len(head), self.labels), np.float32)
        signs = np.repeat(np.array([rate, -rate], np.float32), len(word))
        change[np.arange(len(head)), label] = signs
        rows = Rows.of_arcs(head, np.concatenate((word, word)))
        self.arcs.update(attributes, rows, change)
        if self.siblings is not None:
            for parse, sign in ((better, rate), (worse, -rate)):
                pairs = sibling_rows(parse.heads)
                ones = np.full((len(pairs), 1), sign, np.float32)
                self.siblings.update(attributes, pairs, ones)

    def learn(self, sentence: EncodedSentence, gold: Parse) -> bool:
        return perceptron(self, sentence, gold)

    def tick(self) -> None:
        for _, model in self._models():
            model.time += 1

    def averaged(self) -> dict[str, NDArray[Any]]:
        """The averaged weights as arrays for a bundle: indices and values of the nonzero ones."""
        arrays: dict[str, NDArray[Any]] = {}
        for name, model in self._models():
            weights = model.averaged()
            index = np.flatnonzero(weights).astype(np.uint32)
            arrays |= {f"{name}.index": index, f"{name}.value": weights[index]}
        if self.allowed is not None:
            arrays["allowed"] = self.allowed.allowed.astype(np.uint8)
        return arrays

    def state(self) -> dict[str, NDArray[Any]]:
        """The state for a checkpoint."""
        return prefixed({name: model.state() for name, model in self._models()})

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restores the state of another parser; this one must be untrained."""
        for name, model in self._models():
            model.restore(without_prefix(arrays, name))

    def with_weights(self, arrays: Mapping[str, NDArray[Any]]) -> "GraphParser":
        """A parser with the same settings and the weights from `averaged`."""
        allowed = ArcLabels(arrays["allowed"].astype(np.bool_)) if "allowed" in arrays else None
        if allowed is not None and allowed.allowed.shape[-1] != self.labels:
            raise ValueError(f"labels of arcs for another number of labels than {self.labels}")
        other = GraphParser(self.labels, self.settings, self.decoder, "no", allowed)
        for name, model in other._models():
            model.weights[arrays[f"{name}.index"]] = arrays[f"{name}.value"]
        return other

    def _models(self) -> Iterator[tuple[str, LinearRows]]:
        yield "arcs", self.arcs
        if self.siblings is not None:
            yield "siblings", self.siblings

    def sibling_forest(self, words: int) -> Arcs:
        """The second-order forest of all sentences of this length."""
        return complete_arcs(words, self.settings.single_root, siblings=True)

    def sibling_scores(self, sentence: EncodedSentence, pairs: LinearRows) -> Floats:
        """The scores of the sibling parts of `sibling_forest`."""
        rows = Rows(*np.ascontiguousarray(self.sibling_forest(len(sentence)).siblings.T))
        return pairs.scores(columns(sentence), rows)[:, 0].astype(np.float64)

    def _second_order(
        self, sentence: EncodedSentence, labelled: Floats32, k: int, pairs: LinearRows
    ) -> list[Parse]:
        forest = self.sibling_forest(len(sentence))
        best = labelled.max(axis=2).astype(np.float64)
        parts = part_scores(forest, best, self.sibling_scores(sentence, pairs))
        label = labelled.argmax(axis=2).astype(np.int32)
        parses = []
        for derivation in exact.kbest(forest.forest, parts, k):
            heads = forest.heads_of(derivation.edges)
            labels = label[heads, np.arange(1, len(heads) + 1)]
            parses.append(Parse(heads, labels, derivation.score))
        return parses


def sibling_rows(heads: Indices) -> Rows:
    """The adjacent siblings in a tree, as rows of the arc forest."""
    rows = []
    for word, head in enumerate(heads.tolist(), start=1):
        way = -1 if head < word else 1
        between = range(word + way, head, way)
        nearest = next((s for s in between if heads[s - 1] == head), -1)
        rows.append((head, word, nearest))
    return Rows(*np.array(rows, np.int32).reshape(-1, 3).T.copy())
