"""Training of taggers: first a local model, then a chain over the lattices that it prunes.

The local model maximises the likelihood of each word's tag. The chain is trained with any objective
of `treewright.losses`, with a Gaussian prior around the local model's weights.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain as flatten
from itertools import pairwise
from typing import Protocol

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.forests import Example, FeatureMatrix, chain
from treewright.losses.settings import ObjectiveSettings
from treewright.models.tagging.parser import tag_all
from treewright.models.tagging.settings import TaggerSettings
from treewright.scores.tagging.dictionary import learn_dictionary
from treewright.scores.tagging.encoder import TaggerEncoder, Words
from treewright.scores.tagging.local import FeatureRows, LocalLikelihood, collect_features
from treewright.scores.tagging.tagger import Pruning, Tagger, TaggerWeights
from treewright.scores.tagging.transitions import Transitions, tag_trigrams
from treewright.train.lbfgs import fit_lbfgs
from treewright.train.loop import MinibatchTrainable, Trainable
from treewright.train.minibatch import Shifted
from treewright.train.settings import OptimiserSettings


class Fitting(Protocol):
    """The interface that trains the chain; runs implement it."""

    def objective_over(
        self, name: str, settings: ObjectiveSettings, examples: Iterable[Example], features: int
    ) -> MinibatchTrainable: ...

    def optimise(
        self,
        name: str,
        objective: Trainable,
        settings: OptimiserSettings,
        score: Callable[[Floats], float] | None = None,
    ) -> Floats: ...


class PlainFitting:
    """Trains by L-BFGS in one thread, without checkpoints and progress."""

    def objective_over(
        self, _: str, settings: ObjectiveSettings, examples: Iterable[Example], features: int
    ) -> MinibatchTrainable:
        return settings.over(examples, features, threads=1)

    def optimise(
        self,
        _: str,
        objective: Trainable,
        settings: OptimiserSettings,
        score: Callable[[Floats], float] | None = None,  # noqa: ARG002 - for runs
    ) -> Floats:
        prior, iterations, tolerance = settings.prior, settings.iterations, settings.tolerance
        return fit_lbfgs(objective, prior, iterations, tolerance).weights


@dataclass(frozen=True, eq=False)
class TaggedCorpus:
    """Words, POS tags (None for a POS tagger) and gold tags of sentences."""

    words: Sequence[Words]
    pos: Sequence[Words] | None
    tags: Sequence[Words]


def train_tagger(
    corpus: TaggedCorpus,
    settings: TaggerSettings,
    fitting: Fitting | None = None,
    name: str = "chain",
    seed: int = 0,
    on_pass: Callable[[int, float], None] | None = None,
    dev: TaggedCorpus | None = None,
) -> Tagger:
    """Trains a tagger on a corpus.

    Args:
        corpus: the training data.
        settings: the settings of the tagger.
        fitting: trains the chain; None: `PlainFitting`.
        name: the name of the chain's training, for `fitting`.
        seed: the seed that orders words in the training of the local model.
        on_pass: called with the number and value of each epoch of the local model.
        dev: a corpus on which accuracy is measured while the chain is trained.
    """
    trainer = _Trainer(corpus, settings, seed)
    local = trainer.fit_local(trainer.gold, on_pass)
    tagger = trainer.tagger(local, local, np.zeros(trainer.transitions.size))
    if not settings.order:
        return tagger
    origin = np.concatenate((np.zeros(trainer.transitions.size), local))
    fitting = fitting or PlainFitting()
    summed = fitting.objective_over(name, settings.objective, trainer.examples(tagger), len(origin))

    def trained(change: Floats) -> Tagger:
        weights = (origin + change) * settings.sharpness
        moves, emission = np.split(weights, [trainer.transitions.size])
        return trainer.tagger(local, emission, moves)

    score = None if dev is None else lambda change: accuracy(trained(change), dev)
    return trained(fitting.optimise(name, Shifted(summed, origin), settings.chain, score))


def accuracy(tagger: Tagger, corpus: TaggedCorpus) -> float:
    """The tagging accuracy."""
    pairs = zip(tag_all(tagger, corpus.words, corpus.pos), corpus.tags, strict=True)
    right = [a == b for tags, gold in pairs for a, b in zip(tags, gold, strict=True)]
    return sum(right) / max(len(right), 1)


class _Trainer:
    """The corpus in numbers, its features and its transitions, for both stages."""

    def __init__(self, corpus: TaggedCorpus, settings: TaggerSettings, seed: int = 0) -> None:
        self.corpus, self.settings, self.seed = corpus, settings, seed
        counts = Counter(flatten.from_iterable(corpus.tags))
        self.tags = tuple(sorted(counts, key=lambda tag: (-counts[tag], tag)))
        number = {tag: i for i, tag in enumerate(self.tags)}
        flat = [number[tag] for tag in flatten.from_iterable(corpus.tags)]
        self.gold = np.array(flat, dtype=np.int32)
        self.encoder = TaggerEncoder(settings.templates, corpus.pos is not None)
        words = list(flatten.from_iterable(corpus.words))
        pos = list(flatten.from_iterable(corpus.pos)) if corpus.pos is not None else None
        self.dictionary = learn_dictionary(words, pos, self.gold, len(self.tags))
        self.sets = self.dictionary.sets(words, pos, settings.dictionary_cutoff)
        self.encoded = self.encoder.encode(corpus.words, corpus.pos)
        self.features = self._features()
        seen = tag_trigrams(self.gold, self.encoded.first_position)
        cutoffs = settings.bigram_cutoff, settings.trigram_cutoff
        self.transitions = Transitions(len(self.tags), settings.order, seen, cutoffs)

    def _features(self) -> FeatureRows:
        e, s = self.encoded, self.settings
        keys = self.encoder.templates.core.hash(e.attributes, e.classes, e.first_position)
        cutoffs = [s.pair_cutoff if " " in text else s.cutoff for text in s.templates]
        return collect_features(keys, self.gold, len(self.tags), cutoffs)

    def local(self, gold: Indices) -> LocalLikelihood:
        return LocalLikelihood(self.features, len(self.tags), self.dictionary, self.sets, gold)

    def fit_local(
        self, gold: Indices, on_pass: Callable[[int, float], None] | None = None
    ) -> Floats:
        """The local model's weights; positions with a gold tag of -1 are ignored."""
        s = self.settings
        local = self.local(gold)
        return local.fit(s.local_passes, s.local_rate, s.local_prior, s.dropout, self.seed, on_pass)

    def tagger(self, local: Floats, emission: Floats, transition: Floats) -> Tagger:
        f, s = self.features, self.settings
        bigram, trigrams, trigram = self.transitions.tables(transition)
        weights = TaggerWeights(
            f.keys,
            f.row_first,
            f.row_tag,
            local.astype(np.float32),
            emission.astype(np.float32),
            bigram,
            trigrams,
            trigram,
        )
        pruning = Pruning(s.beta, 1, s.max_tags)
        return Tagger(
            self.tags, self.encoder, self.dictionary, weights, s.order, s.dictionary_cutoff, pruning
        )

    def examples(self, tagger: Tagger) -> Iterator[Example]:
        """The sentences as forests over pruned lattices, with gold tags added."""
        s, ends = self.settings, self.encoded.first_position.tolist()
        pruning = Pruning(s.training_beta, s.min_training_tags, s.max_training_tags)
        posteriors = tagger.posteriors_batch(self.corpus.words, self.corpus.pos, pruning=pruning)
        for number, (a, b) in enumerate(pairwise(ends)):
            pieces = np.split(posteriors.tag, posteriors.first[a : b + 1])[1:-1]
            candidates = [np.union1d(*pair) for pair in zip(pieces, self.gold[a:b], strict=True)]
            first = np.cumsum([0, *map(len, candidates)]).astype(np.int32)
            tags = np.concatenate(candidates).astype(np.int32)
            entries = tagger.core.entries(self.features.rows[a:b].ravel(), first, tags)
            yield self._example(str(number), candidates, self.gold[a:b], *entries)

    def _example(
        self,
        name: str,
        candidates: list[Indices],
        gold: Indices,
        offset: Indices,
        entry: Indices,
    ) -> Example:
        """The forest of a sentence; transition weights precede those of entries."""
        built = chain(candidates, self.settings.order)
        more, numbers = self.transitions.features(built.ngrams)
        matrix = FeatureMatrix.from_csr(
            np.concatenate((offset, offset[-1] + more[1:])),
            np.concatenate((entry + self.transitions.size, numbers)),
        )
        correct, produced = np.zeros((2, built.forest.parts), dtype=np.int16)
        produced[: built.candidates] = 1
        widths = [len(c) for c in candidates]
        correct[: built.candidates] = np.concatenate(candidates) == np.repeat(gold, widths)
        forest = built.forest.with_counts(np.stack([correct, produced, produced]), len(gold))
        wrong = (produced - correct)[forest.part] == 1
        return Example(forest, matrix, forest.restrict(~wrong), name)
