"""Figures, drawn by matplotlib (extra `treewright[plot]`) into PNG or SVG files."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from treewright.errors import ConfigError
from treewright.train.history import History

SUFFIXES = (".png", ".svg")
LINES = ("-", "--", ":", "-.")  # for more curves than colours


def save_figure(
    path: Path, draw: Callable[[Any], None], width: float = 7, height: float = 4
) -> None:
    """Writes the figure drawn by `draw(figure)`; the output is deterministic."""
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
    """The objective and the dev score by iteration, without the taggers inside models.

    A run has its colour in both panels.
    """
    above, below = figure.subplots(2, 1, sharex=True)
    for number, history in enumerate(histories):
        look = {"label": history.directory.name, "color": f"C{number % 10}"}
        look["linestyle"] = LINES[number // 10 % len(LINES)]
        _line(above, history.main_curve, "objective", look)
        _line(below, history.main_curve, "score", look)
    above.set_ylabel("objective")
    below.set_ylabel("dev score")
    below.set_xlabel("iteration")
    below.xaxis.get_major_locator().set_params(integer=True)
    by_label: dict[str, Any] = {}
    for axes in (above, below):
        handles, labels = axes.get_legend_handles_labels()
        by_label |= dict(zip(labels, handles, strict=True))
    if by_label:
        figure.legend(by_label.values(), by_label, loc="outside right upper")


def _line(axes: Any, rows: list[dict[str, Any]], key: str, look: dict[str, str]) -> None:
    points = [(row["iteration"], row[key]) for row in rows if key in row]
    if points:
        axes.plot(*zip(*points, strict=True), marker="." if len(points) < 30 else None, **look)
