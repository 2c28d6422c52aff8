"""The analysis of a sentence: tree, alternatives, and posteriors of constituents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from treewright.arrays import Floats, Indices
from treewright.data import ptb
from treewright.data.brackets import Bracketed, escape
from treewright.data.records import Sentence
from treewright.draw.latex import latex_tree
from treewright.draw.nodes import Looks, from_brackets
from treewright.draw.svg import Picture
from treewright.draw.tree import draw_tree
from treewright.forests.build import Chart
from treewright.forests.constituency.chart import ConstGrammar
from treewright.forests.constituency.counts import ConstituentCounter
from treewright.formats.constituency import draw, marginals_object, tree_object
from treewright.formats.nltk import tree_to_nltk
from treewright.formats.objects import sentence_object
from treewright.grammar.binarise import restore
from treewright.grammar.treebank import Span, enclose
from treewright.inference import exact
from treewright.models.constituency.decode import constituents
from treewright.models.contract import PICTURES, Analysis

Scored = tuple[Chart, Floats]  # a chart and the scores of its parts
NO_BREAK = dict.fromkeys(map(ord, " \v\f"), "\u00a0")


def legal(words: Sequence[str]) -> tuple[str, ...]:
    """Words or tags for bracket files: round brackets escaped, spaces as no-break spaces.

    Square brackets stay, since treebanks differ on them.
    """
    return tuple(escape(word, "()").translate(NO_BREAK) for word in words)


def original_tree(
    grammar: ConstGrammar, chart: Chart, edges: Indices, sentence: Sentence
) -> Bracketed:
    """The tree of a derivation, without binarisation."""
    words, tags = legal(sentence.words), legal(sentence.tags)
    return restore(grammar.tree(chart, edges, words, tags))


@dataclass(frozen=True, eq=False, repr=False)
class ConstAnalysis(Analysis):
    """The tree of a sentence.

    tree: None if there is none: the sentence is empty or too long, or a PCFG has no derivation. A
    pruned parser then returns the span model's tree, with the score -inf.
    unknown_tags: tags that the grammar does not have; the words were parsed with another.
    charted: builds the chart and its scores, for k-best lists and marginals, if there is one.
    temperature: divides the scores for marginals.
    """

    kind = "const"
    formats = ("brackets", "drawing", "latex", "json", *PICTURES)

    sentence: Sentence
    tree: Bracketed | None
    log_weight: float
    counter: ConstituentCounter = field(repr=False)
    charted: Callable[[], Scored | None] = field(repr=False)
    expected_gain: float | None = None
    unknown_tags: tuple[str, ...] = ()
    temperature: float = 1.0

    @property
    def words(self) -> tuple[str, ...]:
        return self.sentence.words

    @property
    def tags(self) -> tuple[str, ...]:
        """The POS tag of each word."""
        return self.sentence.tags

    @property
    def score(self) -> float:
        return self.log_weight

    @cached_property
    def log_z(self) -> float | None:
        if self._charted is None:
            return None
        chart, scores = self._charted
        return exact.log_z(chart.forest, scores)

    @cached_property
    def _charted(self) -> Scored | None:
        return self.charted()

    @cached_property
    def marginals(self) -> dict[Span, float]:
        """The posterior of each constituent in the chart."""
        if self._charted is None:
            return {}
        chart, scores = self._charted
        events, spans = constituents(chart, self.counter)
        parts = exact.marginals(chart.forest, scores / self.temperature).parts
        posterior = events.sums(parts)
        return {Span(*each): float(p) for each, p in zip(spans, posterior, strict=True)}

    def kbest(self, k: int) -> list["ConstAnalysis"]:
        if self._charted is None:
            return [self][:k]
        chart, scores = self._charted

        def made(best: exact.Derivation) -> tuple[str, ConstAnalysis]:
            tree = original_tree(self.counter.grammar, chart, best.edges, self.sentence)
            one = replace(self, tree=tree, log_weight=best.score, expected_gain=None)
            return ptb.format_tree(tree), one

        return exact.distinct_kbest(chart.forest, scores, k, made)

    def to_nltk(self) -> Any:
        """The tree as nltk.Tree; needs the package nltk."""
        return None if self.tree is None else tree_to_nltk(self.tree)

    def bracketed(self) -> str:
        """The tree on one line with an outermost bracket; `()` if there is none."""
        return ptb.NO_PARSE if self.tree is None else ptb.format_tree(enclose(self.tree))

    def __str__(self) -> str:
        return ptb.NO_PARSE if self.tree is None else draw(self.tree)

    def format(self, name: str, k: int = 1, marginals: bool = False) -> str:
        text = super().format(name, k, marginals)
        return text + "\n" if name == "brackets" and k > 1 else text  # a blank line ends a list

    def picture(self, marginals: bool = False, width: float | None = None) -> Picture:
        """The tree, drawn above the words."""
        if self.tree is None:
            return super().picture(marginals, width)
        looks = Looks({}, self.marginals if marginals else {})
        return draw_tree(from_brackets(self.tree, looks), width)

    def written(self, name: str, listed: bool) -> str:
        score = f"{self.score:.6f}" if listed else ""
        if name == "latex":
            return "" if self.tree is None else latex_tree(from_brackets(self.tree))
        if name == "drawing":
            return (f"# score = {score}\n" if listed else "") + f"{self}\n"
        return (f"{score}\t" if listed else "") + f"{self.bracketed()}\n"

    def sentence_values(self) -> dict[str, object]:
        unknown = {"unknown_tags": list(self.unknown_tags)} if self.unknown_tags else {}
        sentence = self.sentence
        values = sentence_object(sentence.id, self.words, sentence.surface, xpos=self.tags)
        return values | unknown

    def choice_values(self) -> dict[str, object]:
        return tree_object(self.tree)

    def marginal_values(self) -> object:
        return marginals_object(self.marginals)
