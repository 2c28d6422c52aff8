"""Experiments on the core alone, without any treebank."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treewright.config import setting
from treewright.errors import ConfigError
from treewright.experiments.experiment import Context, Experiment, Plot, Result, Table
from treewright.inference import expsum
from treewright.inference.count_range import CountRange
from treewright.losses.costs import loss_named


@dataclass(frozen=True)
class TermsSettings:
    """Count ranges, weights and tolerances."""

    loss: str = setting("f1", "loss that is a function of the counts")
    sizes: tuple[int, ...] = setting((10, 20, 40, 80), "gold sizes |y|; n ranges from 0 to |y|")
    spread: float = setting(0.25, "d is within this fraction of |y| on either side")
    taus: tuple[float, ...] = setting((1.0, 5.0), "weights of the loss")
    tolerances: tuple[float, ...] = setting((1e-2, 1e-4, 1e-6), "relative errors")


def expsum_terms(context: Context) -> Iterator[Result]:
    """The number of exponentials for exp(tau * loss), by size, weight and tolerance."""
    settings: TermsSettings = context.settings
    cases = [(tau, size) for tau in settings.taus for size in settings.sizes]
    rows: list[list[int | float | None]] = []
    with context.progress("fits", len(cases)) as bar:
        for tau, size in cases:
            fits = [_terms(settings, tau, size, each) for each in settings.tolerances]
            rows.append([tau, size, *fits])
            bar.advance()
    columns = ("tau", "size", *(f"{each:g}" for each in settings.tolerances))
    note = "Terms of the shortest sum found; empty where none of at most "
    note += f"{expsum.MAX_TERMS} terms is close enough."
    yield Table(f"exp(tau * {settings.loss} loss) as a sum", columns, rows, note)
    yield Plot("terms", "Terms by gold size", lambda figure: _draw(figure, settings, rows))


def _terms(settings: TermsSettings, tau: float, size: int, tolerance: float) -> int | None:
    formula = loss_named(settings.loss).of_counts
    if formula is None:
        raise ConfigError(f"{settings.loss} is not a function of the counts")
    width = round(settings.spread * size)
    bounds = CountRange(0, size, size - width, size + width)
    fitted = expsum.fit(bounds, lambda n, d: np.exp(tau * formula(n, d, size)), tolerance)
    return None if fitted is None else len(fitted.coefficient)


def _draw(figure: object, settings: TermsSettings, rows: list[list[int | float | None]]) -> None:
    axes = figure.subplots()  # type: ignore[attr-defined]
    for tau in settings.taus:
        for column, tolerance in enumerate(settings.tolerances, start=2):
            mine = [row for row in rows if row[0] == tau and row[column] is not None]
            points = [row[1] for row in mine], [row[column] for row in mine]
            axes.plot(*points, marker="o", label=f"tau {tau:g}, {tolerance:g}")
    axes.set_xlabel("gold size")
    axes.set_ylabel("terms")
    axes.legend()


EXPERIMENTS = (
    Experiment("core/expsum-terms", "Terms of exponential sums", TermsSettings, expsum_terms),
)
