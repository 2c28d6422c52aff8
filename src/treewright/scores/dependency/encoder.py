"""Encodes the words of dependency trees as small integers, one column per attribute.

Tables of labels and of tags between words need small numbers: 1 is a value that is rare or unseen
in training; 0 is not used by any attribute value.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Protocol

from treewright.arrays import Keys
from treewright.errors import StoreError
from treewright.scores.features.encoder import ATTRIBUTES as FEATURES
from treewright.scores.features.encoder import FIRST, UNKNOWN, Encoder

__all__ = ["ATTRIBUTES", "FIRST", "UNKNOWN", "EncodedSentence", "Tagged", "TreeEncoder"]


class Tagged(Protocol):
    """The properties of a word that the parser uses."""

    @property
    def form(self) -> str: ...
    @property
    def upos(self) -> str: ...
    @property
    def xpos(self) -> str: ...
    @property
    def feats(self) -> str: ...


@dataclass(frozen=True)
class EncodedSentence:
    """A sentence encoded for the core: `table` has the shape (words, attributes)."""

    table: Keys

    def __len__(self) -> int:
        return len(self.table)


FORM_ATTRIBUTES = ("word", "lower", "start3", "end2", "end3", "shape2")
TAG_ATTRIBUTES = ("upos", "xpos", "feats")
ATTRIBUTES = (*FORM_ATTRIBUTES, *TAG_ATTRIBUTES)


class TreeEncoder:
    """The numbers of attribute values and relations, determined by the training data."""

    def __init__(self, values: Mapping[str, Sequence[str]], relations: Sequence[str]) -> None:
        if tuple(values) != ATTRIBUTES:
            raise StoreError(f"the attributes of words are {', '.join(values)}: another version")
        self.values = {name: tuple(texts) for name, texts in values.items()}
        self.relations = tuple(relations)
        self.relation_number = {name: i for i, name in enumerate(self.relations)}
        self._rows = Encoder(ATTRIBUTES, ("word", *TAG_ATTRIBUTES), vocabularies=self.values)

    @property
    def tag_columns(self) -> list[str]:
        """The columns of tags that had values in the training data."""
        return [name for name in TAG_ATTRIBUTES if {*self.values[name]} - {"_"}]

    @classmethod
    def fit(
        cls, sentences: Iterable[Sequence[Tagged]], relations: Iterable[str], cutoff: int = 1
    ) -> "TreeEncoder":
        """Creates an encoder for the values that occur more than `cutoff` times (tags: at all)."""
        counts: dict[str, Counter[str]] = {name: Counter() for name in ATTRIBUTES}
        for sentence in sentences:
            for name, count in counts.items():
                source, function = FEATURES[name].source, FEATURES[name].function
                count.update(function(text) for text in _strings(sentence, source))
        least = {name: 1 if name in TAG_ATTRIBUTES else cutoff + 1 for name in ATTRIBUTES}
        values = {
            name: sorted(text for text, count in texts.items() if count >= least[name])
            for name, texts in counts.items()
        }
        return cls(values, sorted(set(relations)))

    def encode(self, words: Sequence[Tagged]) -> EncodedSentence:
        """Encodes the words of a sentence."""
        return self.encode_all([words])[0]

    def encode_all(self, sentences: Sequence[Sequence[Tagged]]) -> list[EncodedSentence]:
        """Encodes the words of many sentences."""
        words = list(chain.from_iterable(sentences))
        sources = ("word", *TAG_ATTRIBUTES)
        table = self._rows.rows(*(_strings(words, name) for name in sources))
        cuts = accumulate(map(len, sentences), initial=0)
        return [EncodedSentence(table[a:b]) for a, b in pairwise(cuts)]


def _strings(words: Sequence[Tagged], source: str) -> list[str]:
    return [getattr(word, "form" if source == "word" else source) for word in words]
