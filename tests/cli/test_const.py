"""The commands of a constituency parser, one after the other, on trees of the minibank."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.test_train import run
from treewright.data import ptb
from treewright.data.brackets import tagged_words
from treewright.minibank.brackets import bracketed
from treewright.minibank.sentences import sample

CONFIG = """
kind = "const"
train = "{train}"
folds = 2
[objective]
name = "{objective}"
[optimiser]
name = "{optimiser}"
iterations = 3
[pruning]
bits = 10
passes = 2
[pos]
local_passes = 1
order = 0
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A treebank, a model that is trained well and one that is not."""
    found = tmp_path_factory.mktemp("const")
    for name, size, seed in (("train", 60, 0), ("dev", 20, 5)):
        text = "".join(bracketed(each) + "\n" for each in sample(size, seed))
        (found / f"{name}.mrg").write_text(text)
    for name, optimiser in (("softmax-margin", "lbfgs"), ("perceptron", "sgd")):
        config = CONFIG.format(train=found / "train.mrg", objective=name, optimiser=optimiser)
        (found / f"{name}.toml").write_text(config)
        code, output = run("train", found / f"{name}.toml", "--run", found / name)
        assert code == 0, output
    return found


def oracle(place: Path, *more: object) -> tuple[int, str]:
    model = place / "softmax-margin" / "model"
    return run("oracle", "--model", model, "--gold", place / "dev.mrg", *more)


def parsed(place: Path, name: str, *more: object) -> Path:
    out = place / f"{name}{len(more)}.mrg"
    model = place / name / "model"
    code, output = run("parse", "--model", model, place / "dev.mrg", "--out", out, *more)
    assert code == 0, output
    return out


def test_two_parsers_are_compared(place: Path) -> None:
    files = [parsed(place, name) for name in ("softmax-margin", "perceptron")]
    gold = ("--kind", "const", "--gold", place / "dev.mrg")
    code, output = run("compare", *gold, *files, "--samples", 100, "--json")
    assert code == 0, output
    rows = {row["metric"]: row for row in map(json.loads, output.splitlines())}
    for file, side in zip(files, ("first", "second"), strict=True):
        values = json.loads(run("eval", *gold, "--pred", file, "--json")[1])
        assert rows["brackets F1"][side] == pytest.approx(values["everything"]["brackets"]["f"])
        assert "crossing" in json.dumps(values)


@pytest.mark.parametrize("decoder", ["min-risk", "max-f1"])
def test_every_decoder(place: Path, decoder: str) -> None:
    out = parsed(place, "softmax-margin", "--decoder", decoder)
    assert len(list(ptb.read(out))) == len(list(ptb.read(place / "dev.mrg")))


def test_words_alone_are_tagged(place: Path) -> None:
    tree = next(iter(ptb.read(place / "dev.mrg")))
    words = [leaf.word for leaf in tagged_words(tree)]
    (place / "in.txt").write_text(" ".join(["(", *words, ")"]) + "\n")
    model = place / "softmax-margin" / "model"
    for form, bracket in (("brackets", "-LRB-"), ("drawing", " (\n"), ("json", "-LRB-")):
        for k in (1, 3):
            how = ("--format", form, "--k-best", k)
            code, output = run("parse", "--model", model, *how, place / "in.txt")
            assert code == 0, output
            assert all(word in output for word in (bracket, *words))


def test_the_oracle_is_above_the_parser(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    code, output = oracle(place, "--thresholds", "0.01,0.00001", "--json", "--kind", "const")
    assert code == 0, output
    narrow, wide = json.loads(output)
    assert narrow["edges"] < wide["edges"]
    assert narrow["coverage"] <= wide["coverage"]
    assert wide["best"]["f"] > wide["worst"]["f"]
    gold = ("--kind", "const", "--gold", place / "dev.mrg")
    pred = parsed(place, "softmax-margin")
    values = json.loads(run("eval", *gold, "--pred", pred, "--json")[1])
    if wide["coverage"] == 1:
        assert wide["best"]["f"] >= values["everything"]["brackets"]["f"]
    code, output = oracle(place, "--sentences", 5)
    assert code == 0
    assert "edges" in output


def test_the_oracle_names_what_is_wrong(place: Path) -> None:
    assert oracle(place, "--kind", "ccg")[0] == 2
    assert oracle(place, "--thresholds", "a")[0] == 2
    assert oracle(place, "--thresholds", "0")[0] == 2
    assert oracle(place, "--gold", place / "none")[0] == 2


ODD = (
    "ADVP|PRT",
    "PRT|ADVP",
    "A^B",
    "A~B",
    "A+B",
    "A\\B",
    "A\\a",
    "|",
    "\\t",
    "'",
    "^",
    "+S+",
    "Ü",
    "NP|X",
    "@NP",
    "NP<",
    "<A-B>",
)


def relabelled(text: str, names: dict[str, str]) -> str:
    """Brackets whose labels are replaced by odd ones, each by the same everywhere."""

    def odd(match: re.Match[str]) -> str:
        number = len(names)
        rest = "" if number < len(ODD) else str(number // len(ODD))
        return "(" + names.setdefault(match[1], ODD[number % len(ODD)] + rest)

    return re.sub(r"\((?=[^( ])([^ ()]+)", odd, text)


@pytest.mark.parametrize("model", ["rich", "rules", "pcfg"])
def test_labels_may_have_any_characters(model: str, place: Path, tmp_path: Path) -> None:
    """Such as the Penn Treebank's ADVP|PRT: training, parsing and scores are as with others."""
    names: dict[str, str] = {}
    for name in ("train", "dev"):
        plain = (place / f"{name}.mrg").read_text()
        (tmp_path / f"{name}.mrg").write_text(relabelled(plain, names), encoding="utf-8")
    assert len(names) >= len(ODD)
    found = []
    for folder in (place, tmp_path):
        config = CONFIG.format(
            train=folder / "train.mrg", objective="likelihood", optimiser="lbfgs"
        )
        (tmp_path / "x.toml").write_text(f'model = "{model}"\n{config}')
        code, output = run("train", tmp_path / "x.toml", "--run", tmp_path / f"run-{len(found)}")
        assert code == 0, output
        out, gold = tmp_path / "out.mrg", folder / "dev.mrg"
        files = ("--model", tmp_path / f"run-{len(found)}" / "model", gold, "--out", out)
        assert run("parse", *files)[0] == 0
        code, output = run("eval", "--kind", "const", "--gold", gold, "--pred", out, "--json")
        assert code == 0, output
        found.append(json.loads(output)["everything"]["brackets"]["f"])
    assert found[1] == pytest.approx(found[0], abs=0.0 if model == "pcfg" else 0.1)
    assert found[1] > 0.6
