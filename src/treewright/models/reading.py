"""Reading of input files: raw text, sentences, tokens, and treebanks."""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TextIO, TypeVar

from treewright.data import conllu, ptb
from treewright.data.auto import read_auto
from treewright.data.brackets import tagged_words, unescape
from treewright.data.dependency import DependencyTree
from treewright.data.lines import Source, peeked
from treewright.data.records import Sentence, Token
from treewright.data.sniff import SUFFIXES, readable_format
from treewright.errors import ConfigError
from treewright.text.read import read_blocks
from treewright.text.tokeniser import SentenceSpan, Tokeniser, numbered

GLUED = re.compile(r"\w[,;!?]$|\wn't\b")
T = TypeVar("T")
TextInput = Literal["raw", "sentences", "tokens"]


@dataclass(frozen=True)
class Reading:
    """How files are read: `tagged`: tokens are word|POS; `text`: the type of text."""

    tagged: bool = False
    text: TextInput | None = None

    def text_as(self, kind: str, possible: Sequence[TextInput]) -> TextInput:
        """The type of text: the requested one, or the first possible; tagged text has tokens."""
        tagged: TextInput | None = "tokens" if self.tagged else None
        wanted = self.text or tagged or possible[0]
        if wanted in possible:
            return wanted
        if "raw" in possible:
            raise ConfigError(
                f"a model of kind {kind!r} tokenises text itself and does not support --tokens"
            )
        message = f"this model of kind {kind!r} has no tokeniser, which --{wanted} needs"
        raise ConfigError(f"{message}: choose one with --tokeniser, a model of kind tok or dep")


PLAIN = Reading()


@contextmanager
def opened(
    source: Path, how: Reading, kind: str, known: tuple[str, ...] = ()
) -> Iterator[tuple[str | None, TextIO]]:
    """Opens a file and yields its treebank format (None for text) and the open file.

    Treebanks in unknown formats are refused, unless the user declares the file as text.
    """
    with peeked(source) as (first, file):
        said = how.text is not None and source.suffix.lower() not in SUFFIXES
        yield (None if said else readable_format(source, first, kind, known)), file


def conllu_words(file: Source) -> Iterator[Sentence]:
    """The words and XPOS of a CoNLL-U file."""
    for number, tree in enumerate(conllu.read(file, heads="none"), start=1):
        tags = None if "_" in tree.xpos else tree.xpos
        yield Sentence.of(tree.forms, tags, tree.id or str(number))


def bracket_words(file: Source) -> Iterator[Sentence]:
    """The words and tags of a bracket file, without traces."""
    for number, tree in enumerate(ptb.read(file), start=1):
        leaves = [leaf for leaf in tagged_words(tree) if leaf.label != "-NONE-"]
        yield Sentence(str(number), tuple(Token(leaf.word, leaf.label) for leaf in leaves))


def auto_words(file: Source) -> Iterator[Sentence]:
    """The words and tags of an AUTO file."""
    return (derivation.sentence for derivation in read_auto(file))


WORDS: dict[str, Callable[[Source], Iterator[Sentence]]] = {
    "CoNLL-U": conllu_words,
    "bracket": bracket_words,
    "AUTO": auto_words,
}


def unescaped(sentence: Sentence) -> Sentence:
    """The sentence with words as in text: -LRB- becomes `(`, and so on."""
    tokens = (replace(token, word=unescape(token.word)) for token in sentence.tokens)
    return replace(sentence, tokens=tuple(tokens))


def hinted(sentences: Iterable[T]) -> Iterator[T]:
    """The sentences, with a warning if their tokens do not look tokenised."""
    sentences = iter(sentences)
    for sentence in sentences:
        yield sentence
        if first := next(filter(GLUED.search, _forms(sentence)), None):
            message = f"reading text as tokens separated by spaces, but {first!r} does"
            warnings.warn(
                f"{message} not look tokenised: use --raw with --tokeniser, or --tokens",
                stacklevel=2,
            )
            break
    yield from sentences


def _forms(sentence: object) -> tuple[str, ...]:
    if isinstance(sentence, DependencyTree):
        return sentence.forms
    return sentence.words if isinstance(sentence, Sentence) else ()


def read_spans(
    file: TextIO, source: Path, tokeniser: Tokeniser, by_line: bool
) -> Iterator[SentenceSpan]:
    """Reads the sentences of raw text, or of text with one sentence per line."""
    blocks = read_blocks(file, source.is_char_device())
    yield from numbered(
        span for start, block in blocks for span in tokeniser.tokenise(block, start, by_line)
    )
