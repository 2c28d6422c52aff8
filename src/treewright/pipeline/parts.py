"""The analyses of a document's sentences, computed on demand.

A part is one model of a pipeline, named after its kind. When a part is used for the first time, it
parses all sentences of the document together.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from treewright.errors import ConfigError
from treewright.formats.dependency import sentence_object
from treewright.models.contract import Analysis, Parser
from treewright.text.tokeniser import SentenceSpan, numbered
from treewright.text.trees import tree_of

KINDS = ("dep", "ccg", "const")  # the first of these parts that exists provides the tags
SENTENCE = "sentence"  # the name of what is known about sentences before parsing
Values = dict[str, Any]
Parsers = Mapping[str, Parser[Analysis]]


class Parts:
    """Analyses by kind, one per sentence, and the same as dictionaries (docs/formats.md).

    values: the results of another process.
    """

    def __init__(
        self,
        parsers: Parsers,
        spans: Sequence[SentenceSpan],
        values: Mapping[str, list[Values]] | None = None,
    ) -> None:
        self.parsers, self.spans = parsers, tuple(numbered(spans))
        self._values = dict(values or {})
        self._analyses: dict[str, list[Analysis]] = {}

    def __reduce__(self) -> tuple[type["Parts"], tuple[object, ...]]:
        return Parts, (self.parsers, self.spans, self.all_values())

    def analyses(self, kind: str) -> list[Analysis]:
        """The analyses of all sentences from one part."""
        if kind not in self._analyses:
            parser = self.parser(kind)
            sentences = list(map(parser.prepared, self.spans))
            self._analyses[kind] = list(parser.parse_many(sentences))
        return self._analyses[kind]

    def parser(self, kind: str) -> Parser[Analysis]:
        """The model of one part."""
        if kind not in self.parsers:
            known = ", ".join(self.parsers) or "none"
            raise ConfigError(f"the pipeline has no part {kind!r}: it has {known}")
        return self.parsers[kind]

    def give(self, kind: str, analyses: Sequence[Analysis]) -> None:
        """Adds analyses that were computed together with those of other documents."""
        self._analyses[kind] = list(analyses)

    def values(self, kind: str) -> list[Values]:
        """The analyses as dictionaries, without the sentences."""
        if kind not in self._values:
            self._values[kind] = [each.analysis_values() for each in self.analyses(kind)]
        return self._values[kind]

    def sentences(self) -> list[Values]:
        """Sentences with words, offsets and tags; tags come from the first part that has them."""
        if SENTENCE not in self._values:
            first = next((kind for kind in KINDS if kind in self.parsers), None)
            self._values[SENTENCE] = (
                [sentence_object(tree_of(span)) for span in self.spans]
                if first is None
                else [each.sentence_values() for each in self.analyses(first)]
            )
        return self._values[SENTENCE]

    def all_values(self) -> dict[str, list[Values]]:
        """All results as dictionaries."""
        return {SENTENCE: self.sentences()} | {kind: self.values(kind) for kind in self.parsers}
