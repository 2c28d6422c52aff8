"""Joint training of supertagger and parser: examples and weights of the joint model.

One vector holds all weights: those of the supertagger's chain (emissions, then transitions), then
those of the parser's features. The supertagger's local model, which prunes, is not trained.

A target represents the supervision of a sentence as the forest of derivations that agree with it:
its derivation, its dependencies, or a dictionary of the supertags that its words can have.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.errors import ForestError
from treewright.forests import chain
from treewright.forests.ccg.chart import CcgChart, PartKind, ccg_chart
from treewright.forests.features import Example, FeatureMatrix
from treewright.forests.forest import Forest
from treewright.inference.factors import Variables
from treewright.models.ccg.examples import GoldSentence, gold_target
from treewright.models.ccg.lattice import cells_of, lattices, lexical_values
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.search import Beam
from treewright.models.tagging.model import log_linear
from treewright.models.tagging.supertagger import Supertagger
from treewright.scores.ccg.scorer import log_linear as log_linear_scorer
from treewright.scores.tagging.base import Posteriors
from treewright.scores.tagging.tagger import Tagger
from treewright.train.joint import JointExample, Layer, shifted

BATCH = 64
# The derivations in a chart that agree with the supervision of a sentence; None if there are none.
LatentTarget = Callable[[GoldSentence, CcgChart], Forest | None]


def derivation_target(_: GoldSentence, chart: CcgChart) -> Forest | None:
    """The gold derivation."""
    return chart.gold_forest


def dependency_target(_: GoldSentence, chart: CcgChart) -> Forest | None:
    """The derivations whose dependencies have the highest F1."""
    target = gold_target(chart, "max-f", "dependencies")
    return None if target is None else target[1]


@dataclass(frozen=True, eq=False)
class DictionaryTarget:
    """The derivations in which each word has a lexical entry from a dictionary."""

    entries: Mapping[str, Collection[int]]

    def __call__(self, sentence: GoldSentence, chart: CcgChart) -> Forest | None:
        cells, forest = chart.cells, chart.forest
        word = np.repeat(np.arange(cells.words), np.diff(cells.first)).tolist()
        known = [self.entries.get(each, ()) for each in sentence.words]
        allowed = [e in known[w] for e, w in zip(cells.entry.tolist(), word, strict=True)]
        kind, number = chart.parts[:, 0], chart.parts[:, 1]
        wrong = kind == int(PartKind.LEXICAL)
        wrong[wrong] = ~np.array(allowed)[number[wrong]]
        try:
            return forest.restrict(~wrong[forest.part])
        except ForestError:  # no derivation uses only entries from the dictionary
            return None


@dataclass(frozen=True, eq=False)
class JointModel:
    """A parser and its supertagger as one vector of weights."""

    parser: CcgParser

    @property
    def tagger(self) -> Tagger:
        return log_linear(self.parser.supertagger.tagger)

    @cached_property
    def pieces(self) -> list[int]:
        """The offsets in the vector at which emissions, bigrams and trigrams end."""
        w = self.tagger.weights
        return list(accumulate([len(w.chain), w.bigram.size, len(w.trigram)]))

    @property
    def weights(self) -> Floats:
        """The weights of supertagger and parser."""
        w = self.tagger.weights
        own = (w.chain, w.bigram.ravel(), w.trigram, log_linear_scorer(self.parser.scorer).weights)
        return np.concatenate([each.astype(np.float64) for each in own])

    def with_weights(self, weights: Floats) -> CcgParser:
        """The parser with other weights, including its supertagger's."""
        old, tagger = self.tagger.weights, self.tagger
        emission, bigram, trigram, rest = np.split(weights, self.pieces)
        small = [each.astype(np.float32) for each in (emission, bigram, trigram)]
        new = replace(old, chain=small[0], bigram=small[1].reshape(old.bigram.shape))
        retrained = Tagger(
            tagger.tags,
            tagger.encoder,
            tagger.dictionary,
            replace(new, trigram=small[2]),
            tagger.order,
            tagger.cutoff,
            tagger.pruning,
        )
        p = self.parser
        supertagger = Supertagger(retrained, p.supertagger.pos)
        scorer = log_linear_scorer(p.scorer).with_weights(rest)
        return CcgParser(p.grammar, supertagger, scorer, p.chart, p.settings, p.inference)

    def examples(self, sentences: Sequence[GoldSentence], beam: Beam) -> Iterator[JointExample]:
        """Examples of sentences whose gold derivation is in the chart.

        Gold supertags are added to the beam.
        """
        tags = self.parser.entry_of_tag.tolist()
        tag_of_entry = {entry: tag for tag, entry in enumerate(tags) if entry >= 0}
        for sentence, kept in self._kept(sentences, beam):
            gold = [tag_of_entry.get(entry, -1) for entry in sentence.gold.entries.tolist()]
            if min(gold, default=-1) >= 0:
                yield from self._example(sentence, with_tags(kept, gold), derivation_target)

    def latent_examples(
        self, sentences: Sequence[GoldSentence], beam: Beam, target: LatentTarget
    ) -> Iterator[JointExample]:
        """Examples supervised by the target alone, summed over its derivations."""
        for sentence, kept in self._kept(sentences, beam):
            yield from self._example(sentence, kept, target)

    def _kept(
        self, sentences: Sequence[GoldSentence], beam: Beam
    ) -> Iterator[tuple[GoldSentence, Posteriors]]:
        """The supertags of each sentence within the beam."""
        for begin in range(0, len(sentences), BATCH):
            batch = sentences[begin : begin + BATCH]
            words, pos = [s.words for s in batch], [s.pos for s in batch]
            tagged = lattices(self.tagger, words, pos, self.parser.entry_of_tag, beam.cutoff)
            yield from ((s, f.kept(beam)) for s, f in zip(batch, tagged, strict=True))

    def _example(
        self, sentence: GoldSentence, kept: Posteriors, target: LatentTarget
    ) -> Iterable[JointExample]:
        p = self.parser
        chart = ccg_chart(p.grammar, cells_of(kept, p.entry_of_tag), p.chart, sentence.gold)
        gold = target(sentence, chart) if chart.usable else None
        if gold is None:
            return
        scorer = log_linear_scorer(p.scorer)
        features = scorer.features(chart, scorer.encode(sentence.words, sentence.pos))
        parser = Example(chart.forest, shifted(features, self.pieces[-1]), gold, sentence.name)
        parts, values = lexical_values(chart, kept, p.entry_of_tag)
        right = np.unique(values[np.isin(parts, gold.part)])
        emissions = np.arange(len(kept.tag), dtype=np.int32)
        layers = [
            Layer(self._chain(sentence, kept, right), emissions, emissions),
            Layer(parser, parts, values),
        ]
        yield JointExample(Variables(kept.first), layers, right)

    def _chain(self, sentence: GoldSentence, kept: Posteriors, right: Indices) -> Example:
        """The supertagger's chain with its features and gold tags."""
        tagger, (emissions, _, _) = self.tagger, self.pieces
        built = chain([kept.tag[a:b] for a, b in pairwise(kept.first)], tagger.order)
        rows = tagger.feature_rows([sentence.words], [sentence.pos])
        first, entry = tagger.core.entries(rows.ravel(), kept.first, kept.tag)
        more, numbers = tagger.transition_features(built.ngrams)
        matrix = FeatureMatrix.from_csr(
            np.concatenate((first, first[-1] + more[1:])),
            np.concatenate((entry, emissions + numbers)).astype(np.int32),
        )
        wrong = np.ones(built.forest.parts, dtype=np.bool_)
        wrong[right], wrong[len(kept.tag) :] = False, False
        gold = built.forest.restrict(~wrong[built.forest.part])
        return Example(built.forest, matrix, gold, sentence.name)


def with_tags(posteriors: Posteriors, tags: Sequence[int]) -> Posteriors:
    """Adds the given tag at each position that lacks it, with the lowest probability there."""
    rows = []
    for (a, b), wanted in zip(pairwise(posteriors.first.tolist()), tags, strict=True):
        row, p = posteriors.tag[a:b], posteriors.probability[a:b]
        if wanted not in row:
            at = int(np.searchsorted(row, wanted))
            row, p = np.insert(row, at, wanted), np.insert(p, at, p.min())
        rows.append((row, p))
    first = np.cumsum([0, *(len(row) for row, _ in rows)]).astype(np.int32)
    tag = np.concatenate([row for row, _ in rows]).astype(np.int32)
    return Posteriors(first, tag, np.concatenate([p for _, p in rows]), posteriors.first_position)
