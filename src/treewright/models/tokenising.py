"""Tokenisers as a kind of model (kind "tok"): raw text to sentences and words."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from treewright.config import setting
from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.data.lines import Text, as_sentence, check_text
from treewright.errors import ConfigError
from treewright.formats.dependency import sentence_object
from treewright.metrics.sentences import NamedCounts, segment_counts
from treewright.models.contract import PICTURES, Analysis, Parser, several
from treewright.models.evaluation import (
    PARTS,
    Evaluation,
    NoOptions,
    Oracle,
    Report,
    Table,
    cells,
    errors_of,
    refusal,
)
from treewright.models.kinds import Kind
from treewright.models.reading import PLAIN, Reading, opened, read_spans
from treewright.storage.bundle import Bundle
from treewright.storage.pruning import FeatureTable
from treewright.text.settings import TokeniserSettings
from treewright.text.tokeniser import KIND as NAME
from treewright.text.tokeniser import (
    SentenceSpan,
    Tokeniser,
    tokeniser_bundle,
    tokeniser_from_bundle,
)
from treewright.text.training import train_tokeniser
from treewright.text.trees import one_sentence, tree_of
from treewright.train.run import Run


@dataclass(frozen=True)
class TokSettings:
    """All settings of a tokeniser."""

    train: Path = setting(Path("train.conllu"), "training sentences (CoNLL-U)")
    dev: Path | None = setting(
        None, "dev sentences (CoNLL-U): choose the bias for sentence ends, scored after training"
    )
    tokeniser: TokeniserSettings = setting(TokeniserSettings(), "tokeniser")


@dataclass(frozen=True, eq=False, repr=False)
class TokenAnalysis(Analysis):
    """The words of a sentence and their offsets in the text.

    A tokeniser classifies characters one by one: there are no k-best lists, scores and marginals.
    """

    kind = NAME
    formats = ("conllu", "text", "json", *PICTURES)

    span: SentenceSpan

    @cached_property
    def tree(self) -> DependencyTree:
        """The words as a tree without heads."""
        return tree_of(self.span)

    @property
    def words(self) -> tuple[str, ...]:
        return self.tree.forms

    @property
    def score(self) -> float:
        return 0.0

    @property
    def marginals(self) -> list[object]:
        return []

    def kbest(self, k: int) -> list["TokenAnalysis"]:
        return [self][:k]

    def __str__(self) -> str:
        return " ".join(self.words)

    def written(self, name: str, listed: bool) -> str:  # noqa: ARG002 - there is one
        if name == "text":
            return f"{self}\n"
        return conllu.format_sentence(self.tree) if self.words else ""

    def sentence_values(self) -> dict[str, object]:
        return sentence_object(self.tree)

    def choice_values(self) -> dict[str, object]:
        return {}

    def marginal_values(self) -> object:
        return {}


class TokeniserModel(Parser[TokenAnalysis]):
    """A trained tokeniser: `model.tokenise("She didn't. He did.")`; see `treewright.text`."""

    kind = NAME
    formats = TokenAnalysis.formats

    tokeniser: Tokeniser

    def __init__(self, tokeniser: Tokeniser) -> None:
        self.tokeniser = tokeniser

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "TokeniserModel":
        return cls(tokeniser_from_bundle(bundle))

    def bundle(self) -> Bundle:
        return tokeniser_bundle(self.tokeniser)

    def with_settings(self, **changes: Any) -> "TokeniserModel":
        if changes:
            raise ConfigError(f"a {NAME} model has no setting {min(changes)!r}, nor any other")
        return self

    def tokenise(self, text: str) -> list[SentenceSpan]:
        """The sentences of a text."""
        return self.tokeniser.tokenise(check_text(text))

    def parse_many(self, sentences: Iterable[Text | SentenceSpan]) -> Iterator[TokenAnalysis]:
        """Accepts sentences from `tokenise` or `read`, or texts of one sentence each."""
        return (TokenAnalysis(self._span(sentence)) for sentence in several(sentences))

    def _span(self, given: Text | SentenceSpan) -> SentenceSpan:
        if isinstance(given, SentenceSpan):
            return given
        text = given if isinstance(given, str) else " ".join(as_sentence(given).words)
        return one_sentence(self.tokeniser, text)

    def read(self, source: Path, how: Reading = PLAIN) -> Iterator[SentenceSpan]:
        """Reads the sentences of raw text, or of text with one sentence per line."""
        if how.tagged:
            raise ConfigError(f"a {NAME} model reads text, not word|POS")
        by_line = how.text_as(NAME, ("raw", "sentences")) == "sentences"
        with opened(source, how, NAME) as (_, file):
            yield from read_spans(file, source, self.tokeniser, by_line)

    def prepared(self, span: SentenceSpan) -> SentenceSpan:
        return span

    def untagged(self, sentence: SentenceSpan) -> SentenceSpan:
        return sentence


def _train(settings: TokSettings, run: Run) -> TokeniserModel:
    dev = list(conllu.read(settings.dev)) if settings.dev else []
    trees = list(conllu.read(settings.train))
    return TokeniserModel(train_tokeniser(trees, settings.tokeniser, run, dev, NAME))


def _counts(pred: Path, gold: Path, _: NoOptions) -> NamedCounts:
    produced, due = (list(conllu.read(path, heads="none")) for path in (pred, gold))
    with errors_of(pred):
        return segment_counts(produced, due)


def _report(pred: Path, gold: Path, options: NoOptions) -> Report:
    scores = {name: each.score() for name, each in _counts(pred, gold, options).items()}
    rows = [(name, *cells(score)) for name, score in scores.items()]
    values = {name: score.as_dict() for name, score in scores.items()}
    return Report(values, [Table("Segmentation", ("", *PARTS), rows)])


KIND = Kind(
    NAME,
    TokSettings,
    _train,
    TokeniserModel.from_bundle,
    ray=True,
    evaluation=Evaluation(_report, _counts),
    oracle=Oracle(
        refusal(
            "a tokeniser has no oracle: it classifies characters one by one, so every segmentation"
            " is possible"
        )
    ),
    table=FeatureTable(first="row_first", columns=("row_tag",), weights=("weight",)),
    metric="F1 of tokens",
)
