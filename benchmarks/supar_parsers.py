"""SuPar's parsers for `benchmarks.dep_peers` and `const_networks`, without a pretrained encoder.

    pip install --no-deps supar dill

Its package has no configuration files: the settings below are those of its `*.dep.lstm.char` and
`*.con.lstm.char` configurations, with smaller batches, and for dependencies with tags as a further
input. Its LSTMs are 400 wide in each direction; `--options "SuPar, all trees=10 200"` trains ten
passes with 200. SuPar saves checkpoints with
objects of its own in them, which torch refuses to load since version 2.6, unless a process says
otherwise: this one does, as it only reads what it has written itself. Its sums over all trees
overflow, see `supar_range`.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from treewright.data import ptb
from treewright.data.brackets import Bracketed, escape
from treewright.data.dependency import DependencyTree
from treewright.models.dependency.analysis import parsed_tree

Trees = Sequence[DependencyTree]
Settings = dict[str, Any]
SEED = 1
UNSEEN = 20  # sentences of its dev file, which it cannot do without; nothing is chosen by them
BUILD = {
    "encoder": "lstm", "feat": ["tag", "char"], "min_freq": 2, "fix_len": 20, "embed": None,
    "unk": "unk", "proj": False, "n_embed": 100, "n_feat_embed": 100, "n_lstm_layers": 3,
    "n_arc_mlp": 500, "n_rel_mlp": 100,
    "embed_dropout": 0.33, "encoder_dropout": 0.33, "mlp_dropout": 0.33, "build": True,
}  # fmt: skip
SPANS = BUILD | {"feat": ["char"], "n_span_mlp": 500, "n_label_mlp": 100}
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
        scratch = Path(mkdtemp())
        train, unseen = scratch / "train.conllx", scratch / "unseen.conllx"
        _write(trees, train)
        _write(trees[:UNSEEN], unseen)
        learn(self._parsers(), train, unseen, model, options, BUILD, TRAIN)
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
        return parsers(self.name)


class SuParTrees(SuPar):
    """The likelihood over all dependency trees (matrix-tree theorem), minimum risk."""

    name = "CRFDependencyParser"

    def _parsers(self) -> Any:
        from benchmarks.supar_range import bounded

        return bounded(super()._parsers())


class SuParSpans:
    """The likelihood over all binary trees of spans, labels by themselves; minimum risk."""

    name = "CRFConstituencyParser"

    def train(self, trees: Path, model: Path, options: str) -> None:
        with TemporaryDirectory() as scratch:
            train, unseen = Path(scratch) / "train.mrg", Path(scratch) / "unseen.mrg"
            lines = [f"(TOP {line})\n" for line in trees.read_text("utf-8").splitlines()]
            train.write_text("".join(lines), "utf-8")
            unseen.write_text("".join(lines[:UNSEEN]), "utf-8")
            learn(parsers(self.name), train, unseen, model, options, SPANS, TRAIN)

    def load(self, model: Path) -> None:
        self.parser = parsers(self.name).load(str(model))

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Bracketed | None]:
        """Its trees of these words; it reads them below a root, with a tag that it does not use."""
        given = [[f"(_ {escape(word)})" for word in words] for words in sentences]
        with TemporaryDirectory() as scratch:
            path = Path(scratch) / "given.mrg"
            path.write_text("".join(f"(TOP {' '.join(words)})\n" for words in given), "utf-8")
            found = self.parser.predict(str(path), verbose=False)
        lines = "\n".join(tree.pformat(margin=sys.maxsize) for tree in found.trees)
        return list(ptb.read(StringIO(lines)))


def parsers(name: str) -> Any:
    """A parser class of SuPar."""
    import torch

    os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
    torch.set_num_threads(1)
    import supar

    return getattr(supar, name)


def learn(
    made: Any, train: Path, unseen: Path, model: Path, options: str, build: Settings, how: Settings
) -> None:
    """Trains a parser class from files; options: passes, and the width of the LSTMs."""
    import torch

    torch.manual_seed(SEED)
    passes, width = (*map(int, options.split()), 400)[:2]
    path, given, other = str(train.with_name("model")), str(train), str(unseen)
    parser = made.build(path, train=given, n_lstm_hidden=width, **build)
    parser.train(given, other, other, epochs=passes, patience=passes, path=path, **how)
    parser.save(str(model))  # the last pass, as for the other parsers


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
