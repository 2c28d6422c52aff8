"""Parsing of files in this process, in several processes, or on a Ray cluster."""

import os
import signal
import sys
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from multiprocessing import active_children, get_context, parent_process
from os import PathLike, fspath
from pathlib import Path
from threading import Thread
from typing import Any

from treewright.errors import ConfigError, TreewrightError
from treewright.machine import AHEAD, available_threads, handed_over
from treewright.models.contract import Analysis, Parser, Reading, TextInput
from treewright.models.installed import default_model, package_of, packages, tokeniser_directory
from treewright.models.kinds import load
from treewright.storage.atomic import real_path
from treewright.text.tokeniser import Tokeniser
from treewright.train.cluster import Cluster

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PIECE = 64  # sentences per task of a process


@dataclass(frozen=True)
class ParseOptions:
    """Options of `treewright parse`; None means the model's own setting.

    k_best: number of analyses. marginals: add probabilities. tagged, text: see `Reading`.
    tokeniser: a model with another tokeniser. retag: predict tags even if the file has them.
    max_words: maximum sentence length.
    """

    k_best: int = 1
    decoder: str | None = None
    beam: str | None = None
    schedule: str | None = None
    tagged: bool = False
    marginals: bool = False
    text: TextInput | None = None
    tokeniser: Path | None = None
    retag: bool = False
    max_words: int | None = None

    @property
    def reading(self) -> Reading:
        """How files are read."""
        return Reading(self.tagged, self.text)

    @property
    def changes(self) -> dict[str, str]:
        """The settings that replace the model's own."""
        given = {name: getattr(self, name) for name in ("decoder", "beam", "schedule")}
        return {name: value for name, value in given.items() if value is not None}

    def applied(self, model: Parser[Analysis]) -> Parser[Analysis]:
        """The model with these settings and this tokeniser."""
        if self.tokeniser is not None:
            model = model.with_tokeniser(tokeniser_of(load(self.tokeniser), self.tokeniser))
        elif model.tokeniser is None and self.text in ("raw", "sentences"):
            model = _with_installed_tokeniser(model)
        model = model.with_settings(**self.changes) if self.changes else model
        return model if self.max_words is None else model.with_max_words(self.max_words)


def tokeniser_of(model: Parser[Analysis], name: str | PathLike[str] = "") -> Tokeniser:
    """The tokeniser of a model of kind tok, or of another that has one."""
    if model.tokeniser is None:
        raise ConfigError(f"{fspath(name) or 'the model'}: has no tokeniser")
    return model.tokeniser


def _with_installed_tokeniser(model: Parser[Analysis]) -> Parser[Analysis]:
    """The model with the tokeniser of the default package, if there is one."""
    if not packages():
        return model
    name = default_model()
    directory = tokeniser_directory(name)
    if directory is None:
        return model
    message = f"this model of kind {model.kind!r} has no tokeniser: using that of {name}"
    warnings.warn(f"{message} (choose another with --tokeniser)", stacklevel=2)
    return model.with_tokeniser(tokeniser_of(load(directory), directory))


def parse_file(
    model: Parser[Analysis], source: Path, form: str, options: ParseOptions
) -> Iterator[str]:
    """Parses a file in this process, with one block of text per sentence."""
    model = options.applied(model)
    return _blocks(model, _sentences(model, source, options), form, options)


def _sentences(model: Parser[Analysis], source: Path, options: ParseOptions) -> Iterator[Any]:
    sentences = model.read(source, options.reading)
    return map(model.untagged, sentences) if options.retag else sentences


def _blocks(
    model: Parser[Analysis], sentences: Iterable[Any], form: str, options: ParseOptions
) -> Iterator[str]:
    for analysis in model.parse_many(sentences):
        yield analysis.format(form, options.k_best, options.marginals)


