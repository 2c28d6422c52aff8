"""Words as the numbers that encoders see, without torch.

`WordPieces` cuts words as a tokenizer in the Hugging Face layout does; `HashedWords` hashes a few
attributes of every word.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Integers
from treewright.errors import ConfigError, StoreError
from treewright.grammar.words import plain
from treewright.scores.neural.checks import checked_shape, checked_tokenizer

ATTRIBUTES = 6  # of a word's form
TAGS = 2  # of a tagged word: UPOS and XPOS
BEHIND = "\t"  # separates the form of a tagged word and its tags; no form has it
HASHES = 2  # rows per attribute
MAX_WORDS = 256  # that are encoded together
MOST_KEPT, LONGEST_KEPT = 1 << 15, 50  # words whose pieces are remembered, and their letters
SURFACES = 4  # attributes of words beside their pieces
# Tokens that treebanks write for others; encoders have seen the others.
PLAIN = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
PLAIN |= {"``": '"', "''": '"'}


class WordCodes(Protocol):
    """A sentence as an integer array, and a batch of them padded, as an encoder's inputs."""

    max_words: int  # of what is encoded at a time

    def prepare(self, words: Sequence[str]) -> Integers:
        """A sentence."""

    def collate(self, sentences: Sequence[Integers]) -> tuple[Integers, ...]:
        """A batch of prepared sentences."""


def padded(arrays: Sequence[Integers], fill: int = 0) -> Integers:
    """Arrays [length, ...] of different lengths as one array [sentences, longest, ...]."""
    longest = max(len(array) for array in arrays)
    found = np.full((len(arrays), longest, *arrays[0].shape[1:]), fill, np.int64)
    for row, array in enumerate(arrays):
        found[row, : len(array)] = array
    return found


class _Pieces(NamedTuple):
    """The pieces of a word, and its rows of the tables of surfaces."""

    ids: list[int]
    codes: list[int]


