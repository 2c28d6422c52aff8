"""A CCG development set, for scoring and comparing parsers."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from treewright.data.auto import read_auto
from treewright.data.records import Derivation, Sentence, Token
from treewright.grammar.defaults import check_entries
from treewright.grammar.indices import dependencies_of
from treewright.metrics.ccgdeps import Analysis, CcgScores, labelled_counts, score
from treewright.metrics.counts import Counts
from treewright.metrics.significance import approximate_randomisation
from treewright.models.ccg.parser import CcgParser


def gold_analysis(derivation: Derivation) -> Analysis:
    """The dependencies and categories of a gold derivation, for scoring."""
    categories = tuple(leaf.category for leaf in derivation.leaves)
    return Analysis(frozenset(dependencies_of(derivation)), categories)


@dataclass(frozen=True, eq=False)
class Parsed:
    """A parser's output on the development set.

    found: analyses by sentence id, without sentences that have no parse.
    seconds: CPU time.
    pos: the POS tags of all sentences.
    """

    found: dict[str, Analysis]
    sentences: int
    seconds: float
    pos: dict[str, tuple[str, ...]]

    @property
    def speed(self) -> float:
        """Sentences per second, including tagging and the extraction of dependencies."""
        return self.sentences / self.seconds


class CcgDev:
    """A development set: the first derivations of a file (0: all), or given derivations."""

    def __init__(self, source: str | Path | Sequence[Derivation], sentences: int = 0) -> None:
        read = read_auto(source, check_entries) if isinstance(source, str | Path) else source
        self.derivations: list[Derivation] = list(read)[: sentences or None]

    def pieces(self, size: int) -> list["CcgDev"]:
        """The development set in pieces of `size` sentences."""
        starts = range(0, len(self.derivations), size)
        return [CcgDev(self.derivations[start : start + size]) for start in starts]

    @cached_property
    def gold(self) -> dict[str, Analysis]:
        return {derivation.id: gold_analysis(derivation) for derivation in self.derivations}

    @cached_property
    def sentences(self) -> list[Sentence]:
        return [derivation.sentence for derivation in self.derivations]

    @cached_property
    def _words(self) -> list[Sentence]:
        """The sentences without POS tags."""
        bare = [tuple(Token(token.word) for token in s.tokens) for s in self.sentences]
        return [replace(s, tokens=t) for s, t in zip(self.sentences, bare, strict=True)]

    def tagged(self, pos: Mapping[str, Sequence[str]]) -> list[Sentence]:
        """The sentences with the given POS tags."""
        return [replace(s, tokens=tuple(map(Token, s.words, pos[s.id]))) for s in self.sentences]

    def pos_accuracy(self, parsed: Parsed) -> float:
        """The POS tagging accuracy."""
        right = [
            token.pos == pos
            for s in self.sentences
            for token, pos in zip(s.tokens, parsed.pos[s.id], strict=True)
        ]
        return sum(right) / max(len(right), 1)

    def parse(
        self,
        parser: CcgParser,
        gold_pos: bool = True,
        pos: Mapping[str, Sequence[str]] | None = None,
    ) -> Parsed:
        """Parses all sentences with gold POS tags, the parser's own, or the given ones."""
        sentences = self.sentences if gold_pos else self._words
        if pos is not None:
            sentences = self.tagged(pos)
        tags: dict[str, tuple[str, ...]] = {}
        analyses: dict[str, Analysis] = {}
        began = time.process_time()
        for each in parser.parse_many(sentences):
            tags[each.sentence.id] = tuple(token.pos or "" for token in each.sentence.tokens)
            analysis = Analysis(frozenset(each.dependencies), each.supertags)
            if not each.is_fragments:
                analyses[each.sentence.id] = analysis
        return Parsed(analyses, len(sentences), time.process_time() - began, tags)

    def scores(self, parsed: Parsed) -> CcgScores:
        return score(parsed.found, self.gold)

    def p_value(self, one: Parsed | Sequence[Parsed], two: Parsed | Sequence[Parsed]) -> float:
        """The p-value of the difference in labelled F, on sentences that all of them parse.

        Of parsers that were trained with several seeds, the counts are added up by sentence.
        """
        of_seeds = [[x] if isinstance(x, Parsed) else list(x) for x in (one, two)]
        every = [parsed.found for seeds in of_seeds for parsed in seeds]
        both = [name for name in self.gold if all(name in found for found in every)]
        gold = [self.gold[name] for name in both]
        a, b = (
            Counts.sums(labelled_counts([x.found[name] for name in both], gold) for x in seeds)
            for seeds in of_seeds
        )
        return approximate_randomisation(a, b).p_value
