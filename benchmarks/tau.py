"""The section of docs/results/core.md on real forests, from reports of `experiment training/tau`.

python -m benchmarks.tau "CCG=OUT/report.json" "constituency=OTHER/report.json"
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.table import markdown

NAMES = {"f1": "F1", "f2": "F2", "precision": "P"}
WEIGHTS = ("zero", "trained")
INTRODUCTION = """## Exact losses on the forests of training runs

Tables of `treewright experiment training/tau`; `python -m benchmarks.core --tau` adds them here.
[Training](training.md) has the settings, the previous version, and minibatches.
"""
HEADER = (
    "loss",
    "tau",
    "zero weights: times likelihood",
    "median",
    "worst",
    "trained weights: times likelihood",
    "median",
    "worst",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reports", nargs="+", help="NAME=REPORT.json")
    print(section(parser.parse_args().reports))


def section(reports: Sequence[str]) -> str:
    """The tables of some reports, each as NAME=REPORT.json."""
    named = [each.partition("=") for each in reports]
    parts = [_table(name, json.loads(Path(path).read_text())) for name, _, path in named]
    return "\n".join((INTRODUCTION, *parts))


def _table(name: str, report: dict[str, Any]) -> str:
    tables = {each["title"]: each["rows"] for each in report["tables"]}
    zero, trained = (tables[f"Exact losses over tau, {each} weights"] for each in WEIGHTS)
    rows = []
    for (loss, tau, _, *flat), (_, _, _, *steep) in zip(zero[1:], trained[1:], strict=True):
        figures = [f"{x:.2f}" for x in (*flat[:3], *steep[:3])]
        rows.append((NAMES.get(loss, loss), f"{tau:g}", *figures))
    return f"### {name}\n\n{markdown(list(HEADER), rows)}"


if __name__ == "__main__":
    main()
