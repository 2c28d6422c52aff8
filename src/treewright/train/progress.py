"""Progress on the terminal: a bar with the time left and a few figures; silent elsewhere."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

T = TypeVar("T")


class Progress:
    """One bar; `advance(1, F=0.81)` moves it and shows figures beside it."""

    def __init__(self, bars: "Bars", task: "TaskID") -> None:
        self._bars, self._task = bars, task

    def advance(self, steps: float = 1, **shown: object) -> None:
        """Moves the bar; what is shown stays until it is shown anew."""
        self._bars.update(self._task, advance=steps, **_fields(shown))

    def move_to(self, completed: float, **shown: object) -> None:
        """The same, to a place."""
        self._bars.update(self._task, completed=completed, **_fields(shown))

    def passing(self, item: T) -> T:
        """The item itself; the bar moves by one."""
        self.advance()
        return item


def _fields(shown: Mapping[str, object]) -> dict[str, Any]:
    text = "  ".join(f"{name} {_short(value)}" for name, value in shown.items())
    return {"shown": text} if shown else {}


def _short(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


@contextmanager
def progress(description: str, total: int | None, quiet: bool = False) -> Iterator[Progress]:
    """A bar on stderr while the block runs, if stderr is a terminal; a total of None is unknown."""
    from rich import progress as rich  # here, so that parsers need not wait for it
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
