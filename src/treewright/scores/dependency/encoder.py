"""The words of a sentence as rows of small integers, one column for each attribute.

Feature templates name these columns; the core sees nothing else of a word. The number 0 stands for
"no word here" and is never an attribute's value, 1 for a value that training did not see (often
enough).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from treewright.arrays import Indices
from treewright.errors import StoreError

UNKNOWN = 1
FIRST = 2  # the number of the first known value


class Tagged(Protocol):
    """What a parser sees of a word."""

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
    """A sentence as the core sees it: `table` has shape (words, attributes)."""

    table: Indices

    def __len__(self) -> int:
        return len(self.table)


def shape(form: str) -> str:
    """The kinds of characters of a word, runs cut to two: `Xxdd-d` for `Abcd123-4`."""
    kinds = "".join(
        "X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in form
    )
    return re.sub(r"(.)\1{2,}", r"\1\1", kinds)[:12]


# Attributes that follow from the form alone, then those of the tags.
FORM_ATTRIBUTES: Mapping[str, Callable[[str], str]] = {
    "form": lambda form: form,
    "lower": str.lower,
    "prefix": lambda form: form.lower()[:3],
    "suffix2": lambda form: form.lower()[-2:],
    "suffix3": lambda form: form.lower()[-3:],
    "shape": shape,
}
TAG_ATTRIBUTES = ("upos", "xpos", "feats")
ATTRIBUTES = (*FORM_ATTRIBUTES, *TAG_ATTRIBUTES)


class Encoder:
    """The numbers of all attribute values, and of relations; made once, from training data."""

    def __init__(self, values: Mapping[str, Sequence[str]], relations: Sequence[str]) -> None:
        if tuple(values) != ATTRIBUTES:
            raise StoreError(f"the attributes of words are {', '.join(values)}: another version")
        self.values = {name: tuple(texts) for name, texts in values.items()}
        self.relations = tuple(relations)
        self.relation_number = {name: i for i, name in enumerate(self.relations)}
        self._number = [
            {text: i for i, text in enumerate(texts, start=FIRST)} for texts in self.values.values()
        ]
        self._of_form: dict[str, tuple[int, ...]] = {}

    @classmethod
    def fit(
        cls, sentences: Iterable[Sequence[Tagged]], relations: Iterable[str], cutoff: int = 1
    ) -> "Encoder":
        """An encoder for the values that occur more than `cutoff` times (tags: at all)."""
        counts: dict[str, Counter[str]] = {name: Counter() for name in ATTRIBUTES}
        for sentence in sentences:
            for word in sentence:
                for name, function in FORM_ATTRIBUTES.items():
                    counts[name][function(word.form)] += 1
                for name in TAG_ATTRIBUTES:
                    counts[name][getattr(word, name)] += 1
        least = {name: 1 if name in TAG_ATTRIBUTES else cutoff + 1 for name in ATTRIBUTES}
        values = {
            name: sorted(text for text, count in found.items() if count >= least[name])
            for name, found in counts.items()
        }
        return cls(values, sorted(set(relations)))

    def encode(self, words: Sequence[Tagged]) -> EncodedSentence:
        """The numbers of a sentence's words."""
        upos, xpos, feats = self._number[len(FORM_ATTRIBUTES) :]
        rows = [
            (
                *self._form_numbers(word.form),
                upos.get(word.upos, UNKNOWN),
                xpos.get(word.xpos, UNKNOWN),
                feats.get(word.feats, UNKNOWN),
            )
            for word in words
        ]
        return EncodedSentence(np.array(rows, np.int32).reshape(len(rows), len(ATTRIBUTES)))

    def _form_numbers(self, form: str) -> tuple[int, ...]:
        found = self._of_form.get(form)
        if found is None:
            pairs = zip(FORM_ATTRIBUTES.values(), self._number, strict=False)
            found = tuple(numbers.get(f(form), UNKNOWN) for f, numbers in pairs)
            self._of_form[form] = found
        return found
