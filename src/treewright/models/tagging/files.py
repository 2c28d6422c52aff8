"""Tagging of files, for `treewright tag`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from treewright.errors import ConfigError
from treewright.formats.objects import line, tagged_line
from treewright.models.contract import Reading
from treewright.models.kinds import load
from treewright.models.tagging.analysis import TagAnalysis, within
from treewright.models.tagging.parser import TaggerModel


@dataclass(frozen=True)
class TagOptions:
    """Options of `treewright tag`: `beta`: several tags per word; `tagged`: input is word|POS."""

    layout: str = "text"
    tagged: bool = False
    beta: float | None = None
    k: int | None = None

    def __post_init__(self) -> None:
        if self.beta is not None and not 0 < self.beta <= 1:
            raise ConfigError(f"beta must be above 0 and at most 1, not {self.beta}")


def tag_file(model: TaggerModel, source: Path, options: TagOptions) -> Iterator[str]:
    """Tags a file, with one line of output per line."""
    if options.k is not None:
        model = model.with_settings(dictionary_cutoff=options.k)
    for analysis in model.parse_many(model.read(source, Reading(options.tagged))):
        if options.beta is None:
            yield analysis.format(options.layout)
        else:
            yield _several(analysis, options.layout, options.beta)


def _several(analysis: TagAnalysis, layout: str, beta: float) -> str:
    """The tags of each word with at least beta times the probability of the best one."""
    if layout not in analysis.formats:
        return analysis.format(layout)
    rows = [within(row, beta) for row in analysis.marginals]
    if layout == "json":
        return line(analysis.to_json() | {"multitags": rows})
    tags: Sequence[list[str]] = [[f"{name}={p:.4g}" for name, p in row.items()] for row in rows]
    return tagged_line(analysis.words, analysis.pos, tags) + "\n"


def load_tagger(directory: Path) -> TaggerModel:
    """Loads the tagger in a model directory."""
    model = load(directory)
    if not isinstance(model, TaggerModel):
        message = f"{directory}: kind {model.kind!r}, not a tagger of kind 'pos' or 'super'"
        raise ConfigError(f"{message}; treewright parse prints the tags of a parser")
    return model
