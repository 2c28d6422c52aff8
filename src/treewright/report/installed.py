"""Installed models as a table and as plain values."""

from collections.abc import Sequence
from dataclasses import asdict

from rich.table import Table

from treewright.models.installed import Package
from treewright.models.packing import directory_bytes


def models_table(packages: Sequence[Package]) -> Table:
    """One row per model: name, kind, scores on dev, size and licence."""
    table = Table("model", "kind", "treebank", "scores on dev", "MB", "licence", box=None)
    for package in packages:
        size = f"{directory_bytes(package.root) / 1e6:.1f}"
        default = f"all parts; one model: {package.name}-{package.contents.default}"
        table.add_row(package.name, "", f"{package.project} {package.version}", default, size, "")
        for name, part in package.parts.items():
            scores = ", ".join(f"{metric} {value:.2f}" for metric, value in part.scores.items())
            size = f"{directory_bytes(package.root / part.directory) / 1e6:.1f}"
            table.add_row(name, part.kind, part.treebank, scores, size, part.licence)
    return table


def models_values(packages: Sequence[Package]) -> list[dict[str, object]]:
    """All that is known of the models, ready for JSON."""
    return [
        {
            "name": package.name,
            "project": package.project,
            "version": package.version,
            "format": package.contents.format,
            "default": f"{package.name}-{package.contents.default}",
            "bytes": directory_bytes(package.root),
            "models": [
                {"name": name}
                | asdict(part)
                | {
                    "directory": str(package.root / part.directory),
                    "bytes": directory_bytes(package.root / part.directory),
                }
                for name, part in package.parts.items()
            ],
        }
        for package in packages
    ]
