"""The output files of experiments: reports in Markdown, HTML and JSON, figures, and settings."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

from treewright.config import changed, from_dict, to_toml
from treewright.errors import TreewrightError
from treewright.experiments.cells import cell_text, corrected, notes
from treewright.experiments.experiment import Context, Experiment, Plot, Result, Table
from treewright.experiments.page import experiment_page
from treewright.report.plots import save_figure
from treewright.storage.atomic import write_file
from treewright.train.setup import data_hashes, environment

SETTINGS, MARKDOWN, PAGE, JSON = "settings.toml", "report.md", "report.html", "report.json"


def settings_of(experiment: Experiment, changes: Sequence[str] = ()) -> Any:
    """The experiment's settings with `key=value` changes."""
    return from_dict(
        experiment.settings, changed({}, changes, experiment.settings), experiment.name
    )


def run_experiment(experiment: Experiment, context: Context) -> str:
    """Runs an experiment, writes its files, and returns its report in Markdown."""
    context.out.mkdir(parents=True, exist_ok=True)
    _claim(context, _settings_text(experiment, context))
    context = replace(context, key=stage_key(experiment, context))
    results = [
        corrected(each) if isinstance(each, Table) else each for each in experiment.run(context)
    ]
    for each in results:
        if isinstance(each, Plot):
            save_figure(context.out / each.file, each.draw, each.width, each.height)
    report = markdown(experiment, context, results)
    write_file(context.out / JSON, [json.dumps(as_json(experiment, context, results), indent=2)])
    write_file(context.out / MARKDOWN, [report])
    write_file(context.out / PAGE, [experiment_page(experiment, context, results)])
    return report


def stage_key(experiment: Experiment, context: Context) -> str:
    """A hash of settings, data and version: stages are only reused if all three are the same."""
    version = str(environment()["treewright"])
    hashes = json.dumps(data_hashes(context.settings), sort_keys=True)
    text = "\n".join((_settings_text(experiment, context), hashes, version))
    return sha256(text.encode()).hexdigest()[:12]


def _settings_text(experiment: Experiment, context: Context) -> str:
    return f"# {experiment.name}\nseed = {context.seed}\n{to_toml(context.settings)}"


def _claim(context: Context, text: str) -> None:
    """Checks that a directory has no other experiment and no other settings."""
    path = context.out / SETTINGS
    if path.exists() and path.read_text(encoding="utf-8") != text:
        raise TreewrightError(
            f"{path}: belongs to another experiment or other settings; choose another --out"
        )
    write_file(path, [text])


def as_json(
    experiment: Experiment, context: Context, results: Sequence[Result]
) -> dict[str, object]:
    """The whole report as plain values."""
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "settings": json.loads(json.dumps(asdict(context.settings), default=str)),
        "seed": context.seed,
        "data": data_hashes(context.settings),
        "machine": environment(),
        "tables": [asdict(each) for each in results if isinstance(each, Table)],
    }


def markdown(experiment: Experiment, context: Context, results: Sequence[Result]) -> str:
    """The report in Markdown: results first, then settings and facts."""
    machine = ", ".join(f"{name} {value}" for name, value in environment().items())
    return "\n\n".join(
        [
            f"# {experiment.title}",
            f"`treewright experiment {experiment.name}`, seed {context.seed}.",
            *map(_block, results),
            "## Settings",
            f"```toml\n{to_toml(context.settings)}```",
            f"Machine: {machine}.\n",
        ]
    )


def _block(result: Result) -> str:
    match result:
        case Table():
            return table_markdown(result)
        case Plot():
            return f"![{result.title}]({result.file})"
    return result


def table_markdown(table: Table) -> str:
    """A table in Markdown; the paper's figures follow ours in brackets."""
    lines = [table.columns, ["---:" if i else "---" for i in range(len(table.columns))]]
    rows = [[cell_text(cell, table.digits) for cell in row] for row in table.rows]
    text = "\n".join("| " + " | ".join(row) + " |" for row in [*lines, *rows])
    note = " ".join([table.note, *notes(table)]).strip()
    return f"**{table.title}**\n\n{text}" + (f"\n\n{note}" if note else "")
