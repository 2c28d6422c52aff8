"""Small valid inputs of every format, made from the minibank: what mutations start from."""

import json
import re
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from treewright.config import from_dict
from treewright.forests import ForestStore
from treewright.forests.features import Example, FeatureMatrix
from treewright.forests.forest import Forest
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.markedup import format_entry
from treewright.minibank.sentences import sample
from treewright.minibank.write import write_minibank
from treewright.models.kinds import kind_named
from treewright.storage.atomic import sha256_of
from treewright.storage.bundle import CONFIG, MANIFEST, PARTS, WEIGHTS, Manifest
from treewright.storage.tensors import write_tensors
from treewright.train.run import Run

SENTENCES = 40
MARK = b"\n==== "
KIND = re.compile(rb'"kind": "([a-z]+)"')
TAGGER = {"local_passes": 1, "chain": {"iterations": 1}}


def memory() -> str | None:
    """A directory in memory, where there is one: inputs come by the thousand."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


@cache
def folder() -> TemporaryDirectory[str]:
    """A directory with the minibank, for as long as the process runs."""
    made = TemporaryDirectory(prefix="treewright-seeds-", dir=memory())
    write_minibank(Path(made.name) / "minibank", SENTENCES, 0)
    return made


def _minibank(ending: str, separator: bytes) -> Sequence[bytes]:
    content = (Path(folder().name) / "minibank" / f"train.{ending}").read_bytes()
    blocks = [block + separator for block in content.split(separator) if block]
    return [b"".join(blocks[:n]) for n in (1, 2, 3)] + blocks[3:12]


def auto() -> Sequence[bytes]:
    lines = (Path(folder().name) / "minibank" / "train.auto").read_bytes().splitlines(keepends=True)
    return [b"".join(lines[:n]) for n in (2, 4, 6)] + [b"".join(lines[i : i + 2]) for i in (6, 8)]


def braces() -> Sequence[bytes]:
    subject, verb = (
        "{NP[case=ga]{I1} 雨/雨/名詞-普通名詞}",
        r"{S[mod=nm]\NP[case=ga]_I1 だ/だ/助動詞/基本形}",
    )
    return [
        f"{{< S[mod=nm] {subject} {verb}}}\n".encode(),
        b"{> NP {NP/NP a/a/DT/_} {NP b/b/NN}}\n" * 2,
    ]


def parg() -> Sequence[bytes]:
    return _minibank("parg", b"<\\s>\n")


def brackets() -> Sequence[bytes]:
    return _minibank("mrg", b"\n")


def conllu() -> Sequence[bytes]:
    rows = ["1-2 du _ _ _ _ _ _ _ _", "1 de _ _ _ _ 2 a _ _", "1.1 e _ _ _ _ _ _ _ _"]
    rows += ["2 le _ _ _ A=b|C=d 0 root _ _", "", ""]
    return [*_minibank("conllu", b"\n\n"), "\n".join(rows).replace(" ", "\t").encode()]


def conllx() -> Sequence[bytes]:
    lines = (each.split(b"\n") for each in conllu()[:-1])
    return [b"\n".join(row for row in rows if not row.startswith(b"#")) for rows in lines]


def markedup() -> Sequence[bytes]:
    lexicon = Lexicon().learn(sample(SENTENCES, 0))
    entries = [entry for counted in lexicon.counts.values() for entry in counted]
    return ["\n".join(map(format_entry, entries[:n])).encode() for n in (1, 5, 20)]


def toml() -> Sequence[bytes]:
    return [
        b'train = "a.auto"\ntags = "entries"\n[tagger]\norder = 2\nbeta = 1e-4\n',
        b'train = ""',
    ]


def tsv() -> Sequence[bytes]:
    return [b"sentence-id\tcorrect\tproduced\tdue\na\t1\t2\t3\nb\t0\t0\t0\n"]


def text() -> Sequence[bytes]:
    return [b"The dog sleeps .\n", b"The|DT dog|NN sleeps|VBZ .|.\n\nA\xc2\xa0b\r\n"]


def tensors() -> Sequence[bytes]:
    path = Path(folder().name) / "x.safetensors"
    write_tensors(path, {"a": np.arange(6.0), "b": np.zeros((2, 3), np.int32)}, {"iteration": 3})
    return [path.read_bytes()]


def store() -> Sequence[bytes]:
    path = Path(folder().name) / "x.store"
    forest = Forest(
        np.array([0, 1, 2, 4], np.int32),
        np.array([-1, -1, 0, 0], np.int32),
        np.array([-1, -1, 1, -1], np.int32),
        np.array([0, 1, 2, 0], np.int32),
        3,
        np.ones((3, 3), np.int16),
        2,
    )
    with ForestStore.create(path) as made:
        for name in ("one", "two"):
            made.add(Example(forest, FeatureMatrix.identity(3), forest, name))
    return [path.read_bytes()]


def records() -> Sequence[bytes]:
    record = {"seconds": 1.5, "peak_rss_mb": 20.0}
    about = {"format": 2, "data": {"a": "b"}, "versions": {"treewright": "0.1.0"}}
    step = record | {"optimise": "pos", "iteration": 1, "objective": 0.5, "score": 0.1}
    return ["".join(json.dumps(each) + "\n" for each in (about, record, step)).encode()]


def models() -> Sequence[bytes]:
    """A tagger and a parser, each as one input."""
    bank = Path(folder().name) / "minibank"
    pruning = {"bits": 8, "passes": 1}
    wanted: dict[str, dict[str, object]] = {
        "pos": {"train": str(bank / "train.auto"), "pos": TAGGER},
        "const": {"train": str(bank / "train.mrg"), "model": "rules", "folds": 2,
                  "pruning": pruning, "optimiser": {"iterations": 1}},
    }  # fmt: skip
    return [_trained(kind, how) for kind, how in wanted.items()]


def _trained(kind: str, how: dict[str, object]) -> bytes:
    place, found = Path(folder().name) / kind, kind_named(kind)
    settings = from_dict(found.settings, how, kind)
    found.train(settings, Run(place / "run", threads=1, quiet=True)).save(place / "model")
    return packed(place / "model")


def packed(model: Path) -> bytes:
    """All files of a model, one after the other."""
    paths = sorted(each for each in model.rglob("*") if each.is_file())
    parts = (bytes(each.relative_to(model)) + b"\n" + each.read_bytes() for each in paths)
    return b"".join(MARK + part for part in parts)


def unpack(data: bytes, place: Path) -> None:
    """Writes the files that `packed` joined, as far as their names stay below `place`."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for part in data.split(MARK)[1:]:
        name, _, content = part.partition(b"\n")
        path = place / name.decode(errors="replace").replace("\0", "")[:200]
        if ".." not in path.parts and path.is_relative_to(place) and path != place:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            except OSError:
                continue


def seal(place: Path) -> None:
    """Writes the manifests of a model anew, for whatever files it has."""
    parts = sorted((place / PARTS).iterdir()) if (place / PARTS).is_dir() else []
    parts = [part for part in parts if part.is_dir()]
    for part in parts:
        seal(part)
    for name in (CONFIG, WEIGHTS):
        (place / name).touch()
    old = (place / MANIFEST).read_bytes() if (place / MANIFEST).is_file() else b""
    kind = KIND.search(old)
    files = {each.name: sha256_of(each) for each in sorted(place.iterdir()) if each.is_file()}
    files.pop(MANIFEST, None)
    manifest = Manifest(
        kind[1].decode() if kind else "pos",
        files,
        {part.name: sha256_of(part / MANIFEST) for part in parts},
    )
    (place / MANIFEST).write_text(manifest.text(), encoding="utf-8")
