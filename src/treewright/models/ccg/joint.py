"""Supertagger and parser trained together: examples and weights of the joint model.

All weights stand in one vector: the supertagger's chain (emissions, then transitions), then the
parser's features. The supertagger's local model, which prunes, stays as it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.forests import chain
from treewright.forests.ccg.chart import ccg_chart
from treewright.forests.example import Example
from treewright.forests.features import FeatureMatrix
from treewright.inference.factors import Variables
from treewright.models.ccg.examples import GoldSentence
from treewright.models.ccg.lattice import cells_of, lattices, lexical_cells
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.search import Beam
from treewright.models.tagging.model import log_linear
from treewright.models.tagging.supertagger import Supertagger
from treewright.scores.ccg.scorer import log_linear as log_linear_scorer
from treewright.scores.tagging.posteriors import Posteriors
from treewright.scores.tagging.tagger import Tagger
from treewright.train.joint import JointExample, Layer, shifted

BATCH = 64


@dataclass(frozen=True, eq=False)
class JointModel:
    """A parser with its supertagger, as one vector of weights."""

    parser: CcgParser

    @property
    def tagger(self) -> Tagger:
        return log_linear(self.parser.supertagger.tagger)

    @cached_property
    def pieces(self) -> list[int]:
        """Where emissions, bigrams and trigrams of the supertagger end in the vector."""
        w = self.tagger.weights
        return list(accumulate([len(w.chain), w.bigram.size, len(w.trigram)]))

    @property
    def weights(self) -> Floats:
        """The weights of supertagger and parser."""
        w = self.tagger.weights
        own = (w.chain, w.bigram.ravel(), w.trigram, log_linear_scorer(self.parser.scorer).weights)
        return np.concatenate([each.astype(np.float64) for each in own])

    def with_weights(self, weights: Floats) -> CcgParser:
        """The parser and its supertagger with other weights."""
        old, tagger = self.tagger.weights, self.tagger
        emission, bigram, trigram, rest = np.split(weights, self.pieces)
        small = [each.astype(np.float32) for each in (emission, bigram, trigram)]
        new = replace(old, chain=small[0], bigram=small[1].reshape(old.bigram.shape))
        made = Tagger(
            tagger.tags, tagger.encoder, tagger.dictionary, replace(new, trigram=small[2]),
            tagger.order, tagger.cutoff, tagger.pruning,
        )  # fmt: skip
        pos = self.parser.supertagger.pos
        p = self.parser
        how = (log_linear_scorer(p.scorer).with_weights(rest), p.chart, p.settings, p.inference)
        return CcgParser(p.grammar, Supertagger(made, pos), *how)

    def examples(self, sentences: Sequence[GoldSentence], beam: Beam) -> Iterator[JointExample]:
        """Sentences whose gold derivation is in the chart, gold supertags added to the beam."""
        p = self.parser
        tag_of_entry = {int(e): t for t, e in enumerate(p.entry_of_tag.tolist()) if e >= 0}
        for begin in range(0, len(sentences), BATCH):
            batch = sentences[begin : begin + BATCH]
            words, pos = [s.words for s in batch], [s.pos for s in batch]
            found = lattices(self.tagger, words, pos, p.entry_of_tag, beam.cutoff)
            for sentence, lattice in zip(batch, found, strict=True):
                gold = [tag_of_entry.get(entry, -1) for entry in sentence.gold.entries.tolist()]
                if min(gold, default=-1) >= 0:
                    kept = with_tags(lattice.kept(beam), gold)
                    yield from self._example(sentence, kept, np.array(gold))

    def _example(
        self, sentence: GoldSentence, kept: Posteriors, gold: Indices
    ) -> Iterable[JointExample]:
        p = self.parser
        chart = ccg_chart(p.grammar, cells_of(kept, p.entry_of_tag), p.chart, sentence.gold)
        if not chart.usable or chart.gold_forest is None:
            return
        scorer = log_linear_scorer(p.scorer)
        features = scorer.features(chart, scorer.encode(sentence.words, sentence.pos))
        parser = Example(
            chart.forest, shifted(features, self.pieces[-1]), chart.gold_forest, sentence.name
        )
        right = np.flatnonzero(kept.tag == gold[kept.positions]).astype(np.int32)
        emissions = np.arange(len(kept.tag), dtype=np.int32)
        layers = [
            Layer(self._chain(sentence, kept, right), emissions, emissions),
            Layer(parser, *lexical_cells(chart, kept, p.entry_of_tag)),
        ]
        yield JointExample(Variables(kept.first), layers, right)

    def _chain(self, sentence: GoldSentence, kept: Posteriors, right: Indices) -> Example:
        """The supertagger's chain with its features, and the gold tags in it."""
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
    """The same with one tag more at each position that lacks it, as probable as its rarest."""
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
