"""Features of constituency parts: the matrix and the scores are one, and gold keys are known."""

from random import Random

import numpy as np
import pytest

from tests.const_examples import BINARISERS, all_candidates, grammar_of, random_tree, words_and_tags
from tests.hashing import AFTER, BEFORE, finish, key, mix, seed
from treewright.errors import ConfigError, ForestError
from treewright.grammar.words import Vocabulary, sorts, word_class
from treewright.scores.constituency.features import ConstFeatures, feature_kinds
from treewright.scores.constituency.templates import SpanEncoder, core_tokens
from treewright.scores.features.encoder import key_of


@pytest.mark.parametrize("bits", [-1, 6])
def test_matrix_and_scores_agree(bits: int) -> None:
    for number in range(10):
        random = Random(number)
        tree, binariser = random_tree(random, 5), BINARISERS[number % len(BINARISERS)]
        grammar = grammar_of([tree, random_tree(random, 4)], binariser)
        words, tags = words_and_tags(tree)
        encoder = SpanEncoder(Vocabulary(("a", "b")))
        tokens = encoder.tokens(words, tags)
        gold = grammar.parts_of(binariser.binarise(tree))
        features = ConstFeatures.of(grammar, encoder.templates, [(tokens, gold)], 1, bits)
        chart = grammar.chart(grammar.tag_numbers(tags), all_candidates(grammar, len(words)))
        assert chart is not None
        weights = np.random.default_rng(number).normal(size=len(features))
        matrix = features.matrix(tokens, chart)
        assert len(np.unique(matrix.vocabulary)) == len(matrix.vocabulary)
        assert np.allclose(matrix.scores(weights), features.scores(tokens, chart, weights))
        again = ConstFeatures(grammar, encoder.templates, features.keys, bits)
        assert np.array_equal(again.matrix(tokens, chart).local, matrix.local)
        if bits < 0:  # all features of gold parts are known: words have none, spans 47, rules 18
            sizes = np.diff(matrix.first)
            is_gold = (chart.parts[:, None] == gold[None]).all(axis=2).any(axis=1)
            rule = chart.parts[:, 0]
            assert (sizes[is_gold & (rule < -1)] == 47).all()
            assert (sizes[is_gold & (rule >= 0) & (rule < len(grammar.rules.binary))] == 18).all()
            assert (sizes[rule == -1] == 0).all()


def test_annotations_make_no_difference_to_features() -> None:
    grammar = grammar_of([random_tree(Random(s), 6) for s in range(5)], BINARISERS[1])
    kinds = feature_kinds(grammar)
    names = {}
    for symbol, kind in zip(grammar.rules.symbols, kinds.tolist(), strict=True):
        name = symbol.partition("|")[0].partition("^")[0] + "|" * ("|" in symbol)
        assert names.setdefault(kind, name) == name


def test_parts_that_are_refused() -> None:
    tree = random_tree(Random(3), 4)
    grammar = grammar_of([tree], BINARISERS[0])
    words, tags = words_and_tags(tree)
    encoder = SpanEncoder(Vocabulary(()))
    tokens = encoder.tokens(words, tags)
    for wrong in ([[10**6, 0, 1, 2]], [[-(10**6), 0, -1, 2]], [[0, 0, 0, 9]], [[0, 0, 2, 2]]):
        gold = [(tokens, np.array(wrong, dtype=np.int32))]
        with pytest.raises(ForestError, match="none of the grammar's"):
            ConstFeatures.of(grammar, encoder.templates, gold)


