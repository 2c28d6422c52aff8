"""Checks of the checkout itself: forbidden content of files, and contents of the README."""

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|farm|root|home|Users|tmp/[a-z]+)/")
CPP_TYPE = re.compile(r"^(?:class|struct|enum class|enum) (\w+)[^;]*?\{", re.MULTILINE)
PACKAGE_INDEX = re.compile(r"index[-_]url|find[-_]links", re.IGNORECASE)
WALL_CLOCK = re.compile(r"time\.time\(|time_ns\(|\bdatetime\b|st_mtime|getmtime|strftime")
PICKLERS = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}


@cache
def repository_files() -> dict[str, str]:
    """The text files that git tracks, or would with the next commit."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [path for path in listing.split("\0") if path and (ROOT / path).is_file()]
    contents = {path: (ROOT / path).read_bytes() for path in paths}
    return {p: c.decode("utf-8", "replace") for p, c in contents.items() if b"\0" not in c}


@pytest.mark.parametrize("pattern", [MACHINE_PATH, PACKAGE_INDEX], ids=["path", "index"])
def test_no_file_depends_on_one_machine(pattern: re.Pattern[str]) -> None:
    assert [path for path, text in repository_files().items() if pattern.search(text)] == []


def test_the_readme_shows_where_to_start() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in readme
    assert "make test" in readme


def test_the_package_never_unpickles() -> None:
    guilty = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if roots_of_imports(source) & PICKLERS or "allow_pickle=True" in source:
            guilty.append(path.name)
    assert guilty == []


def test_nothing_depends_on_the_time_of_day() -> None:
    """A clock that is set back changes no run and no model: nobody looks at it."""
    sources = (ROOT / "src" / "treewright").rglob("*.py")
    assert [p.name for p in sources if WALL_CLOCK.search(p.read_text(encoding="utf-8"))] == []


def roots_of_imports(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


def test_no_two_types_of_the_core_share_a_name() -> None:
    """Two classes of one name link without a word, and then run each other's functions."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "cpp").rglob("*.hpp")):
        for name in CPP_TYPE.findall(path.read_text(encoding="utf-8")):
            found.setdefault(f"{path.parent.name}::{name}", []).append(path.name)
    assert found
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}
