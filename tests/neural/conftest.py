"""Tests of neural scorers need torch and tokenizers, which are an extra."""

import pytest

for name in ("torch", "tokenizers"):
    pytest.importorskip(name, reason="needs torch: pip install treewright[torch]")
