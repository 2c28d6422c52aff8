"""The reports of `eval`, `compare` and `runs`: scores, errors, significance, curves."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treewright.draw.svg import clean
from treewright.errors import TreewrightError
from treewright.models.evaluation import Report, percent
from treewright.report.calibration import FAINT, bins, calibration_error, judged, read_marginals
from treewright.report.charts import bar_chart, line_chart, square_chart
from treewright.report.comparison import Difference, difference_cells, difference_columns
from treewright.report.html import page, picture_html, table_html, tables_html
from treewright.report.mistakes import Pair, by_length, confusion, read_objects, read_pairs, worst
from treewright.report.tables import short
from treewright.train.history import History

DRAWN = 12  # sentences
CONFUSED = 30  # pairs of labels
Section = tuple[str, str]


def eval_page(
    kind: str, pred: Path, gold: Path, report: Report, marginals: Path | None = None
) -> str:
    """The scores of a parser's output, and its errors.

    marginals: a file written by `parse --format json --marginals`, for a section on calibration.
    """
    sections = [("Scores", tables_html(report.tables)), *_errors(kind, pred, gold)]
    if marginals is not None:
        sections.append(("Calibration", _calibration(kind, marginals, gold)))
    return page(f"Scores of {pred.name}", f"{kind}: {pred} against {gold}", sections)


def _errors(kind: str, pred: Path, gold: Path) -> list[Section]:
    try:
        pairs = read_pairs(kind, pred, gold)
    except TreewrightError as error:
        return [("Sentences", f'<p class="soft">No sentences are drawn: {clean(str(error))}.</p>')]
    chosen = worst(pairs, lambda pair: pair.errors, DRAWN)
    drawn = "".join(picture_html(pair.picture(), _caption(pair)) for pair in chosen)
    about = "<p>Dashed: wrong. Dotted, below the words: missed.</p>\n" if drawn else ""
    return [
        ("By sentence length", _lengths(pairs)),
        ("Confusions", _confusions(pairs)),
        ("Sentences with the most errors", about + drawn),
    ]


def _calibration(kind: str, marginals: Path, gold: Path) -> str:
    groups = bins(judged(read_marginals(marginals), read_objects(kind, gold)))
    if not groups:
        return '<p class="soft">The file has no probabilities of items.</p>\n'
    points = [(each.probability, each.correct, f"{each.size} items") for each in groups]
    rows = (
        (
            f"{each.low:.1f} to {each.high:.1f}",
            str(each.size),
            percent(each.probability),
            percent(each.correct),
        )
        for each in groups
    )
    about = (
        f"Items to which {marginals.name} gives a probability of {FAINT} or more. A parser that "
        "knows how often it is right is on the diagonal. Expected calibration error: "
        f"{percent(calibration_error(groups))}"
    )
    chart = picture_html(square_chart(points, "probability", "share correct"), about)
    return chart + table_html(("probability", "items", "mean", "correct"), rows)


def _caption(pair: Pair, side: str = "") -> str:
    n, d, c = pair.counts()
    missing = "" if pair.parsed else "; no parse, gold is drawn"
    name = pair.gold.get("id")
    before = ", ".join(filter(None, [side, f"sentence {name}" if name else ""]))
    counts = f"{n} correct, {d} produced, {c} due{missing}"
    return f"{before}: {counts}" if before else counts


def _lengths(pairs: Sequence[Pair]) -> str:
    rows = [(name, f, f"F1 {percent(f)} in {size} sentences") for name, size, f in by_length(pairs)]
    return picture_html(bar_chart(rows), "F1 of all items by the number of words")


def _confusions(pairs: Sequence[Pair]) -> str:
    counts = confusion(pairs).most_common(CONFUSED)
    rows = [(due, produced, str(count)) for (due, produced), count in counts]
    return table_html(("gold", "produced", "times"), rows) if rows else ""


def compare_page(
    kind: str, files: tuple[Path, Path], gold: Path, rows: Sequence[Difference]
) -> str:
    """Two parsers' scores with significance, and the sentences where they differ most."""
    scores = table_html(difference_columns(rows), map(difference_cells, rows))
    sections = [("Differences", scores), *_contrasts(kind, files, gold)]
    names = " and ".join(path.name for path in files)
    about = f"{kind}: a is {files[0]}, b is {files[1]}, gold is {gold}"
    return page(f"Comparison of {names}", about, sections)


def _contrasts(kind: str, files: tuple[Path, Path], gold: Path) -> list[Section]:
    try:
        first, second = (read_pairs(kind, path, gold) for path in files)
    except TreewrightError as error:
        return [("Sentences", f'<p class="soft">No sentences are drawn: {clean(str(error))}.</p>')]
    gaps = {id(a): a.errors - b.errors for a, b in zip(first, second, strict=True)}
    partner = {id(a): b for a, b in zip(first, second, strict=True)}
    better = worst(first, lambda pair: gaps[id(pair)], DRAWN // 2)
    worse = worst(first, lambda pair: -gaps[id(pair)], DRAWN // 2)
    return [
        ("Where b is better", _both(better, partner)),
        ("Where a is better", _both(worse, partner)),
    ]


def _both(chosen: Sequence[Pair], partner: dict[int, Pair]) -> str:
    return "".join(
        picture_html(pair.picture(), _caption(pair, side))
        for first in chosen
        for side, pair in (("a", first), ("b", partner[id(first)]))
    )


def runs_page(histories: Sequence[History]) -> str:
    """Learning curves, cost, and the settings that differ."""
    rows = [history.summary() for history in histories]
    keys = [key for key in (rows[0] if rows else ()) if any(row[key] is not None for row in rows)]
    columns = [key.replace("_", " ") for key in keys]
    table = table_html(columns, ([short(row[key]) for key in keys] for row in rows))
    curves = "".join(_curves(histories, key) for key in ("objective", "score"))
    sections = [
        ("Runs", table),
        ("Learning curves", curves),
        ("Settings that differ", _settings(histories)),
    ]
    return page("Training runs", f"{len(rows)} {'run' if len(rows) == 1 else 'runs'}", sections)


def _curves(histories: Sequence[History], key: str) -> str:
    lines = {
        history.directory.name: [
            (float(row["iteration"]), float(row[key]))
            for row in history.main_curve
            if row.get(key) is not None
        ]
        for history in histories
    }
    about = {"objective": "objective", "score": "score on dev"}[key]
    shown = {name: points for name, points in lines.items() if points}
    return picture_html(line_chart(shown, about), f"{about} by iteration") if shown else ""


def _settings(histories: Sequence[History]) -> str:
    flat = [_flat(history.config) for history in histories]
    names = sorted({name for each in flat for name in each})
    differing = [name for name in names if len({each.get(name) for each in flat}) > 1]
    runs = [history.directory.name for history in histories]
    rows = ((name, *(each.get(name, "") for each in flat)) for name in differing)
    return table_html(("setting", *runs), rows) if differing else ""


def _flat(config: dict[str, Any], before: str = "") -> dict[str, str]:
    values: dict[str, str] = {}
    for name, value in config.items():
        if isinstance(value, dict):
            values |= _flat(value, f"{before}{name}.")
        else:
            values[before + name] = str(value)
    return values
