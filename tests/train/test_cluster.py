"""Ray: four workers, one of which is killed, give what one process gives.

Ray itself runs in a process of its own, away from the test suite's warnings and threads.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from socket import create_server, socket
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from treewright.errors import ConfigError, TreewrightError
from treewright.losses.batch import SparseGradient
from treewright.losses.settings import ObjectiveSettings
from treewright.models.kinds import load
from treewright.models.training import read_plan, train
from treewright.train import cluster as room
from treewright.train.cluster import Cluster
from treewright.train.run import Run
from treewright.train.shards import Shard

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
    [("127.0.0.1:1", "no answer: .*refused"), ("here", "an address is HOST:PORT")],
)
def test_a_cluster_that_is_not_there_is_found_missing_at_once(
    address: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "toy.toml").write_text('kind = "toy"\n')
    run = Run(tmp_path / "run", ray=address)
    with pytest.raises(ConfigError, match=message):
        train(read_plan(tmp_path / "toy.toml"), run)
    assert not run.directory.exists()


class FakeRay:
    """What `cluster` uses of Ray, in this process; its head goes after so many answers."""

    exceptions = SimpleNamespace(
        RayTaskError=KeyError,
        WorkerCrashedError=KeyError,
        OutOfMemoryError=KeyError,
        RayActorError=KeyError,
    )

    def __init__(self, head: socket, answers: float = np.inf) -> None:
        self.head, self.answers, self.waits = head, answers, 0
        self.address = "{}:{}".format(*head.getsockname())

    def cluster_resources(self) -> dict[str, int]:
        return {"CPU": 2}

    def get_runtime_context(self) -> SimpleNamespace:
        return SimpleNamespace(gcs_address=self.address)

    def wait(self, references: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        self.waits += timeout > 0
        if self.waits <= self.answers:
            return references, []
        if self.waits == self.answers + 2:
            self.head.close()
        return [], references

    def put(self, value: Any) -> Any:
        return value

    def get(self, reference: Any) -> Any:
        return reference

    def remote(self, **_: Any) -> Callable[[type[room.Worker]], Any]:
        def maker(kind: type[room.Worker]) -> Any:
            return SimpleNamespace(remote=lambda *given: Remote(kind(*given)))

        return maker


class Remote:
    """A worker that is here: what a method returns is its own reference."""

    def __init__(self, worker: Any) -> None:
        self.worker = worker

    def __getattr__(self, name: str) -> Any:
        return SimpleNamespace(remote=getattr(self.worker, name))


@pytest.fixture
def head() -> socket:
    return create_server(("127.0.0.1", 0))


def test_a_head_that_is_gone_is_named(head: socket, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray itself would wait for a minute and end the process."""
    ray = FakeRay(head, answers=0)
    monkeypatch.setattr(room, "connected", lambda _: ray)
    cluster = Cluster("auto", 1)
    with pytest.raises(TreewrightError, match=r"head node of the Ray cluster .* --resume"):
        cluster.result("reference")
    assert ray.waits == 2
    assert Cluster("auto", 1).head is None  # nobody is there to ask


def weights(model: Path) -> Any:
    return load(model).bundle().arrays["weights"]


def test_a_run_whose_cluster_is_gone_is_continued_without_ray(
    head: socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "toy.toml"
    config.write_text(
        'kind = "toy"\nsentences = 12\ndev_sentences = 2\n'
        "[optimiser]\niterations = 4\ncheckpoint_seconds = 0\n"
    )
    plan, directory = read_plan(config), tmp_path / "run"
    expected = weights(train(plan, Run(tmp_path / "whole", 1, plan.seed, quiet=True)))
    ray = FakeRay(head, answers=8)  # two shards' sizes, and three evaluations
    monkeypatch.setattr(room, "connected", lambda _: ray)
    with pytest.raises(TreewrightError, match="head node of the Ray cluster"):
        train(plan, Run(directory, 1, plan.seed, ray.address, quiet=True))
    assert list(directory.glob("checkpoints/*"))
    model = train(plan, Run(directory, 1, plan.seed, quiet=True), mode="resume")
    np.testing.assert_allclose(weights(model), expected, atol=1e-8)
    assert "resumed" in (directory / "records.jsonl").read_text()


ONE, USES = np.ones(3), np.ones(3, np.int32)
PLACES = np.array([0, 3])
# What is asked for, with which arguments, a valid answer, and others.
ASKED: dict[str, tuple[tuple[Any, ...], Any, list[Any]]] = {
    "processes": ((), 7, [None, -1, "2", [1]]),
    "uses": ((), USES, [None, ONE, USES[:2]]),
    "value_and_gradient": (
        (ONE,),
        (1.0, ONE),
        [None, 1.0, (1.0, None), (1.0, ONE[:1]), ("1", ONE), (1.0, [1, 1, 1])],
    ),
    "value_and_gradient_on": (
        (PLACES, ONE),
        SparseGradient(1.0, PLACES[:1], ONE[:1], USES[:1]),
        [
            (1.0, ONE),
            SparseGradient(1.0, PLACES, ONE[:2], USES[:2]),
            SparseGradient(1.0, PLACES[:1], ONE[:2], USES[:1]),
        ],
    ),
}


@pytest.mark.parametrize("question", ASKED)
def test_what_workers_send_is_checked(
    question: str, head: socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An array of one number, say, could be added to a gradient of any size."""
    given, valid, garbage = ASKED[question]
    method = {"processes": "process"}.get(question, question)
    sent: list[Any] = []
    worker = SimpleNamespace(size=lambda: 2, **{method: lambda *_: sent[-1]})
    monkeypatch.setattr(room, "Worker", lambda *_: worker)
    monkeypatch.setattr(room, "connected", lambda _: FakeRay(head))
    with head:
        objective = Cluster("auto", 1).objective(ObjectiveSettings(), [Shard(list)] * 2, 3)
        sent.append(valid)
        assert getattr(objective, question)(*given) is not None
        for each in garbage:
            sent.append(each)
            with pytest.raises(TreewrightError, match=f"shard 0 sent no valid answer to {method}"):
                getattr(objective, question)(*given)
