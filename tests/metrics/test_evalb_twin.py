"""EVALB's counts by a second implementation, written from its description and nothing shared.

Sekine and Collins's README: delete tags and labels, drop what is then empty, ADVP equals PRT, count
brackets as multisets. The twin works on text by regular expressions, not on trees.
"""

import re
from collections import Counter
from random import Random

import pytest

from tests.conftest import treebank_file
from tests.const_examples import random_tree
from treewright.data import ptb
from treewright.data.brackets import Bracketed, Phrase, Tagged, tagged_words
from treewright.metrics.brackets import match_tree

DELETED = {"TOP", "-NONE-", ",", ":", "``", "''", "."}


def twin(text: str) -> Counter[tuple[str, int, int]]:
    """The counted brackets of a tree on a line."""
    stack: list[tuple[str, int]] = []
    found: Counter[tuple[str, int, int]] = Counter()
    place = 0
    for label, word, close in re.findall(r"\((\S*)(?: +([^\s()]+))?(?=[\s)])|(\))", text):
        if not close:
            stack.append((label, place))
            place += bool(word) and label not in DELETED
            if word:
                stack[-1] = ("", place)
            continue
        name, begin = stack.pop()
        bare = name if name.startswith("-") else re.split("[-=]", name)[0]
        if bare and bare not in DELETED and begin < place:
            found["ADVP" if bare == "PRT" else bare, begin, place] += 1
    return found


def check(pred: Bracketed, gold: Bracketed) -> None:
    ours = match_tree(pred, gold)
    a, b = twin(ptb.format_tree(pred)), twin(ptb.format_tree(gold))
    assert (ours.correct, ours.produced, ours.due) == ((a & b).total(), a.total(), b.total())


def relabelled(random: Random, gold: Bracketed, words: int) -> Phrase:
    """Another tree over the same words and tags."""
    leaves = iter(list(tagged_words(gold)))

    def rebuild(tree: Bracketed) -> Bracketed:
        if isinstance(tree, Tagged):
            return next(leaves)
        return Phrase(
            random.choice([tree.label, "PRT", "ADVP-TMP", "TOP"]),
            tuple(map(rebuild, tree.children)),
        )

    made = rebuild(random_tree(random, words))
    assert isinstance(made, Phrase)
    return made


@pytest.mark.parametrize("seed", range(50))
def test_random_trees(seed: int) -> None:
    random = Random(seed)
    size = random.randint(1, 8)
    gold = random_tree(random, size)
    check(relabelled(random, gold, size), gold)


def test_the_treebank() -> None:
    trees = ptb.read(treebank_file("const-craft/dev.mrg"))
    for seed, gold in zip(range(300), trees, strict=False):
        words = [leaf for leaf in tagged_words(gold) if leaf.label != "-NONE-"]
        check(gold, gold)
        if 1 < len(words) <= 20:
            random = Random(seed)
            flat = Phrase("S", tuple(words))
            check(relabelled(random, flat, len(words)), gold)
