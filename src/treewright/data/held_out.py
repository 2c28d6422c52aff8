"""Splits off a fixed test part of a treebank.

A sentence's part is determined by a hash of its words and a seed: not by its position in a file,
its formalism or its punctuation, which some treebanks leave out. Copies of a sentence stay
together, the same sentence in two treebanks goes to the same part, and a treebank that grows keeps
its split.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from treewright.data import conllu, ptb
from treewright.data.auto import format_derivation, read_auto
from treewright.data.brackets import Bracketed, tagged_words
from treewright.data.parg import format_dependencies, read_parg
from treewright.data.reshape import TRACE
from treewright.errors import ConfigError
from treewright.storage.atomic import real_path, write_together

SEED, SHARE = 2011, 0.1  # of the split documented in docs/data.md
TRAIN, TEST, IDS = "train", "test", "test.ids"


class Cut(NamedTuple):
    """The number of sentences in each part."""

    train: int
    test: int


def is_held_out(words: Sequence[str], seed: int = SEED, share: float = SHARE) -> bool:
    """Whether a sentence belongs to the test part."""
    plain = [word for word in words if any(map(str.isalnum, word))] or words
    digest = sha256(f"{seed} {' '.join(plain)}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def cut(path: Path, out: Path, seed: int = SEED, share: float = SHARE) -> Cut:
    """Writes the two parts of a treebank and the ids of the second, and returns their sizes.

    Args:
        path: AUTO (a PARG file next to it is split, too), brackets, CoNLL-U or CoNLL-X, by suffix.
        out: a directory for train, test and test.ids.
        seed: the seed of the split.
        share: the proportion of test sentences.
    """
    if not 0 < share < 1:
        raise ConfigError(f"--share must be between 0 and 1, not {share}")
    if real_path(out) == real_path(path.parent):
        raise ConfigError(f"{out}: the treebank is in this directory; choose another one")
    out.mkdir(parents=True, exist_ok=True)
    held_out = partial(is_held_out, seed=seed, share=share)
    match path.suffix:
        case ".auto":
            return _cut_auto(path, out, held_out)
        case ".mrg" | ".ptb" | ".tree":
            trees = list(ptb.read(path))
            chosen = [held_out(_words(tree)) for tree in trees]
            ids = [str(number) for number in range(1, len(trees) + 1)]
            return _write(out, ids, chosen, {path.suffix: _lines(map(ptb.format_tree, trees))})
        case ".conllu" | ".conllx" | ".conll":
            sentences = list(conllu.read(path))
            chosen = [held_out(sentence.forms) for sentence in sentences]
            ids = [s.id or str(n) for n, s in enumerate(sentences, start=1)]
            texts = list(map(conllu.format_sentence, sentences))
            return _write(out, ids, chosen, {path.suffix: texts})
    raise ConfigError(f"{path}: cannot be split: expected .auto, .mrg, .conllu or .conllx")


def _words(tree: Bracketed) -> list[str]:
    return [leaf.word for leaf in tagged_words(tree) if leaf.label != TRACE]


def _cut_auto(path: Path, out: Path, held_out: Callable[[Sequence[str]], bool]) -> Cut:
    derivations = list(read_auto(path))
    chosen = [held_out(derivation.sentence.words) for derivation in derivations]
    ids = [derivation.id for derivation in derivations]
    texts, parg = {".auto": _lines(map(format_derivation, derivations))}, path.with_suffix(".parg")
    if not parg.exists():
        return _write(out, ids, chosen, texts)
    test, train = (set(_those(ids, chosen, wanted)) for wanted in (True, False))
    if both := test & train:
        raise ConfigError(f"{path}: several sentences have the id {min(both)!r:.80}")
    sentences = list(read_parg(parg))
    rows = list(map(format_dependencies, sentences))
    others = _files(out, ".parg", rows, [sentence.id in test for sentence in sentences])
    return _write(out, ids, chosen, texts, others)


def _lines(texts: Iterable[str]) -> list[str]:
    return [f"{text}\n" for text in texts]


def _write(
    out: Path,
    ids: Sequence[str],
    chosen: Sequence[bool],
    texts: Mapping[str, Sequence[str]],
    others: Mapping[Path, Iterable[str]] = MappingProxyType({}),
) -> Cut:
    """Writes all files or none: both parts of each format, and the ids of the test part."""
    files = {out / IDS: _lines(_those(ids, chosen, True)), **others}
    for suffix, records in texts.items():
        files |= _files(out, suffix, records, chosen)
    write_together(list(files.items()))
    return Cut(len(chosen) - sum(chosen), sum(chosen))


def _files(
    out: Path, suffix: str, records: Sequence[str], chosen: Sequence[bool]
) -> dict[Path, Iterable[str]]:
    parts = {TRAIN: False, TEST: True}
    return {out / (n + suffix): _those(records, chosen, is_test) for n, is_test in parts.items()}


def _those(records: Sequence[str], chosen: Sequence[bool], wanted: bool) -> Iterator[str]:
    return (record for record, each in zip(records, chosen, strict=True) if each == wanted)
