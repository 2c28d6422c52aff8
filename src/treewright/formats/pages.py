"""Drawings that are wider than the page: how wide it is, and what stands over the parts."""

from shutil import get_terminal_size

COLUMNS = 100  # of a file or a pipe
LEAST = 40


def page_columns() -> int:
    """The columns of the terminal that is written to; 100 for anything else."""
    return max(LEAST, get_terminal_size((COLUMNS, 24)).columns)


def headings(parts: int) -> list[str]:
    """What stands above each part of a tree: its number, and for the last what the numbers mean."""
    if parts == 1:
        return [""]
    numbers = [f"[{number}]" for number in range(1, parts)]
    last = numbers[0] if parts == 2 else f"{numbers[0]} to {numbers[-1]}"
    return [*numbers, f"The whole, with {last} in place of the parts above"]
