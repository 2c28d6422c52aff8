"""What a network's files may hold, checked before other libraries read them.

A graph of ONNX is a program, and so is a tokenizer. Graphs with loops and branches, with functions
or with numbers in other files are refused, and tokenizers with other parts than those that
BERT's have: patterns and replacements can take any time and memory.

Graphs are protocol buffers (onnx.proto3); only the few fields that matter are looked at.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from treewright.errors import StoreError

MAX_NODES = 1_000_000  # messages of a graph that are looked at
MAX_PIECES = 1 << 14  # of a sentence
MAX_LETTERS = 1000  # of a word that is cut into pieces
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # how a field is written
# What the fields of messages hold, by number: another message, or why they are refused.
FILES = "names other files, which are never read"
INSIDE = "has a graph inside: loops and branches are not run"
FIELDS: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "!has a training", 25: "!has functions"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute", 7: "domain"},
    "attribute": {5: "tensor", 6: f"!{INSIDE}", 10: "tensor", 11: f"!{INSIDE}",
                  22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: f"!{FILES}", 14: "place"},
}  # fmt: skip
DOMAINS = (b"", b"ai.onnx", b"com.microsoft")
# Families of encoders whose positions begin behind the number of padding.
BEHIND_PADDING = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet"})
PARTS = {
    "model": {"WordPiece", "WordLevel", "BPE", "Unigram"},
    "normalizer": {"BertNormalizer", "Lowercase", "StripAccents", "NFC", "NFD", "NFKC", "NFKD",
                   "Precompiled", "Replace", "Strip"},
    "pre_tokenizer": {"BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Punctuation", "Digits",
                      "ByteLevel", "Metaspace"},
    "post_processor": {"TemplateProcessing", "BertProcessing", "RobertaProcessing", "ByteLevel"},
}  # fmt: skip
LISTS = ("normalizers", "pretokenizers", "processors")
SPACES = " {2,}"  # the only pattern that a normalizer may replace; others are plain strings
MAX_REPLACED = 100  # letters that one place may grow to


class _Field(NamedTuple):
    number: int
    begin: int
    end: int  # of its content; of a number, begin is its value and end -1


def check_graph(data: bytes) -> None:
    """Raises a StoreError for a graph that could do more than compute with its numbers."""
    open_, seen = [("model", 0, len(data))], 0
    while open_:
        kind, begin, end = open_.pop()
        for field in _fields(data, begin, end):
            holds = FIELDS[kind].get(field.number, "")
            if holds.startswith("!"):
                raise StoreError(f"a network's graph {holds[1:]}")
            if holds == "place" and field.begin != 0:
                raise StoreError(f"a network's graph {FILES}")
            if holds == "domain" and data[field.begin : field.end] not in DOMAINS:
                raise StoreError("a network's graph has operators that are not ONNX's")
            if holds in FIELDS:
                seen += 1
                open_.append((holds, field.begin, field.end))
        if seen > MAX_NODES:
            raise StoreError(f"a network's graph has more than {MAX_NODES} parts")


def _fields(data: bytes, begin: int, end: int) -> Iterator[_Field]:
    """The fields of a message."""
    while begin < end:
        key, begin = _varint(data, begin, end)
        number, form = key >> 3, key & 7
        if form == VARINT:
            value, begin = _varint(data, begin, end)
            yield _Field(number, value, -1)
        elif form == BYTES:
            size, begin = _varint(data, begin, end)
            yield _Field(number, begin, begin + size)
            begin += size
        elif form in (FIXED32, FIXED64):
            begin += 4 if form == FIXED32 else 8
        else:
            raise StoreError("a network's graph is damaged: a field of unknown form")
        if begin > end:
            raise StoreError("a network's graph is damaged: it ends within a field")


def _varint(data: bytes, place: int, end: int) -> tuple[int, int]:
    """A number of 7 bits per byte, and where it ends."""
    value = 0
    for i in range(10):
        if place + i >= end:
            break
        value |= (data[place + i] & 127) << 7 * i
        if data[place + i] < 128:
            return value, place + i + 1
    raise StoreError("a network's graph is damaged: a number does not end")


def checked_tokenizer(text: str) -> str:
    """The text of a tokenizer, with nothing but parts whose work is bounded."""
    try:
        plain: Any = json.loads(text)
        made = {"version": plain.get("version"), "added_tokens": plain.get("added_tokens", [])}
        for name, known in PARTS.items():
            made[name] = plain.get(name)
            _check_part(made[name], name, known)
        _separate_words(made["pre_tokenizer"])
        if (made["model"] or {}).get("max_input_chars_per_word", 0) > MAX_LETTERS:
            raise StoreError(f"a tokenizer cuts words of more than {MAX_LETTERS} letters")
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise StoreError(f"a tokenizer is damaged: {error!s:.200}") from error
    return json.dumps(made)


def _separate_words(part: Any) -> None:
    """Lets every word begin as behind a blank: encoders over bytes have seen most words so."""
    for each in (part or {}).get("pretokenizers", [part or {}]):
        if each.get("type") == "ByteLevel":
            each["add_prefix_space"] = True


def _check_part(part: Any, name: str, known: set[str]) -> None:
    """Raises for a part, or one within it, of a type that is not known."""
    if part is None:
        return
    kind = part.get("type", "WordPiece" if name == "model" else None)
    if kind == "Sequence":
        for each in next((part[key] for key in LISTS if key in part), ()):
            _check_part(each, name, known)
    elif kind not in known:
        raise StoreError(f"a tokenizer has a {name} of type {kind!r:.80}, which is not run")
    elif kind == "Replace":
        _check_replacement(part)


def _check_replacement(part: Any) -> None:
    """Raises for patterns, which can take any time, and for long replacements."""
    pattern, content = part["pattern"], part["content"]
    plain = pattern.get("Regex") == SPACES or isinstance(pattern.get("String"), str)
    if not plain or len(content) > MAX_REPLACED:
        raise StoreError(f"a tokenizer replaces {pattern!r:.80}, which is not run")


def checked_shape(text: str) -> tuple[int, int]:
    """The largest number of pieces of a sentence and the number of padding, from `config.json`."""
    try:
        plain: Any = json.loads(text)
        pieces, padding = int(plain["max_position_embeddings"]), int(plain.get("pad_token_id") or 0)
        pieces -= padding + 1 if plain.get("model_type") in BEHIND_PADDING else 0
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as e:
        raise StoreError(f"config.json of a network is damaged: {e!s:.200}") from e
    if not (3 <= pieces <= MAX_PIECES and 0 <= padding < 1 << 31):
        raise StoreError(f"config.json of a network: {pieces} pieces, padding {padding}")
    return pieces, padding
