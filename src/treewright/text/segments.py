"""Tokens and sentences as segments: forests in which F1 is a function of counts.

A decision is a position with several candidate tags. Whether the token that ends there is correct
depends on its start and on the positions inside, so states are split by two bits: a, all tags since
the token's start are correct; s, all since the sentence's start are. For a tag t and the gold tag
g,

    a' = ends(g)          if t ends a token, else a and not ends(g);   n += a and ends(g), d += 1
    s' = ends_sentence(g) if t ends a sentence, else s and not ends_sentence(g); likewise n and d

A candidate of the chain is a tag with the bits before it; it includes the positions without a
choice up to the next decision. The state-split inside-outside of Auli and Lopez (2011, figure 3)
splits states by n and d; four states are enough here, because a segment is known to be correct at
its end, and losses read n and d from the counts.
"""

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Indices, Integers
from treewright.forests import Example, FeatureMatrix, chain
from treewright.forests.forest import Forest
from treewright.text.characters import Bools, Characters
from treewright.text.raw import RawToken

INSIDE, TOKEN, MULTIWORD, SENTENCE, MULTIWORD_SENTENCE = range(5)
NAMES = ("inside", "token", "multiword", "sentence", "multiword-sentence")
ENDS_TOKEN = np.array([False, True, True, True, True])
MAX_BIAS = 100  # of the end of a sentence
ENDS_SENTENCE = np.array([False, False, False, True, True])
IS_MULTIWORD = np.array([False, False, True, False, True])
# Which tags a position may have: any; those that end a token; that end a sentence; only inside; and
# the first two without ends of sentences.
ANY, AT_BLANK, AT_END, WHOLE, WITHIN, WITHIN_AT_BLANK = range(6)
SETS: tuple[tuple[int, ...], ...] = (tuple(range(5)), (1, 2, 3, 4), (3, 4), (0,), (0, 1, 2), (1, 2))


def gold_tags(characters: Characters, tokens: Sequence[RawToken]) -> Indices:
    """The tag of each position of a text with known tokens."""
    tags = np.zeros(len(characters), dtype=np.int32)
    ends = np.array([token.end for token in tokens], dtype=np.int64)
    last = np.array([token.last for token in tokens], dtype=np.int64)
    several = np.array([len(token.words) > 1 for token in tokens], dtype=np.int64)
    tags[token_ends(characters, ends) - 1] = TOKEN + several + 2 * last
    return tags


def token_ends(characters: Characters, ends: Integers) -> Integers:
    """The positions after the last one of each token, for token ends in the text."""
    places: Integers = np.searchsorted(characters.offset, ends)
    return places


def tag_sets(
    characters: Characters, whole: Bools, blanks_inside: bool, by_line: bool = False
) -> Indices:
    """The tag set of each position.

    whole [positions]: at which no token ends. blanks_inside: whether tokens can contain whitespace.
    by_line: sentences end exactly at the ends of paragraphs.
    """
    sets = np.where(whole, WHOLE, WITHIN if by_line else ANY).astype(np.int32)
    if not blanks_inside:
        sets[characters.spaced] = WITHIN_AT_BLANK if by_line else AT_BLANK
    sets[characters.first[1:] - 1] = AT_END
    return sets


Bits = tuple[bool, bool]
STATES: tuple[Bits, ...] = ((False, False), (False, True), (True, False), (True, True))
START, STEP = 3, 4
Outcome = tuple[int, int, int]  # the next state, n, d


def outcome(state: int, tag: int, gold: int, weight: int) -> Outcome:
    """The next state and the counts of a tag in a state."""
    a, s = STATES[state]
    n = d = 0
    ends, gold_ends = bool(ENDS_TOKEN[tag]), bool(ENDS_TOKEN[gold])
    closes, gold_closes = bool(ENDS_SENTENCE[tag]), bool(ENDS_SENTENCE[gold])
    if ends:
        n += a and gold_ends and bool(IS_MULTIWORD[tag] == IS_MULTIWORD[gold])
        d += 1
    if closes:
        n += weight * (s and gold_closes)
        d += weight
    a = gold_ends if ends else a and not gold_ends
    s = gold_closes if closes else s and not gold_closes
    return 2 * a + s, n, d


