"""`treewright store`: totals in a table, and one line for each damaged record."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from treewright.cli.main import app
from treewright.forests import Example, FeatureMatrix, ForestBuilder, ForestStore
from treewright.forests.store.frame import FRAME
from treewright.forests.store.record import HEAD


@pytest.fixture
def path(tmp_path: Path) -> Path:
    builder = ForestBuilder()
    leaf = builder.node([(0,)] * 1000)
    builder.node([(1, leaf)])
    with ForestStore.create(tmp_path / "a.forests") as writer:
        for number in range(3):
            writer.add(Example(builder.build(), FeatureMatrix.identity(2), name=f"s.{number}"))
    return tmp_path / "a.forests"


def store(command: str, path: Path) -> Any:
    return CliRunner().invoke(app, ["store", command, str(path)])


def rows(output: str) -> dict[str, str]:
    cells = [line.strip("│ ").split("│") for line in output.splitlines() if line.startswith("│")]
    return {name.strip(): number.strip() for name, number in cells}


def test_info_shows_the_totals(path: Path) -> None:
    result = store("info", path)
    assert result.exit_code == 0
    size = path.stat().st_size
    assert rows(result.output) == {
        "records": "3",
        "nodes": "6",
        "edges": "3,003",
        "parts": "6",
        "feature entries": "6",
        "bytes": f"{size:,}",
        "structure bytes per edge": f"{(4 * 9 + 12 * 3003) / 3003:.2f}",
        "bytes per edge": f"{size / 3003:.2f}",
    }


def test_verify_is_content_with_a_sound_store(path: Path) -> None:
    result = store("verify", path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{path}: 3 records, no damage found\n"


def test_verify_has_one_line_for_each_bad_record(path: Path) -> None:
    content = bytearray(path.read_bytes())
    length = (len(content) - 2 * FRAME) // 3
    for number in (0, 2):
        content[FRAME + number * length + HEAD.size + 500] ^= 1
    path.write_bytes(content)
    result = store("verify", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        f"treewright: error: {path}: record {n} ('s.{n}'): altered: wrong checksum" for n in (0, 2)
    ]
