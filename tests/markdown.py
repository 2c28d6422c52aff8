"""Extracts code and commands from Markdown pages."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^    .*\n|^\n(?=    ))+", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of code; `line` is the number of its first line in the page."""

    language: str
    code: str
    line: int


def pages() -> list[Path]:
    """The README, the contributor's guide and all pages of the docs."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def fenced(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = FENCE.finditer(text)
    return [Block(m[1], m[2], text.count("\n", 0, m.start()) + 2) for m in found]


def commands(page: Path) -> list[list[str]]:
    """All `treewright` commands of a page, as arguments: of shell blocks and of indented code."""
    return _commands(page, r"(?:^|\| |=\. )treewright (.*)")


def benchmarks(page: Path) -> list[list[str]]:
    """The benchmarks of a page: name and arguments."""
    return _commands(page, r"python -m benchmarks\.(.*)")


def indented(page: Path) -> str:
    """The indented code of a page."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return "\n".join(match[0] for match in INDENTED.finditer(text))


def _commands(page: Path, pattern: str) -> list[list[str]]:
    code = [indented(page)]
    code += [block.code for block in fenced(page) if block.language == "sh"]
    lines = "\n".join(code).replace("\\\n", " ").splitlines()
    found = (re.search(pattern, line.strip()) for line in lines)
    return [shlex.split(match[1], comments=True) for match in found if match]
