"""Ray: four workers, one of which is killed, give what one process gives.

Ray itself runs in a process of its own, away from the test suite's warnings and threads.
"""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from socket import create_server
from types import SimpleNamespace

import pytest

from treewright.errors import ConfigError, TreewrightError
from treewright.models.training import read_plan, train
from treewright.train import cluster as room
from treewright.train.cluster import Cluster
from treewright.train.run import Run

HAS_RAY = find_spec("ray") is not None


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RAY, reason="needs the extra treewright[ray]")
def test_a_cluster_gives_what_one_process_gives(tmp_path: Path) -> None:
    script = Path(__file__).with_name("cluster_script.py")
    command = [sys.executable, str(script), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["workers"] == found["processes"] == 4
    assert found["events"] == [{"event": "worker replaced", "shard": 2}]
    assert found["same after"]
    assert found["value"] < 1e-13
    assert found["gradient"] < 1e-12
    assert found["minibatch"] < 1e-12
    assert found["uses"]
    assert max(found["far"].values()) < 1e-8
    assert found["powers"]
    assert found["died"]
    assert found["squares"]
    assert found["error"] == "no analysis: no"
    assert found["deaths"].startswith("every worker that tried died")
    assert found["parsed"]
    # Workers make the very forests that threads make, and weights differ by rounding alone.
    assert found["ccg"]["same stores"] == {"forests.store": True}
    chains = [f"{name}-chain.store" for name in ("fold-0", "fold-1", "pos", "super")]
    assert found["ccg"]["stores there"] == sorted(["forests.store", *chains])
    assert found["ccg"]["far"] < 1e-10
    assert found["ccg"]["parsed"]
    for kind, stores, far in (
        ("const", ["charts.store"], 1e-10),
        ("const-svm", ["charts.store"], 1e-6),  # by a quadratic programme
        ("const-pcfg", [], 0.0),
    ):
        assert found[kind]["parsed"]
        assert found[kind]["stores there"] == stores
        assert found[kind]["far"] <= far


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"pip install 'treewright\[ray\]'"):
        Cluster("auto", 1)


@pytest.mark.skipif(not HAS_RAY, reason="needs the extra treewright[ray]")
@pytest.mark.parametrize(
    ("address", "message"),
    [("127.0.0.1:1", "nobody answers: .*refused"), ("here", "an address is HOST:PORT")],
)
def test_a_cluster_that_is_not_there_is_found_missing_at_once(
    address: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "toy.toml").write_text('kind = "toy"\n')
    run = Run(tmp_path / "run", ray=address)
    with pytest.raises(ConfigError, match=message):
        train(read_plan(tmp_path / "toy.toml"), run)
    assert not run.directory.exists()


def test_a_head_that_is_gone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray itself would wait for a minute and end the process."""
    server = create_server(("127.0.0.1", 0))
    address = "{}:{}".format(*server.getsockname())
    waits: list[float] = []

    def wait(references: list[object], timeout: float) -> tuple[list[object], list[object]]:
        waits.append(timeout)
        if len(waits) == 2:
            server.close()
        return [], references

    ray = SimpleNamespace(
        wait=wait,
        cluster_resources=lambda: {"CPU": 2},
        get_runtime_context=lambda: SimpleNamespace(gcs_address=address),
        exceptions=SimpleNamespace(
            RayTaskError=KeyError, WorkerCrashedError=KeyError, OutOfMemoryError=KeyError
        ),
    )
    monkeypatch.setattr(room, "_connected", lambda _: ray)
    cluster = Cluster("auto", 1)
    with pytest.raises(TreewrightError, match=r"head of the Ray cluster is gone .* --resume"):
        cluster.result("reference")
    assert len(waits) == 2
    assert Cluster("auto", 1).head is None  # nobody is there to ask
