"""Training of CCG parsers with a development set."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.small_ccg import SETTINGS, bank
from treewright.config import from_dict
from treewright.data.auto import write_auto
from treewright.errors import ConfigError
from treewright.models.ccg_settings import CcgSettings
from treewright.models.ccg_training import train_ccg
from treewright.models.supertagger import SuperSettings
from treewright.train.run import RECORDS, Run


def records(run: Run) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run.directory / RECORDS).read_text().splitlines()]


def test_dev_scores_are_recorded_and_end_the_training(tmp_path: Path) -> None:
    write_auto(tmp_path / "train.auto", bank()[:50])
    write_auto(tmp_path / "dev.auto", bank()[50:])
    given = {
        **SETTINGS,
        "train": str(tmp_path / "train.auto"),
        "dev": str(tmp_path / "dev.auto"),
        "optimiser": {
            "name": "adagrad",
            "rate": 1.0,
            "iterations": 30,
            "patience": 2,
            "score_every": 1,
        },
    }
    run = Run(tmp_path / "run", 1, quiet=True)
    train_ccg(from_dict(CcgSettings, given, "tests"), run)
    found = records(run)
    scores = [each["score"] for each in found if each.get("optimise") == "parser"]
    assert len(scores) < 30
    best = scores.index(max(scores))
    assert len(scores) - 1 - best == 2  # two without a better one, and then the best is taken
    assert found[-1]["dev"]["labelled"]["f"] == scores[best]
    chain = [each for each in found if each.get("optimise") == "super-chain"]
    assert [each["iteration"] for each in chain if "score" in each] == [5]
    assert all(0 <= each["score"] <= 1 for each in chain if "score" in each)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (CcgSettings, {"optimiser": {"patience": 1}}),
        (CcgSettings, {"pos": {"chain": {"patience": 1}}}),
        (SuperSettings, {"tagger": {"chain": {"patience": 1}}}),
    ],
)
def test_patience_without_a_dev_file_is_an_error(kind: type, given: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="patience needs a dev file"):
        from_dict(kind, given, "tests")
