"""Small parsers that share a network, trained on a minibank."""

from pathlib import Path
from typing import Any

from treewright.config import from_dict, load
from treewright.models.contract import Analysis, Parser
from treewright.models.kinds import kind_named
from treewright.models.neural.kind import train
from treewright.models.neural.settings import JointSettings
from treewright.storage.bundle import write_bundle
from treewright.train.run import Run

CONFIG = """
tokens = {{ passes = 2, second_stage = false }}
[dep]
train = "{bank}/train.conllu"
dev = "{bank}/dev.conllu"
[ccg]
train = "{bank}/train.auto"
[const]
train = "{bank}/train.mrg"
objective = {{ name = "softmax-margin", loss = "f1" }}
[neural]
iterations = 3
rate = 1e-2
hidden = 24
label_hidden = 12
dropout = 0.0
word_dropout = 0.0
precision = "{precision}"
encoder = {{ width = 32, layers = 2, rows = 300 }}
"""


def settings(bank: Path, precision: str) -> JointSettings:
    path = bank / f"{precision}.toml"
    path.write_text(CONFIG.format(bank=bank, precision=precision))
    return load(JointSettings, path)


def small_family(bank: Path) -> Path:
    """The directory of a model with the parts dep, ccg and const; `bank` is a minibank."""
    run = Run(bank / "run", threads=1, seed=1, quiet=True)
    write_bundle(train(settings(bank, "float32"), run).bundle(), bank / "model")
    return bank / "model"


LOG_LINEAR: dict[str, dict[str, Any]] = {
    "dep": {
        "algorithm": "eisner",
        "objective": {"name": "likelihood"},
        "optimiser": {"iterations": 2},
        "graph": {"bits": 14, "second_order": False},
        "tagger": False,
        "pos_folds": 0,
        "tokeniser": False,
    },
    "const": {
        "tagger": False,
        "folds": 0,
        "feature_count": 1,
        "optimiser": {"iterations": 4},
        "pruning": {"bits": 10, "passes": 1},
    },
}


def log_linear_parser(kind: str, bank: Path, **more: Any) -> Parser[Analysis]:
    """A small log-linear parser of kind dep or const, trained on a minibank."""
    path = {"dep": "train.conllu", "const": "train.mrg"}[kind]
    found = kind_named(kind)
    how = {"train": str(bank / path), **LOG_LINEAR[kind], **more}
    run = Run(bank / f"{kind}-{len(list(bank.iterdir()))}", threads=1, quiet=True)
    return found.train(from_dict(found.settings, how, kind), run)
