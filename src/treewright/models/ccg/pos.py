"""POS tags as a third factor, so that the parser can correct them.

The joint model of POS tags y, supertags x and a derivation D over x is

    s(y, x, D) = s_pos(y) + sum_i log p(x_i | y_i) - o_i(x_i) + s_transitions(x) + s_parser(D)
    o_i(x)     = log p(x | best POS tags) - its emission

The supertagger conditions on POS tags: p(x_i | y_i) is its posterior when word i has the tag y_i
and all other words have their best tags. It includes the evidence of the context, about o_i, which
the transitions would count again; so o_i is subtracted. If each word has one POS tag, this is the
model of supertagger and parser alone. Beams select supertags by sum_y p(y_i) p(x_i | y_i), as
Curran, Clark and Vadas (2006) keep ambiguous POS tags in a supertagger.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NoReturn

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.errors import ForestError
from treewright.forests.ccg.chart import CcgChart
from treewright.forests.pairs import pairs
from treewright.inference.factors import FactorGraph, ForestFactor, Variables, chain_factor
from treewright.models.ccg.lattice import Lattice
from treewright.models.ccg.search import Beam
from treewright.models.tagging.supertagger import Supertagger
from treewright.scores.tagging.base import Posteriors, SequenceTagger


@dataclass(frozen=True, eq=False)
class Ambiguous:
    """Supertags of a sentence under several POS tags per word.

    found: the mixture over POS tags, with emissions -o_i.
    tables: log p(x_i | y_i) for each word: float64 [POS tags, supertags], -inf if y does not allow
    x.
    """

    found: Posteriors
    tables: list[Floats]


@dataclass(frozen=True, eq=False)
class PosLattice(Lattice):
    """A lattice over supertags and POS tags; `candidates` are the POS tags."""

    pos_tagger: SequenceTagger = field(kw_only=True)
    candidates: Posteriors = field(kw_only=True)
    ambiguous: dict[int, Ambiguous] = field(
        kw_only=True, default_factory=dict
    )  # by dictionary cutoff

    def at(self, cutoff: int) -> Ambiguous:
        """The supertags for one cutoff of the word dictionary."""
        if cutoff not in self.ambiguous:
            self.ambiguous[cutoff] = _ambiguous(self, cutoff)
            self.known[cutoff] = self.ambiguous[cutoff].found
        return self.ambiguous[cutoff]

    def kept(self, beam: Beam) -> Posteriors:
        """The supertags within a beam, by their probability under the mixture."""
        self.at(beam.cutoff)
        return super().kept(beam)

    def graph(self, beam: Beam, chart: CcgChart, scores: Floats, weight: float) -> FactorGraph:
        """POS tagger, tables, supertagger and parser; supertag variables come before POS tags."""
        kept, all_tags = self.kept(beam), self.at(beam.cutoff)
        tags = [
            row[:, np.searchsorted(a, b)]
            for row, a, b in zip(all_tags.tables, _rows(all_tags.found), _rows(kept), strict=True)
        ]
        sizes = [*np.diff(kept.first), *np.diff(self.candidates.first)]
        variables = Variables.of_sizes(sizes)
        chain = self.supertagger.chain(kept)
        parser = self.parser_factor(variables, kept, chart, scores)
        pos = self.pos_tagger.chain(self.candidates)
        return FactorGraph(
            variables,
            [
                chain_factor(variables, *pos, first=len(kept.tag)),
                _table_factor(variables, tags, weight),
                chain_factor(variables, *chain, 0, weight),
                parser,
            ],
        )

    def intersection(self, *_: object) -> NoReturn:
        """Not supported: an intersection has no third factor."""
        raise ForestError("a model with parts of speech as a factor has no intersection")

    def mended(self, graph: FactorGraph, values: Indices) -> list[str]:
        """The POS tags in an assignment."""
        words = len(self.words)
        chosen = self.candidates.tag[values[words:] - graph.variables.first[words]]
        return [self.pos_tagger.tags[tag] for tag in chosen.tolist()]


def pos_lattices(
    supertagger: Supertagger, words: Sequence[Sequence[str]], entry_of_tag: Indices, beta: float
) -> list[PosLattice]:
    """Lattices of sentences without POS tags; tags within `beta` are candidates."""
    if not words:
        return []
    tagger = supertagger.pos
    assert tagger is not None
    posteriors = tagger.posteriors_batch(words).above(beta).split()
    return [
        PosLattice(
            supertagger.tagger,
            row,
            [tagger.tags[tag] for tag in each.best().tolist()],
            entry_of_tag,
            {},
            pos_tagger=tagger,
            candidates=each,
        )
        for row, each in zip(words, posteriors, strict=True)
    ]


def _ambiguous(lattice: PosLattice, cutoff: int) -> Ambiguous:
    """Supertags the sentence once per candidate POS tag of each word."""
    names, best = lattice.pos_tagger.tags, list(lattice.pos)
    variants, place = [best], []
    for word, row in enumerate(_rows(lattice.candidates)):
        place.append([0] * len(row))
        for i, pos in enumerate(names[tag] for tag in row.tolist()):
            if pos != best[word]:
                place[word][i] = len(variants)
                variants.append([*best[:word], pos, *best[word + 1 :]])
    tagger = lattice.supertagger
    posteriors = list(
        tagger.posteriors_batch([lattice.words] * len(variants), variants, cutoff).split()
    )
    p_pos = lattice.candidates.probability
    words = [
        _mixture(
            [_word(posteriors[v], word) for v in row],
            row.index(0),
            p_pos[lattice.candidates.first[word] :][: len(row)],
        )
        for word, row in enumerate(place)
    ]
    first = np.cumsum([0, *(len(tags) for tags, *_ in words)]).astype(np.int32)
    tags, mixed, emission = (np.concatenate([row[i] for row in words]) for i in range(3))
    ends = np.array([0, len(words)], dtype=np.int32)
    mixture = Posteriors(first, tags.astype(np.int32), mixed, ends, emission)
    return Ambiguous(mixture, [row[3] for row in words])


def _word(posteriors: Posteriors, word: int) -> tuple[Indices, Floats, Floats]:
    """The supertags of a word, their probabilities and emissions."""
    assert posteriors.emission is not None
    rows = slice(posteriors.first[word], posteriors.first[word + 1])
    return posteriors.tag[rows], posteriors.probability[rows], posteriors.emission[rows]


def _mixture(
    rows: Sequence[tuple[Indices, Floats, Floats]], best: int, p_pos: Floats
) -> tuple[Indices, Floats, Floats, Floats]:
    """A word's supertags under any POS tag, their mixed probabilities, -o_i, and the table.

    rows: for each POS tag, the supertags, their probabilities and emissions. best: the row of the
    best POS tag.
    """
    tags = np.unique(np.concatenate([tag for tag, *_ in rows]))
    mixed, outside = np.zeros(len(tags)), np.zeros(len(tags))
    table = np.full((len(rows), len(tags)), -np.inf)
    share = p_pos / p_pos.sum()
    # The best POS tag comes last, so that others only define o_i for supertags it lacks.
    for i in sorted(range(len(rows)), key=lambda i: (i == best, -i)):
        tag, probability, emission = rows[i]
        at = np.searchsorted(tags, tag)
        mixed[at] += share[i] * probability
        with np.errstate(divide="ignore"):
            table[i, at] = np.log(probability)
        used = probability > 0
        outside[at[used]] = emission[used] - table[i, at[used]]
    return tags, mixed, outside, table


def _table_factor(variables: Variables, tables: Sequence[Floats], weight: float) -> ForestFactor:
    """The factor of the tables between the supertag and the POS tag of each word."""
    words = len(tables)
    masks = [~np.isneginf(table.T) for table in tables]
    built = pairs(variables.first, range(words), range(words, 2 * words), masks)
    scores = np.concatenate([t.T[mask] for t, mask in zip(tables, masks, strict=True)])
    parts = np.arange(len(built.values))
    return ForestFactor(variables, built.forest, built.scores(scores), parts, built.values, weight)


def _rows(posteriors: Posteriors) -> list[Indices]:
    """The tags of each word."""
    return [posteriors.tag[a:b] for a, b in pairwise(posteriors.first)]
