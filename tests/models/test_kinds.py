"""Kinds of models by name, those of other packages included."""

from importlib.metadata import EntryPoint

import pytest

from treewright.errors import ConfigError
from treewright.models import kinds
from treewright.models.toy.model import KIND


def test_another_package_can_add_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", "treewright.models.toy.model:KIND", kinds.GROUP)
    monkeypatch.setattr(
        kinds, "entry_points", lambda group: [point] if group == kinds.GROUP else []
    )
    assert kinds.kind_named("mine") is KIND
    with pytest.raises(ConfigError, match=r"unknown kind of model 'other': one of ccg, .* mine$"):
        kinds.kind_named("other")
