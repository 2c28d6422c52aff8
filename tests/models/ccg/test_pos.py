"""Parts of speech as a third factor."""

from dataclasses import replace

import numpy as np
import pytest

from tests.small_ccg import bank, small_parser
from treewright.data.records import Sentence, Token
from treewright.errors import ForestError
from treewright.inference import bp
from treewright.inference.settings import InferenceSettings, decode
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.pos import PosLattice, pos_lattices
from treewright.models.ccg.search import Beam, search

BEAM = Beam(0.01, 20)
SENTENCES = [derivation.sentence for derivation in bank()[70:80]]


def lattices(beta: float) -> list[PosLattice]:
    parser = small_parser()
    words = [sentence.words for sentence in SENTENCES]
    return pos_lattices(parser.supertagger, words, parser.entry_of_tag, beta)


def bare(sentence: Sentence) -> Sentence:
    return replace(sentence, tokens=tuple(Token(word) for word in sentence.words))


def joint(beta: float, **changes: object) -> CcgParser:
    return small_parser().with_settings(pos_beta=beta, schedule="adaptive", **changes)


def test_tables_are_conditional_probabilities() -> None:
    several = 0
    for lattice in lattices(0.001):
        found = lattice.at(BEAM.cutoff)
        for table, size in zip(found.tables, np.diff(lattice.candidates.first), strict=True):
            assert len(table) == size
            several += size > 1
            np.testing.assert_allclose(np.exp(table).sum(axis=1), 1.0, atol=1e-6)
        sums = np.add.reduceat(found.found.probability, found.found.first[:-1])
        np.testing.assert_allclose(sums, 1.0, atol=1e-6)
    assert several


def test_one_part_of_speech_is_the_model_of_two_factors() -> None:
    parser = small_parser()
    for lattice, sentence in zip(lattices(1.0), SENTENCES, strict=True):
        tagged = replace(sentence, tokens=tuple(map(Token, sentence.words, lattice.pos)))
        plain = parser.lattices([tagged])[0]
        found = search(parser.grammar, lattice.cells, parser.schedule, parser.chart)
        if found.chart is None:
            continue
        words = parser.scorer.encode(sentence.words, lattice.pos)
        scores = parser.scorer.scores(found.chart, words)
        two, three = (each.graph(found.beam, found.chart, scores, 1.0) for each in (plain, lattice))
        a, b = (bp.run(graph, 20, 1e-9).state for graph in (two, three))
        np.testing.assert_allclose(b.beliefs[: two.variables.values], a.beliefs, atol=1e-6)
        assert lattice.mended(three, b.likeliest()) == lattice.pos


@pytest.mark.parametrize("algorithm", ["bp", "dd"])
def test_parsers_mend_bare_sentences_only(algorithm: str) -> None:
    parser = joint(0.001, algorithm=algorithm, iterations=5)
    assert parser.supertagger.pos is not None
    known = set(parser.supertagger.pos.tags)
    given = [*map(bare, SENTENCES), *SENTENCES]
    found = list(parser.parse_many(given))
    for each in found[: len(SENTENCES)]:
        assert {token.pos for token in each.sentence.tokens} <= known
        assert len(each.supertags) == len(each.sentence.tokens)
    assert [each.sentence for each in found[len(SENTENCES) :]] == SENTENCES


def test_the_parser_alone_chooses_no_values() -> None:
    problem = next(small_parser().problems(SENTENCES))
    alone = decode(problem.graph, InferenceSettings("viterbi"))
    with pytest.raises(ForestError, match="alone"):
        _ = alone.values
    assert problem.solved(alone.derivation).supertags
