"""A small tagger with random weights, and the plain twin of its features."""

import re

import numpy as np

from tests.hashing import AFTER, BEFORE, NOWHERE, key
from treewright.models.tagging.settings import TaggerSettings
from treewright.models.tagging.training import TaggedCorpus, train_tagger
from treewright.scores.features.encoder import ATTRIBUTES, key_of
from treewright.scores.features.templates import Atom
from treewright.scores.tagging.encoder import CLASSES, parse_template
from treewright.scores.tagging.tagger import Pruning, Tagger, TaggerWeights
from treewright.train.settings import OptimiserSettings

TEMPLATES = [
    "word[0]",
    "pos[0] word[-1]",
    "suffix2[0]",
    "lower[1] pos[2]",
    "pos@verb<",
    "lower[0] word@noun>[1]",
    "distance@verb> coarse[0]",
]
WORDS = [
    ["The", "dog", "sees", "a", "cat"],
    ["A", "cat", "sleeps"],
    ["dogs", "see", "the", "dogs"],
    ["sleep"],
]
POS = [
    ["DT", "NN", "VBZ", "DT", "NN"],
    ["DT", "NN", "VBZ"],
    ["NNS", "VBP", "DT", "NNS"],
    ["VB"],
]
TAGS = [["D", "N", "T", "D", "N"], ["D", "N", "V"], ["N", "T", "D", "N"], ["V"]]
CORPUS = TaggedCorpus(WORDS, POS, TAGS)


def settings(order: int, **changes: object) -> TaggerSettings:
    how = {"templates": TEMPLATES, "order": order, "pair_cutoff": 1, "bigram_cutoff": 1}
    how |= {"trigram_cutoff": 1, "dictionary_cutoff": 2, "chain": OptimiserSettings(iterations=5)}
    return TaggerSettings(**(how | changes))  # type: ignore[arg-type]


def random_tagger(order: int, seed: int = 0, beta: float = 1e-9) -> Tagger:
    """The features of the small corpus with weights drawn at random."""
    trained = train_tagger(CORPUS, settings(order))
    arrays, random = trained.weights.arrays(), np.random.default_rng(seed)
    for name in ("local", "chain", "bigram", "trigram"):
        arrays[name] = random.normal(size=arrays[name].shape).astype(np.float32)
    return Tagger(
        trained.tags,
        trained.encoder,
        trained.dictionary,
        TaggerWeights(**arrays),
        order,
        2,
        Pruning(beta),
    )


def plain_key(number: int, template: str, words: list[str], pos: list[str], i: int) -> int:
    return key(number, (attribute(atom, words, pos, i) for atom in parse_template(template).atoms))


def attribute(atom: Atom, words: list[str], pos: list[str], i: int) -> int:
    base = i
    if atom.place != "here":
        name, step = atom.place[:-1], -1 if atom.place[-1] == "<" else 1
        base += step
        while 0 <= base < len(pos) and not re.fullmatch(CLASSES[name], pos[base]):
            base += step
        if not 0 <= base < len(pos):
            return NOWHERE
    if atom.attribute == "distance":
        far = abs(base - i)
        return (far if far < 4 else far.bit_length() + 1) + 1
    at = base + atom.offset
    if at < 0:
        return BEFORE
    if at >= len(words):
        return AFTER
    known = ATTRIBUTES[atom.attribute]
    return key_of(known.function(pos[at] if known.source == "pos" else words[at]))


def plain_scores(tagger: Tagger, words: list[str], pos: list[str], i: int) -> list[list[float]]:
    """The local and the chain's score of every tag, from dictionaries of strings and numbers."""
    w = tagger.weights
    row_of = {int(key): r for r, key in enumerate(w.keys)}
    sums = np.zeros((2, len(tagger.tags)))
    for number, template in enumerate(tagger.encoder.texts):
        row = row_of.get(plain_key(number, template, words, pos, i))
        if row is not None:
            for e in range(w.row_first[row], w.row_first[row + 1]):
                sums[:, w.row_tag[e]] += w.local[e], w.chain[e]
    return sums.tolist()
