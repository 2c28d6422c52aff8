"""Sentences as the features of constituency charts and the span model read them."""

from collections.abc import Sequence

from treewright import _core
from treewright.arrays import Indices, Keys
from treewright.grammar.words import Vocabulary, sorts, word_class
from treewright.scores.constituency.templates import (
    LANGUAGE,
    SETS,
    compile_span_templates,
    parse_templates,
)
from treewright.scores.features.encoder import Encoder

Tokens = _core.Tokens  # a sentence as numbers
Arrays = tuple[Keys, Indices]


class SpanEncoder:
    """Turns words and tags into what features read; words that are rare stand for their class.

    Args:
        vocabulary: of the words that have a value of their own.
        texts: templates, see `treewright.scores.constituency.templates`.
    """

    def __init__(self, vocabulary: Vocabulary, texts: Sequence[str] = SETS["full"]) -> None:
        self.vocabulary, self.texts = vocabulary, tuple(texts)
        parsed = parse_templates(texts)
        names = LANGUAGE.attributes(parsed)
        self._words = Encoder(names, ("word", "pos"), {"word": self._known})
        self.templates = compile_span_templates(parsed, self._words.names)

    def _known(self, word: str) -> str:
        return word if word in self.vocabulary else "\0" + word_class(word)

    def arrays(self, words: Sequence[str], tags: Sequence[str]) -> Arrays:
        """Attributes [words, columns], and what each tag is to the shape of a span [words]."""
        return self._words.rows(words, tags), sorts(tags)

    def tokens(self, words: Sequence[str], tags: Sequence[str]) -> Tokens:
        """The same for the core."""
        return core_tokens(self.arrays(words, tags))


def core_tokens(arrays: Arrays) -> Tokens:
    """The core's form of encoded words."""
    table, kinds = arrays
    return Tokens(table.ravel(), table.shape[1], kinds)
