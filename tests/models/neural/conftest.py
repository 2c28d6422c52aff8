"""A minibank, and a small family of parsers that is trained on it."""

from pathlib import Path

import pytest

from tests.small_family import small_family
from treewright.minibank.write import write_minibank


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bank")
    write_minibank(place, 80, seed=3)
    return place


@pytest.fixture(scope="module")
def model(bank: Path) -> Path:
    return small_family(bank)
