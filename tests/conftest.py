"""Configuration of all tests: reproducible property tests, and paths to treebanks."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("repeatable")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as inherited from a shell's `&`
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as inherited from nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

ROOT = Path(__file__).parents[1]
# A package with a kind, a loss and an encoder; processes that tests start find it, too.
PLUGINS = str(ROOT / "tests" / "plugins")
os.environ["PYTHONPATH"] = os.pathsep.join([PLUGINS, *filter(None, [os.getenv("PYTHONPATH")])])
TREEBANKS = (ROOT / "data", ROOT.parent / "shared" / "data")


def treebank_file(name: str) -> Path:
    """A file of a treebank (see docs/data.md); skips the test if it is missing."""
    for folder in TREEBANKS:
        if (folder / name).exists():
            return folder / name
    pytest.skip(f"needs the treebank file {name} in data/ (see docs/data.md)")
