"""Writes a minibank: train and dev, each in four formats, completely or not at all."""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from treewright.data.auto import format_derivation
from treewright.data.conllu import format_sentence
from treewright.data.parg import format_dependencies
from treewright.data.records import Dependencies, Derivation
from treewright.errors import TreewrightError
from treewright.grammar.indices import dependencies_of
from treewright.minibank.brackets import bracketed
from treewright.minibank.sentences import sample
from treewright.minibank.trees import dependency_tree

PARTS = "train", "dev"
DEV_SHARE = 10  # sentences of train per sentence of dev
Progress = Callable[[Iterable[Derivation], int], Iterable[Derivation]]


def parg(derivation: Derivation) -> str:
    """The dependencies of a derivation, as the lines of a PARG file."""
    words = dict(enumerate(derivation.sentence.words))
    rows = tuple(dependencies_of(derivation))
    return format_dependencies(Dependencies(derivation.id, len(words), rows, words))


FORMATS: dict[str, Callable[[Derivation], str]] = {
    "auto": lambda derivation: format_derivation(derivation) + "\n",
    "parg": parg,
    "mrg": lambda derivation: bracketed(derivation) + "\n",
    "conllu": lambda derivation: format_sentence(dependency_tree(derivation)),
}
FILES = tuple(f"{part}.{ending}" for part in PARTS for ending in FORMATS)


def dev_size(sentences: int) -> int:
    """The number of dev sentences for a number of training sentences."""
    return max(1, sentences // DEV_SHARE)


def write_minibank(
    directory: Path,
    sentences: int,
    seed: int,
    *,
    force: bool = False,
    hard: bool = False,
    progress: Progress = lambda derivations, _: derivations,
) -> None:
    """Writes training sentences, and a tenth as many dev sentences, into a directory.

    All files are written to a temporary place first. Files of another minibank are only replaced
    with `force`; other files in the directory are left alone. The `hard` minibank has more
    ambiguities.
    """
    if sentences < 1:
        raise TreewrightError(f"a minibank needs at least 1 sentence, not {sentences}")
    _check_place(directory, force=force)
    total = sentences + dev_size(sentences)
    with _replacing(directory) as new:
        _write_files(new, progress(sample(total, seed, hard=hard), total), sentences)


def _write_files(directory: Path, derivations: Iterable[Derivation], train: int) -> None:
    """The first sentences are train, the others dev."""
    with ExitStack() as stack:
        files = {name: stack.enter_context(_open(directory / name)) for name in FILES}
        for number, derivation in enumerate(derivations):
            part = PARTS[number >= train]
            for ending, render in FORMATS.items():
                files[f"{part}.{ending}"].write(render(derivation))


def _open(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8", newline="\n")


def _check_place(directory: Path, *, force: bool) -> None:
    if directory.exists() and not directory.is_dir():
        raise TreewrightError(f"{directory}: not a directory")
    there = [name for name in FILES if (directory / name).exists()]
    if there and not force:
        raise TreewrightError(f"{directory / there[0]}: already exists; use --force to replace it")


@contextmanager
def _replacing(directory: Path) -> Iterator[Path]:
    """A new directory whose files are moved into the given one, unless an error occurs."""
    made = not directory.exists()
    directory.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=".minibank-", dir=directory))
    try:
        yield new
        for name in FILES:
            (new / name).replace(directory / name)
    except BaseException as error:
        shutil.rmtree(directory if made else new, ignore_errors=True)
        if isinstance(error, OSError):  # a full disk does not say for which file
            raise TreewrightError(f"{directory}: {error.strerror or error}") from error
        raise
    new.rmdir()
