"""Tests of layers need torch, which is an extra."""

import pytest

pytest.importorskip("torch", reason="needs torch: pip install treewright[torch]")
