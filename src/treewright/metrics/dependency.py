"""Scores of dependency parses: the CoNLL 2018 metrics, arc lengths, and breakdowns."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from treewright.data.dependency import DependencyTree
from treewright.errors import TreewrightError
from treewright.metrics.alignment import sentence_spans, token_spans
from treewright.metrics.counts import Score
from treewright.metrics.depnodes import Aligned, align_trees
from treewright.metrics.deps import (
    METRICS,
    aligned_accuracy,
    arc_length_counts,
    is_right,
    word_counts,
)

# Minimum and maximum length of the gold sentences in a row; 0: no limit.
LENGTHS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 0))


@dataclass(frozen=True, slots=True)
class WordScore:
    """A score, and the accuracy on aligned words (None if no aligned word counts)."""

    score: Score
    aligned_accuracy: float | None


@dataclass(frozen=True, slots=True)
class LengthScore:
    """Attachment scores of sentences in a range of lengths."""

    sentences: int
    unlabelled: Score
    labelled: Score


@dataclass(frozen=True, slots=True)
class DepScores:
    """All scores of a parser on a corpus; arc-length scores and exact matches are fractions."""

    words: Mapping[str, WordScore]
    arc_length_unlabelled: float
    arc_length_labelled: float
    exact_unlabelled: float
    exact_labelled: float
    by_length: Mapping[str, LengthScore]
    by_relation: Mapping[str, Score]
    sentences: int

    def as_dict(self) -> dict[str, object]:
        """The scores by name, for JSON."""
        return asdict(self)


def score(pred: Sequence[DependencyTree], gold: Sequence[DependencyTree]) -> DepScores:
    """Scores the parses of a text; sentences and words can be segmented differently."""
    if not gold:
        raise TreewrightError("there are no sentences to score")
    aligned = align_trees(pred, gold)
    counts = {name: word_counts(aligned, metric) for name, metric in METRICS.items()}
    return DepScores(
        words=segmentation(pred, gold)
        | {
            name: WordScore(counts[name].score(), aligned_accuracy(aligned, metric))
            for name, metric in METRICS.items()
        },
        arc_length_unlabelled=arc_length_counts(aligned, labelled=False).score().r,
        arc_length_labelled=arc_length_counts(aligned, labelled=True).score().r,
        exact_unlabelled=counts["UAS"].exact().score().r,
        exact_labelled=counts["LAS"].exact().score().r,
        by_length=by_length(aligned),
        by_relation=by_relation(aligned),
        sentences=len(gold),
    )


def segmentation(
    pred: Sequence[DependencyTree], gold: Sequence[DependencyTree]
) -> dict[str, WordScore]:
    """Scores of tokens and sentences, which are not aligned."""
    spans = {
        "Tokens": (token_spans(pred), token_spans(gold)),
        "Sentences": (sentence_spans(pred), sentence_spans(gold)),
    }
    return {
        name: WordScore(Score.of_totals(len(p & g), len(p), len(g)), None)
        for name, (p, g) in spans.items()
    }


def by_length(aligned: Aligned) -> dict[str, LengthScore]:
    """Attachment scores by the length of gold sentences; empty rows are left out."""
    unlabelled, labelled = (word_counts(aligned, METRICS[name]) for name in ("UAS", "LAS"))
    by_name = {}
    for first, last in LENGTHS:
        chosen = (aligned.lengths >= first) & (aligned.lengths <= (last or aligned.lengths.max()))
        if chosen.any():
            scores = unlabelled.subset(chosen).score(), labelled.subset(chosen).score()
            by_name[f"{first}-{last or ''}"] = LengthScore(int(chosen.sum()), *scores)
    return by_name


def by_relation(aligned: Aligned) -> dict[str, Score]:
    """Labelled attachment by relation without subtypes, most frequent in gold first."""
    due = Counter(node.deprel for node in aligned.gold)
    produced = Counter(node.deprel for node in aligned.pred)
    right = is_right(aligned, METRICS["LAS"]).tolist()
    correct = Counter(aligned.gold[j].deprel for j in right)
    order = [name for name, _ in due.most_common()] + sorted(produced.keys() - due.keys())
    return {name: Score.of_totals(correct[name], produced[name], due[name]) for name in order}
