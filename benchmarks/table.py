"""Markdown tables."""

from collections.abc import Iterable, Sequence


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; numbers stand to the right."""
    body = [[cell if isinstance(cell, str) else f"{cell:,}" for cell in row] for row in rows]
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
