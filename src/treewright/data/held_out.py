"""A test part that is cut off a treebank once and for all.

A sentence's words and a seed decide where it goes, by a hash: not its place in a file, not its
formalism, not its punctuation, which some treebanks leave out. Copies of a sentence stay together,
the same sentence of two treebanks goes to the same part, and a treebank that grows keeps its cut.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeVar

from treewright.data import conllu, ptb
from treewright.data.auto import read_auto, write_auto
from treewright.data.brackets import Bracketed, tagged_words
from treewright.data.parg import read_parg, write_parg
from treewright.data.reshape import TRACE
from treewright.errors import ConfigError
from treewright.storage.atomic import real_path, write_file

SEED, SHARE = 2011, 0.1  # of the cut that docs/data.md documents
TRAIN, TEST, IDS = "train", "test", "test.ids"
Record = TypeVar("Record")


class Cut(NamedTuple):
    """How many sentences went to each part."""

    train: int
    test: int


def is_held_out(words: Sequence[str], seed: int = SEED, share: float = SHARE) -> bool:
    """Whether a sentence belongs to the test part."""
    plain = [word for word in words if any(map(str.isalnum, word))] or words
    digest = sha256(f"{seed} {' '.join(plain)}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def cut(path: Path, out: Path, seed: int = SEED, share: float = SHARE) -> Cut:
    """Writes a treebank's two parts and the ids of the second, and says how large they are.

    Args:
        path: AUTO (its PARG beside it is cut, too), brackets or CoNLL-U, by its ending.
        out: a directory for train, test and test.ids.
        seed: another one makes another cut.
        share: of sentences for the test part.
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
            return _write(out, path.suffix, trees, ids, chosen, ptb.write)
        case ".conllu":
            sentences = list(conllu.read(path))
            chosen = [held_out(sentence.forms) for sentence in sentences]
            ids = [s.id or str(n) for n, s in enumerate(sentences, start=1)]
            return _write(out, path.suffix, sentences, ids, chosen, conllu.write)
    raise ConfigError(f"{path}: cannot be split: expected .auto, .mrg or .conllu")


def _words(tree: Bracketed) -> list[str]:
    return [leaf.word for leaf in tagged_words(tree) if leaf.label != TRACE]


def _cut_auto(path: Path, out: Path, held_out: Callable[[Sequence[str]], bool]) -> Cut:
    derivations = list(read_auto(path))
    chosen = [held_out(derivation.sentence.words) for derivation in derivations]
    ids = [derivation.id for derivation in derivations]
    parg = path.with_suffix(".parg")
    if parg.exists():
        test = {name for name, is_test in zip(ids, chosen, strict=True) if is_test}
        sentences = list(read_parg(parg))
        which = [sentence.id in test for sentence in sentences]
        _write(out, ".parg", sentences, [], which, lambda s, p: write_parg(p, s))
    return _write(out, ".auto", derivations, ids, chosen, lambda d, p: write_auto(p, d))


def _write(
    out: Path,
    suffix: str,
    records: Sequence[Record],
    ids: Sequence[str],
    chosen: Sequence[bool],
    write: Callable[[Iterable[Record], Path], None],
) -> Cut:
    """Both parts, and the ids of the test part if there are any."""
    write(_those(records, chosen, False), (out / TRAIN).with_suffix(suffix))
    write(_those(records, chosen, True), (out / TEST).with_suffix(suffix))
    if ids:
        write_file(out / IDS, (f"{name}\n" for name in _those(ids, chosen, True)))
    return Cut(len(chosen) - sum(chosen), sum(chosen))


def _those(records: Sequence[Record], chosen: Sequence[bool], wanted: bool) -> Iterator[Record]:
    return (record for record, each in zip(records, chosen, strict=True) if each == wanted)
