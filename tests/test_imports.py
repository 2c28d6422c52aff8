"""Imports go in one direction, and only binding files include nanobind."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "treewright"

# Left to right; rooms that stand together may not import each other.
ORDER = [
    ["errors"],
    ["config", "arrays", "machine", "client"],
    ["storage"],
    ["data"],
    ["metrics", "grammar"],
    ["formats", "minibank", "convert"],
    ["draw"],
    ["forests"],
    ["scores"],
    ["inference"],
    ["losses"],
    ["torch"],
    ["train"],
    ["text", "neural"],
    ["models"],
    ["pipeline"],
    ["report", "serve"],
    ["experiments"],
    ["cli"],
]
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}
NATIVE_ROOMS = {"forests", "scores", "inference", "losses", "train"}
NATIVE_MODULES = {"treewright.cli.info"}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The room of `treewright.<room>...`; the package's own two files count as cli."""
    parts = module.split(".")
    return "cli" if len(parts) == 1 or parts[1] == "__main__" else parts[1]


def imported(source: str) -> Iterator[tuple[str, int]]:
    """The dotted names imported anywhere in a module, each with its level of relativity."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((f"{node.module or ''}.{alias.name}", node.level) for alias in node.names)


def faults(module: str, source: str) -> list[str]:
    """What is wrong with the imports of one module."""
    if room_of(module) not in RANK:
        return [f"{module} belongs to no known room"]
    found = (fault(module, name, level) for name, level in imported(source))
    return [f"{module} {text}" for text in found if text]


def fault(module: str, name: str, level: int) -> str:
    """What is wrong with one import, or nothing."""
    if level:
        return f"imports {name} relatively"
    parts = name.split(".")
    if parts[0] != "treewright" or len(parts) == 1 or parts[1] == "__version__":
        return ""
    room, target = room_of(module), parts[1]
    if target == "_core":
        allowed = room in NATIVE_ROOMS or module in NATIVE_MODULES
        return "" if allowed else "imports the native core"
    if target not in RANK:
        return f"imports {name}, which belongs to no known room"
    return "" if target == room or RANK[target] < RANK[room] else f"imports {name} upstream"


def test_every_module_keeps_the_order() -> None:
    paths = sorted(PACKAGE.rglob("*.py"))
    assert paths
    assert [text for path in paths for text in faults(module_name(path), path.read_text())] == []


@pytest.mark.parametrize(
    ("module", "source", "expected"),
    [
        ("treewright.data.ptb", "from treewright.errors import FormatError", ""),
        ("treewright.data.ptb", "from treewright.data import records", ""),
        ("treewright.data.ptb", "import treewright.metrics.deps", "upstream"),
        ("treewright.data.ptb", "from treewright import cli", "upstream"),
        ("treewright.data.ptb", "def f():\n    from treewright.train import sgd", "upstream"),
        ("treewright.metrics.deps", "from treewright.grammar import category", "upstream"),
        ("treewright.grammar.ccg", "from treewright.metrics import deps", "upstream"),
        ("treewright.data.ptb", "from . import records", "relatively"),
        ("treewright.data.ptb", "from treewright.utils import f", "no known room"),
        ("treewright.utils", "", "no known room"),
        ("treewright.forests.forest", "from treewright import _core", ""),
        ("treewright.train.sgd", "import treewright._core as core", ""),
        ("treewright.cli.info", "from treewright import _core", ""),
        ("treewright.cli.parse", "from treewright import _core", "native core"),
        ("treewright.grammar.ccg", "from treewright._core import f", "native core"),
        ("treewright.cli.version", "from treewright import __version__", ""),
    ],
)
def test_the_check_sees(module: str, source: str, expected: str) -> None:
    found = faults(module, source)
    assert bool(found) == bool(expected)
    assert all(expected in text for text in found)


def test_only_the_binding_files_know_python() -> None:
    pattern = re.compile(r'#\s*include\s*[<"](nanobind/|Python\.h)')
    sources = [path for path in (ROOT / "cpp").rglob("*") if path.suffix in {".cpp", ".hpp", ".h"}]
    knowing = [path.name for path in sources if pattern.search(path.read_text())]
    assert knowing == ["bind.hpp"]


def test_the_maps_have_every_room() -> None:
    for page in ("CONTRIBUTING.md", "docs/architecture.md"):
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        assert " -> ".join(", ".join(rooms) for rooms in ORDER[2:]) in text, page
