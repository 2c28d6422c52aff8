"""A server on a local Ray cluster; Ray runs in a process of its own, as in tests/train."""

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from treewright.errors import TreewrightError
from treewright.serve.ray_workers import RayWorkers
from treewright.serve.settings import ModelSource, ServerSettings

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra treewright[ray]")
SECONDS = 300  # on a busy machine


@needs_ray
@pytest.mark.slow
def test_nothing_is_lost_when_a_replica_is_killed(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    command = [sys.executable, "-m", "tests.serve.ray_script", str(found)]
    # Ray lowers the priority of its workers, which then starve beside other tests.
    usual = {"RAY_worker_niceness": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        env=os.environ | usual,
    )
    assert done.returncode == 0, done.stderr
    values = json.loads(found.read_text())
    assert values["answers"] == {"200, same": 12}
    assert values["models"] == ["ccg", "dep"]
    assert values["replaced"]
    assert values["stops"] == [signal.SIGTERM]


def test_models_that_are_missing_are_found_before_a_cluster_is_asked(tmp_path: Path) -> None:
    settings = ServerSettings((ModelSource("none", tmp_path / "none"),))
    with pytest.raises(TreewrightError, match="none"):
        RayWorkers(settings, "nowhere:1")._deployed()
