"""Training commands of networks end without a word from other libraries."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch: pip install treewright[torch]")
pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install treewright[neural]")

from treewright.minibank.write import write_minibank

CONFIG = """
kind = "const"
train = "train.mrg"
label_cutoff = 1
scorer = { kind = "neural", iterations = 1, encoder = { width = 8, rows = 20, recurrent = 0 } }
"""


def test_forests_that_are_kept_are_no_leaks(tmp_path: Path) -> None:
    """Libraries that export graphs keep modules, and so their caches, until the very end."""
    write_minibank(tmp_path, 6, seed=1)
    (tmp_path / "const.toml").write_text(CONFIG)
    command = [sys.executable, "-m", "treewright", "train", "const.toml", "--run", "run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "leaked" not in done.stderr