class Twin:
    """The features of a part, from strings: what the templates say, one by one."""

    def __init__(self, encoder: SpanEncoder, words: list[str], tags: list[str]) -> None:
        self.texts = encoder.texts
        self.words, self.tags, self.known = words, tags, encoder.vocabulary

    def keys(self, kinds: tuple[int, ...], begin: int, split: int, end: int) -> list[int]:
        """Of a span with a label, or of a split with the labels of parent and children."""
        mark = "span" if len(kinds) == 1 else "rule"
        found = [finish(mix(seed(2**32 + 1), kinds[0] + 1))] if mark == "span" else []
        for number, text in enumerate(self.texts):
            own, atoms = text.split(": ")
            if own != mark:
                continue
            values = [self.value(atom, kinds, begin, split, end) for atom in atoms.split()]
            if all(values):
                made = key(number, values)
                found.append(finish(mix(made, kinds[0] + 1)) if mark == "span" else made)
        return found

    def value(self, atom: str, kinds: tuple[int, ...], begin: int, split: int, end: int) -> int:
        name, _, place = atom.partition("@")
        place, _, offset = place.rstrip("]").partition("[")
        if place == "inside":
            inner = seed(end - begin)
            for at in range(begin, end):
                inner = mix(inner, self.attribute(name, at))
            return (inner | 1) if end - begin <= 5 else 0
        if place:
            base = {"begin": begin, "end": end - 1, "split": split}[place]
            return self.attribute(name, base + int(offset or 0))
        if name == "rule":
            return finish(mix(mix(mix(seed(3), kinds[0]), kinds[1]), kinds[2])) | 1
        values = {"parent": kinds[0] + 1, "length": length_bin(end - begin)}
        values |= {
            "left_length": length_bin(split - begin),
            "right_length": length_bin(end - split),
        }
        return (values | {"content": self.content(begin, end), "long": int(end - begin > 5)})[name]

    def attribute(self, name: str, at: int) -> int:
        if not 0 <= at < len(self.words):
            return BEFORE if at < 0 else AFTER
        word = self.words[at]
        rare = word not in self.known
        values = {"pos": self.tags[at], "class": word_class(word)}
        return key_of((values | {"word": "\0" + word_class(word) if rare else word})[name])

    def content(self, begin: int, end: int) -> int:
        kinds = sorts(self.tags[begin:end]).tolist()
        number = [min(kinds.count(kind), most) for kind, most in ((1, 1), (2, 2), (6, 1), (5, 2))]
        depth = lowest = 0
        for kind in kinds:
            depth += (kind == 3) - (kind == 4)
            lowest = min(lowest, depth)
        lone = 2 * (lowest < 0) + (depth > lowest)
        return 1 + (((number[0] * 3 + number[1]) * 2 + number[2]) * 3 + number[3]) * 4 + lone


def length_bin(length: int) -> int:
    return sum(length > most for most in (0, 1, 2, 3, 4, 5, 7, 10, 15, 25))


def test_keys_equal_those_of_a_plain_twin() -> None:
    tags = ["DT", "-LRB-", "NN", ",", "CC", "VBZ", "-RRB-", ":", "NN", "VB"]
    words = ["the", "(", "Dog", ",", "and", "x9-ed", ")", ":", "dogs", "the"]
    encoder = SpanEncoder(Vocabulary(("the", "dogs")))
    twin = Twin(encoder, words, tags)
    table, kinds = encoder.arrays(words, tags)
    grammar = grammar_of([random_tree(Random(s), 6) for s in range(4)], BINARISERS[1])
    numbers = feature_kinds(grammar).tolist()
    rules, first = grammar.rules, len(grammar.rules.tags)
    random = Random(0)
    for _ in range(40):
        begin, split, end = sorted(random.sample(range(len(words) + 1), 3))
        label, rule = (
            random.randrange(first, len(rules.symbols)),
            random.randrange(len(rules.binary)),
        )
        rows = [[-2 - label, begin, -1, end], [rule, begin, split, end]]
        own = tuple(numbers[symbol] for symbol in rules.binary[rule])
        wanted = [twin.keys((numbers[label],), begin, 0, end), twin.keys(own, begin, split, end)]
        for row, expected in zip(rows, wanted, strict=True):
            gold = [(core_tokens((table, kinds)), np.array([row], dtype=np.int32))]
            features = ConstFeatures.of(grammar, encoder.templates, gold)
            assert features.keys.tolist() == sorted(set(expected))


@pytest.mark.parametrize(
    "text", ["word@begin", "span: rule", "span: word@split", "rule: word@head"]
)
def test_templates_that_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="template"):
        SpanEncoder(Vocabulary(()), [text])
