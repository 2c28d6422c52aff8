"""Brackets of constituency trees, compared as EVALB does (Sekine and Collins 1997).

A parameter file of EVALB is a `Rules`: labels and tags that are deleted, tags that do not count for
the length of a sentence, labels that are equal. Function tags go; what is deleted goes with all
nodes that it empties; equal brackets match one to one. A word whose tag one side deletes and the
other keeps stays on both sides; the EVALB of 2006 reinserts such words for quotes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from types import MappingProxyType
from typing import NamedTuple

from treewright.data.brackets import Bracketed, Phrase, Tagged, fold, tagged_words
from treewright.data.reshape import strip_label
from treewright.errors import TreewrightError
from treewright.metrics.counts import Counts


@dataclass(frozen=True)
class Rules:
    """What is deleted, what is not measured, and which labels stand for others."""

    deleted: frozenset[str]
    unmeasured: frozenset[str] = frozenset({"-NONE-"})
    equal: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({"PRT": "ADVP"}))

    def label(self, label: str) -> str | None:
        """The label that a node is compared by, or None if its bracket is deleted."""
        bare = strip_label(label)
        return self.equal.get(bare, bare) if bare and bare not in self.deleted else None


COLLINS = Rules(frozenset({"TOP", "-NONE-", ",", ":", "``", "''", "."}))
NEW = Rules(COLLINS.deleted | {"S1", "?", "!"})
RULES = MappingProxyType({"collins": COLLINS, "new": NEW})


class Bracket(NamedTuple):
    """A label over the words `start` to `end`, the latter not included."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Match:
    """What EVALB counts of one sentence; `words` and `tags` leave out deleted words."""

    correct: int
    produced: int
    due: int
    crossing: int
    words: int
    tags: int
    length: int
    parsed: bool = True

    @property
    def complete(self) -> bool:
        return self.correct == self.produced == self.due


def match_tree(pred: Bracketed | None, gold: Bracketed, rules: Rules = COLLINS) -> Match:
    """Compare one parse, None where there is none, with the tree of the treebank."""
    due_words = measured_words(gold, rules)
    if pred is None:
        kept = [leaf.label not in rules.deleted for leaf in due_words]
        due = len(brackets(gold, kept, rules))
        return Match(0, 0, due, 0, sum(kept), 0, len(due_words), parsed=False)
    words = measured_words(pred, rules)
    _check_same([leaf.word for leaf in words], [leaf.word for leaf in due_words])
    pairs = [(p.label, g.label) for p, g in zip(words, due_words, strict=True)]
    kept = [not rules.deleted.issuperset(pair) for pair in pairs]
    produced, wanted = brackets(pred, kept, rules), brackets(gold, kept, rules)
    return Match(
        correct=(Counter(produced) & Counter(wanted)).total(),
        produced=len(produced),
        due=len(wanted),
        crossing=sum(any(crosses(a, b) for b in wanted) for a in produced),
        words=sum(kept),
        tags=sum(p == g for (p, g), keep in zip(pairs, kept, strict=True) if keep),
        length=len(due_words),
    )


def measured_words(tree: Bracketed, rules: Rules) -> list[Tagged]:
    """The words that count for the length of the sentence: all but traces."""
    return [leaf for leaf in tagged_words(tree) if leaf.label not in rules.unmeasured]


def brackets(tree: Bracketed, kept: Sequence[bool], rules: Rules = COLLINS) -> list[Bracket]:
    """The brackets over the words that are kept, one flag for each of the measured words."""
    listed: list[Bracket] = []
    flags = iter(kept)
    position = 0

    def leaf(word: Tagged) -> tuple[int, int]:
        nonlocal position
        start = position
        if word.label not in rules.unmeasured:
            position += next(flags)
        return start, position

    def node(phrase: Phrase, spans: list[tuple[int, int]]) -> tuple[int, int]:
        (start, _), (_, end) = spans[0], spans[-1]
        if start < end and (label := rules.label(phrase.label)):
            listed.append(Bracket(label, start, end))
        return start, end

    fold(tree, leaf, node)
    return listed


def crosses(a: Bracket, b: Bracket) -> bool:
    """Whether two brackets overlap and neither holds the other."""
    return a.start < b.start < a.end < b.end or b.start < a.start < b.end < a.end


def _check_same(words: Sequence[str], due: Sequence[str]) -> None:
    for number, (word, other) in enumerate(zip_longest(words, due), start=1):
        if word != other:
            raise TreewrightError(f"word {number} is {word!r}, but {other!r} in gold")


def match_trees(
    pred: Sequence[Bracketed | None], gold: Sequence[Bracketed], rules: Rules = COLLINS
) -> list[Match]:
    """Compare all parses of a corpus with its trees; errors name the sentence, from 1."""
    if len(pred) != len(gold):
        raise TreewrightError(f"{len(pred)} parses, but {len(gold)} trees in gold")
    matches = []
    for number, (parse, tree) in enumerate(zip(pred, gold, strict=True), start=1):
        try:
            matches.append(match_tree(parse, tree, rules))
        except TreewrightError as error:
            raise TreewrightError(f"sentence {number}: {error}") from error
    return matches


def bracket_counts(matches: Iterable[Match]) -> Counts:
    """Correct, produced and due brackets of each sentence."""
    return Counts.of_rows((match.correct, match.produced, match.due) for match in matches)
