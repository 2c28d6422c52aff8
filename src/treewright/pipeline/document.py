"""Documents: the sentences of a text with their tokens, trees and derivations.

    doc = nlp("She didn't go. He did.")
    doc.sentences[0].tokens[1].text, .lemma, .start         did, do, 4
    doc.sentences[0].dependencies                           arcs: word, head, label
    doc.sentences[0].tree, .constituents                    constituency
    doc.sentences[0].derivation, .supertags                 CCG
    doc.sentences[0].analysis("dep").marginals, .kbest(3)   probabilities, alternatives
    doc.to_conllu(), doc.to_json(), doc.to_pandas()

Parts of the pipeline run only if their results are used.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import Any, NamedTuple

from treewright.data import conllu, ptb
from treewright.data.brackets import Bracketed
from treewright.data.dependency import DependencyTree
from treewright.data.records import FRAGMENTS, PARSED, Dependency, Derivation
from treewright.draw.svg import clean
from treewright.errors import TreewrightError
from treewright.formats.ccg.objects import read_derivation
from treewright.formats.objects import COLUMNS, FORMAT, line, quantity
from treewright.grammar.treebank import Span
from treewright.models.contract import Analysis
from treewright.pipeline.parts import Parts, Values
from treewright.text.tokeniser import SentenceSpan
from treewright.text.trees import tree_of

SHOWN = 20  # sentences of a document that a notebook draws


class Arc(NamedTuple):
    """A dependency. Word numbers start at 1; head 0 is the root."""

    word: int
    head: int
    label: str


@dataclass(frozen=True, slots=True)
class DocumentToken:
    """A word of a document, at doc.text[start:end]. Unknown values are None.

    whitespace: the characters between this word and the next.
    """

    text: str
    start: int
    end: int
    whitespace: str
    lemma: str | None = None
    upos: str | None = None
    xpos: str | None = None
    feats: str | None = None


class DocumentSentence:
    """A sentence of a document."""

    def __init__(self, document: "Document", number: int) -> None:
        self._document, self._number = document, number

    @property
    def values(self) -> Values:
        """The sentence as a dictionary (docs/formats.md)."""
        return self._document.parts.sentences()[self._number]

    @property
    def text(self) -> str:
        """The sentence on one line."""
        return str(self.values["text"])

    @property
    def start(self) -> int:
        """The sentence is doc.text[start:end]."""
        return self._span.tokens[0].start

    @property
    def end(self) -> int:
        return self._span.tokens[-1].end

    @property
    def _span(self) -> SentenceSpan:
        return self._document.parts.spans[self._number]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.values["words"])

    @cached_property
    def tokens(self) -> tuple[DocumentToken, ...]:
        """The words with tags and offsets."""
        values, words = self.values, self.words
        columns = [values[name] or [None] * len(words) for name in COLUMNS]
        rows = zip(*columns, strict=True)
        until, text = self._document.next_starts[self._number], self._document.text
        places = zip(words, values["offsets"], until, rows, strict=True)
        return tuple(
            DocumentToken(word, start, end, text[end:following], *row)
            for word, (start, end), following, row in places
        )

    def analysis(self, kind: str) -> Analysis:
        """The analysis of one part of the pipeline."""
        return self._document.parts.analyses(kind)[self._number]

    def found(self, kind: str) -> Values:
        """The analysis of one part as a dictionary (docs/formats.md)."""
        return self._document.parts.values(kind)[self._number]

    def kbest(self, k: int, kind: str) -> list[Analysis]:
        """At most k analyses of one part, best first."""
        return list(self.analysis(kind).kbest(k))

    def marginals(self, kind: str) -> Any:
        """Probabilities of arcs, of dependencies and supertags, or of constituents."""
        return self.analysis(kind).marginals

    @property
    def dependencies(self) -> tuple[Arc, ...]:
        """The arc of every word, from the part `dep`."""
        analysis = self.found("dep")
        pairs = enumerate(zip(analysis["heads"], analysis["labels"], strict=True), start=1)
        return tuple(Arc(word, *pair) for word, pair in pairs)

    @property
    def dependency_tree(self) -> DependencyTree:
        """The sentence as a `DependencyTree`."""
        tree = tree_of(self._span)
        names = {"lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats"}
        columns = {name: self.values[column] for name, column in names.items()}
        has = "dep" in self._document.parts.parsers
        arcs = self.dependencies if has else [Arc(0, word.head, "_") for word in tree.words]
        filled = []
        for i, (word, arc) in enumerate(zip(tree.words, arcs, strict=True)):
            known = {name: column[i] for name, column in columns.items() if column and column[i]}
            filled.append(word._replace(**known, head=arc.head, deprel=arc.label))
        return DependencyTree(tuple(filled), tree.comments, tree.tokens)

    @property
    def tree(self) -> Bracketed | None:
        """The tree, from the part `const`; None if there is none."""
        text = self.found("const")["tree"]
        return None if text is None else next(ptb.read(StringIO(text)))

    @property
    def constituents(self) -> tuple[Span, ...]:
        """The labelled spans of the tree, children first."""
        return tuple(Span(**each) for each in self.found("const")["constituents"])

    @property
    def derivation(self) -> Derivation:
        """The CCG derivation, from the part `ccg`; fragments are a chain under FRAG."""
        root = read_derivation(self.found("ccg")["nodes"], self.words, self.values["xpos"])
        parser = FRAGMENTS if root.category == FRAGMENTS else PARSED
        return Derivation(str(self._number + 1), root, parser)

    @property
    def supertags(self) -> tuple[str, ...]:
        """The CCG category of every word."""
        return tuple(self.found("ccg")["supertags"])

    @property
    def ccg_dependencies(self) -> tuple[Dependency, ...]:
        """The dependencies of the CCG derivation."""
        return tuple(Dependency(**each) for each in self.found("ccg")["dependencies"])

    def to_dict(self, k: int = 1, marginals: bool = False) -> Values:
        """The sentence with all analyses, as a dictionary (docs/formats.md)."""
        kinds = self._document.parts.parsers
        if k == 1 and not marginals:
            return {**self.values, **{kind: self.found(kind) for kind in kinds}}
        analyses = {kind: self.analysis(kind).analysis_values(k, marginals) for kind in kinds}
        return {**self.values, **analyses}

    def __len__(self) -> int:
        return len(self.words)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"DocumentSentence({self.text!r})"

    def _repr_html_(self) -> str:
        parts = self._document.parts.parsers
        drawings = "".join(self.analysis(kind)._repr_html_() for kind in parts)
        return f'<div>\n<p dir="auto">{clean(self.text)}</p>\n{drawings}</div>\n'


class Document:
    """A text and its sentences; `parts` contains the analyses."""

    def __init__(self, text: str, parts: Parts) -> None:
        self.text, self.parts = text, parts
        self.sentences = tuple(DocumentSentence(self, n) for n in range(len(parts.spans)))

    @cached_property
    def next_starts(self) -> list[list[int]]:
        """For each sentence, the start of the word after each word."""
        offsets = [each["offsets"] for each in self.parts.sentences()]
        starts = [start for rows in offsets for start, _ in rows]
        left = iter([*starts[1:], len(self.text)])
        return [[next(left) for _ in rows] for rows in offsets]

    @property
    def tokens(self) -> Iterator[DocumentToken]:
        """The words of all sentences."""
        return (token for sentence in self.sentences for token in sentence.tokens)

    def to_conllu(self) -> str:
        """All sentences in CoNLL-U, with offsets in MISC."""
        return "".join(conllu.format_sentence(each.dependency_tree) for each in self.sentences)

    def to_dict(self, k: int = 1, marginals: bool = False) -> Values:
        """The document as a dictionary (docs/formats.md)."""
        sentences = [each.to_dict(k, marginals) for each in self.sentences]
        return {"format": FORMAT, "text": self.text, "sentences": sentences}

    def to_json(self, k: int = 1, marginals: bool = False) -> str:
        """The document as one line of JSON."""
        return line(self.to_dict(k, marginals))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `rows`."""
        kinds = self.parts.parsers
        of_dep = ("head", "label") if "dep" in kinds else ()
        of_ccg = ("supertag",) if "ccg" in kinds else ()
        return ("sentence", "word", *DocumentToken.__slots__, *of_dep, *of_ccg)

    def rows(self) -> Iterator[Values]:
        """One row per word: sentence, token, and the values of all parts."""
        for number, sentence in enumerate(self.sentences, start=1):
            kinds = self.parts.parsers
            heads = sentence.dependencies if "dep" in kinds else ()
            supertags = sentence.supertags if "ccg" in kinds else ()
            for i, token in enumerate(sentence.tokens):
                row: Values = {"sentence": number, "word": i + 1}
                row |= {name: getattr(token, name) for name in DocumentToken.__slots__}
                if heads:
                    row |= {"head": heads[i].head, "label": heads[i].label}
                yield row | ({"supertag": supertags[i]} if supertags else {})

    def to_pandas(self) -> Any:
        """A pandas `DataFrame` with one row per word."""
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise TreewrightError("this needs pandas: pip install pandas") from error
        return DataFrame(self.rows(), columns=list(self.columns))

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[DocumentSentence]:
        return iter(self.sentences)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Document({quantity(len(self), 'sentence')})"

    def _repr_html_(self) -> str:
        more = len(self) - SHOWN
        note = f"<p>{quantity(more, 'more sentence')}</p>\n" if more > 0 else ""
        return "".join(each._repr_html_() for each in self.sentences[:SHOWN]) + note