class FileParser:
    """A model with options that parses files.

    Other processes get its directory or name and load the model themselves.
    """

    def __init__(self, directory: Path, form: str | None, options: ParseOptions) -> None:
        self.directory, self.options = directory, options
        self.form = form or self.model.formats[0]

    @cached_property
    def model(self) -> Parser[Analysis]:
        return self.options.applied(load(self.directory))

    def read(self, source: Path) -> Iterator[Any]:
        """The sentences of a file."""
        return _sentences(self.model, source, self.options)

    def blocks(self, sentences: Iterable[Any]) -> Iterator[str]:
        """One block of text per sentence."""
        return _blocks(self.model, sentences, self.form, self.options)

    def __reduce__(self) -> tuple[type["FileParser"], tuple[Path, str, ParseOptions]]:
        own = self.options.tokeniser
        options = replace(self.options, tokeniser=_from_anywhere(own) if own else None)
        return FileParser, (_from_anywhere(self.directory), self.form, options)

    def __call__(self, sentences: Iterable[Any]) -> list[str]:
        return list(self.blocks(sentences))

    def here(self, source: Path) -> Iterator[str]:
        """Parses a file in this process, with one block of text per sentence.

        Sentences are parsed in batches, but on a terminal one at a time.
        """
        sentences = self.read(source)
        if source.is_char_device():
            return self._framed(block for each in sentences for block in self.blocks([each]))
        return self._framed(self.blocks(sentences))

    def _framed(self, blocks: Iterator[str]) -> Iterator[str]:
        before, after = self.model.frames.get(self.form, ("", ""))
        return chain(filter(None, [before]), blocks, filter(None, [after]))

    def by_processes(self, source: Path, jobs: int = 0) -> Iterator[str]:
        """Parses a file in several processes if it is large enough; 0: one per core.

        Pipes and terminals are parsed in this process, unless `jobs` is given.
        """
        jobs = jobs or (available_threads() if source.is_file() else 1)
        if jobs == 1:
            return self.here(source)
        blocks = self._by_processes(self._pieces(source), jobs)
        return self._framed(chain.from_iterable(blocks))

    def on_cluster(self, source: Path, address: str) -> Iterator[str]:
        """Parses a file on a Ray cluster."""
        blocks = Cluster.at(address).map(self, self._pieces(source))
        return self._framed(chain.from_iterable(blocks))

    def _pieces(self, source: Path) -> Iterator[list[Any]]:
        sentences = self.read(source)
        return iter(lambda: list(islice(sentences, PIECE)), [])

    def _by_processes(self, pieces: Iterator[list[Any]], jobs: int) -> Iterator[list[str]]:
        first = list(islice(pieces, 2))
        if len(first) < 2:
            yield from map(self, first)
            return
        # A fork shares the loaded model; forks are only safe on Linux.
        context = get_context("fork" if sys.platform == "linux" else "spawn")
        with ProcessPoolExecutor(jobs, context, _begin, (self,)) as pool:
            try:
                with _ending_children():
                    _start(pool)
                    work = chain(first, pieces)
                    yield from handed_over(pool, _parse, work, AHEAD * jobs, cancels=False)
            except BrokenProcessPool as error:
                message = "a parsing process died, perhaps out of memory: use fewer --jobs"
                raise TreewrightError(message) from error


def _from_anywhere(model: Path) -> Path:
    """A path that is valid in all directories, or the name of an installed model."""
    named = not model.exists() and package_of(fspath(model)) is not None
    return model if named else real_path(model)


@contextmanager
def _ending_children() -> Iterator[None]:
    """Terminates the processes started in the block if it raises an exception."""
    before = set(active_children())
    try:
        yield
    except BaseException:
        for process in set(active_children()) - before:
            process.terminate()
        raise


def _start(pool: ProcessPoolExecutor) -> None:
    """Starts the processes; signals are blocked until each has its own handlers."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        pool.submit(os.getpid)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


_own: list[FileParser] = []  # the parser of a worker process


def _begin(parser: FileParser) -> None:
    """Initialises a worker process; its parent handles interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    Thread(target=_end_with_parent, daemon=True).start()
    _own[:] = [parser]


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _parse(sentences: list[Any]) -> list[str]:
    return _own[0](sentences)
