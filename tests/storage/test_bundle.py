"""Model directories: what is written is read back, and every damage is one clear error."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from treewright import __version__
from treewright.errors import StoreError
from treewright.storage.atomic import sha256_of
from treewright.storage.bundle import Bundle, _checksum, read_bundle, write_bundle


@pytest.fixture
def bundle() -> Bundle:
    tagger = Bundle("pos", {"order": 2}, {"w": np.arange(3.0)}, {"tags.txt": "NN\nVB\n"})
    arrays = {
        "w": np.arange(6, dtype=np.float32).reshape(2, 3).T,
        "none": np.zeros((0, 2), np.int8),
    }
    config: dict[str, object] = {"a": 1, "b": {"c": [1.5, float("inf")], "d": {"e f": "é\n"}}}
    return Bundle("ccg", config, arrays, {"words.txt": "à\r\nb"}, {"tagger": tagger})


def assert_same(a: Bundle, b: Bundle) -> None:
    assert (a.kind, a.config, a.texts, a.parts.keys()) == (
        b.kind,
        b.config,
        b.texts,
        b.parts.keys(),
    )
    assert a.arrays.keys() == b.arrays.keys()
    for name, array in a.arrays.items():
        assert array.dtype == b.arrays[name].dtype
        assert np.array_equal(array, b.arrays[name])
    for name, part in a.parts.items():
        assert_same(part, b.parts[name])


def test_round_trip(bundle: Bundle, tmp_path: Path) -> None:
    write_bundle(bundle, tmp_path / "sub" / "model")
    assert_same(bundle, read_bundle(tmp_path / "sub" / "model"))
    assert [each.name for each in (tmp_path / "sub").iterdir()] == ["model"]


def test_the_same_model_is_the_same_bytes(bundle: Bundle, tmp_path: Path) -> None:
    for name in "ab":
        write_bundle(bundle, tmp_path / name)
    a, b = (
        {file.relative_to(tmp_path / n): file.read_bytes() for file in (tmp_path / n).rglob("*.*")}
        for n in "ab"
    )
    assert len(a) == 8
    assert a == b


def test_a_model_replaces_a_model_and_nothing_else(bundle: Bundle, tmp_path: Path) -> None:
    write_bundle(Bundle("pos"), tmp_path / "m")
    write_bundle(bundle, tmp_path / "m")
    assert read_bundle(tmp_path / "m").kind == "ccg"
    (tmp_path / "mine").mkdir()
    with pytest.raises(StoreError, match="not a model, so it is not replaced"):
        write_bundle(bundle, tmp_path / "mine")


@pytest.mark.parametrize("name", ["../x", "manifest.json", "", ".hidden", "a/b"])
def test_a_text_cannot_have_any_name(name: str) -> None:
    with pytest.raises(ValueError, match="invalid file name"):
        Bundle("pos", texts={name: ""})


def test_a_failed_write_leaves_what_was_there(bundle: Bundle, tmp_path: Path) -> None:
    write_bundle(bundle, tmp_path / "m")
    with pytest.raises(TypeError):
        write_bundle(Bundle("pos", {"x": object()}), tmp_path / "m")
    assert_same(bundle, read_bundle(tmp_path / "m"))
    assert [each.name for each in tmp_path.iterdir()] == ["m"]


def edit(**changes: object) -> Callable[[Path], object]:
    def change(model: Path) -> None:
        path = model / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


def forge(**changes: object) -> Callable[[Path], object]:
    """A manifest with other entries (None: without them) and the right checksum."""

    def change(model: Path) -> None:
        path = model / "manifest.json"
        plain = json.loads(path.read_text()) | changes
        kept = {name: each for name, each in plain.items() if each is not None}
        kept.pop("checksum")
        sealed = kept | {"checksum": _checksum(kept)}
        path.write_text(json.dumps(sealed))

    return change


def replace(name: str, content: bytes) -> Callable[[Path], object]:
    """Another content of a file, with the right checksums."""

    def change(model: Path) -> None:
        (model / name).write_bytes(content)
        files = json.loads((model / "manifest.json").read_text())["files"]
        forge(files=files | {name: sha256_of(model / name)})(model)

    return change


def link(name: str) -> Callable[[Path], object]:
    def change(model: Path) -> None:
        (model / name).rename(model.parent / "elsewhere")
        (model / name).symlink_to(model.parent / "elsewhere")

    return change


FILES = {"config.toml": "", "weights.safetensors": ""}


def cut_to(size: int, name: str) -> Callable[[Path], object]:
    return lambda model: (model / name).write_bytes((model / name).read_bytes()[:size])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda m: (m / "manifest.json").unlink(), "m: not a model directory"),
        (cut_to(0, "manifest.json"), "manifest.json: damaged: Expecting value"),
        (cut_to(90, "manifest.json"), "manifest.json: damaged"),
        (lambda m: (m / "manifest.json").write_text("[]"), "not the manifest of a Treewright"),
        (lambda m: (m / "manifest.json").write_bytes(b"\xff"), "manifest.json: damaged"),
        (
            edit(version=4, treewright="9.0"),
            f"version 4, written by Treewright 9.0; this is Treewright {__version__}",
        ),
        (edit(kind="dep"), "manifest.json: damaged: its checksum is wrong"),
        (cut_to(9, "weights.safetensors"), "weights.safetensors: damaged"),
        (lambda m: (m / "words.txt").unlink(), "words.txt: missing from the model"),
        (lambda m: (m / "words.txt").write_text("x"), "words.txt: damaged"),
        (lambda m: (m / "config.toml").write_text("a = 2"), "config.toml: damaged"),
        (lambda m: (m / "parts/tagger/tags.txt").write_text("x"), "tagger/tags.txt: damaged"),
        (lambda m: (m / "parts/tagger/manifest.json").unlink(), "tagger/manifest.json: missing"),
        (lambda m: m.rename(m.with_name("n")), "m: No such file or directory"),
        (lambda m: (m / "manifest.json").write_text("[" * 100_000), "manifest.json: damaged"),
        (lambda m: (m / "manifest.json").write_text(" " * 2_000_000), "too large for a manifest"),
        (forge(files=None), "invalid kind, files or parts"),
        (forge(parts=None), "invalid kind, files or parts"),
        (forge(kind=None), "invalid kind, files or parts"),
        (forge(kind=["ccg"]), "invalid kind, files or parts"),
        (forge(files=["a"]), "invalid kind, files or parts"),
        (forge(files=FILES | {"words.txt": 5}), "invalid kind, files or parts"),
        (forge(files={"config.toml": ""}), "its files lack weights.safetensors"),
        (forge(files=FILES | {"../x": ""}), "invalid file name '../x'"),
        (forge(parts={"../../x": ""}), "invalid file name '../../x'"),
        (replace("config.toml", b"a = "), "config.toml: not valid TOML"),
        (replace("config.toml", b"a = " + b"9" * 5000), "config.toml: not valid TOML"),
        (replace("config.toml", b"a = " + b"[" * 3000), "config.toml: not valid TOML"),
        (replace("words.txt", b"\xff"), "words.txt: damaged"),
        (replace("weights.safetensors", b"\xff" * 9), "weights.safetensors: damaged"),
        (link("words.txt"), "words.txt: not a regular file"),
        (link("manifest.json"), "manifest.json: not a regular file"),
    ],
)
def test_damage_is_named(
    bundle: Bundle, tmp_path: Path, damage: Callable[[Path], object], message: str
) -> None:
    write_bundle(bundle, tmp_path / "m")
    damage(tmp_path / "m")
    with pytest.raises(StoreError) as caught:
        read_bundle(tmp_path / "m")
    assert message in str(caught.value)
    assert str(tmp_path / "m") in str(caught.value)
