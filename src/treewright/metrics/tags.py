"""Scores of tags: all words, unknown words, whole sentences, single tags."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass

from treewright.errors import TreewrightError
from treewright.metrics.counts import Counts, Score

Tagged = Sequence[tuple[str, str]]  # the words of a sentence, each with its tag
WORDS, UNKNOWN, EXACT = "tags", "tags of unknown words", "exact match"


@dataclass(frozen=True, slots=True)
class TagScores:
    """All scores of a tagger on a corpus; `unknown` is None if the known words are not given."""

    words: Score
    unknown: Score | None
    exact: Score
    by_tag: Mapping[str, Score]
    sentences: int

    def as_dict(self) -> dict[str, object]:
        """The scores by name, for JSON."""
        return asdict(self)


def score(
    pred: Sequence[Tagged], gold: Sequence[Tagged], known: Collection[str] | None = None
) -> TagScores:
    """Scores the tags of a corpus; `known`: the words of the training data."""
    counts = tag_counts(pred, gold, known)
    unknown = counts[UNKNOWN].score() if UNKNOWN in counts else None
    scores = counts[WORDS].score(), unknown, counts[EXACT].score()
    return TagScores(*scores, by_tag(pred, gold), len(gold))


def tag_counts(
    pred: Sequence[Tagged], gold: Sequence[Tagged], known: Collection[str] | None = None
) -> dict[str, Counts]:
    """Correct and, twice, all words of each sentence.

    Also for unknown words and whole sentences.
    """
    check_same_words(pred, gold)
    pairs = list(zip(pred, gold, strict=True))
    words = Counts.of_rows(_row(*pair, ()) for pair in pairs)
    counts = {WORDS: words, EXACT: words.exact()}
    if known is not None:
        counts[UNKNOWN] = Counts.of_rows(_row(*pair, known) for pair in pairs)
    return counts


def _row(pred: Tagged, gold: Tagged, left_out: Collection[str]) -> tuple[int, int, int]:
    right = [p == g for p, g in zip(pred, gold, strict=True) if g[0] not in left_out]
    return sum(right), len(right), len(right)


def by_tag(pred: Sequence[Tagged], gold: Sequence[Tagged]) -> dict[str, Score]:
    """Precision and recall of each tag, most frequent in gold first."""
    tags, due = ([tag for sentence in each for _, tag in sentence] for each in (pred, gold))
    right = Counter(a for a, b in zip(tags, due, strict=True) if a == b)
    produced, wanted = Counter(tags), Counter(due)
    order = [tag for tag, _ in wanted.most_common()] + sorted(produced.keys() - wanted.keys())
    return {tag: Score.of_totals(right[tag], produced[tag], wanted[tag]) for tag in order}


def check_same_words(pred: Sequence[Tagged], gold: Sequence[Tagged]) -> None:
    """Raises an error if two files have different sentences or words."""
    if len(pred) != len(gold):
        raise TreewrightError(f"{len(pred)} sentences, but {len(gold)} in gold")
    for number, pair in enumerate(zip(pred, gold, strict=True), start=1):
        produced, due = ([word for word, _ in sentence] for sentence in pair)
        if produced != due:
            raise TreewrightError(f"sentence {number}: {_difference(produced, due)}")
    if not any(gold):
        raise TreewrightError("there are no words to score")


def _difference(produced: Sequence[str], due: Sequence[str]) -> str:
    for place, (a, b) in enumerate(zip(produced, due, strict=False), start=1):
        if a != b:
            return f"word {place} is {a!r}, but {b!r} in gold"
    return f"{len(produced)} words, but {len(due)} in gold"
