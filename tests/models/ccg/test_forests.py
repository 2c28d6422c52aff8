"""Training forests of CCG: the same by whatever process makes them, and after a kill."""

import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.small_ccg import SETTINGS, bank, small_parser
from treewright.config import from_dict
from treewright.data.auto import write_auto
from treewright.forests.features import Example
from treewright.forests.store.record import encode
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.stored import grammar_arrays, grammar_texts
from treewright.inference import exact
from treewright.models.ccg.examples import gold_sentence
from treewright.models.ccg.forests import PIECE, ForestMaker, frequent
from treewright.models.ccg.settings import CcgSettings
from treewright.models.ccg.training import prepare
from treewright.scores.ccg.scorer import CcgScorer
from treewright.storage.bundle import write_bundle
from treewright.train.run import Run


@pytest.fixture(scope="module")
def maker() -> ForestMaker:
    parser, settings = small_parser(), from_dict(CcgSettings, SETTINGS, "tests")
    tagger = parser.supertagger.tagger
    return ForestMaker(settings, parser.grammar, [tagger, tagger], parser.scorer)


@pytest.fixture(scope="module")
def supertagger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("super") / "model"
    write_bundle(small_parser().supertagger.bundle(), place)
    return place


def records(made: Sequence[tuple[str, Example | None]]) -> list[tuple[str, bytes]]:
    return [(outcome, b"".join(encode(each)) if each else b"") for outcome, each in made]


def test_a_maker_that_has_travelled_makes_the_same(maker: ForestMaker) -> None:
    lexicon = Lexicon().learn(bank())
    sentences = [gold_sentence(maker.grammar, lexicon, each) for each in bank()]
    other: ForestMaker = pickle.loads(pickle.dumps(maker))
    pieces = maker.pieces(sentences)
    assert [len(piece) for piece in pieces] == [2 * PIECE, 2 * PIECE, 90 - 4 * PIECE]
    for piece in pieces:
        made = maker(piece)
        assert {outcome for outcome, _ in made} <= {"gold", "no chart", "gold unreachable"}
        assert records(made) == records(other(piece))
        assert records(made) == records(pickle.loads(pickle.dumps(made)))
    plain = CcgScorer(maker.scorer.templates)
    counter = ForestMaker(maker.settings, maker.grammar, maker.taggers, plain)
    known = frequent(map(counter.gold_keys, pieces), 1)
    assert np.isin(maker.scorer.keys, known).all()  # of 70 of the sentences
    often = frequent(map(counter.gold_keys, pieces), 3)
    assert 0 < len(often) < len(known)
    assert len(frequent([], 1)) == 0


def test_sentences_that_are_too_long_are_counted_and_not_used(maker: ForestMaker) -> None:
    lexicon = Lexicon().learn(bank())
    piece = [gold_sentence(maker.grammar, lexicon, each) for each in bank()[:20]]
    most = sorted(len(sentence.words) for sentence in piece)[10]
    training = replace(maker.settings.training, max_words=most)
    short = replace(maker, settings=replace(maker.settings, training=training))
    kept = [sentence for sentence in piece if len(sentence.words) <= most]
    assert 0 < len(kept) < len(piece)
    made = short(piece)
    assert [each.words for each, (outcome, _) in zip(piece, made, strict=True)
            if outcome != "too long"] == [each.words for each in kept]  # fmt: skip
    assert np.array_equal(short.gold_keys(piece)[0], maker.gold_keys(kept)[0])


def test_the_dependency_model_sums_over_all_derivations_with_gold_dependencies(
    maker: ForestMaker,
) -> None:
    lexicon = Lexicon().learn(bank())
    sentences = [gold_sentence(maker.grammar, lexicon, each) for each in bank()[:16]]
    training = replace(maker.settings.training, target="dependencies")
    settings = replace(maker.settings, training=training)
    latent = ForestMaker(settings, maker.grammar, maker.taggers, maker.scorer)
    for (_, given), (outcome, made) in zip(maker(sentences), latent(sentences), strict=True):
        if given is None:
            continue
        assert outcome == "gold"
        assert made is not None
        assert exact.count(made.gold) >= exact.count(given.gold)
        assert set(given.gold.part.tolist()) <= set(made.gold.part.tolist())
        for each in exact.kbest(made.gold, np.zeros(made.gold.parts), 50):
            size = made.gold.gold_size
            assert made.gold.totals(each.edges)[:2] == (size, size)


@pytest.mark.parametrize("seen_pairs", [True, False])
def test_a_preparation_that_was_killed_goes_on_to_the_same(
    seen_pairs: bool, supertagger: Path, tmp_path: Path
) -> None:
    """Also with a grammar that grows while features and forests are made."""
    write_auto(tmp_path / "train.auto", bank()[:40])
    given = {
        "train": str(tmp_path / "train.auto"),
        "supertagger": str(supertagger),
        "grammar": {"seen_pairs": seen_pairs},
    }
    settings = from_dict(CcgSettings, given, "tests")
    found = []
    for name, threads in (("one", 1), ("two", 2)):
        run = Run(tmp_path / name, threads, quiet=True)
        for _ in range(2):
            prepared = prepare(settings, run)
            store = prepared.store.read_bytes()
            arrays = grammar_arrays(prepared.grammar)
            plain = [array.tolist() for array in arrays.values()]
            found.append((store, grammar_texts(prepared.grammar), plain))
            prepared.store.unlink()  # as if it had been killed before it had all forests
    assert found[0][1]["rules.toml"]
    assert all(each == found[0] for each in found[1:])
