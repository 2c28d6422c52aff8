"""Scores of a CCG parser on derivations: what `treewright eval` says of its output."""

from collections.abc import Iterable, Iterator

from treewright.data.records import Derivation, Sentence, Token
from treewright.grammar.dependencies import dependencies_of
from treewright.metrics.ccgdeps import Analysis, CcgScores, score
from treewright.models.ccg_parser import CcgParser


def gold_analysis(derivation: Derivation) -> Analysis:
    """What a gold derivation is scored by."""
    categories = tuple(leaf.category for leaf in derivation.leaves)
    return Analysis(frozenset(dependencies_of(derivation)), categories)


def score_parser(
    parser: CcgParser, derivations: Iterable[Derivation], *, gold_pos: bool = True
) -> CcgScores:
    """Scores against gold derivations; without `gold_pos`, with parts of speech of our own."""
    gold: dict[str, Analysis] = {}

    def sentences() -> Iterator[Sentence]:
        for derivation in derivations:
            gold[derivation.id] = gold_analysis(derivation)
            sentence = derivation.sentence
            bare = tuple(Token(token.word) for token in sentence.tokens)
            yield sentence if gold_pos else Sentence(sentence.id, bare)

    parsed = {
        found.sentence.id: Analysis(frozenset(found.dependencies), found.supertags)
        for found in parser.parse_many(sentences())
        if not found.is_fragments
    }
    return score(parsed, gold)
