"""Training of taggers: the local model first, then the chain over the lattices that it leaves.

Both stages minimise an objective plus a Gaussian prior. The local model is always trained for
likelihood; the chain for any objective of `treewright.losses`, over forests like any other.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain as flatten
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright.config import setting
from treewright.forests import Example, FeatureMatrix, chain
from treewright.forests.forest import Indices
from treewright.losses import BatchObjective
from treewright.losses.settings import ObjectiveSettings
from treewright.scores.dictionary import learn_dictionary
from treewright.scores.encoder import Encoder, Words
from treewright.scores.local import LocalLikelihood
from treewright.scores.tag_features import FeatureRows, collect_features
from treewright.scores.tagger import Pruning, Tagger, TaggerWeights, trigram_keys
from treewright.train.lbfgs import Trainable, fit_lbfgs
from treewright.train.settings import OptimiserSettings

Floats = NDArray[np.float64]
# What minimises an objective plus a prior: its name, the objective, and how.
Optimise = Callable[[str, Trainable, OptimiserSettings], Floats]


@dataclass(frozen=True)
class TaggerSettings:
    """How a tagger is trained."""

    templates: list[str] = setting([], "feature templates; see treewright.scores.templates")
    cutoff: int = setting(1, "a feature of one attribute must occur this often")
    pair_cutoff: int = setting(2, "and one of two or more attributes this often")
    order: int = setting(2, "how many tags before a tag its transition sees: 0, 1 or 2")
    trigram_cutoff: int = setting(2, "a trigram of tags must occur this often to have a weight")
    dictionary_cutoff: int = setting(
        20,
        "words seen this often have the tags that they were seen with, rarer ones all\n"
        "that their part of speech was seen with",
    )
    training_beta: float = setting(1e-3, "candidates that the chain is trained on: see beta")
    training_least: int = setting(4, "at least so many for each word")
    training_most: int = setting(10, "at most so many")
    beta: float = setting(1e-4, "the local model prunes tags below this share of the best")
    most: int = setting(24, "and leaves at most so many for each word")
    local_passes: int = setting(8, "passes of AdaGrad over the words for the local model")
    local_rate: float = setting(0.05, "its step size")
    chain: OptimiserSettings = setting(
        OptimiserSettings(iterations=60), "training of the chain, from the local model's weights"
    )
    objective: ObjectiveSettings = setting(
        ObjectiveSettings(loss="hamming"), "what the chain minimises"
    )

    def __post_init__(self) -> None:
        if self.order not in (0, 1, 2):
            raise ValueError(f"order must be 0, 1 or 2, not {self.order}")
        for name in ("beta", "training_beta"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"{name} must be above 0 and at most 1")
        for name in (
            "cutoff",
            "pair_cutoff",
            "trigram_cutoff",
            "most",
            "training_most",
            "local_passes",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1")


@dataclass(frozen=True, eq=False)
class TaggedCorpus:
    """Words, parts of speech (None for a POS tagger) and gold tags of sentences."""

    words: Sequence[Words]
    pos: Sequence[Words] | None
    tags: Sequence[Words]


def optimise_lbfgs(_: str, objective: Trainable, how: OptimiserSettings) -> Floats:
    """The plain way to minimise; a run adds checkpoints and progress."""
    return fit_lbfgs(objective, how.prior, how.iterations, how.tolerance).weights


class Shifted:
    """An objective as a function of the distance from a point: the prior is around that point."""

    def __init__(self, objective: Trainable, origin: Floats) -> None:
        self.objective, self.origin, self.features = objective, origin, objective.features

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        return self.objective.value_and_gradient(weights + self.origin)


def train_tagger(
    corpus: TaggedCorpus,
    settings: TaggerSettings,
    outputs_of: Callable[[str], Sequence[str]] | None = None,
    optimise: Optimise = optimise_lbfgs,
    threads: int = 1,
    seed: int = 0,
) -> Tagger:
    """A tagger for the corpus; `outputs_of` names what a tag shares with other tags."""
    trainer = _Trainer(corpus, settings, outputs_of or (lambda _: ()))
    local = trainer.local().fit(settings.local_passes, settings.local_rate, seed)
    moves = np.zeros(trainer.transitions.size)
    tagger = trainer.tagger(local, local, moves)
    if not settings.order:
        return tagger
    origin = np.concatenate((local, moves))
    examples = trainer.examples(tagger)
    batch = BatchObjective(settings.objective.make(), examples, len(origin), threads)
    found = origin + optimise("chain", Shifted(batch, origin), settings.chain)
    return trainer.tagger(local, found[: len(local)], found[len(local) :])


class _Trainer:
    """Everything that both stages use."""

    def __init__(
        self,
        corpus: TaggedCorpus,
        settings: TaggerSettings,
        outputs_of: Callable[[str], Sequence[str]],
    ) -> None:
        self.corpus, self.settings = corpus, settings
        counts = Counter(flatten.from_iterable(corpus.tags))
        self.tags = tuple(sorted(counts, key=lambda tag: (-counts[tag], tag)))
        number = {tag: i for i, tag in enumerate(self.tags)}
        flat = [number[tag] for tag in flatten.from_iterable(corpus.tags)]
        self.gold = np.array(flat, dtype=np.int32)
        self.encoder = Encoder(settings.templates, corpus.pos is not None)
        words = list(flatten.from_iterable(corpus.words))
        pos = list(flatten.from_iterable(corpus.pos)) if corpus.pos is not None else None
        self.dictionary = learn_dictionary(words, pos, self.gold, len(self.tags))
        self.sets = self.dictionary.sets(words, pos, settings.dictionary_cutoff)
        self.tag_first, self.tag_output = _outputs(self.tags, outputs_of)
        self.encoded = self.encoder.encode(corpus.words, corpus.pos)
        self.features = self._features()
        self.transitions = Transitions(
            self.tags, settings.order, corpus_ngrams(self, 3), settings.trigram_cutoff
        )

    def _features(self) -> FeatureRows:
        e, s = self.encoded, self.settings
        keys = self.encoder.templates.core.hash(e.attributes, e.classes, e.first_position)
        cutoffs = [s.pair_cutoff if " " in text else s.cutoff for text in s.templates]
        return collect_features(keys, self.gold, self.tag_first, self.tag_output, cutoffs)

    def local(self) -> LocalLikelihood:
        return LocalLikelihood(
            self.features, self.tag_first, self.tag_output, self.dictionary, self.sets, self.gold
        )

    def tagger(self, local: Floats, emission: Floats, transition: Floats) -> Tagger:
        f, s = self.features, self.settings
        bigram, trigrams, trigram = self.transitions.tables(transition)
        weights = TaggerWeights(
            f.keys,
            f.row_first,
            f.row_output,
            local.astype(np.float32),
            emission.astype(np.float32),
            self.tag_first,
            self.tag_output,
            bigram,
            trigrams,
            trigram,
        )
        pruning = Pruning(s.beta, 1, s.most)
        return Tagger(
            self.tags, self.encoder, self.dictionary, weights, s.order, s.dictionary_cutoff, pruning
        )

    def examples(self, tagger: Tagger) -> Iterator[Example]:
        """The training sentences as forests over pruned lattices, to which gold is added."""
        s, e = self.settings, self.encoded
        pruning = Pruning(s.training_beta, s.training_least, s.training_most)
        found = tagger.posteriors_batch(self.corpus.words, self.corpus.pos, pruning=pruning)
        ends = e.first_position.tolist()
        for number, (a, b) in enumerate(pairwise(ends)):
            first, last = found.first[a], found.first[b]
            pieces = np.split(found.tag[first:last], found.first[a + 1 : b] - first)
            yield self._example(tagger, number, a, b, pieces)

    def _example(
        self, tagger: Tagger, number: int, a: int, b: int, pieces: list[Indices]
    ) -> Example:
        gold = self.gold[a:b]
        candidates = [np.union1d(c, g) for c, g in zip(pieces, gold, strict=True)]
        built = chain(candidates, self.settings.order)
        first = np.concatenate(([0], np.cumsum([len(c) for c in candidates]))).astype(np.int32)
        tags = np.concatenate(candidates).astype(np.int32)
        offset, entry = tagger.core.entries(self.features.rows[a:b].ravel(), first, tags)
        more, numbers = self.transitions.features(built.ngrams)
        matrix = FeatureMatrix.from_csr(
            np.concatenate((offset, offset[-1] + more[1:])),
            np.concatenate((entry, numbers + self.features.row_first[-1])),
        )
        correct = np.zeros(built.forest.parts, dtype=np.int16)
        produced = correct.copy()
        produced[: len(tags)] = 1
        correct[: len(tags)] = tags == np.repeat(gold, np.diff(first))
        forest = built.forest.with_counts(np.stack([correct, produced, produced]), len(gold))
        wrong = (produced - correct)[forest.part] == 1
        return Example(forest, matrix, forest.restrict(~wrong), str(number))


def _outputs(
    tags: Sequence[str], outputs_of: Callable[[str], Sequence[str]]
) -> tuple[Indices, Indices]:
    """Outputs of tags as numbers: first the tags themselves, then what they share."""
    shared = Counter(name for tag in tags for name in set(outputs_of(tag)))
    names = sorted(name for name, count in shared.items() if count > 1)
    number = {name: len(tags) + i for i, name in enumerate(names)}
    rows = [
        [i, *sorted({number[name] for name in outputs_of(tag) if name in number})]
        for i, tag in enumerate(tags)
    ]
    first = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    return first, np.array([x for row in rows for x in row], dtype=np.int32)


def corpus_ngrams(trainer: _Trainer, length: int) -> NDArray[np.int64]:
    """All n-grams of gold tags, [ngrams, length], with one boundary after the sentence."""
    rows = []
    ends = trainer.encoded.first_position.tolist()
    for a, b in pairwise(ends):
        tags = np.concatenate((np.full(length - 1, -1), trainer.gold[a:b], [-1]))
        rows.append(np.lib.stride_tricks.sliding_window_view(tags, length))
    return np.concatenate(rows).astype(np.int64)


class Transitions:
    """The transitions that have a weight: bigrams seen in training, and frequent trigrams."""

    def __init__(
        self, tags: Sequence[str], order: int, seen: NDArray[np.int64], cutoff: int
    ) -> None:
        self.width, self.order = len(tags) + 1, order
        self.pairs = np.unique(self._pair(seen)) if order else np.zeros(0, dtype=np.int64)
        keys, counts = np.unique(trigram_keys(seen), return_counts=True)
        self.triples = keys[counts >= cutoff] if order == 2 else np.zeros(0, dtype=np.uint64)
        self.size = len(self.pairs) + len(self.triples)

    def _pair(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return (rows[:, -2] + 1) * self.width + rows[:, -1] + 1

    def features(self, ngrams: Indices) -> tuple[Indices, Indices]:
        """CSR of the weights that each n-gram uses: offsets and numbers."""
        rows = ngrams.astype(np.int64)
        columns = [_find(self.pairs, self._pair(rows), 0)]
        if self.order == 2:
            columns.append(_find(self.triples, trigram_keys(rows), len(self.pairs)))
        table = np.stack(columns, axis=1)
        known = table >= 0
        first = np.concatenate(([0], np.cumsum(known.sum(axis=1)))).astype(np.int32)
        return first, table[known].astype(np.int32)

    def tables(
        self, weights: Floats
    ) -> tuple[NDArray[np.float32], NDArray[np.uint64], NDArray[np.float32]]:
        """What a tagger keeps: the matrix of bigrams, flat, and the trigrams."""
        bigram = np.zeros(self.width**2, dtype=np.float32)
        bigram[self.pairs] = weights[: len(self.pairs)]
        return bigram, self.triples, weights[len(self.pairs) :].astype(np.float32)


def _find(known: NDArray[np.generic], wanted: NDArray[np.generic], base: int) -> NDArray[np.int64]:
    if not len(known):
        return np.full(len(wanted), -1)
    at = np.searchsorted(known, wanted).clip(max=len(known) - 1)
    return np.where(known[at] == wanted, at + base, -1)
