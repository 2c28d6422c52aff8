"""Sentences of a treebank that cannot be read or explained by rules: how many, why, and which."""

from collections.abc import Callable
from typing import TypeVar

from treewright.errors import GrammarError

Made = TypeVar("Made")


class Skipped:
    """Counts sentences, and keeps the names of those that were left out, by cause.

    Args:
        strict: a sentence that no rule explains is an error, not counted.
    """

    def __init__(self, strict: bool = False) -> None:
        self.strict = strict
        self.sentences = 0
        self.causes: dict[str, list[str]] = {}

    def __len__(self) -> int:
        return sum(map(len, self.causes.values()))

    def attempt(self, where: str, name: str, make: Callable[[], Made]) -> Made | None:
        """What `make` gives for the sentence of this name, or None where no rule explains it."""
        self.sentences += 1
        try:
            return make()
        except (ValueError, GrammarError) as error:
            cause = str(error).removeprefix(f"sentence {name}: ")
            if self.strict:
                raise GrammarError(f"{where}: sentence {name}: {cause}") from error
            self.causes.setdefault(cause, []).append(name)
            return None

    def damaged(self, name: str, error: ValueError) -> None:
        """Count a sentence that cannot be read."""
        self.sentences += 1
        self.causes.setdefault(str(error), []).append(name)

    def report(self) -> dict[str, object]:
        """Counts, and for each cause how many sentences it has and which, frequent ones first."""
        listed = {
            cause: {"count": len(names), "ids": names} for cause, names in self.by_frequency()
        }
        return {"sentences": self.sentences, "skipped": len(self), "causes": listed}

    def by_frequency(self) -> list[tuple[str, list[str]]]:
        """Causes with the names of their sentences, frequent ones first."""
        return sorted(self.causes.items(), key=lambda item: -len(item[1]))

    def __str__(self) -> str:
        lines = [f"{len(self)} of {self.sentences} sentences skipped"]
        for cause, names in self.by_frequency():
            lines.append(f"{len(names):6} {cause}: {some(names)}")
        return "\n".join(lines)


def some(names: list[str], most: int = 5) -> str:
    """The first few of some names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
