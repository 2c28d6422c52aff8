"""Small parsers that share a network, trained on a minibank."""

from pathlib import Path

from treewright.config import load
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
