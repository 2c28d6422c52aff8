"""Progress bars on the terminal, with remaining time and some figures; silent elsewhere."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

T = TypeVar("T")


class Progress:
    """A progress bar; `advance(1, F=0.81)` moves it and shows figures."""

    def __init__(self, bars: "Bars", task: "TaskID") -> None:
        self._bars, self._task = bars, task

    def advance(self, steps: float = 1, **shown: object) -> None:
        """Moves the bar; figures remain until they are replaced."""
        self._bars.update(self._task, advance=steps, **_fields(shown))

    def move_to(self, completed: float, **shown: object) -> None:
        """Moves the bar to a position."""
        self._bars.update(self._task, completed=completed, **_fields(shown))

    def passing(self, item: T) -> T:
        """Yields the item and moves the bar by one."""
        self.advance()
        return item


def _fields(shown: Mapping[str, object]) -> dict[str, Any]:
    text = "  ".join(f"{name} {_short(value)}" for name, value in shown.items())
    return {"shown": text} if shown else {}


def _short(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


@contextmanager
def progress(description: str, total: int | None, quiet: bool = False) -> Iterator[Progress]:
    """Shows a bar on stderr in the block, if stderr is a terminal; a total of None is unknown."""
    from rich import progress as rich  # imported here, so that parsers start faster
    from rich.console import Console

    console = Console(stderr=True)
    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TextColumn("{task.fields[shown]}"),
        rich.TimeElapsedColumn(),
        rich.TimeRemainingColumn(),
    )
    off = quiet or not console.is_terminal
    with rich.Progress(*columns, console=console, disable=off) as bars:
        yield Progress(bars, bars.add_task(description, total=total, shown=""))
