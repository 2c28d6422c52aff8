"""Parsers as components of spaCy pipelines, which annotate a `Doc`.

    nlp = spacy.blank("en")
    nlp.add_pipe("treewright_dep")
    nlp.add_pipe("treewright_ccg", config={"model": "runs/ccg/model"})
    nlp.add_pipe("treewright_const", config={"model": "en-const"})
    doc = nlp("She didn't go.")
    doc[0].dep_, doc[0].lemma_, doc[0]._.supertag
    sentence = next(doc.sents)
    sentence._.ccg, sentence._.const                the analyses as dictionaries (docs/formats.md)
    sentence._.parse_string, sentence._.constituents

Without `model`, a component uses the installed default, if it is for the pipeline's language.
Tokens are spaCy's. Sentences are those of the `Doc`, otherwise those of the model's tokeniser.
Without a tokeniser, the `Doc` is one sentence.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, TAG
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span, Token
from spacy.util import minibatch

from treewright.data.records import Sentence
from treewright.errors import TreewrightError
from treewright.models.contract import Analysis, Parser
from treewright.models.dependency.analysis import DependencyAnalysis
from treewright.models.installed import default_model
from treewright.models.kinds import load

CONFIG = {"model": ""}
BATCH = 64  # documents parsed together
SPLITS = ("token.is_sent_start", "doc.sents")  # of a `Doc` without sentences
ASSIGNS = {
    "dep": ["token.dep", "token.head", "token.pos", "token.tag", "token.morph", "token.lemma"],
    "ccg": ["token._.supertag", "span._.ccg"],
    "const": ["span._.const", "span._.parse_string", "span._.constituents"],
}
Group = Sequence[Token]  # the words of a sentence, without whitespace tokens


class Component(Pipe):  # type: ignore[misc]  # untyped
    """Shared parts: the sentences of a `Doc` without whitespace tokens, and their analyses."""

    def __init__(self, model: str, kind: str, name: str = "") -> None:
        self.parser: Parser[Analysis] = load(model, kind)
        self.model, self.kind, self.name = model, kind, name or f"treewright_{kind}"

    def __reduce__(self) -> tuple[type["Component"], tuple[str, str, str]]:
        return type(self), (self.model, self.kind, self.name)

    def __call__(self, doc: Doc) -> Doc:
        self._annotate_all([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = BATCH) -> Iterator[Doc]:
        """Annotates the sentences of several documents together, which is faster."""
        for docs in minibatch(stream, batch_size):
            try:
                self._annotate_all(docs)
                yield from docs
            except TreewrightError:
                yield from self._one_by_one(docs)

    def _one_by_one(self, docs: Iterable[Doc]) -> Iterator[Doc]:
        for doc in docs:
            try:
                yield self(doc)
            except TreewrightError as error:
                self.get_error_handler()(self.name, self, [doc], error)

    def _annotate_all(self, docs: Sequence[Doc]) -> None:
        groups = [[group for group in self._sentences(doc) if group] for doc in docs]
        sentences = (
            Sentence.of([token.text for token in group], name=str(number))
            for each in groups
            for number, group in enumerate(each, start=1)
        )
        analyses = list(self.parser.parse_many(list(sentences)))
        left = iter(analyses)
        for doc, each in zip(docs, groups, strict=True):
            self.annotate(doc, each, list(islice(left, len(each))))

    def annotate(self, doc: Doc, groups: Sequence[Group], analyses: Sequence[Analysis]) -> None:
        """Stores the analyses as plain values of the sentences."""
        if not doc.has_annotation("SENT_START"):
            _mark(doc, groups)
        for group, analysis in zip(groups, analyses, strict=True):
            group[0].sent._.set(self.kind, analysis.to_json())

    def _sentences(self, doc: Doc) -> list[list[Token]]:
        words = [token for token in doc if not token.is_space]
        if doc.has_annotation("SENT_START"):
            return [[token for token in sent if not token.is_space] for sent in doc.sents]
        if self.parser.tokeniser is None:
            return [words]
        spans = self.parser.tokeniser.tokenise(doc.text)
        places = [token.idx for token in words]
        inner = [bisect_left(places, span.tokens[0].start) for span in spans[1:]]
        return [words[a:b] for a, b in pairwise([0, *inner, len(words)])]


class DependencyComponent(Component):
    """Heads, relations, tags, features and lemmas of tokens; sentences by the trees."""

    def annotate(self, doc: Doc, groups: Sequence[Group], analyses: Sequence[Analysis]) -> None:
        strings, rows = doc.vocab.strings, np.zeros((len(doc), 6), dtype=np.uint64)
        heads = list(range(len(doc)))
        for group, analysis in zip(groups, analyses, strict=True):
            assert isinstance(analysis, DependencyAnalysis)
            for token, word in zip(group, analysis.tree.words, strict=True):
                heads[token.i] = group[word.head - 1].i if word.head else token.i
                label = "ROOT" if word.deprel == "root" else word.deprel
                texts = [label, word.upos, word.xpos, word.lemma]
                rows[token.i, 1:5] = [strings.add(t) if t != "_" else 0 for t in texts]
                rows[token.i, 5] = doc.vocab.morphology.add(word.feats if word.feats != "_" else "")
        for token in doc:  # whitespace tokens are attached to their neighbours
            if token.is_space:
                heads[token.i] = max(0, token.i - 1) if token.i or len(doc) == 1 else 1
        relative = np.array(heads, dtype=np.int64) - np.arange(len(doc))
        rows[:, 0] = relative.astype(np.uint64)
        doc.from_array([HEAD, DEP, POS, TAG, LEMMA, MORPH], rows)


class CcgComponent(Component):
    """Supertags of tokens, and derivations of sentences."""

    def annotate(self, doc: Doc, groups: Sequence[Group], analyses: Sequence[Analysis]) -> None:
        super().annotate(doc, groups, analyses)
        for group in groups:
            for token, supertag in zip(group, group[0].sent._.ccg["supertags"], strict=False):
                token._.supertag = supertag


def _mark(doc: Doc, groups: Sequence[Group]) -> None:
    first = {group[0].i for group in groups}
    for token in doc:
        token.is_sent_start = token.i == 0 or token.i in first


def _const(span: Span, key: str) -> Any:
    return (span._.const or {}).get(key)


def extend() -> None:
    """Registers the extension attributes, if they are not registered yet."""
    if Span.has_extension("parse_string"):
        return
    Token.set_extension("supertag", default=None)
    Span.set_extension("ccg", default=None)
    Span.set_extension("const", default=None)
    Span.set_extension("parse_string", getter=lambda span: _const(span, "tree"))
    Span.set_extension("constituents", getter=lambda span: _const(span, "constituents"))


def _chosen(model: str, kind: str, nlp: Language) -> str:
    """The model, or the installed default for this kind."""
    if model:
        return model
    default = default_model()
    language = default.partition("-")[0]
    if nlp.lang != language:
        raise TreewrightError(
            f"the installed model {default} is for language {language!r}, not {nlp.lang!r}:"
            ' choose one with config={"model": MODEL}'
        )
    return f"{default}-{kind}"


def make_dep(nlp: Language, name: str, model: str) -> Component:
    """The component `treewright_dep`."""
    return DependencyComponent(_chosen(model, "dep", nlp), "dep", name)


def make_ccg(nlp: Language, name: str, model: str) -> Component:
    """The component `treewright_ccg`."""
    return CcgComponent(_chosen(model, "ccg", nlp), "ccg", name)


def make_const(nlp: Language, name: str, model: str) -> Component:
    """The component `treewright_const`."""
    return Component(_chosen(model, "const", nlp), "const", name)


for _kind, _make in {"dep": make_dep, "ccg": make_ccg, "const": make_const}.items():
    Language.factory(
        f"treewright_{_kind}",
        default_config=CONFIG,
        assigns=[*ASSIGNS[_kind], *SPLITS],
        func=_make,
    )
extend()
