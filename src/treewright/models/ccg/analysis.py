"""The analysis of a CCG sentence: derivation, dependencies, supertags, marginals, k-best list."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from treewright.arrays import Floats
from treewright.data.records import (
    FRAGMENTS,
    PARSED,
    Dependency,
    Derivation,
    Leaf,
    Node,
    Sentence,
    Tree,
)
from treewright.draw.derivation import draw_derivation
from treewright.draw.latex import latex_derivation
from treewright.draw.nodes import Looks, from_derivation
from treewright.draw.svg import Picture
from treewright.errors import TreewrightError
from treewright.forests.ccg.chart import CcgChart, Outcome, PartKind
from treewright.formats.ccg.formats import FORMATS, format_conllu
from treewright.formats.ccg.objects import derivation_object, marginals_object
from treewright.formats.ccg.semantics import meaning_or_none
from treewright.formats.nltk import derivation_to_nltk
from treewright.formats.objects import sentence_object
from treewright.grammar.annotate import annotate
from treewright.grammar.markup import Entry
from treewright.grammar.relations import Relation, relations_of
from treewright.grammar.schema import Schema
from treewright.grammar.terms import format_term
from treewright.grammar.treebank import Span
from treewright.inference import exact
from treewright.models.ccg.extraction import (
    constituents_of,
    dependencies_in,
    dependency_events,
    joined,
    supertags_of,
    trees_of,
)
from treewright.models.ccg.search import Attempt
from treewright.models.contract import PICTURES, Analysis


@dataclass(frozen=True, eq=False)
class CcgMarginals:
    """Posterior probabilities of dependencies, of each word's categories, and of constituents.

    In joint models, they are computed in the parser's chart with the messages of belief
    propagation.
    """

    dependencies: dict[Dependency, float]
    supertags: list[dict[str, float]]
    constituents: dict[Span, float]


class JointScores(Protocol):
    """The joint model of parser and supertagger, as an analysis uses it."""

    @property
    def scores(self) -> Floats:
        """Scores of the chart's parts that give the joint marginals: float64 [parts]."""

    @property
    def score(self) -> Callable[[exact.Derivation], float]:
        """A function that computes the joint score of a derivation."""

    def kbest(self, k: int) -> list[exact.Derivation]:
        """The k derivations with the highest joint scores."""


