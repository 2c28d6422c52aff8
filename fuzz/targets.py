"""What is fuzzed: a function of bytes for every reader, and the seeds to begin with.

A target passes if the reader takes the input or raises a `TreewrightError`; where there is a
writer, what was taken must come back the same.
"""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fuzz import http, others, seeds
from treewright.config import from_dict, parse_toml
from treewright.data import conllu, genia, ptb
from treewright.data.auto import format_derivation, read_auto
from treewright.data.lines import read_text
from treewright.data.parg import format_dependencies, read_parg
from treewright.errors import TreewrightError
from treewright.forests import ForestStore
from treewright.grammar.markedup import read_markedup
from treewright.metrics.count_files import read_counts
from treewright.models.kinds import load
from treewright.models.tagging.supertagger import SuperSettings
from treewright.storage.bundle import read_bundle
from treewright.storage.tensors import read_tensors
from treewright.train.history import read_history
from treewright.train.setup import Plan, check_continues


class DifferenceError(Exception):
    """An input was taken that does not come back the same."""


@dataclass(frozen=True)
class Target:
    """A function that a fuzzer calls with bytes, and what it starts from."""

    run: Callable[[bytes], object]
    seeds: Callable[[], Sequence[bytes]]


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="treewright-fuzz-", dir=seeds.memory())


@contextmanager
def _file(data: bytes, name: str) -> Iterator[Path]:
    path = Path(_folder().name) / name
    path.write_bytes(data)
    yield path


def _of_file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def run(data: bytes) -> object:
        with _file(data, name) as path:
            return read(path)

    return run


def _round_trip(
    name: str,
    read: Callable[[Path], Iterable[Any]],
    text: Callable[[Sequence[Any]], str],
    again: Callable[[Path], Iterable[Any]] | None = None,
) -> Callable[[bytes], None]:
    """Reads, writes, and reads what was written, by the same reader or by another one."""

    def run(data: bytes) -> None:
        with _file(data, name) as path:
            written = text(list(read(path)))
        with _file(written.encode(), name) as path:
            if written and text(list((again or read)(path))) != written:
                raise DifferenceError(name)

    return run


def _auto(found: Sequence[Any]) -> str:
    return "".join(format_derivation(each) + "\n" for each in found)


def _parg(found: Sequence[Any]) -> str:
    return "".join(map(format_dependencies, found))


def _conllu(found: Sequence[Any]) -> str:
    return "".join(map(conllu.format_sentence, found))


def _brackets(found: Sequence[Any]) -> str:
    file = io.StringIO()
    ptb.write(found, file)
    return file.getvalue()


def _settings(data: bytes) -> object:
    return from_dict(SuperSettings, parse_toml(data, "x.toml"), "x.toml")


def _model(data: bytes) -> None:
    """Files of a model, as `seeds.packed` joins them; each first with a right checksum."""
    place = Path(_folder().name) / "model"
    seeds.unpack(data, place)
    try:
        read_bundle(place)
    except TreewrightError:
        seeds.seal(place)
    list(load(place).parse_many(["The dog sees a cat ."]))


def _run_directory(data: bytes) -> None:
    """The records and `run.json` of a run."""
    place = Path(_folder().name)
    (place / "resolved.toml").write_text('kind = "pos"\n')
    (place / "records.jsonl").write_bytes(data)
    (place / "run.json").write_bytes(data.split(b"\n")[0])
    for read in (lambda: read_history(place).summary(), lambda: check_continues(place, PLAN)):
        try:
            json.dumps(read())
        except TreewrightError:
            continue


PLAN = Plan("pos", SuperSettings(Path("a.auto")))
TARGETS: dict[str, Target] = {
    "auto": Target(
        _round_trip("x.auto", read_auto, _auto),
        seeds.auto,
    ),
    "braces": Target(_of_file("x.ja", lambda path: list(read_auto(path))), seeds.braces),
    "parg": Target(
        _round_trip("x.parg", read_parg, _parg),
        seeds.parg,
    ),
    "brackets": Target(_round_trip("x.mrg", ptb.read, _brackets), seeds.brackets),
    "conllu": Target(_round_trip("x.conllu", conllu.read, _conllu), seeds.conllu),
    "conllx": Target(_of_file("x.conllx", lambda path: list(conllu.read(path))), seeds.conllx),
    "markedup": Target(_of_file("markedup", read_markedup), seeds.markedup),
    "toml": Target(_settings, seeds.toml),
    "tsv": Target(_of_file("x.tsv", read_counts), seeds.tsv),
    "text": Target(
        _of_file("x.txt", lambda path: [list(read_text(path, tagged=t)) for t in (False, True)]),
        seeds.text,
    ),
    "safetensors": Target(_of_file("x.safetensors", read_tensors), seeds.tensors),
    "store": Target(_of_file("x.store", lambda path: list(ForestStore(path))), seeds.store),
    "run": Target(_run_directory, seeds.records),
    "model": Target(_model, seeds.models),
    "checkpoint": Target(others.checkpoint, others.checkpoints),
    "raw": Target(others.raw, others.raws),
    "genia": Target(
        _round_trip("x.xml", genia.read, _brackets, ptb.read),
        others.genia_trees,
    ),
    "vectors": Target(others.vectors, others.vector_files),
    "marginals": Target(_of_file("x.jsonl", others.marginals), others.marginal_lines),
    "tables": Target(others.table, others.tables),
    "tokenizer": Target(others.tokenizer, others.tokenizers),
    "graph": Target(others.graph, others.graphs),
    "http": Target(http.request, http.requests),
}
