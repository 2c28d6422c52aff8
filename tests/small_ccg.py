"""A CCG parser trained on a few sampled sentences, for tests."""

import tempfile
from functools import cache
from pathlib import Path

from treewright.config import from_dict
from treewright.data.auto import write_auto
from treewright.data.records import Derivation
from treewright.minibank.sentences import sample
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.settings import CcgSettings
from treewright.models.ccg.training import train_ccg
from treewright.train.run import Run

SETTINGS: dict[str, object] = {
    "training": {"tagger_folds": 0, "learns_tagger_weight": False},
    "optimiser": {"iterations": 6},
    "tagger": {"local_passes": 4, "chain": {"iterations": 5}},
    "pos": {"local_passes": 2, "chain": {"iterations": 2}},
}


@cache
def bank() -> tuple[Derivation, ...]:
    return tuple(sample(90, 3))


@cache
def small_parser() -> CcgParser:
    """A parser that has not seen the supertagger's scores in training."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.auto"
        write_auto(path, bank()[:70])
        settings = from_dict(CcgSettings, {"train": str(path), **SETTINGS}, "tests")
        return train_ccg(settings, Run(Path(folder) / "run", threads=1, quiet=True))
