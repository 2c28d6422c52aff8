"""Training charts of constituency parsers: the same by whatever process makes them."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from treewright.data import ptb
from treewright.forests.store.record import encode
from treewright.grammar.binarise import Binariser
from treewright.minibank.brackets import bracketed
from treewright.minibank.sentences import sample
from treewright.models.constituency.charts import PIECE, ChartMaker, pieces, with_gold
from treewright.models.constituency.data import Item, read_items
from treewright.models.constituency.settings import ConstSettings
from treewright.models.constituency.training import Trainer, features_of
from treewright.scores.constituency.spans import SpanSettings
from treewright.train.run import Run


@pytest.fixture(scope="module")
def train(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("minibank") / "train.mrg"
    path.write_text("".join(bracketed(each) + "\n" for each in sample(PIECE + 8, 0)))
    return path


@pytest.mark.parametrize("model", ["rich", "rules"])
def test_a_maker_that_has_travelled_makes_the_same(model: str, train: Path, tmp_path: Path) -> None:
    pruning = SpanSettings(bits=10, passes=1, threshold=0.02)
    settings = ConstSettings(str(train), model=model, tagger=False, folds=2, pruning=pruning)  # type: ignore[arg-type]
    trainer = Trainer(settings, Run(tmp_path, quiet=True))
    models, features = trainer.span_models(), features_of(trainer, trainer.items)
    how = (0.02, features, "plain", False)
    maker = ChartMaker(trainer.grammar, trainer.encoder, models[:-1], *how)
    other: ChartMaker = pickle.loads(pickle.dumps(maker))
    found = []
    for piece in pieces(list(enumerate(trainer.items))):
        again = other(pickle.loads(pickle.dumps(piece)))
        for (one, lacked), (two, also) in zip(maker(piece), again, strict=True):
            assert b"".join(encode(one)) == b"".join(encode(two))
            assert lacked == also
            found.append(lacked)
    assert len(found) == PIECE + 8
    assert {True, False} == set(found)  # the threshold is high enough to prune gold


def test_gold_joins_the_candidates() -> None:
    found = np.array([[3, 5, 9], [0, 2, 7], [0, 2, 7], [0, 10, 1]], dtype=np.int32)
    rows, lacked = with_gold(found, found[1:2])
    assert (rows.tolist(), lacked) == ([[0, 2, 7], [0, 10, 1], [3, 5, 9]], False)
    gold = np.array([[0, 2, 6], [3, 5, 9]], dtype=np.int32)
    rows, lacked = with_gold(found, gold)
    assert (rows.tolist(), lacked) == ([[0, 2, 6], [0, 2, 7], [0, 10, 1], [3, 5, 9]], True)


def test_deep_trees_travel(tmp_path: Path) -> None:
    (tmp_path / "deep.mrg").write_text("(S (X a) " * 900 + "(X a)" + ")" * 900 + "\n")
    (item,) = read_items(tmp_path / "deep.mrg", Binariser(), 1000)
    again: Item = pickle.loads(pickle.dumps(item))
    for one, two in ((item.tree, again.tree), (item.binary, again.binary)):
        assert ptb.format_tree(one) == ptb.format_tree(two)
    assert (again.words, again.tags) == (item.words, item.tags)
