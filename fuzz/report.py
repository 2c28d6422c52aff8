"""Pages of results: a command writes its own section and leaves the others as they are."""

import re
from pathlib import Path


def write_section(path: Path, title: str, text: str) -> None:
    """Replaces the section `## title` of a page, or adds it at the end."""
    page = path.read_text(encoding="utf-8") if path.exists() else "# Reliability\n"
    section = f"## {title}\n\n{text.strip()}\n"
    old = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    if old.search(page):
        page = old.sub(lambda _: section + "\n", page)
    else:
        page = f"{page.rstrip()}\n\n{section}"
    path.write_text(page.rstrip() + "\n", encoding="utf-8")
