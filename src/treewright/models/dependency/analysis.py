"""The analysis of a sentence: heads and relations, alternatives, conversion to other libraries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import exp
from typing import TYPE_CHECKING, Any, Protocol

from treewright.data import conllu
from treewright.data.dependency import DependencyTree, Word
from treewright.draw.arcs import Row, draw_arcs
from treewright.draw.latex import latex_arcs
from treewright.draw.sentences import dependency_arcs
from treewright.draw.svg import Picture
from treewright.errors import TreewrightError
from treewright.formats.dependency import (
    arcs_object,
    draw_dependencies,
    marginals_object,
    sentence_object,
)
from treewright.formats.objects import page_columns
from treewright.models.contract import PICTURES, Analysis

if TYPE_CHECKING:
    from collections.abc import Callable


Arc = tuple[int, str]  # a head and a relation
LISTED = 32  # trees that approximate the distribution of a model without sums over trees


class Source(Protocol):
    """The source of an analysis's alternatives and marginals."""

    def kbest(self, k: int) -> "list[DependencyAnalysis]":
        """At most k different trees, best score first."""

    def log_z(self) -> float | None:
        """The log of the total weight of all trees; None if the model cannot compute it."""

    def arc_marginals(self) -> list[dict[Arc, float]]:
        """The probabilities of each word's arcs."""


@dataclass(frozen=True, eq=False, repr=False)
class DependencyAnalysis(Analysis):
    """The dependency tree of a sentence. Heads count words from 1; the head 0 is the root.

    Graph-based parsers have exact marginals. Transition-based parsers approximate them by the best
    trees of the beam, with scores divided by the model's temperature, because perceptron scores are
    not log probabilities.
    """

    kind = "dep"
    formats = ("conllu", "drawing", "latex", "json", *PICTURES)

    tree: DependencyTree
    log_weight: float
    expected_gain: float | None = None
    source: Source | None = field(default=None, repr=False)

    @property
    def words(self) -> tuple[str, ...]:
        return self.tree.forms

    @property
    def score(self) -> float:
        return self.log_weight

    @cached_property
    def log_z(self) -> float | None:
        return None if self.source is None else self.source.log_z()

    @property
    def heads(self) -> tuple[int, ...]:
        return tuple(word.head for word in self.tree.words)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.tree.deprels

    def kbest(self, k: int) -> list["DependencyAnalysis"]:
        return [self][:k] if self.source is None or k < 1 else self.source.kbest(k)

    @cached_property
    def marginals(self) -> list[dict[Arc, float]]:
        """For each word, the probabilities of its heads and relations, most probable first."""
        if not self.parsed:
            return [{} for _ in self.words]
        rows = listed_marginals([self]) if self.source is None else self.source.arc_marginals()
        return [dict(sorted(row.items(), key=lambda item: -item[1])) for row in rows]

    def picture(self, marginals: bool = False, width: float | None = None) -> Picture:
        """The words with their tags, and the arcs above them."""
        rows = self.marginals if marginals else ()
        arcs = dependency_arcs(self.words, self.heads, self.labels, rows)
        return draw_arcs(Row(self.words, arcs, [word.upos for word in self.tree.words]), width)

    def written(self, name: str, listed: bool) -> str:
        score = f"# score = {self.score:.6g}"
        if name == "drawing":
            return (f"{score}\n" if listed else "") + f"{self}\n\n"
        if not len(self):
            return ""
        if name == "latex":
            return latex_arcs(self.words, self.heads, self.labels)
        comments = (*self.tree.comments, score) if listed else self.tree.comments
        return conllu.format_sentence(replace(self.tree, comments=comments))

    def sentence_values(self) -> dict[str, object]:
        return sentence_object(self.tree)

    def choice_values(self) -> dict[str, object]:
        return arcs_object(self.tree)

    def marginal_values(self) -> object:
        return marginals_object(self.marginals)

    def __len__(self) -> int:
        return len(self.tree)

    def __str__(self) -> str:
        text = draw_dependencies(self.words, self.heads, self.labels, page_columns())
        return text.removesuffix("\n")

    def to_spacy(self, vocab: Any) -> Any:
        """A spaCy `Doc` with words, lemmas, tags, features, heads and relations."""
        doc, words = _imported("spacy.tokens", "Doc"), self.tree.words
        return doc(
            vocab,
            words=list(self.words),
            spaces=[not _glued(word) for word in words],
            lemmas=_known(word.lemma for word in words),
            pos=_known(word.upos for word in words),
            tags=_known(word.xpos for word in words),
            morphs=_known(word.feats for word in words),
            heads=[head - 1 if head else i for i, head in enumerate(self.heads)],
            deps=["ROOT" if label == "root" else label for label in self.labels],
        )

    def to_nltk(self) -> Any:
        """An NLTK `DependencyGraph`."""
        graph = _imported("nltk.parse", "DependencyGraph")
        lines = (
            f"{i}\t{w.form}\t{w.lemma}\t{w.upos}\t{w.xpos}\t{w.feats}\t{w.head}\t{w.deprel}\t_\t_"
            for i, w in enumerate(self.tree.words, start=1)
        )
        return graph("\n".join(lines), cell_separator="\t", top_relation_label="root")


def listed_marginals(
    analyses: Sequence[DependencyAnalysis], temperature: float = 1.0
) -> list[dict[Arc, float]]:
    """Probabilities of arcs over these trees, which have the weights exp(score / temperature)."""
    best = max(each.score for each in analyses)
    weights = [exp((each.score - best) / temperature) for each in analyses]
    rows: list[dict[Arc, float]] = [{} for _ in analyses[0].words]
    total = 0.0  # rounded like the sum for an arc in all trees, so that no probability exceeds 1
    for each, weight in zip(analyses, weights, strict=True):
        total += weight
        for row, arc in zip(rows, zip(each.heads, each.labels, strict=True), strict=True):
            row[arc] = row.get(arc, 0.0) + weight
    return [{arc: weight / total for arc, weight in row.items()} for row in rows]


def parsed_tree(
    tree: DependencyTree, heads: Sequence[int], labels: Sequence[str]
) -> DependencyTree:
    """The sentence with other heads and relations.

    Enhanced dependencies, and the empty nodes that only they use, are removed.
    """
    words = [
        Word(*word[:5], head, label, "_", word.misc)
        for word, head, label in zip(tree.words, heads, labels, strict=True)
    ]
    return DependencyTree(tuple(words), tree.comments, tree.tokens)


def flat(tree: DependencyTree) -> DependencyAnalysis:
    """The fallback for a sentence that is too long: the first word is the head of all others."""
    rest = len(tree) - 1
    heads, labels = [0, *[1] * rest], ["root", *["dep"] * rest]
    return DependencyAnalysis(parsed_tree(tree, heads, labels), float("-inf"))


def plain_word(form: str) -> Word:
    """A word with its form and no annotation."""
    return Word(form, *("_",) * 4, 0, *("_",) * 3)


def _glued(word: Word) -> bool:
    return "SpaceAfter=No" in word.misc.split("|")


def _known(tags: Iterable[str]) -> list[str]:
    return ["" if tag == "_" else tag for tag in tags]


def _imported(module: str, name: str) -> "Callable[..., Any]":
    from importlib import import_module

    try:
        function: Callable[..., Any] = getattr(import_module(module), name)
    except ImportError as error:
        package = module.partition(".")[0]
        raise TreewrightError(f"this needs {package}: pip install {package}") from error
    return function
