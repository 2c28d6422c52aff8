"""The tutorial's code runs as it stands, and stays short."""

import re
from pathlib import Path

TEXT = (Path(__file__).parents[2] / "docs" / "tutorials" / "exact_f1_layer.md").read_text("utf-8")


def test_the_tutorial_learns_its_trees() -> None:
    first, second = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    assert len([line for line in first.splitlines() if line.strip()]) <= 40
    names: dict[str, object] = {}
    exec(compile(first + second, "exact_f1_layer.md", "exec"), names)
    assert float(names["loss"].detach()) < 0.1  # type: ignore[attr-defined]
