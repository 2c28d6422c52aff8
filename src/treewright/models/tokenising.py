"""Tokenisers as a kind of model (kind "tok"): raw text in, sentences and words out."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from treewright.config import setting
from treewright.data import conllu
from treewright.data.lines import peeked
from treewright.models.kinds import NO_FRAMES, Kind, ParseOptions
from treewright.storage.bundle import Bundle, read_bundle
from treewright.text.bundle import KIND as NAME
from treewright.text.bundle import tokeniser_bundle, tokeniser_from_bundle
from treewright.text.fit import train_tokeniser
from treewright.text.read import read_blocks
from treewright.text.settings import TokeniserSettings
from treewright.text.tokeniser import SentenceSpan, Token, Tokeniser
from treewright.text.trees import tree_of
from treewright.train.run import Run


@dataclass(frozen=True)
class TokSettings:
    """All settings of a tokeniser."""

    train: Path = setting(Path("train.conllu"), "sentences to learn from")
    dev: Path | None = setting(None, "the same to score on after training")
    tokeniser: TokeniserSettings = setting(TokeniserSettings(), "features and training")


class TokeniserModel:
    """A trained tokeniser: `model.tokenise("She didn't. He did.")`; see `treewright.text`."""

    formats = ("conllu", "text", "json")
    frames = NO_FRAMES

    def __init__(self, tokeniser: Tokeniser) -> None:
        self.tokeniser = tokeniser

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "TokeniserModel":
        return cls(tokeniser_from_bundle(bundle))

    @classmethod
    def load(cls, directory: str | PathLike[str]) -> "TokeniserModel":
        return cls.from_bundle(read_bundle(directory))

    def bundle(self) -> Bundle:
        return tokeniser_bundle(self.tokeniser)

    def tokenise(self, text: str) -> list[SentenceSpan]:
        """The sentences of a text."""
        return self.tokeniser.tokenise(text)

    def read(self, source: Path, options: ParseOptions) -> Iterator[SentenceSpan]:
        """The sentences of raw text, or of text with one sentence per line."""
        options.reject(NAME, "k_best", "decoder", "beam", "schedule", "tagged")
        options.input(NAME, ("raw", "sentences"))
        with peeked(source) as (_, file):
            each_line = source.is_char_device()
            for start, block in read_blocks(file, each_line):
                yield from self.tokeniser.tokenise(block, start, options.text == "sentences")

    def blocks(
        self, sentences: Iterable[SentenceSpan], form: str, options: ParseOptions
    ) -> Iterator[str]:
        """CoNLL-U; words with spaces between them, one sentence per line; or JSON objects."""
        del options
        write = {"conllu": _conllu, "text": _text, "json": _json}[form]
        return map(write, sentences)


def _conllu(sentence: SentenceSpan) -> str:
    return conllu.format_sentence(tree_of(sentence))


def _text(sentence: SentenceSpan) -> str:
    return " ".join(tree_of(sentence).forms) + "\n"


def _json(sentence: SentenceSpan) -> str:
    tokens = [_fields(token) for token in sentence.tokens]
    return json.dumps({"tokens": tokens}, ensure_ascii=False) + "\n"


def _fields(token: Token) -> dict[str, object]:
    found: dict[str, object] = {"text": token.text, "start": token.start, "end": token.end}
    return found | ({"words": token.words} if token.words else {})


def _train(settings: TokSettings, run: Run) -> TokeniserModel:
    dev = list(conllu.read(settings.dev)) if settings.dev else []
    trees = list(conllu.read(settings.train))
    return TokeniserModel(train_tokeniser(trees, settings.tokeniser, run, dev, NAME))


KIND = Kind(NAME, TokSettings, _train, TokeniserModel.from_bundle, ray=True)
