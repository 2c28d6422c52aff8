"""Ray: four workers, one of which is killed, give what one process gives.

Ray itself runs in a process of its own, away from the test suite's warnings and threads.
"""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from treewright.errors import ConfigError
from treewright.train.cluster import Cluster

HAS_RAY = find_spec("ray") is not None


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RAY, reason="needs the extra treewright[ray]")
def test_a_cluster_gives_what_one_process_gives(tmp_path: Path) -> None:
    script = Path(__file__).with_name("cluster_script.py")
    command = [sys.executable, str(script), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["workers"] == found["processes"] == 4
    assert found["events"] == [{"event": "worker replaced", "shard": 2}]
    assert found["same after"]
    assert found["value"] < 1e-13
    assert found["gradient"] < 1e-12
    assert found["minibatch"] < 1e-12
    assert found["uses"]
    assert max(found["far"].values()) < 1e-8
    assert found["powers"]
    assert found["error"] == "no analysis: no"
    assert found["parsed"]


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"pip install 'treewright\[ray\]'"):
        Cluster("auto", 1)
