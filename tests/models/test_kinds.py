"""Kinds of models, losses and encoders of other packages: tests/plugins is one."""

from importlib.metadata import EntryPoint

import numpy as np
import pytest
from treewright_toy.losses import jaccard
from treewright_toy.model import KIND

from treewright.config import plugins
from treewright.errors import ConfigError
from treewright.losses.costs import loss_named
from treewright.losses.settings import ObjectiveSettings
from treewright.models.kinds import kind_named


def test_another_package_adds_a_kind() -> None:
    assert kind_named("toy") is KIND
    with pytest.raises(ConfigError, match=r"unknown kind of model 'other': one of ccg, .* toy$"):
        kind_named("other")


def test_another_package_adds_a_loss() -> None:
    n, d = np.arange(3), np.full(3, 2)
    formula = loss_named("jaccard").of_counts
    assert formula is not None
    assert np.array_equal(formula(n, d, 2), jaccard(n, d, 2))
    assert ObjectiveSettings("softmax-margin", "jaccard").make()
    with pytest.raises(ConfigError, match=r"unknown loss 'nosuch': one of .*, jaccard, or f<beta>"):
        loss_named("nosuch")


def test_another_package_adds_an_encoder() -> None:
    pytest.importorskip("torch")
    from treewright.neural.network import kept_encoder, new_encoder
    from treewright.neural.settings import EncoderSettings

    settings = EncoderSettings("letters", width=8, rows=10)
    assert (new_encoder(settings).width, kept_encoder(settings, {}, {}).width) == (4, 4)


def test_what_cannot_be_imported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("broken", "nosuchmodule:KIND", plugins.KINDS)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point])  # noqa: ARG005
    with pytest.raises(ConfigError, match=r"'broken' of treewright\.kinds cannot be imported"):
        kind_named("broken")
