"""The base class of POS taggers and supertaggers."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Self, TypeVar

from treewright.data.lines import Text
from treewright.data.records import Sentence
from treewright.models.contract import Parser, changed, several
from treewright.models.tagging.analysis import Decoder, TagAnalysis, TagNames
from treewright.scores.tagging.base import SequenceTagger
from treewright.scores.tagging.encoder import Words

T = TypeVar("T")
BATCH = 256  # sentences that are tagged together


def batches(items: Iterable[T]) -> Iterator[list[T]]:
    """Lists of up to BATCH items."""
    rest = iter(items)
    while some := list(islice(rest, BATCH)):
        yield some


def tag_all(
    tagger: SequenceTagger, sentences: Sequence[Words], pos: Sequence[Words] | None = None
) -> list[list[str]]:
    """The tags of all sentences; an empty sentence has none."""
    filled = [i for i, words in enumerate(sentences) if words]
    chosen = None if pos is None else [pos[i] for i in filled]
    rows = tagger.tag_batch([sentences[i] for i in filled], chosen)
    tags: list[list[str]] = [[] for _ in sentences]
    for i, row in zip(filled, rows, strict=True):
        tags[i] = row
    return tags


@dataclass(frozen=True)
class TaggingSettings:
    """Settings of tagging; `dictionary_cutoff` None: the model's own."""

    decoder: Decoder = "min-risk"
    dictionary_cutoff: int | None = None


class TaggerModel(Parser[TagAnalysis]):
    """The base class of taggers: `model.parse("...").tags`, or `model.tag(words)`."""

    formats = TagAnalysis.formats
    tagger: SequenceTagger
    settings: TaggingSettings

    @property
    @abstractmethod
    def shown(self) -> TagNames:
        """The names of the tags."""

    @abstractmethod
    def _parts_of_speech(self, sentences: Sequence[Sentence]) -> Sequence[Words] | None:
        """The POS tags that the tagger uses as input, if it uses them."""

    @abstractmethod
    def _with(self, settings: TaggingSettings) -> Self:
        """The same tagger with other settings."""

    def with_settings(self, **changes: Any) -> Self:
        """The same model with other settings: decoder, dictionary_cutoff."""
        made = self._with(changed(self.settings, changes, self.kind))
        return made.with_tokeniser(self.tokeniser)

    def parse_many(self, sentences: Iterable[Text]) -> Iterator[TagAnalysis]:
        for batch in batches(map(self.as_sentence, several(sentences))):
            yield from self._analyses(batch)

    def _analyses(self, batch: Sequence[Sentence]) -> Iterator[TagAnalysis]:
        filled = [sentence for sentence in batch if sentence.tokens]
        if not filled:
            yield from map(self._nothing, batch)
            return
        pos = self._parts_of_speech(filled)
        words, cutoff = [sentence.words for sentence in filled], self.settings.dictionary_cutoff
        posteriors = self.tagger.posteriors_batch(words, pos, cutoff).split()
        seen = iter(pos or ())
        for sentence in batch:
            analysis = self._nothing(sentence)
            if sentence.tokens:
                tags = None if pos is None else tuple(next(seen))
                analysis = replace(analysis, pos=tags, posteriors=next(posteriors))
            yield analysis

    def _nothing(self, sentence: Sentence) -> TagAnalysis:
        decoder = self.settings.decoder
        return TagAnalysis(sentence, None, self.tagger, self.shown, decoder, None)

    def tag(self, words: Text) -> list[str]:
        """The tag of each word."""
        return list(self.parse(words).tags)
