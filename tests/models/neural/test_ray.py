"""Networks whose forests are on Ray workers: bit-identical to those trained in one process."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from shutil import copy
from socket import create_server
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra treewright[torch]")

from tests.models.test_contract import model_named
from tests.small_family import settings
from tests.train.test_cluster import HAS_RAY, FakeRay
from treewright.errors import ConfigError
from treewright.losses.settings import ObjectiveSettings
from treewright.minibank.write import write_minibank
from treewright.models.neural.kind import KIND, has_forests
from treewright.models.neural.settings import JointSettings
from treewright.models.neural.training import train_joint
from treewright.models.training import plan_of, train
from treewright.torch.forests import RemoteForestLoss
from treewright.train import cluster as room
from treewright.train.run import Run


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bank")
    write_minibank(place, 40, seed=3)
    model_named("ccg").save(place / "parser")
    return place


def with_charts(bank: Path) -> JointSettings:
    """A network of charts and trees; its sentences occur once or twice."""
    plain = settings(bank, "float32")
    objective = ObjectiveSettings("softmax-margin", "f1", 3.0)
    ccg = replace(plain.ccg, charts=bank / "parser", objective=objective, repeat=2)
    return replace(plain, ccg=ccg, dep=type(plain.dep)(), tokeniser=False)


def test_a_network_is_the_same_with_and_without_ray(
    bank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = with_charts(bank)
    here = Run(tmp_path / "here", threads=1, quiet=True)
    expected = train_joint(how, here).arrays
    asked = []
    forward = RemoteForestLoss.forward

    def counted(self: RemoteForestLoss, examples: Any, tables: Any) -> Any:
        asked.append(len(examples))
        return forward(self, examples, tables)

    monkeypatch.setattr(RemoteForestLoss, "forward", counted)
    with create_server(("127.0.0.1", 0)) as head:
        ray = FakeRay(head)
        monkeypatch.setattr(room, "connected", lambda _: ray)
        there = Run(tmp_path / "there", 1, 0, ray.address, quiet=True)
        copy(here.directory / "charts.store", there.directory)
        found = train_joint(how, there).arrays
    assert found.keys() == expected.keys()
    for name, array in found.items():
        np.testing.assert_array_equal(array, expected[name], name)
    assert sum(asked) > 300  # three passes over trees, and over charts


def test_what_a_cluster_can_do(bank: Path) -> None:
    how = with_charts(bank)
    assert has_forests(how)
    local = replace(how.const, local=True)
    assert has_forests(replace(how, const=local))
    plain = replace(how.ccg, charts=None)
    assert has_forests(replace(how, ccg=plain))
    assert not has_forests(replace(how, ccg=plain, const=local))
    assert not has_forests(replace(how, ccg=plain, const=type(how.const)()))
    assert KIND.supports_ray(how)


def test_local_training_has_no_work_for_a_cluster(bank: Path, tmp_path: Path) -> None:
    scorer = {"kind": "neural"}
    config = {"kind": "const", "train": str(bank / "train.mrg"), "local": True, "scorer": scorer}
    with pytest.raises(ConfigError, match=r"does not support --ray.* \(without `local`\)"):
        train(plan_of(config, "test"), Run(tmp_path / "run", ray="auto"))


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RAY, reason="needs the extra treewright[ray]")
def test_workers_of_ray_train_the_same_networks(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="needs the extra treewright[torch]")
    script = Path(__file__).with_name("ray_script.py")
    root = str(Path(__file__).parents[3])
    command = [sys.executable, str(script), str(tmp_path)]
    paths = os.environ | {"PYTHONPATH": root}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=paths)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["same stores"]
    assert found["charts"] > 20
    assert found["same weights"] == {"ccg": True, "const": True}
    assert found["killed"] == [{"same": [True, True], "replaced": True}] * 2
