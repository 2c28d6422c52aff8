"""Tokenisers trained for likelihood and for F1 in the second stage.

    python -m benchmarks.tok_objectives DATA de fi fr ja ug vi --seeds 3

Trained on DATA/dep-NAME/train.conllu, scored from the raw text of dev.conllu by the metrics of
CoNLL 2018. All rows share the first stage, the likelihood of characters, and have no bias towards
ends of sentences (`sentence_bias`), a correction that training for F1 should not need. Figures are
means over seeds; the largest difference from a mean follows the sign.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from benchmarks.table import markdown
from benchmarks.words_only import TOKENS, scores
from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.losses.settings import ObjectiveSettings
from treewright.models.tokenising import TokeniserModel
from treewright.text.settings import TokeniserSettings
from treewright.text.training import train_tokeniser
from treewright.train.run import Run

BASE = TokeniserSettings(sentence_bias=0.0)
CONTENDERS = {
    "first stage alone": replace(BASE, second_stage=False),
    "likelihood": replace(BASE, objective=ObjectiveSettings("likelihood")),
    "softmax-margin, F1": BASE,
    "softmax-margin, F1, tau 50": replace(
        BASE, objective=ObjectiveSettings("softmax-margin", "f1", tau=50.0)
    ),
    "softmax-margin, sized F1": replace(
        BASE, objective=ObjectiveSettings("softmax-margin", "sized-f1")
    ),
    "risk, F1": replace(BASE, objective=ObjectiveSettings("risk", "f1")),
}


def figures(
    trees: Sequence[DependencyTree], dev: Path, settings: TokeniserSettings, seeds: int
) -> list[str]:
    """Each column's mean over seeds, and how far from it one is."""
    found = []
    for seed in range(1, seeds + 1):
        with TemporaryDirectory() as folder:
            run = Run(Path(folder), threads=1, quiet=True, seed=seed)
            found.append(scores(TokeniserModel(train_tokeniser(trees, settings, run)), dev))
    columns = [[each[name] for each in found] for name in TOKENS]
    middles = [(mean(column), column) for column in columns]
    return [f"{m:.2f} ±{max(abs(x - m) for x in column):.2f}" for m, column in middles]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    rows = []
    for treebank in options.treebanks:
        folder = options.data / f"dep-{treebank}"
        trees = list(conllu.read(folder / "train.conllu"))
        for name, settings in CONTENDERS.items():
            row = figures(trees, folder / "dev.conllu", settings, options.seeds)
            rows.append([treebank, name, *row])
            print(*rows[-1], flush=True)
    print(markdown(["treebank", "second stage", *TOKENS], rows))


if __name__ == "__main__":
    main()
