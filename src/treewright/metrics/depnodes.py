"""Comparable words of two analyses of a text: names and heads refer to gold words.

The compared properties (relations without subtypes, universal features) are those of the shared
task's scorer, conll18_ud_eval.py; its rules are described at
universaldependencies.org/conll18/evaluation.html.
"""

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import numpy as np

from treewright.arrays import Integers
from treewright.data.dependency import DependencyTree
from treewright.metrics.alignment import Pair, Place, align, check_same_text, places


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


CONTENT = _names(
    """
    nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod
    appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum
    root dep
    """
)
FUNCTIONAL = _names("aux cop mark det clf case cc")
FEATURES = _names(
    """
    PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree
    VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite
    """
)


def universal_relation(deprel: str) -> str:
    """A relation without its subtype: nmod for nmod:poss."""
    return deprel.partition(":")[0]


@lru_cache(maxsize=1 << 16)
def universal_features(feats: str) -> str:
    """The features shared by all treebanks, sorted; empty for `_`."""
    return "|".join(sorted(f for f in feats.split("|") if f.partition("=")[0] in FEATURES))


ROOT, UNALIGNED = -1, -2


@dataclass(frozen=True, slots=True)
class Node:
    """The compared properties of a word.

    `name` and `head` are gold positions, ROOT or UNALIGNED.
    """

    name: int
    head: int
    deprel: str
    upos: str
    xpos: str
    feats: str
    lemma: str
    function_words: tuple[Hashable, ...]


@dataclass(frozen=True)
class Aligned:
    """Two aligned analyses of a text: words, aligned pairs, and the gold sentence of each word."""

    pred: list[Node]
    gold: list[Node]
    pairs: list[Pair]
    pred_sentence: Integers
    gold_sentence: Integers
    lengths: Integers  # in words, of the gold sentences
    arcs: Integers  # the lengths of gold arcs, shape (gold words,)


def align_trees(pred: Sequence[DependencyTree], gold: Sequence[DependencyTree]) -> Aligned:
    """Aligns two analyses of a text; an error names the first difference between the texts."""
    (pred_text, pred_places), (gold_text, gold_places) = places(pred), places(gold)
    lengths = tuple(map(len, gold))
    firsts = _sentence_starts(gold_places, lengths)
    check_same_text(pred_text, gold_text, firsts)
    pairs = align(pred_places, gold_places)
    to_gold, no_lemma = dict(pairs), {j for j, lemma in enumerate(_lemmas(gold)) if lemma == "_"}
    arcs = [abs(i - word.head) for tree in gold for i, word in enumerate(tree.words, start=1)]
    return Aligned(
        pred=_nodes(pred, [to_gold.get(i, UNALIGNED) for i in range(len(pred_places))], no_lemma),
        gold=_nodes(gold, list(range(len(gold_places))), no_lemma),
        pairs=pairs,
        pred_sentence=_integers(_owners(pred_places, firsts, lengths, to_gold)),
        gold_sentence=np.repeat(np.arange(len(gold)), lengths),
        lengths=_integers(lengths),
        arcs=_integers(arcs),
    )


def _integers(values: Sequence[int]) -> Integers:
    return np.array(values, dtype=np.int64)


def _lemmas(trees: Sequence[DependencyTree]) -> list[str]:
    return [word.lemma for tree in trees for word in tree.words]


def _sentence_starts(words: Sequence[Place], lengths: Sequence[int]) -> list[int]:
    """The first characters of sentences of so many words."""
    return [words[end - size].start for end, size in zip(accumulate(lengths), lengths, strict=True)]


def _owners(
    pred: Sequence[Place], firsts: Sequence[int], lengths: Sequence[int], to_gold: dict[int, int]
) -> list[int]:
    """The gold sentence of each predicted word: its partner's, or the one in which it starts."""
    ends = list(accumulate(lengths))
    return [
        bisect_right(ends, to_gold[i]) if i in to_gold else bisect_right(firsts, place.start) - 1
        for i, place in enumerate(pred)
    ]


def _nodes(trees: Sequence[DependencyTree], names: list[int], no_lemma: set[int]) -> list[Node]:
    """The words of one side; a lemma only counts if gold has one."""
    nodes: list[Node] = []
    for tree in trees:
        inside = names[len(nodes) : len(nodes) + len(tree)]
        functions = _function_words(tree, inside)
        for i, word in enumerate(tree.words):
            nodes.append(
                Node(
                    name=inside[i],
                    head=inside[word.head - 1] if word.head else ROOT,
                    deprel=universal_relation(word.deprel),
                    upos=word.upos,
                    xpos=word.xpos,
                    feats=universal_features(word.feats),
                    lemma="_" if inside[i] in no_lemma else word.lemma,
                    function_words=tuple(functions[i]),
                )
            )
    return nodes


def _function_words(tree: DependencyTree, names: list[int]) -> list[list[Hashable]]:
    """For each word, the properties of its dependent function words that MLAS compares."""
    words: list[list[Hashable]] = [[] for _ in tree.words]
    for name, word in zip(names, tree.words, strict=True):
        relation = universal_relation(word.deprel)
        if word.head and relation in FUNCTIONAL:
            row = name, relation, word.upos, universal_features(word.feats)
            words[word.head - 1].append(row)
    return words
