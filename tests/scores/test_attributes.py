"""Attributes of words as numbers."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from treewright.grammar.words import Vocabulary
from treewright.scores.constituency.templates import SpanEncoder
from treewright.scores.dependency.encoder import FORM_ATTRIBUTES
from treewright.scores.features import encoder
from treewright.scores.features.encoder import AttributeTable, Encoder, key_of
from treewright.scores.neural.words import HashedWords
from treewright.scores.tagging.dictionary import learn_dictionary


def test_a_row_has_the_key_of_every_column() -> None:
    table = AttributeTable([key_of, lambda text: key_of(text.lower())])
    expected = [[key_of("Dog"), key_of("dog")], [key_of("a"), key_of("a")]]
    assert table.attributes(["Dog", "a"]).tolist() == expected
    assert table.attributes([]).shape == (0, 2)


def test_a_full_table_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "MOST_KEPT", 4)
    table = AttributeTable([key_of])
    for words in (["a", "b", "c"], ["d", "a"], ["c", "e", "b", "a"]):
        assert table.attributes(words).ravel().tolist() == [key_of(word) for word in words]


def test_a_table_grows() -> None:
    words = [str(n) for n in range(3000)]
    found = AttributeTable([key_of]).attributes(words)
    assert np.array_equal(found.ravel(), np.array([key_of(w) for w in words], dtype=np.uint64))


def test_threads_may_share_a_table() -> None:
    """A second thread that asks for a word of which the first is making the row gets all of it."""
    begun = Event()

    def slow(word: str) -> int:
        begun.set()
        time.sleep(0.05)
        return key_of(word)

    table = AttributeTable([slow])
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(table.attributes, ["dog"])
        begun.wait()
        assert table.attributes(["dog"]).tolist() == [[key_of("dog")]]
        assert first.result().tolist() == [[key_of("dog")]]


CURLED, STRAIGHT = ["they", "\u2019ll", "well\u2011made"], ["they", "'ll", "well-made"]


def test_variants_of_apostrophes_and_hyphens_have_the_attributes_of_plain_ones() -> None:
    encoder = Encoder(FORM_ATTRIBUTES, ("word",))
    assert np.array_equal(encoder.rows(CURLED), encoder.rows(STRAIGHT))
    spans, tags = SpanEncoder(Vocabulary.of(CURLED * 2)), ["X"] * 3
    assert set(spans.vocabulary.words) == set(STRAIGHT)
    assert np.array_equal(spans.arrays(CURLED, tags)[0], spans.arrays(STRAIGHT, tags)[0])


@pytest.mark.parametrize("static", [(), STRAIGHT])
def test_networks_read_variants_as_plain_ones(static: list[str]) -> None:
    words = HashedWords(100, static)
    assert np.array_equal(words.prepare(CURLED), words.prepare(STRAIGHT))


def test_a_dictionary_knows_variants_of_its_words() -> None:
    dictionary = learn_dictionary([*CURLED, *STRAIGHT], None, np.arange(6), 6)
    assert set(dictionary.words) == set(STRAIGHT)
    sets = dictionary.sets(CURLED, None, 2)
    assert sets.tolist() == dictionary.sets(STRAIGHT, None, 2).tolist()
    assert 0 not in sets
