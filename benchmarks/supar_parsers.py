"""SuPar's dependency parsers for `benchmarks.dep_peers`, without a pretrained encoder.

    pip install --no-deps supar dill

Its package has no configuration files: the settings below are those of its `*.dep.lstm.char`
configurations, with tags as a further input and smaller batches. Its LSTMs are 400 wide in each
direction; `--options "SuPar, CRF=10 200"` trains ten passes with 200. SuPar saves checkpoints with
objects of its own in them, which torch refuses to load since version 2.6, unless a process says
otherwise: this one does, as it only reads what it has written itself. Its sums over all trees
overflow, see `supar_range`.
"""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from treewright.data.dependency import DependencyTree
from treewright.models.dependency.analysis import parsed_tree

Trees = Sequence[DependencyTree]
SEED = 1
UNSEEN = 20  # sentences of its dev file, which it cannot do without; nothing is chosen by them
BUILD = {
    "encoder": "lstm", "feat": ["tag", "char"], "min_freq": 2, "fix_len": 20, "embed": None,
    "unk": "unk", "proj": False, "n_embed": 100, "n_feat_embed": 100, "n_lstm_layers": 3,
    "n_arc_mlp": 500, "n_rel_mlp": 100,
    "embed_dropout": 0.33, "encoder_dropout": 0.33, "mlp_dropout": 0.33, "build": True,
}  # fmt: skip
TRAIN = {
    "lr": 2e-3, "mu": 0.9, "nu": 0.9, "eps": 1e-12, "weight_decay": 0, "decay": 0.75,
    "decay_steps": 5000, "clip": 5.0, "update_steps": 1, "buckets": 32, "batch_size": 600,
    "punct": True, "tree": False, "proj": False, "partial": False, "verbose": False,
    "checkpoint": False,
}  # fmt: skip


class SuPar:
    """Arcs by themselves (Dozat & Manning 2017); decoded as trees."""

    name = "BiaffineDependencyParser"

    def train(self, trees: Trees, model: Path, options: str) -> None:
        import torch

        passes, width = (*map(int, options.split()), 400)[:2]
        torch.manual_seed(SEED)
        parsers, scratch = self._parsers(), Path(mkdtemp())
        _write(trees, scratch / "train.conllx")
        _write(trees[:UNSEEN], scratch / "unseen.conllx")
        path, train = str(scratch / "model"), str(scratch / "train.conllx")
        parser = parsers.build(path, train=train, n_lstm_hidden=width, **BUILD)
        unseen = str(scratch / "unseen.conllx")
        parser.train(train, unseen, unseen, epochs=passes, patience=passes, path=path, **TRAIN)
        parser.save(str(model))  # the last pass, as for the other parsers
        shutil.rmtree(scratch)

    def load(self, model: Path) -> None:
        self.parser, self.scratch = self._parsers().load(str(model)), Path(mkdtemp())

    def prepare(self, sentences: Trees) -> str:
        path = self.scratch / "given.conllx"
        _write(sentences, path)
        return str(path)

    def parse(self, given: str) -> Any:
        return self.parser.predict(given, tree=True, proj=False, verbose=False)

    def trees(self, found: Any, sentences: Trees) -> list[DependencyTree]:
        pairs = zip(sentences, found.sentences, strict=True)
        return [parsed_tree(tree, list(map(int, made.arcs)), made.rels) for tree, made in pairs]

    def _parsers(self) -> Any:
        import torch

        os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
        torch.set_num_threads(1)
        import supar

        return getattr(supar, self.name)


class SuParTrees(SuPar):
    """The likelihood over all dependency trees (matrix-tree theorem), minimum risk."""

    name = "CRFDependencyParser"

    def _parsers(self) -> Any:
        from benchmarks.supar_range import bounded

        return bounded(super()._parsers())


def _write(trees: Iterable[DependencyTree], path: Path) -> None:
    """CoNLL-X with both tags in one column."""
    with path.open("w", encoding="utf-8") as file:
        for tree in trees:
            for number, word in enumerate(tree.words, 1):
                tag = f"{word.upos}+{word.xpos}"
                form = word.form.replace(" ", "\u00a0")
                row = (number, form, "_", tag, tag, "_", word.head, word.deprel, "_", "_")
                file.write("\t".join(map(str, row)) + "\n")
            file.write("\n")
