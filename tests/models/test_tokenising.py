"""Tokenisers as a kind of model: from a configuration to output in every format."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.small_tokeniser import ROWS
from treewright.data import conllu
from treewright.errors import ConfigError, TreewrightError
from treewright.models.kinds import load
from treewright.models.parsing import FileParser, ParseOptions, parse_file
from treewright.models.tokenising import TokeniserModel
from treewright.models.training import read_plan, train
from treewright.train.run import Run


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tok")
    file = folder / "train.conllu"
    file.write_text(("\n".join(ROWS) + "\n\n") * 20, encoding="utf-8")
    config = folder / "tok.toml"
    config.write_text(f'kind = "tok"\ntrain = "{file}"\ndev = "{file}"\n', encoding="utf-8")
    return train(read_plan(config), Run(folder / "run", threads=1, quiet=True))


def output(model: Path, file: Path, form: str, options: ParseOptions) -> str:
    return "".join(parse_file(load(model), file, form, options))


def test_every_format(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_text("don't go. don't  go.\n", encoding="utf-8")
    plain = ParseOptions()
    assert output(model, file, "text", plain) == "do n't go .\ndo n't go .\n"
    first = json.loads(output(model, file, "json", plain).splitlines()[0])
    assert first["words"] == ["do", "n't", "go", "."]
    assert first["offsets"] == [[0, 2], [2, 5], [6, 8], [8, 9]]
    whole = {"text": "don't", "start": 0, "end": 5, "first": 0, "last": 1}
    assert first["multiword"] == [whole]
    out = tmp_path / "out.conllu"
    out.write_text(output(model, file, "conllu", plain), encoding="utf-8")
    trees = list(conllu.read(out, heads="none"))
    assert [tree.text for tree in trees] == ["don't go.", "don't go."]
    assert [tree.id for tree in trees] == [first["id"], "2"] == ["1", "2"]
    assert trees[1].tokens[0].misc == r"SpacesAfter=\s\s|TokenRange=10:15"


def test_lines_as_sentences(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_text("go. go.\ngo\n", encoding="utf-8")
    assert output(model, file, "text", ParseOptions(text="sentences")) == "go . go .\ngo\n"
    with pytest.raises(ConfigError, match="tokenises text itself"):
        output(model, file, "text", ParseOptions(text="tokens"))


def test_texts_that_no_file_can_hold(model: Path) -> None:
    tokeniser = load(model)
    assert isinstance(tokeniser, TokeniserModel)
    for parse in (tokeniser.tokenise, tokeniser.parse, tokeniser.parse_text):
        with pytest.raises(TreewrightError, match="the text has a NUL at character 3"):
            parse("go \0")
        with pytest.raises(TreewrightError, match="the text has a lone surrogate at character 0"):
            parse("\ud800")
    nothing: Any = None
    with pytest.raises(TypeError, match="a text is a str, not NoneType"):
        tokeniser.tokenise(nothing)


def test_nothing_in_nothing_out(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    for content in ("", "\n \n", "\ufeff"):
        file.write_text(content, encoding="utf-8")
        assert output(model, file, "conllu", ParseOptions()) == ""


def test_it_loads_as_a_model_of_its_kind(model: Path) -> None:
    assert isinstance(load(model, "tok"), TokeniserModel)
    assert FileParser(model, None, ParseOptions()).form == "conllu"
