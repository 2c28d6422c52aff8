"""Experiments that reproduce results of papers, with the paper's figures beside ours.

A module of `treewright.experiments` exports `EXPERIMENTS`, a tuple of `Experiment`; it is
found by being there. An experiment's function gets a `Context` and gives tables, plots and text:

    @dataclass(frozen=True)
    class Settings:
        sentences: int = setting(1000, "how many to train on")

    def table4(context: Context) -> Iterator[Result]:
        model = context.train("likelihood", {"kind": "ccg", ...})  # or context.run(...)
        ...
        yield Table("Dependencies", ("trained for", "LF"), [("likelihood", Beside(84.1, 86.7))])

    EXPERIMENTS = (Experiment("softmax-margin/table4", "Losses and metrics", Settings, table4),)
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treewright.models.contract import Analysis, Parser
from treewright.models.kinds import load
from treewright.models.training import plan_of, train
from treewright.train.progress import progress
from treewright.train.run import Run


@dataclass(frozen=True)
class Beside:
    """Our figure and the paper's; None for a missing one."""

    ours: float | str | None
    paper: float | str | None


@dataclass(frozen=True)
class PValue:
    """A p-value, and its value after Holm's correction for the rows of its table."""

    value: float
    holm: float


Cell = str | int | float | None | Beside | PValue


@dataclass(frozen=True)
class Table:
    """Rows of cells with column names; `digits`: decimal places of floats."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    digits: int = 2


@dataclass(frozen=True)
class Plot:
    """A plot: its file name without suffix, its title, and a function that draws it."""

    name: str
    title: str
    draw: Callable[[Any], None]  # called with the figure
    width: float = 7.0
    height: float = 4.0

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.name}.png"


Result = Table | Plot | str  # text is a paragraph of Markdown


@dataclass(frozen=True)
class Context:
    """The context of a running experiment; `settings` is of the experiment's own class."""

    settings: Any
    out: Path
    seed: int = 0
    threads: int = 0
    ray: str | None = None
    quiet: bool = False
    key: str = ""  # hash of settings, data and version: results of other ones are not reused

    def run(self, name: str) -> Run:
        """A run directory below the experiment's; finished stages are reused."""
        place = self.out / "runs" / self.key / name
        return Run(place, self.threads, self.seed, self.ray, self.quiet)

    def train(self, name: str, config: Mapping[str, object]) -> Parser[Analysis]:
        """Trains a model from a configuration (with `kind`) once; an interrupted run is resumed."""
        plan = replace(plan_of(config, name), seed=self.seed)
        return load(train(plan, self.run(name), mode="resume"))

    def progress(self, description: str, total: int) -> Any:
        """A bar on the terminal."""
        return progress(description, total, self.quiet)


@dataclass(frozen=True)
class Experiment:
    """An experiment with the name `paper/table`; `settings` is a frozen dataclass."""

    name: str
    title: str
    settings: type
    run: Callable[[Context], Iterable[Result]]
    ray: bool = False  # whether it can use a cluster
