"""Figures, drawn by matplotlib (extra `treewright[plot]`) into PNG or SVG files."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from treewright.errors import ConfigError
from treewright.train.history import History

SUFFIXES = (".png", ".svg")


def save_figure(
    path: Path, draw: Callable[[Any], None], width: float = 7, height: float = 4
) -> None:
    """Writes what `draw(figure)` draws; the same drawing gives the same bytes."""
    if path.suffix not in SUFFIXES:
        raise ConfigError(f"{path}: a figure must end in {' or '.join(SUFFIXES)}")
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigError("figures need matplotlib: pip install 'treewright[plot]'") from error
    with mpl.rc_context({"svg.hashsalt": "treewright", "font.size": 9}):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
        figure.savefig(path, dpi=150, metadata=metadata)


def learning_curves(figure: Any, histories: Sequence[History]) -> None:
    """The objective and the dev score by iteration, a line for every optimisation of every run."""
    above, below = figure.subplots(2, 1, sharex=True)
    for history in histories:
        for name, rows in history.curves.items():
            label = f"{history.directory.name}: {name}"
            _line(above, rows, "objective", label)
            _line(below, rows, "score", label)
    above.set_ylabel("objective")
    below.set_ylabel("dev score")
    below.set_xlabel("iteration")
    above.legend()


def _line(axes: Any, rows: list[dict[str, Any]], key: str, label: str) -> None:
    points = [(row["iteration"], row[key]) for row in rows if key in row]
    if points:
        axes.plot(*zip(*points, strict=True), label=label, marker="." if len(points) < 30 else None)
