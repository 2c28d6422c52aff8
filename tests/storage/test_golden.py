"""Files of every format version that this Treewright reads: what was written once stays readable.

None of them may change; a new version of a format adds one. `model-2` has the layout of version 2,
which is that of version 3 without packed arrays.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.examples import assert_same
from treewright.errors import StoreError
from treewright.forests import Example, FeatureMatrix, Forest, ForestStore
from treewright.storage import bundle as bundles
from treewright.storage.bundle import MANIFEST, READS, Bundle, read_bundle, write_bundle

GOLDEN = Path(__file__).parents[1] / "golden" / "formats"
VALUES = {
    "keys": np.array([3, 7, 1 << 40], dtype=np.uint64),
    "weights": np.array([[0.5, -1.0], [0.25, 2.0], [0.0, -0.125]]),
    "numbers": np.array([-1, 0, 300], dtype=np.int32),
}


def small_bundle(bits: dict[str, int] | None = None) -> Bundle:
    part = Bundle("pos", {"order": 1}, {"table": np.arange(4.0)}, {"tags.txt": "NN\nVB\n"})
    config: dict[str, object] = {"decoder": "viterbi", "search": {"beta": 0.001}}
    return Bundle("example", config, VALUES, {"words.txt": "Baum\n樹\n"}, {"pos": part}, bits)


@pytest.mark.parametrize("name", ["model-2", "model-3", "model-3-packed"])
def test_models(name: str) -> None:
    version = json.loads((GOLDEN / name / MANIFEST).read_bytes())["version"]
    assert version == int(name.split("-")[1])
    found, expected = read_bundle(GOLDEN / name), small_bundle()
    assert (found.kind, found.config, found.texts) == ("example", expected.config, expected.texts)
    assert found.arrays.keys() == VALUES.keys()
    for key, values in VALUES.items():
        assert np.allclose(found.arrays[key].astype(np.float64), values, atol=1e-4), key
    assert np.array_equal(found.parts["pos"].arrays["table"], np.arange(4.0))


def test_every_version_that_is_read_has_a_file() -> None:
    assert {f"model-{version}" for version in READS} <= {path.name for path in GOLDEN.iterdir()}


def test_a_model_is_still_written_byte_for_byte(tmp_path: Path) -> None:
    for name, bits in (("model-3", None), ("model-3-packed", {"weights": 16})):
        write_bundle(small_bundle(bits), tmp_path / name)
        files = [path for path in (GOLDEN / name).rglob("*") if path.is_file()]
        for file in (each for each in files if each.name != MANIFEST):  # it names our version
            assert (tmp_path / name / file.relative_to(GOLDEN / name)).read_bytes() == (
                file.read_bytes()
            )


@pytest.mark.parametrize("version", [1, 4])
def test_other_versions_say_so(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(bundles, "VERSION", version)
        write_bundle(small_bundle(), tmp_path / "model")
    with pytest.raises(StoreError, match=rf"format version {version}, .* reads versions 2 and 3"):
        read_bundle(tmp_path / "model")


def small_example() -> Example:
    forest = Forest([0, 1, 2, 4], [-1, -1, 0, 0], [-1, -1, 1, 1], [0, 1, 2, 3], 4)
    features = FeatureMatrix.from_csr([0, 1, 2, 4, 5], [0, 9, 2, 3, 4], [1.0, 0.5, -1.0, 2.0, 1.0])
    return Example(forest, features, forest.restrict([True, True, True, False]), "golden 樹")


def test_a_forest_store() -> None:
    with ForestStore(GOLDEN / "store-1.forests") as store:
        (found,) = store
        assert_same(found, small_example())
