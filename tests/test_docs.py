"""The configuration reference in the docs is what the settings say."""

import re
from pathlib import Path

import pytest

from treewright.config import to_toml
from treewright.losses.settings import ObjectiveSettings
from treewright.models.training import read_plan
from treewright.train.settings import OptimiserSettings

TRAINING = (Path(__file__).parents[1] / "docs" / "training.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "settings"), [("objective", ObjectiveSettings), ("optimiser", OptimiserSettings)]
)
def test_the_reference_shows_every_default(name: str, settings: type) -> None:
    (shown,) = re.findall(rf"<!-- {name} -->\n```toml\n(.*?)```\n", TRAINING, flags=re.DOTALL)
    assert shown == to_toml(settings)


def test_the_example_is_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(re.findall(r"```toml\n(.*?)```", TRAINING, re.DOTALL)[0])
    plan = read_plan(tmp_path / "x.toml")
    assert (plan.kind, plan.seed, plan.settings.objective.tau) == ("toy", 1, 5.0)
