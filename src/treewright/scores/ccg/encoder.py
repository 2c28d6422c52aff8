"""The words of a sentence as the features of CCG charts read them."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from treewright import _core
from treewright.arrays import Indices
from treewright.scores.ccg.templates import ccg_attributes, compile_ccg_templates
from treewright.scores.features.encoder import Encoder

VERBS = re.compile(r"V.*|MD|AUX")
STOPS = re.compile(r"[^A-Za-z$#].*|PUNCT")


class CcgEncoder:
    """Turns words and parts of speech into what features read."""

    def __init__(self, templates: Sequence[str]) -> None:
        self.words = Encoder(ccg_attributes(templates), ("word", "pos"))
        self.templates = compile_ccg_templates(templates, self.words.names)

    def encode(self, words: Sequence[str], pos: Sequence[str]) -> _core.CcgWords:
        """The attributes of a sentence."""
        table = self.words.rows(words, pos)
        return _core.CcgWords(
            table.ravel(), _before(VERBS, pos), _before(STOPS, pos), table.shape[1]
        )


def _before(pattern: re.Pattern[str], pos: Iterable[str]) -> Indices:
    """How many tags before each position match, int32 [words + 1]."""
    return np.cumsum([0, *(_matches(pattern, tag) for tag in pos)], dtype=np.int32)


@lru_cache(maxsize=10_000)
def _matches(pattern: re.Pattern[str], tag: str) -> bool:
    return bool(pattern.match(tag))
