"""Sentences of any length through every installed parser, with its own limit."""

import warnings
from importlib.util import find_spec

import pytest

from treewright.machine import peak_rss_mb
from treewright.models.contract import Analysis, Parser
from treewright.models.kinds import load

LOG_LINEAR = ("en-dep", "en-ccg", "en-const")
NEURAL = ("en-neural-dep", "en-neural-ccg", "en-neural-const")
SHORT = ["The", "old", "dog", "saw", "a", "cat", "in", "the", "garden", "."]
LENGTHS = (1000, 10_000)


def model(name: str) -> Parser[Analysis]:
    package = "treewright_en_neural" if name in NEURAL else "treewright_en"
    needed = [package, *(("onnxruntime", "tokenizers") if name in NEURAL else ())]
    if name == "en-bio-ccg":
        needed = ["treewright_en_bio"]
    if not all(map(find_spec, needed)):
        pytest.skip(f"needs {' and '.join(needed)}")
    return load(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*LOG_LINEAR, "en-bio-ccg", *NEURAL])
def test_a_sentence_past_the_limit_has_an_answer_and_the_rest_goes_on(name: str) -> None:
    parser = model(name)
    sentences = [SHORT, *((SHORT * (n // len(SHORT) + 1))[:n] for n in LENGTHS), SHORT]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        first, *long, last = parser.parse_many(sentences)
    over = [n for n in LENGTHS if n > parser.max_words]
    said = [str(each.message) for each in warned if "not parsed" in str(each.message)]
    assert [f"has {n} words" in text for n, text in zip(over, said, strict=True)] == [True] * len(
        over
    )
    assert [each.parsed for each in long] == [n not in over for n in LENGTHS]
    for each in long:
        assert each.format(parser.formats[0])
    assert first.parsed
    assert first.format(parser.formats[0]) == last.format(parser.formats[0])


@pytest.mark.slow
def test_200_sentences_of_200_words() -> None:
    """The same answer each time, and memory that does not grow with their number."""
    parser = model("en-dep")
    found = (each.format(parser.formats[0]) for each in parser.parse_many([SHORT * 20] * 200))
    first, before = next(found), peak_rss_mb()
    assert set(found) == {first}
    assert peak_rss_mb() - before < 100
