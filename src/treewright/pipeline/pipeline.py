"""The pipeline: `nlp = Pipeline(tok="runs/tok/model", dep="runs/dep/model")`, `doc = nlp(text)`."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cached_property
from itertools import chain, islice
from multiprocessing import get_context
from os import PathLike, fspath
from typing import Any

from treewright.data.lines import check_text
from treewright.errors import ConfigError, TreewrightError
from treewright.machine import AHEAD, handed_over
from treewright.models.contract import Analysis, Parser
from treewright.models.installed import tokeniser_directory, whole_package
from treewright.models.kinds import load
from treewright.models.parsing import tokeniser_of
from treewright.pipeline.document import Document
from treewright.pipeline.parts import KINDS, Parts, Values
from treewright.text.tokeniser import SentenceSpan, Tokeniser

Model = Parser[Analysis] | str | PathLike[str]
TEXTS, CHARACTERS = 64, 1 << 16  # limits of a batch of texts
Found = list[tuple[tuple[SentenceSpan, ...], dict[str, list[Values]]]]


class Pipeline:
    """Models of several kinds that share one tokeniser.

    Each part is a loaded model, or the directory or name of a model, which is loaded on first use.
    Without `tok`, the pipeline uses the tokeniser of another part.

    Args:
        tok: the tokeniser.
        dep: the dependency parser, which also predicts tags, features and lemmas.
        ccg: the CCG parser.
        const: the constituency parser.
    """

    def __init__(
        self,
        *,
        tok: Model | None = None,
        dep: Model | None = None,
        ccg: Model | None = None,
        const: Model | None = None,
    ) -> None:
        given = {"tok": tok, "dep": dep, "ccg": ccg, "const": const}
        self._given = {kind: model for kind, model in given.items() if model is not None}
        if not self._given:
            raise ConfigError("a pipeline needs at least one part: tok, dep, ccg or const")
        self.parsers = _Loaded(self._given)

    @classmethod
    def installed(cls, name: str | PathLike[str]) -> "Pipeline":
        """Loads all parts of an installed model package, such as "en"."""
        package = whole_package(name)
        if package is None:
            raise ConfigError(f"no installed model package has the name {fspath(name)!r}")
        parts: dict[str, Any] = {part: package.directory(part) for part in package.contents.parts}
        return cls(**{"tok": tokeniser_directory(name), **parts})

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the parsers."""
        return tuple(self.parsers)

    @cached_property
    def tokeniser(self) -> Tokeniser:
        """The tokeniser: that of the part `tok`, or the first one that a parser has."""
        if "tok" in self._given:
            return tokeniser_of(_model("tok", self._given["tok"]), _name(self._given["tok"]))
        own = (parser.tokeniser for parser in self.parsers.values())
        tokeniser = next((each for each in own if each is not None), None)
        if tokeniser is None:
            raise ConfigError("the pipeline has no tokeniser: add one with Pipeline(tok=...)")
        return tokeniser

    def __call__(self, text: str) -> Document:
        """The document of a text; its parts run when they are asked for."""
        return Document(text, Parts(self.parsers, self.tokeniser.tokenise(check_text(text))))

    def pipe(self, texts: Iterable[str], jobs: int = 1) -> Iterator[Document]:
        """Yields the documents of texts in order, parsed by all parts in batches.

        With several jobs, other processes parse, and few texts are in memory at a time. k-best
        lists and marginals are then computed in this process, on demand.
        """
        if isinstance(texts, str | bytes):
            raise TypeError("pipe takes several texts; for one text, call the pipeline")
        if type(jobs) is not int or jobs < 1:
            raise ConfigError(f"jobs is a positive number of processes, not {jobs!r}")
        batches = _batches(texts)
        if jobs == 1:
            return chain.from_iterable(map(self._parsed, batches))
        return self._by_processes(batches, jobs)

    def _parsed(self, texts: Sequence[str]) -> list[Document]:
        documents = [self(text) for text in texts]
        for kind, parser in self.parsers.items():
            spans = (span for each in documents for span in each.parts.spans)
            sentences = list(map(parser.prepared, spans))
            analyses = iter(parser.parse_many(sentences))
            for each in documents:
                each.parts.give(kind, list(islice(analyses, len(each))))
        return documents

    def values(self, texts: Sequence[str]) -> Found:
        """The results for texts as dictionaries, to send to another process."""
        return [(each.parts.spans, each.parts.all_values()) for each in self._parsed(texts)]

    def _by_processes(self, batches: Iterator[list[str]], jobs: int) -> Iterator[Document]:
        # A fork shares the loaded models; forks are only safe on Linux.
        context = get_context("fork" if sys.platform == "linux" else "spawn")
        _ = self.tokeniser, dict(self.parsers)
        sent: list[list[str]] = []

        def noted() -> Iterator[list[str]]:
            for batch in batches:
                sent.append(batch)
                yield batch

        with ProcessPoolExecutor(jobs, context, _begin, (self,)) as pool:
            try:
                for documents in handed_over(pool, _parse, noted(), AHEAD * jobs):
                    for text, (spans, values) in zip(sent.pop(0), documents, strict=True):
                        yield Document(text, Parts(self.parsers, spans, values))
            except BrokenProcessPool as error:
                message = "a parsing process died, perhaps out of memory: use fewer jobs"
                raise TreewrightError(message) from error

    def __repr__(self) -> str:
        return f"Pipeline({', '.join(self._given)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (_unloaded(self._given),)


class _Loaded(Mapping[str, Parser[Analysis]]):
    """The parsers by kind, each loaded on first use."""

    def __init__(self, given: Mapping[str, Model]) -> None:
        self._given = {kind: given[kind] for kind in KINDS if kind in given}
        self._models: dict[str, Parser[Analysis]] = {}

    def __getitem__(self, kind: str) -> Parser[Analysis]:
        if kind not in self._models:
            self._models[kind] = _model(kind, self._given[kind])
        return self._models[kind]

    def __contains__(self, kind: object) -> bool:
        return kind in self._given

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Loaded, (_unloaded(self._given),)


def _unloaded(given: Mapping[str, Model]) -> dict[str, Model]:
    """Names and directories of models, to send to another process."""
    if any(isinstance(model, Parser) for model in given.values()):
        raise ConfigError(
            "a pipeline of loaded models cannot use several processes: give directories"
        )
    return dict(given)


def _model(kind: str, given: Model) -> Parser[Analysis]:
    model = given if isinstance(given, Parser) else load(given)
    if model.kind != kind and not (kind == "tok" and model.tokeniser is not None):
        raise ConfigError(f"{_name(given)}: a model of kind {model.kind!r}, not {kind!r}")
    return model


def _name(given: Model) -> str:
    return "the part" if isinstance(given, Parser) else fspath(given)


def _rebuilt(given: dict[str, Model]) -> Pipeline:
    return Pipeline(**given)


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Batches of texts to parse together."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(check_text(text))
        size += len(text)
        if len(batch) == TEXTS or size >= CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


_own: list[Pipeline] = []  # the pipeline of a worker process


def _begin(pipeline: Pipeline) -> None:
    _own[:] = [pipeline]


def _parse(texts: list[str]) -> Found:
    return _own[0].values(texts)
