"""The README's Python example runs as it stands, and its commands exist."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from treewright.cli.main import app

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_python_example_gives_what_enumeration_gives() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    # Two derivations: scores 0.5 and 1, F1 losses 0 and 1 - 2/3.
    weights = np.exp([0.5 + 0.0, 1.0 + 1 / 3])
    assert names["value"] == pytest.approx(np.log(weights.sum()) - 0.5)


def test_the_shell_examples_name_real_commands() -> None:
    known = {command.name for command in app.registered_commands}
    known |= {group.name for group in app.registered_groups}
    named = set(re.findall(r"^    treewright (\w+)", README, flags=re.MULTILINE))
    assert named <= known
    targets = set(re.findall(r"^    make (\w+)", README, flags=re.MULTILINE))
    makefile = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")
    assert targets <= set(re.findall(r"^(\w+):", makefile, flags=re.MULTILINE))


def test_the_demo_runs(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "treewright", "demo", "--sentences", "60"]
    shown = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "likelihood" in shown.stdout
    assert "softmax-margin, F1" in shown.stdout
