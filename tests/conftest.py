"""For the whole test suite: repeatable property tests, and the way to the treebanks."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("repeatable")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as inherited from a shell's `&`
    signal.signal(signal.SIGINT, signal.default_int_handler)

TREEBANKS = Path(__file__).parents[2] / "shared" / "data"


def treebank_file(name: str) -> Path:
    """A file of the treebanks that stand beside the checkout; skips the test where they do not."""
    path = TREEBANKS / name
    if not path.exists():
        pytest.skip(f"needs the treebank file {name} in ../shared/data")
    return path
