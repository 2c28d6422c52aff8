"""Records of skipped sentences, which cannot be read or have a step that matches no rule."""

from collections.abc import Callable
from typing import TypeVar

from treewright.errors import GrammarError

Made = TypeVar("Made")


class Skipped:
    """Counts sentences, and keeps the ids of skipped ones by cause.

    Args:
        strict: raise errors instead of skipping.
    """

    def __init__(self, strict: bool = False) -> None:
        self.strict = strict
        self.sentences = 0
        self.causes: dict[str, list[str]] = {}

    def __len__(self) -> int:
        return sum(map(len, self.causes.values()))

    def attempt(self, where: str, name: str, make: Callable[[], Made]) -> Made | None:
        """Calls `make` for a sentence; None if a step of it matches no rule."""
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
        """Counts a sentence that cannot be read."""
        self.sentences += 1
        self.causes.setdefault(str(error), []).append(name)

    def report(self) -> dict[str, object]:
        """Counts, and for each cause the number of sentences and some ids, most frequent first."""
        listed = {
            cause: {"count": len(names), "ids": names} for cause, names in self.by_frequency()
        }
        return {"sentences": self.sentences, "skipped": len(self), "causes": listed}

    def by_frequency(self) -> list[tuple[str, list[str]]]:
        """Causes with the ids of their sentences, most frequent first."""
        return sorted(self.causes.items(), key=lambda item: -len(item[1]))

    def __str__(self) -> str:
        lines = [f"{len(self)} of {self.sentences} sentences skipped"]
        for cause, names in self.by_frequency():
            lines.append(f"{len(names):6} {cause}: {some(names)}")
        return "\n".join(lines)


def some(names: list[str], most: int = 5) -> str:
    """The first few names, and the number of others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
