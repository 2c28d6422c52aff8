"""A whole treebank in a directory: AUTO, PARG and a report for each part, and a README."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from treewright.config import from_dict, parse_toml
from treewright.convert.ptb_ccg import Converted
from treewright.convert.statistics import statistics
from treewright.convert.write import summary, write_results
from treewright.errors import StoreError
from treewright.storage.atomic import new_directory

MADE = "Penn-style trees by `treewright convert bank`. Nothing was corrected by hand."


@dataclass(frozen=True)
class Source:
    """Where a treebank comes from, and under which licence."""

    source: str
    licence: str
    attribution: str


def known_sources() -> dict[str, Source]:
    """The treebanks of `banks.toml` by name."""
    text = (files(__package__) / "banks.toml").read_bytes()
    tables = parse_toml(text, "banks.toml")
    return {name: from_dict(Source, table, "banks.toml") for name, table in tables.items()}


def write_bank(out: Path, name: str, parts: Mapping[str, Iterable[Converted]]) -> list[str]:
    """Write the parts of a treebank and its README; returns one line about each part."""
    _check_place(out)
    lines = []
    with new_directory(out) as directory:
        rows = []
        for part, results in parts.items():
            done = list(results)
            write_results(
                done,
                directory / f"{part}.auto",
                directory / f"{part}.parg",
                directory / f"{part}.report.json",
            )
            rows.append(_row(part, done))
            lines.append(f"{part}: {summary(done)}")
        (directory / "README.md").write_text(_readme(name, rows), encoding="utf-8")
    return lines


def _check_place(out: Path) -> None:
    """An older treebank is replaced, nothing else."""
    readme = out / "README.md"
    known = not out.exists() or (out.is_dir() and not any(out.iterdir()))
    if not (known or (readme.is_file() and MADE in readme.read_text("utf-8", "replace"))):
        raise StoreError(f"{out}: exists and is not a converted treebank, so it is not replaced")


def _row(part: str, results: Sequence[Converted]) -> str:
    figures = statistics(r.derivation for r in results if r.derivation)
    dependencies = sum(len(r.dependencies.rows) for r in results if r.dependencies)
    return (
        f"| {part} | {len(results):,} | {figures.sentences:,} | {figures.words:,} | "
        f"{dependencies:,} | {figures.categories:,} | {figures.frequent:,} |"
    )


def _readme(name: str, rows: Sequence[str]) -> str:
    source = known_sources().get(name)
    head = [
        f"# {name}",
        "",
        "CCG derivations (AUTO) and dependencies (PARG) in CCGbank's formats, converted from",
        MADE,
        "",
        "| part | trees | converted | words | dependencies | categories | at least 10 times |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *rows,
    ]
    if source:
        head += ["", f"Source: {source.source}", "", f"Licence: {source.licence}"]
        head += ["", f"Attribution: {source.attribution}"]
        head += ["", "Changes to the source: conversion to CCG."]
    return "\n".join(head) + "\n"
