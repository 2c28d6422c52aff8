"""Charts that networks learn from: in threads, on workers, and for which kinds."""

import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra treewright[torch]")

from tests.models.test_contract import model_named
from treewright.data.auto import read_auto
from treewright.errors import ConfigError
from treewright.forests import ForestStore
from treewright.forests.ccg.rules import RARE, RARE_UNARY
from treewright.forests.features import Example
from treewright.grammar.lexicon import Lexicon
from treewright.minibank.write import write_minibank
from treewright.models.ccg.examples import gold_sentence
from treewright.models.ccg.parser import CcgParser
from treewright.models.neural.charts import PIECE, ChartMaker
from treewright.models.training import plan_of, train
from treewright.train.run import Run


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bank")
    write_minibank(place, 40, seed=3)
    return place


def stored(examples: Sequence[Example | None], path: Path) -> bytes:
    """The examples as bytes."""
    with ForestStore.create(path) as out:
        for example in examples:
            if example is not None:
                out.add(example)
    return path.read_bytes()


@pytest.mark.parametrize("rules", [(), (RARE, RARE_UNARY, "NP")], ids=["plain", "rules"])
def test_a_maker_that_travels_to_a_worker_makes_the_same_charts(
    rules: Sequence[str], bank: Path, tmp_path: Path
) -> None:
    parser = model_named("ccg")
    assert isinstance(parser, CcgParser)
    maker = ChartMaker(parser, parser.supertagger.tagger.tags, 2, rules)
    derivations = list(read_auto(bank / "train.auto"))
    lexicon = Lexicon().learn(derivations)
    golds = [gold_sentence(parser.grammar, lexicon, each) for each in derivations]
    pieces = maker.pieces([(str(number), gold) for number, gold in enumerate(golds)])
    assert [len(each) for each in pieces[:-1]] == [PIECE] * (len(pieces) - 1)
    copy = pickle.loads(pickle.dumps(maker))
    here, there = (
        [example for piece in pieces for example in each(piece)] for each in (maker, copy)
    )
    assert sum(example is not None for example in here) > 20
    assert stored(here, tmp_path / "here") == stored(there, tmp_path / "there")


def config(kind: str, bank: Path, **more: object) -> dict[str, object]:
    scorer = {"kind": "neural", "iterations": 1, "encoder": {"width": 8, "layers": 1, "rows": 20}}
    return {"kind": kind, "train": str(bank / "train.auto"), "scorer": scorer, **more}


@pytest.mark.parametrize("kind", ["ccg", "super", "pos"])
def test_networks_without_charts_have_no_work_for_a_cluster(
    kind: str, bank: Path, tmp_path: Path
) -> None:
    plan = plan_of(config(kind, bank), "test")
    with pytest.raises(ConfigError, match=r"does not support --ray.* \(`ccg.charts`\)"):
        train(plan, Run(tmp_path / "run", ray="auto"))


@pytest.mark.parametrize("kind", ["super", "pos"])
def test_taggers_are_not_trained_on_charts(kind: str, bank: Path, tmp_path: Path) -> None:
    plan = plan_of(config(kind, bank, charts=str(bank)), "test")
    with pytest.raises(ConfigError, match="only CCG parsers are trained on charts"):
        train(plan, Run(tmp_path / "run", threads=1, quiet=True))
