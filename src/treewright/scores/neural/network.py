"""A trained network: sentences in, the tables of its heads out."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from weakref import WeakValueDictionary

import numpy as np

from treewright.arrays import Floats32
from treewright.errors import StoreError
from treewright.machine import shared_lock
from treewright.scores.neural.graphs import Graph
from treewright.scores.neural.words import HashedWords, WordCodes, WordPieces
from treewright.storage.bundle import Bundle

STATIC = "static.words"
KIND, CONFIG, TOKENIZER, ENCODER = "network", "config.json", "tokenizer.json", "encoder"
HEAD, LABELS = "head.", ".labels"
KEPT = 256  # sentences whose vectors are remembered
Words = tuple[str, ...]


class SharedEncoder:
    """Sentences as vectors of their words.

    The vectors of the last sentences are remembered, so that several heads, and several parsers
    of one family, encode a sentence once. Threads may share an encoder.
    """

    def __init__(self, codes: WordCodes, graph: Graph) -> None:
        self.codes, self.graph = codes, graph
        self._kept: OrderedDict[Words, Floats32] = OrderedDict()
        self._lock = shared_lock()

    def vectors(self, sentences: Sequence[Sequence[str]]) -> list[Floats32]:
        """The vectors of the words of sentences: [words + 1, width]; the first is the root's.

        Time and memory are linear in words: what is longer than `codes.max_words` is encoded in
        pieces of that length, and has the root of the first.
        """
        most = self.codes.max_words
        cut = [[w[i : i + most] for i in range(0, max(len(w), 1), most)] for w in sentences]
        found = iter(self._encoded([piece for pieces in cut for piece in pieces]))
        return [_joined([next(found) for _ in pieces]) for pieces in cut]

    def _encoded(self, sentences: Sequence[Sequence[str]]) -> list[Floats32]:
        keys = [tuple(words) for words in sentences]
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
        lacking = dict.fromkeys(key for key in keys if key not in known)
        new = {key: self._vectors_of(key) for key in lacking}
        with self._lock:
            self._kept.update(new)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return [known[key] if key in known else new[key] for key in keys]

    def _vectors_of(self, words: Words) -> Floats32:
        """One sentence alone: graphs of 8 bits round by the largest number of a batch.

        So the same sentence has the same analysis in any company. Nothing is padded, which makes
        up for small batches.
        """
        found: Floats32 = self.graph(*self.codes.collate([self.codes.prepare(words)]))[0]
        if found.ndim != 2 or len(found) < len(words) + 1:
            raise StoreError(f"a network's encoder gives {found.shape} for {len(words)} words")
        return found[: len(words) + 1]

    def forget(self) -> None:
        """Forgets all sentences."""
        with self._lock:
            self._kept.clear()


def _joined(pieces: Sequence[Floats32]) -> Floats32:
    if len(pieces) == 1:
        return pieces[0]
    return np.concatenate([pieces[0], *(piece[1:] for piece in pieces[1:])])


# Encoders in use, by the SHA-256 of all that they are made of: parsers of one family share theirs.
_ENCODERS: WeakValueDictionary[str, SharedEncoder] = WeakValueDictionary()


def shared_encoder(bundle: Bundle) -> SharedEncoder:
    """The encoder of a network; the one that is in use where another network has the same."""
    graph = bundle.arrays[ENCODER]
    words = [bundle.texts.get(name) for name in (CONFIG, TOKENIZER, STATIC)]
    settings = [bundle.config.get(name) for name in ("rows", "surface", "tags")]
    name = sha256(
        repr([words, settings]).encode(errors="surrogatepass") + graph.tobytes()
    ).hexdigest()
    found = _ENCODERS.get(name) or SharedEncoder(_codes(bundle), Graph(graph))
    return _ENCODERS.setdefault(name, found)


class TrainedNetwork:
    """An encoder with heads by name, and the names of their labels."""

    def __init__(
        self,
        encoder: SharedEncoder,
        heads: Mapping[str, Graph],
        labels: Mapping[str, Sequence[str]],
        bundle: Bundle,
    ) -> None:
        self.encoder, self.heads, self.bundle = encoder, dict(heads), bundle
        self.labels = {name: tuple(each) for name, each in labels.items()}

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "TrainedNetwork":
        if bundle.kind != KIND:
            raise StoreError(f"expected a model of kind {KIND!r}, not {bundle.kind!r}")
        heads = {
            name.removeprefix(HEAD): Graph(data)
            for name, data in bundle.arrays.items()
            if name.startswith(HEAD)
        }
        labels = {
            name.removesuffix(LABELS): tuple(text.split("\n")[:-1])
            for name, text in bundle.texts.items()
            if name.endswith(LABELS)
        }
        if alone := heads.keys() ^ {name for name, names in labels.items() if names}:
            raise StoreError(f"a network has a head without labels, or the reverse: {min(alone)!r}")
        return cls(shared_encoder(bundle), heads, labels, bundle)

    def tables(
        self, head: str, sentences: Sequence[Sequence[str]], pairs: bool = False
    ) -> Iterator[Floats32]:
        """What a head writes for every sentence, which must have words.

        Tables are [words, labels], or with pairs [words + 1, words + 1, labels]. Those of long
        sentences are large, so each is made when it is asked for.
        """
        vectors = self.encoder.vectors(sentences)
        return (self._table(head, each, pairs) for each in vectors)

    def _table(self, head: str, vectors: Floats32, pairs: bool) -> Floats32:
        """What a head writes for the vectors [words + 1, width] of a sentence."""
        size, labels = len(vectors), len(self.labels[head])
        wanted = (size, size, labels) if pairs else (size - 1, labels)
        found: Floats32 = self.heads[head](vectors[None])[0]
        if found.shape != wanted:
            raise StoreError(f"the network's head {head!r} gives {found.shape}, not {wanted}")
        return found

    def only(self, heads: Sequence[str]) -> Bundle:
        """The bundle of the network with some of its heads, and the texts that these have."""
        wanted = {ENCODER, *(HEAD + name for name in heads)}
        arrays = {name: data for name, data in self.bundle.arrays.items() if name in wanted}
        others = self.labels.keys() - set(heads)
        texts = {
            name: text
            for name, text in self.bundle.texts.items()
            if name.partition(".")[0] not in others
        }
        return Bundle(KIND, self.bundle.config, arrays, texts)


def _codes(bundle: Bundle) -> WordCodes:
    if TOKENIZER in bundle.texts:
        surface = _rows(bundle.config.get("surface", 0), 0)
        return WordPieces(bundle.texts[CONFIG], bundle.texts[TOKENIZER], surface)
    static = bundle.texts.get(STATIC, "").split("\n")[:-1]
    return HashedWords(_rows(bundle.config["rows"], 1), static, takes_tags(bundle))


def takes_tags(bundle: Bundle) -> bool:
    """Whether the words of a network must have tags (`words.tagged_word`)."""
    return bundle.config.get("tags") is True


def _rows(given: object, least: int) -> int:
    """Rows of a table that words are hashed to."""
    number = int(str(given))
    if not least <= number < 1 << 31:
        raise StoreError(f"a network has tables of {number} rows")
    return number


def log_softmax(table: Floats32) -> Floats32:
    """Along the last axis."""
    shifted = table - table.max(axis=-1, keepdims=True)
    found: Floats32 = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return found
