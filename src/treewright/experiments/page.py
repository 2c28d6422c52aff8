"""The report of an experiment as one HTML file, with the paper's figures beside ours."""

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

from treewright.config import to_toml
from treewright.draw.svg import clean
from treewright.experiments.cells import cell_text, notes
from treewright.experiments.experiment import Beside, Cell, Context, Experiment, Plot, Result, Table
from treewright.report.html import page, table_html
from treewright.train.setup import environment


def experiment_page(experiment: Experiment, context: Context, results: Sequence[Result]) -> str:
    """Results first, then settings and facts; figures are read from the output directory."""
    machine = ", ".join(f"{name} {value}" for name, value in environment().items())
    made = f"<pre>{clean(to_toml(context.settings))}</pre>\n<p>Machine: {clean(machine)}.</p>\n"
    shown = "".join(_block(each, context.out) for each in results)
    about = f"treewright experiment {experiment.name}, seed {context.seed}"
    return page(experiment.title, about, [("Results", shown), ("Settings", made)])


def _block(result: Result, out: Path) -> str:
    match result:
        case Table():
            return _table(result)
        case Plot():
            return _figure(result, out)
    return f"<p>{clean(result)}</p>\n"


def _table(table: Table) -> str:
    split = [
        any(isinstance(row[i], Beside) for row in table.rows) for i in range(len(table.columns))
    ]
    columns = [
        name
        for column, both in zip(table.columns, split, strict=True)
        for name in ((column, f"{column}, paper") if both else (column,))
    ]
    rows = (
        [
            text
            for cell, both in zip(row, split, strict=True)
            for text in _cells(cell, table.digits, both)
        ]
        for row in table.rows
    )
    note = " ".join(filter(None, [table.note, *notes(table, but=Beside)]))
    below = f'<p class="soft">{clean(note)}</p>\n' if note else ""
    return f"<h3>{clean(table.title)}</h3>\n{table_html(columns, rows)}{below}"


def _cells(cell: Cell, digits: int, both: bool) -> list[str]:
    if isinstance(cell, Beside):
        return [cell_text(cell.ours, digits), cell_text(cell.paper, digits)]
    return [cell_text(cell, digits), ""] if both else [cell_text(cell, digits)]


def _figure(plot: Plot, out: Path) -> str:
    content = b64encode((out / plot.file).read_bytes()).decode()
    name = clean(plot.title)
    image = f'<img alt="{name}" src="data:image/png;base64,{content}">'
    return f"<figure><figcaption>{name}</figcaption>\n{image}</figure>\n"