class WordPieces:
    """A prepared sentence is [pieces, 2]: numbers of pieces, and the place of each one's word.

    The root is the first special piece; other special pieces belong to no word, -1. With surfaces
    it is [pieces, 2 + SURFACES]: rows of tables plus 1, the same for all pieces of a word.

    Args:
        config: the text of `config.json`.
        tokenizer: the text of `tokenizer.json`.
        surface: rows of each table of attributes of words; 0: none.
    """

    def __init__(self, config: str, tokenizer: str, surface: int = 0) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ConfigError(
                "this model needs tokenizers: pip install treewright[neural]"
            ) from error
        self.surface = surface
        self.max_pieces, self.pad = checked_shape(config)
        self.max_words = max(1, min(MAX_WORDS, self.max_pieces - 2))
        with _failing_as_one():
            self.tokenizer = Tokenizer.from_str(checked_tokenizer(tokenizer))
            self.first, *_, self.last = self.tokenizer.encode("a").ids
            self.unknown = self.tokenizer.encode("\u2400", add_special_tokens=False).ids[:1] or [0]
            self.largest = max(self.tokenizer.get_vocab().values(), default=0)
        self._known: dict[str, _Pieces] = {}

    def prepare(self, words: Sequence[str]) -> Integers:
        """The pieces of a sentence; a word that the tokenizer drops is one piece, unknown."""
        pieces = self._pieces(words)
        lists = [pieces[word].ids for word in words]
        if sum(map(len, lists)) > self.max_pieces - 2:
            budget = max(1, (self.max_pieces - 2) // max(1, len(words)))
            lists = [ids[:budget] for ids in lists]
        rows = [(self.first, 0)]
        rows += [(piece, place) for place, ids in enumerate(lists, 1) for piece in ids]
        found = np.array([*rows, (self.last, -1)], np.int64)
        if not self.surface:
            return found
        codes = np.array([[0] * SURFACES, *(pieces[word].codes for word in words)], np.int64)
        return np.concatenate((found, codes[np.maximum(found[:, 1], 0)]), axis=1)

    def _pieces(self, words: Sequence[str]) -> Mapping[str, "_Pieces"]:
        """The pieces of words; those of short words are remembered."""
        known = self._known  # another thread may replace it
        new = [word for word in dict.fromkeys(words) if word not in known]
        if not new:
            return known
        with _failing_as_one():
            encoded = self.tokenizer.encode_batch(
                [[_plain(word)] for word in new], is_pretokenized=True, add_special_tokens=False
            )
        found = {
            word: _Pieces(
                each.ids or self.unknown,
                [1 + key % self.surface for key in surfaces(word)] if self.surface else [],
            )
            for word, each in zip(new, encoded, strict=True)
        }
        pieces = {word: found.get(word) or known[word] for word in words}
        if len(known) > MOST_KEPT:
            self._known = {}
        self._known.update((word, p) for word, p in found.items() if len(word) <= LONGEST_KEPT)
        return pieces

    def collate(self, sentences: Sequence[Integers]) -> tuple[Integers, ...]:
        """Pieces and the word of each, both [sentences, pieces], -2 is padding; all words.

        Then surfaces [sentences, pieces, SURFACES], if there are any.
        """
        pieces = padded([each[:, 0] for each in sentences], self.pad)
        place = padded([each[:, 1] for each in sentences], -2)
        found = (pieces, place, np.arange(int(place.max()) + 1))
        return (*found, padded([each[:, 2:] for each in sentences])) if self.surface else found


def _plain(word: str) -> str:
    """A word as encoders have seen it; half a surrogate pair, which is no text, as a mark."""
    return PLAIN.get(word) or plain(word).encode(errors="replace").decode()


@contextmanager
def _failing_as_one() -> Iterator[None]:
    """Whatever the tokenizers library raises as a StoreError; its panics are no Exceptions."""
    try:
        yield
    except StoreError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise StoreError(f"a tokenizer fails: {error!s:.200}") from error


class HashedWords:
    """A prepared sentence is [words + 1, attributes * HASHES], rows of tables plus 1; root: 0.

    Every attribute is hashed to two rows of its table, so that collisions rarely agree. Where words
    have static vectors, a last column has the row of each word's; 0: it has none.

    Args:
        rows: of every table.
        static: words with static vectors.
        tagged: whether words are those that `tagged_word` makes; their tags are attributes, too.
    """

    max_words = MAX_WORDS

    def __init__(self, rows: int, static: Sequence[str] = (), tagged: bool = False) -> None:
        self.rows, self.tagged = rows, tagged
        self.attributes = ATTRIBUTES + TAGS * tagged
        self.static = {word: i for i, word in enumerate(static, 1)}

    def prepare(self, words: Sequence[str]) -> Integers:
        """Hashed attributes of the words; row 0 is the root."""
        pairs = [_form_and_tags(word) if self.tagged else (word, ()) for word in words]
        rows = [[0] * (self.attributes * HASHES)]
        rows += [[1 + key % self.rows for key in _keys(*pair)] for pair in pairs]
        found = np.array(rows, np.int64)
        if not self.static:
            return found
        return np.column_stack((found, [0, *(self._vector(form) for form, _ in pairs)]))

    def _vector(self, form: str) -> int:
        """The row of a word's vector, or of that of its lower-case form."""
        forms = (form, plain(form), plain(form).lower())
        return next((self.static[each] for each in forms if each in self.static), 0)

    def collate(self, sentences: Sequence[Integers]) -> tuple[Integers, ...]:
        """Rows of the tables, and which places are words: [sentences, longest + 1]."""
        return padded(sentences), padded([np.ones(len(each), np.int64) for each in sentences])


def attributes(word: str) -> list[str]:
    """Form, lower form, three affixes and the shape."""
    lower = word.lower()
    return [word, lower, lower[:3], lower[-2:], lower[-3:], shape(word)]


@lru_cache(maxsize=1 << 16)
def surfaces(word: str) -> tuple[int, ...]:
    """Hashes of shape, first three, last three and last two characters, capitals told apart."""
    word = plain(word)
    found = (shape(word), word[:3], word[-3:], word[-2:])
    return tuple(next(_hashes(f"{i} {text}")) for i, text in enumerate(found))


def shape(word: str) -> str:
    """`Xxx-dd` for `Abc-12`, runs of one class cut after three."""
    found = ""
    for char in word:
        kind = "d" if char.isdigit() else "X" if char.isupper() else "x" if char.isalpha() else char
        if not found.endswith(kind * 3):
            found += kind
    return found


def tagged_word(form: str, upos: str, xpos: str) -> str:
    """A word with its tags, for networks that take tags."""
    return BEHIND.join((form, upos, xpos))


def _form_and_tags(word: str) -> tuple[str, tuple[str, ...]]:
    """What `tagged_word` has joined; a word without tags has the tag "_"."""
    form, *tags = word.split(BEHIND, TAGS)
    return form, (*tags, *["_"] * (TAGS - len(tags)))


def _keys(form: str, tags: Sequence[str]) -> Iterator[int]:
    for number, text in enumerate((*attributes(plain(form)), *tags)):
        yield from _hashes(f"{number} {text}")


def _hashes(text: str) -> Iterator[int]:
    digest = blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
    words: NDArray[np.uint64] = np.frombuffer(digest, "<u8")
    yield from (int(each) for each in words)
