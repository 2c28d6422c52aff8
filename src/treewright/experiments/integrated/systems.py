"""The compared systems of integrated models: the pipeline, BP and DD."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from treewright.config import setting
from treewright.errors import ConfigError
from treewright.models.ccg.parser import CcgParser
from treewright.models.kinds import load

PIPELINE = "pipeline"
MIN_RISK = "pipeline, minimum risk"
Changes = Mapping[str, object]
# The parser alone only uses the supertagger's beams, not its scores.
SYSTEMS: dict[str, Changes] = {
    PIPELINE: {"algorithm": "viterbi", "tagger_weight": 0.0},
    MIN_RISK: {"algorithm": "min-risk", "tagger_weight": 0.0},
}
for _name in ("BP", "DD"):
    for _k in (1, 5, 25):
        _how: Changes = {"algorithm": _name.lower(), "iterations": _k, "tagger_weight": 1.0}
        SYSTEMS[f"{_name} k={_k}"] = _how


@dataclass(frozen=True)
class IntegratedSettings:
    """A trained parser, and test data."""

    model: Path = setting(Path("runs/ccg/model"), "CCG parser trained without supertagger scores")
    dev: Path = setting(Path("dev.auto"), "dev derivations")
    sentences: int = setting(0, "use only the first sentences; 0: all")
    schedules: tuple[str, ...] = setting(("adaptive", "reverse"), "beam schedules")


def parser_in(directory: Path) -> CcgParser:
    """Loads the CCG parser in a model directory."""
    model = load(directory)
    if not isinstance(model, CcgParser):
        raise ConfigError(f"{directory}: not a model of kind 'ccg'")
    return model