@dataclass(frozen=True, eq=False, repr=False)
class CcgAnalysis(Analysis):
    """The derivation and the dependencies of a sentence.

    Scores, k-best lists and marginals are those of the parser's model with the supertagger's log
    probabilities. With the decoders bp and dd they are those of the joint model: marginals by
    belief propagation, scores and k-best lists by dual decomposition.

    outcome: PARSED, or FRAGMENTS if no derivation covers the sentence.
    attempts: the beams that were tried.
    joint: the joint model; None unless the decoder is bp or dd.
    temperature: divides the scores for marginals, but not for those of the joint model.
    """

    kind = "ccg"
    formats = (*FORMATS, "latex", "json", *PICTURES)

    sentence: Sentence
    outcome: Outcome
    attempts: tuple[Attempt, ...]
    chart: CcgChart | None = field(repr=False)
    scores: Floats | None = field(repr=False)
    best: exact.Derivation | None = field(repr=False)
    rank: int = 1
    expected_gain: float | None = None
    joint: JointScores | None = field(default=None, repr=False)
    temperature: float = 1.0

    @property
    def words(self) -> tuple[str, ...]:
        return self.sentence.words

    @property
    def score(self) -> float:
        if self.best is None:
            return -np.inf
        return self.best.score if self.joint is None else self.joint.score(self.best)

    @cached_property
    def log_z(self) -> float | None:
        if self.chart is None or self.scores is None or self.joint is not None:
            return None
        return exact.log_z(self.chart.forest, self.scores)

    @property
    def parsed(self) -> bool:
        return not self.is_fragments

    @property
    def is_fragments(self) -> bool:
        """Whether the sentence has no parse, so that the analysis is a sequence of constituents."""
        return self.outcome is not Outcome.PARSED

    @cached_property
    def fragments(self) -> tuple[Tree, ...]:
        """The constituents; a parse has one."""
        if self.chart is None or self.best is None:
            return tuple(Leaf("NP", t.word, t.pos or "", t.pos or "") for t in self.sentence.tokens)
        return self._built[0]

    @cached_property
    def _built(self) -> tuple[tuple[Tree, ...], dict[Node, Schema]]:
        """The constituents, and the schemas of their binary nodes."""
        assert self.chart is not None
        assert self.best is not None
        return trees_of(self.chart, self.best, self.sentence)

    @cached_property
    def derivation(self) -> Derivation:
        """The derivation with head indices in its leaves; fragments are joined under FRAG nodes."""
        if not self.sentence.tokens:
            raise TreewrightError(f"sentence {self.sentence.id}: no words, and no derivation")
        parser = PARSED if not self.is_fragments else FRAGMENTS
        if self.is_fragments:
            return Derivation(self.sentence.id, joined(self.fragments), parser, self.rank)
        plain = Derivation(self.sentence.id, self.fragments[0], parser, self.rank)
        assert self.chart is not None
        return annotate(plain, self.entries, self.chart.grammar.unary, self._built[1])

    @cached_property
    def entries(self) -> list[Entry]:
        """The lexical entry of each word."""
        if self.chart is None or self.best is None:
            return []
        rows = self.chart.parts[self.chart.forest.part[self.best.edges]]
        cells = sorted(rows[rows[:, 0] == PartKind.LEXICAL, 1].tolist())
        numbers = self.chart.cells.entry[cells].tolist()
        return [self.chart.grammar.tables.entries[number] for number in numbers]

    @property
    def supertags(self) -> tuple[str, ...]:
        """The category of each word."""
        return tuple(entry.category.text for entry in self.entries)

    @cached_property
    def dependencies(self) -> tuple[Dependency, ...]:
        """The dependencies, in the order of PARG files."""
        if self.chart is None or self.best is None:
            return ()
        used = np.zeros(self.chart.forest.parts, dtype=bool)
        used[self.chart.forest.part[self.best.edges]] = True
        first, filled = self.chart.filled
        rows, row_of = self.chart.dependencies
        numbers = set(row_of[filled[np.repeat(used, np.diff(first))]].tolist())
        made = dependencies_in(self.chart, rows[list(numbers)])
        return tuple(sorted(made, key=lambda d: (d.argument, d.functor, d.slot)))

    @property
    def meaning(self) -> str | None:
        """The meaning as a lambda term (`grammar/semantics.toml`); None without a parse."""
        meaning = meaning_or_none(self.derivation) if self.sentence.tokens else None
        return None if meaning is None else format_term(meaning.term)

    @property
    def relations(self) -> list[Relation]:
        """The grammatical relations (`grammar/relations.toml`)."""
        return relations_of(self.derivation, self.dependencies) if self.sentence.tokens else []

    @cached_property
    def marginals(self) -> CcgMarginals:
        """Probabilities of dependencies, categories and constituents in the chart of the search."""
        if self.chart is None or self.scores is None:
            return CcgMarginals({}, [{} for _ in self.sentence.tokens], {})
        scores = self.scores / self.temperature if self.joint is None else self.joint.scores
        parts = exact.marginals(self.chart.forest, scores).parts
        events, rows = dependency_events(self.chart)
        made = dependencies_in(self.chart, rows)
        return CcgMarginals(
            dict(zip(made, events.sums(parts).tolist(), strict=True)),
            supertags_of(self.chart, parts),
            constituents_of(self.chart, scores),
        )

    def kbest(self, k: int) -> list["CcgAnalysis"]:
        if self.chart is None or self.scores is None:
            return [self][:k]
        if self.joint is not None:
            listed = self.joint.kbest(k)
        else:
            listed = exact.kbest(self.chart.forest, self.scores, k)
        return [
            replace(self, best=each, rank=rank, expected_gain=None)
            for rank, each in enumerate(listed, start=1)
        ]

    def to_nltk(self) -> Any:
        """The derivation as an `nltk.ccg` tree; needs the package nltk."""
        return derivation_to_nltk(self.derivation.root)

    def __str__(self) -> str:
        return "\n\n".join(FORMATS["drawing"](Derivation("", t), ()) for t in self.fragments)

    def picture(self, marginals: bool = False, width: float | None = None) -> Picture:
        """The derivation, drawn with one line per step."""
        if not self.sentence.tokens:
            return super().picture(marginals, width)
        looks = Looks({}, self.marginals.constituents if marginals else {})
        return draw_derivation(from_derivation(self.derivation.root, looks), width)

    def written(self, name: str, listed: bool) -> str:  # noqa: ARG002 - the rank is in the file
        if name == "drawing":
            return f"{self}\n"  # fragments one by one: drawing a chain of hundreds takes long
        if not self.sentence.tokens or (name == "parg" and self.is_fragments):
            return ""  # PARG cannot mark a failed parse
        if name == "latex":
            return latex_derivation(from_derivation(self.derivation.root))
        if name == "conllu":
            return format_conllu(self.derivation, self.dependencies, self.sentence.surface)
        text = FORMATS[name](self.derivation, self.dependencies)
        return text if text.endswith("\n") else text + "\n"

    def sentence_values(self) -> dict[str, object]:
        sentence = self.sentence
        return sentence_object(sentence.id, self.words, sentence.surface, xpos=sentence.tags)

    def choice_values(self) -> dict[str, object]:
        root = self.derivation.root if self.sentence.tokens else None
        return derivation_object(root, self.dependencies)

    def marginal_values(self) -> object:
        marginals = self.marginals
        return marginals_object(marginals.dependencies, marginals.supertags, marginals.constituents)
