"""Alignment of two tokenisations of a text by characters, as in the CoNLL 2018 shared task.

The position of a word is its span of characters, without spaces; the words of a multiword token
share the token's. Words with equal spans are aligned. If either side has a multiword token, the
words of the smallest stretch that contains all overlapping ones are aligned by the longest common
subsequence of their lower-case forms, those of tokens
without spaces.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from treewright.data.dependency import DependencyTree
from treewright.errors import TreewrightError

Pair = tuple[int, int]


class Place(NamedTuple):
    """The span of a word in the characters of the text."""

    start: int
    end: int
    form: str
    multiword: bool


def places(sentences: Iterable[DependencyTree]) -> tuple[str, list[Place]]:
    """The characters of a text, and the spans of all its words."""
    characters: list[str] = []
    spans: list[Place] = []
    end = 0
    for sentence in sentences:
        for form, words in _tokens(sentence):
            text = "".join(c for c in form if unicodedata.category(c) != "Zs")
            start, end = end, end + len(text)
            characters.append(text)
            several = len(words) > 1
            forms = words if several else [text]  # as in the shared task's script
            spans += (Place(start, end, word.lower(), several) for word in forms)
    return "".join(characters), spans


def _tokens(sentence: DependencyTree) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The form of each token, and those of its words."""
    ranges = {token.first: token for token in sentence.tokens}
    forms, i = sentence.forms, 0
    while i < len(forms):
        token = ranges.get(i + 1)
        last = token.last if token else i + 1
        yield (token.form if token else forms[i]), forms[i:last]
        i = last


def token_spans(sentences: Iterable[DependencyTree]) -> set[Pair]:
    """The span of each token: first character, and one after the last."""
    return {(place.start, place.end) for place in places(sentences)[1]}


def sentence_spans(sentences: Sequence[DependencyTree]) -> set[Pair]:
    """The span of each sentence: first character, and one after the last."""
    _, words = places(sentences)
    ends = accumulate(map(len, sentences))
    spans = zip(ends, sentences, strict=True)
    return {(words[end - len(tree)].start, words[end - 1].end) for end, tree in spans}


def align(pred: Sequence[Place], gold: Sequence[Place]) -> list[Pair]:
    """The pairs of indices in `pred` and `gold` of aligned words, in order."""
    pairs: list[Pair] = []
    i = j = 0
    while i < len(pred) and j < len(gold):
        p, g = pred[i], gold[j]
        if p.multiword or g.multiword:
            first_i = i + (not p.multiword and p.start < g.start)
            first_j = j + (not g.multiword and g.start < p.start)
            i, j = _stretch(pred, gold, first_i, first_j, (g if g.multiword else p).end)
            inner = _common([w.form for w in pred[first_i:i]], [w.form for w in gold[first_j:j]])
            pairs += ((first_i + a, first_j + b) for a, b in inner)
        elif p[:2] == g[:2]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif p.start < g.start:
            i += 1
        else:
            j += 1
    return pairs


def _stretch(pred: Sequence[Place], gold: Sequence[Place], i: int, j: int, end: int) -> Pair:
    """The end of the stretch that starts at `i` and `j` and extends at least to character `end`."""
    while _inside(pred, i, end) or _inside(gold, j, end):
        if j < len(gold) and (i == len(pred) or gold[j].start <= pred[i].start):
            word, j = gold[j], j + 1
        else:
            word, i = pred[i], i + 1
        end = max(end, word.end) if word.multiword else end
    return i, j


def _inside(words: Sequence[Place], i: int, end: int) -> bool:
    if i == len(words):
        return False
    return words[i].start < end if words[i].multiword else words[i].end <= end


def _common(a: Sequence[str], b: Sequence[str]) -> Iterator[Pair]:
    """The pairs of indices of a longest common subsequence."""
    # size[i][j] = size[i+1][j+1] + 1 if a_i = b_j, else max(size[i+1][j], size[i][j+1])
    size = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            longest = max(size[i + 1][j], size[i][j + 1])
            size[i][j] = size[i + 1][j + 1] + 1 if a[i] == b[j] else longest
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            yield i, j
            i, j = i + 1, j + 1
        elif size[i][j + 1] == size[i][j]:
            j += 1
        else:
            i += 1


def check_same_text(pred: str, gold: str, sentences: Sequence[int]) -> None:
    """Refuse texts that differ in more than spaces; `sentences`: where those of gold begin."""
    if pred != gold:
        size = min(len(pred), len(gold))
        at = next((i for i in range(size) if pred[i] != gold[i]), size)
        where = f"the texts differ in sentence {bisect_right(sentences, at)} of gold"
        raise TreewrightError(f"{where}: {pred[at : at + 20]!r}, gold {gold[at : at + 20]!r}")
