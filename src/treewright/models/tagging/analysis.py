"""The analysis of a sentence: its tags, their probabilities, and k-best sequences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.data.records import Sentence
from treewright.draw.arcs import draw_arcs
from treewright.draw.sentences import tag_row
from treewright.draw.svg import Picture
from treewright.forests import Chain
from treewright.formats.objects import sentence_object, tagged_line
from treewright.inference import exact
from treewright.models.contract import PICTURES, Analysis
from treewright.scores.tagging.base import Posteriors, SequenceTagger

Decoder = Literal["min-risk", "viterbi"]


@dataclass(frozen=True, eq=False)
class TagNames:
    """The names under which tags are shown, and the name number of each tag number.

    column: the key in JSON, `xpos` or `supertags`.
    """

    names: Sequence[str]
    group: Indices
    column: str = "xpos"


@dataclass(frozen=True, eq=False, repr=False)
class TagAnalysis(Analysis):
    """The tags of a sentence.

    min-risk chooses the most probable tag of each word, and resolves ties by the best sequence;
    viterbi chooses the most probable sequence. The score is that of the sequence in the chain; the
    probabilities of tags with the same name are added.

    pos: the POS tags that a supertagger used.
    posteriors: the candidate tags; None for an empty sentence. chosen: their indices, one per word.
    """

    formats = ("text", "json", *PICTURES)

    sentence: Sentence
    pos: tuple[str, ...] | None
    tagger: SequenceTagger = field(repr=False)
    shown: TagNames = field(repr=False)
    decoder: Decoder
    posteriors: Posteriors | None = field(repr=False)
    chosen: Indices | None = field(default=None, repr=False)

    @property
    def kind(self) -> str:  # type: ignore[override]
        return "pos" if self.shown.column == "xpos" else "super"

    @property
    def words(self) -> tuple[str, ...]:
        return self.sentence.words

    @cached_property
    def candidates(self) -> Indices:
        """The indices in `posteriors` of the chosen tags, one per word."""
        if self.chosen is not None:
            return self.chosen
        if self.posteriors is None:
            return np.zeros(0, np.int32)
        if self.decoder == "viterbi":
            built, scores = self._chain
            return self._candidates_of(exact.viterbi(built.forest, scores))
        return self._likeliest(self.posteriors)

    def _likeliest(self, posteriors: Posteriors) -> Indices:
        """For each word, the index of a candidate with the most probable name."""
        group = self.shown.group[posteriors.tag]
        gains = exact.rounded(_group_probabilities(posteriors, group))
        chosen = _likeliest(posteriors, gains)
        equal = gains == gains[chosen][posteriors.positions]
        if np.all(group[equal] == group[chosen][posteriors.positions[equal]]):
            return chosen
        built, scores = self._chain
        of_parts = np.zeros(len(scores))
        of_parts[: built.candidates] = gains
        return self._candidates_of(exact.viterbi_by(built.forest, of_parts, scores))

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tag of each word."""
        if self.posteriors is None:
            return ()
        numbers = self.shown.group[self.posteriors.tag[self.candidates]]
        return tuple(self.shown.names[number] for number in numbers.tolist())

    @cached_property
    def score(self) -> float:
        if self.posteriors is None:
            return 0.0
        tags = self.posteriors.tag[self.candidates]
        emission = self.posteriors.emission
        assert emission is not None
        order = self.tagger.order
        padded = np.concatenate((np.full(order, -1), tags, [-1]))
        rows = np.lib.stride_tricks.sliding_window_view(padded, order + 1)
        return float(emission[self.candidates].sum() + self.tagger.transition_scores(rows).sum())

    @cached_property
    def log_z(self) -> float | None:
        if self.posteriors is None:
            return None
        built, scores = self._chain
        return exact.log_z(built.forest, scores)

    @property
    def expected_gain(self) -> float | None:
        if self.decoder == "viterbi" or self.chosen is not None:
            return None
        return float(sum(self.probabilities))

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The probability of each word's tag."""
        return tuple(row[tag] for row, tag in zip(self.marginals, self.tags, strict=True))

    @cached_property
    def marginals(self) -> list[dict[str, float]]:
        """For each word, its tags with their probabilities, most probable first."""
        return [] if self.posteriors is None else named_rows(self.posteriors, self.shown)

    @cached_property
    def _chain(self) -> tuple[Chain, Floats]:
        assert self.posteriors is not None
        return self.tagger.chain(self.posteriors)

    def _candidates_of(self, derivation: exact.Derivation) -> Indices:
        built = self._chain[0]
        parts = built.forest.part[derivation.edges]
        return np.sort(parts[parts < built.candidates])

    def kbest(self, k: int) -> list["TagAnalysis"]:
        if self.posteriors is None:
            return [self][:k]
        built, scores = self._chain

        def made(best: exact.Derivation) -> tuple[tuple[str, ...], TagAnalysis]:
            one = replace(self, chosen=self._candidates_of(best))
            return one.tags, one

        return exact.distinct_kbest(built.forest, scores, k, made)

    def __str__(self) -> str:
        return tagged_line(self.words, self.pos, [(tag,) for tag in self.tags])

    def picture(self, marginals: bool = False, width: float | None = None) -> Picture:
        """The words with their tags."""
        rows = self.marginals if marginals else ()
        return draw_arcs(tag_row(self.words, self.tags, rows), width)

    def written(self, name: str, listed: bool) -> str:  # noqa: ARG002 - there is one
        return (f"{self.score:.6f}\t" if listed else "") + f"{self}\n"

    def sentence_values(self) -> dict[str, object]:
        sentence = self.sentence
        return sentence_object(sentence.id, self.words, sentence.surface, xpos=self.pos)

    def choice_values(self) -> dict[str, object]:
        return {self.shown.column: list(self.tags), "probabilities": list(self.probabilities)}

    def marginal_values(self) -> Mapping[str, Sequence[Mapping[str, float]]]:
        return {self.shown.column: self.marginals}


def named_rows(posteriors: Posteriors, shown: TagNames) -> list[dict[str, float]]:
    """Each word's tag names with probabilities, most probable first; equal names are added."""
    merged = posteriors.merged(shown.group)
    names = [shown.names[tag] for tag in merged.tag.tolist()]
    pairs = list(zip(names, merged.probability.tolist(), strict=True))
    rows = (pairs[a:b] for a, b in pairwise(merged.first.tolist()))
    return [dict(sorted(row, key=lambda item: -item[1])) for row in rows]


def within(row: Mapping[str, float], beta: float) -> dict[str, float]:
    """The tags of a word with at least beta times the probability of the best one."""
    least = beta * max(row.values())
    return {name: p for name, p in row.items() if p >= least}


def _group_probabilities(posteriors: Posteriors, group: Indices) -> Floats:
    """For each candidate, the probability of all candidates of its word in the same group."""
    groups = int(group.max(initial=0)) + 1
    keys = posteriors.positions.astype(np.int64) * groups + group
    _, inverse = np.unique(keys, return_inverse=True)
    sums: Floats = np.bincount(inverse, posteriors.probability).astype(np.float64)
    return sums[inverse]


def _likeliest(posteriors: Posteriors, gains: Floats) -> Indices:
    """For each word, the candidate with the largest gain.

    Ties are resolved by probability, then by order.
    """
    place = posteriors.positions
    order = np.lexsort((np.arange(len(gains)), -posteriors.probability, -gains, place))
    return order[posteriors.first[:-1]].astype(np.int32)