class SegmentForest:
    """The forest of a segment of text: the candidates of its decisions, in order.

    Args:
        candidates: the candidate tags of each decision.
        gold: the gold tag of each decision.
        between: gold tags of the positions without a choice, before each decision and at the end.
        weight: the weight of a sentence in the counts.
    """

    def __init__(
        self,
        candidates: Sequence[Sequence[int]],
        gold: Sequence[int],
        between: Sequence[Sequence[int]],
        weight: int,
    ) -> None:
        self.weight = weight
        # Codes of a decision: STEP * (index of the candidate) + state before it.
        self.codes: list[list[int]] = []
        self.counts: list[tuple[int, int]] = []  # n and d of each code
        self.after: dict[int, int] = {}  # the state after each code
        state, n, d = self._settled(START, between[0])
        states, number = [state], 0
        for tags, right, rest in zip(candidates, gold, between[1:], strict=True):
            self.codes.append([])
            for tag in tags:
                self._add(number, tag, right, rest, states, (n, d))
                number += 1
            states = sorted({self.after[code] for code in self.codes[-1]})
            n = d = 0

    def _add(
        self,
        number: int,
        tag: int,
        gold: int,
        rest: Sequence[int],
        states: Sequence[int],
        counted: tuple[int, int],
    ) -> None:
        """Adds a candidate in every state; `counted` are the counts before the first decision."""
        for state in states:
            here, n, d = outcome(state, tag, gold, self.weight)
            here, more_n, more_d = self._settled(here, rest)
            code = STEP * number + state
            self.codes[-1].append(code)
            self.counts.append((counted[0] + n + more_n, counted[1] + d + more_d))
            self.after[code] = here

    def chosen(self) -> Integers:
        """The candidate of each code."""
        return np.concatenate([np.array(row) for row in self.codes]) // STEP

    def forest(self, gold_size: int) -> Forest:
        """The chain of codes in which each starts in the state after the previous one."""
        lattice = chain(self.codes, 1)
        counts = np.zeros((3, lattice.forest.parts), dtype=np.int16)
        counts[:2, : lattice.candidates] = np.array(self.counts).T
        counts[2] = counts[1]
        last, code = lattice.ngrams.reshape(-1, 2).T
        led_to = np.array([self.after.get(each, START) for each in last.tolist()])
        wrong = np.zeros(lattice.forest.parts, dtype=np.bool_)
        wrong[lattice.candidates :] = (last >= 0) & (code >= 0) & (led_to != code % STEP)
        forest = lattice.forest.with_counts(counts, gold_size)
        return forest.restrict(~wrong[forest.part])

    def _settled(self, state: int, gold: Sequence[int]) -> Outcome:
        """The state and counts after positions with the gold tag."""
        n = d = 0
        for tag in gold:
            state, more_n, more_d = outcome(state, tag, tag, self.weight)
            n, d = n + more_n, d + more_d
        return state, n, d


def segment_example(
    name: str,
    candidates: Sequence[Sequence[int]],
    gold: Sequence[int],
    between: Sequence[Sequence[int]],
    entries: tuple[Indices, Indices],
    weight: int,
) -> Example:
    """A segment of text as a training example; see `SegmentForest` for the arguments.

    entries: offsets [candidates + 1] and feature numbers of all candidates, concatenated.
    """
    built = SegmentForest(candidates, gold, between, weight)
    forest = built.forest(_gold_size(gold, between, weight))
    chosen = built.chosen()
    is_gold = [tag == right for tags, right in zip(candidates, gold, strict=True) for tag in tags]
    wrong = np.zeros(forest.parts, dtype=np.bool_)
    wrong[: len(chosen)] = ~np.array(is_gold)[chosen]
    features = _features(entries, chosen, forest.parts)
    return Example(forest, features, forest.restrict(~wrong[forest.part]), name)


def _gold_size(gold: Sequence[int], between: Sequence[Sequence[int]], weight: int) -> int:
    tags = [*gold, *(tag for row in between for tag in row)]
    return sum(int(ENDS_TOKEN[tag]) + weight * int(ENDS_SENTENCE[tag]) for tag in tags)


def _features(entries: tuple[Indices, Indices], chosen: Integers, parts: int) -> FeatureMatrix:
    """Feature rows of candidates for emissions, none for transitions."""
    first, number = entries
    lengths = np.diff(first)[chosen]
    offset = np.concatenate(([0], np.cumsum(lengths)))
    at = np.arange(offset[-1]) - np.repeat(offset[:-1] - first[chosen], lengths)
    ends = np.concatenate((offset, np.full(parts - len(chosen), offset[-1])))
    return FeatureMatrix.from_csr(ends.astype(np.int32), number[at])
