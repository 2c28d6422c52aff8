"""Supertag lattices of sentences, for charts and for joint inference."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.forests.ccg.chart import CcgChart, Cells, PartKind
from treewright.grammar.compiled import CompiledGrammar
from treewright.inference.factors import (
    Factor,
    FactorGraph,
    ForestFactor,
    Variables,
    chain_factor,
)
from treewright.inference.intersect import Intersection, chain_tables, intersect
from treewright.inference.lazy import LazyFactor
from treewright.models.ccg.search import Beam
from treewright.scores.tagging.base import Posteriors, SequenceTagger


@dataclass(frozen=True, eq=False)
class Lattice:
    """The supertags of a sentence with their probabilities, from which beams select cells."""

    supertagger: SequenceTagger
    words: Sequence[str]
    pos: Sequence[str]
    entry_of_tag: Indices
    known: dict[int, Posteriors]  # by dictionary cutoff
    by_beam: dict[Beam, Posteriors] = field(default_factory=dict)

    def cells(self, beam: Beam) -> Cells:
        """The lexical entries within a beam, with their log probabilities."""
        return cells_of(self.kept(beam), self.entry_of_tag)

    def kept(self, beam: Beam) -> Posteriors:
        """The tags within a beam."""
        if beam.cutoff not in self.known:
            self.known[beam.cutoff] = self.supertagger.posteriors(self.words, self.pos, beam.cutoff)
        if beam not in self.by_beam:
            self.by_beam[beam] = self.known[beam.cutoff].above(beam.beta)
        return self.by_beam[beam]

    def graph(self, beam: Beam, chart: CcgChart, scores: Floats, weight: float) -> FactorGraph:
        """A factor graph of the supertagger's chain and the parser's chart."""
        kept = self.kept(beam)
        variables = Variables(kept.first)
        parser = self.parser_factor(variables, kept, chart, scores)
        return FactorGraph(variables, [self._tagger(kept, variables, weight), parser])

    def intersection(
        self, beam: Beam, chart: CcgChart, scores: Floats, weight: float, max_edges: int
    ) -> Intersection:
        """Chain and chart intersected into one forest of at most `max_edges` edges."""
        kept = self.kept(beam)
        variables, (chain, own) = Variables(kept.first), self.supertagger.chain(kept)
        tags = np.split(kept.tag, kept.first[1:-1])
        parser = self.parser_factor(variables, kept, chart, scores)
        return intersect(variables, parser, chain_tables(chain, tags, weight * own), max_edges)

    def parser_factor(
        self, variables: Variables, kept: Posteriors, chart: CcgChart, scores: Floats
    ) -> ForestFactor:
        """The chart as a factor; its lexical parts are tied to values of the supertag variables."""
        tied = lexical_values(chart, kept, self.entry_of_tag)
        return ForestFactor(variables, chart.forest, scores, *tied)

    def _tagger(self, kept: Posteriors, variables: Variables, weight: float) -> Factor:
        def build() -> ForestFactor:
            return chain_factor(variables, *self.supertagger.chain(kept), 0, weight)

        marginals = partial(self.supertagger.marginals, kept, weight=weight)
        return LazyFactor(variables, marginals, build)


def lexical_values(
    chart: CcgChart, kept: Posteriors, entry_of_tag: Indices
) -> tuple[Indices, Indices]:
    """The lexical parts of a chart, and the index of each one's tag among the tags kept."""
    kind, number = chart.parts[:, 0], chart.parts[:, 1]
    lexical = (kind == int(PartKind.LEXICAL)).nonzero()[0]
    values: Indices = number.take(lexical)
    if len(chart.cells.entry) < len(kept.tag):
        # The cells lack those of the tagger's tags that are not in the grammar.
        values = np.flatnonzero(entry_of_tag[kept.tag] >= 0).astype(np.int32)[values]
    return lexical.astype(np.int32), values


def entries_of_tags(grammar: CompiledGrammar, supertagger: SequenceTagger) -> Indices:
    """The grammar's entry number of each of the supertagger's tags; -1 if it has none."""
    numbers = {str(entry): i for i, entry in enumerate(grammar.tables.entries)}
    return np.array([numbers.get(tag, -1) for tag in supertagger.tags], dtype=np.int32)


def lattices(
    tagger: SequenceTagger,
    words: Sequence[Sequence[str]],
    pos: Sequence[Sequence[str]],
    entry_of_tag: Indices,
    cutoff: int,
) -> list[Lattice]:
    """The lattices of sentences; tags are computed for one dictionary cutoff, others on demand."""
    if not words:
        return []
    posteriors = tagger.posteriors_batch(words, pos, cutoff).split()
    return [
        Lattice(tagger, w, p, entry_of_tag, {cutoff: f})
        for w, p, f in zip(words, pos, posteriors, strict=True)
    ]


def cells_of(posteriors: Posteriors, entry_of_tag: Indices) -> Cells:
    """Lexical cells for tags; tags that are not in the grammar are left out."""
    entry = entry_of_tag[posteriors.tag]
    known = entry >= 0
    sizes = np.bincount(posteriors.positions[known], minlength=len(posteriors))
    first = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    return Cells(first, entry[known], np.log(posteriors.probability[known]))
