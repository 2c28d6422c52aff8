"""`treewright reorder`: lines of words, or comments for training."""

from pathlib import Path

from typer.testing import CliRunner

from treewright.cli.main import app
from treewright.data import conllu
from treewright.train.supervision import reference_order

TEXT = (
    "1\tShe\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\treads\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    "3\tbooks\t_\tNOUN\t_\t_\t2\tobj\t_\t_\n\n"
)


def test_words_in_their_new_order(tmp_path: Path) -> None:
    file = tmp_path / "trees.conllu"
    file.write_text(TEXT)
    result = CliRunner().invoke(app, ["reorder", str(file)])
    assert (result.exit_code, result.output) == (0, "She books reads\n")


def test_orders_for_training(tmp_path: Path) -> None:
    file, out = tmp_path / "trees.conllu", tmp_path / "orders.conllu"
    file.write_text(TEXT)
    assert CliRunner().invoke(app, ["reorder", str(file), "--out", str(out)]).exit_code == 0
    (tree,) = conllu.read(out)
    assert reference_order(tree) == [1, 3, 2]
    assert "".join(line for line in out.read_text().splitlines(True) if line[0] != "#") == TEXT


def test_missing_rules_are_one_line(tmp_path: Path) -> None:
    file = tmp_path / "trees.conllu"
    file.write_text(TEXT)
    result = CliRunner().invoke(app, ["reorder", str(file), "--rules", "none.toml"])
    assert result.exit_code != 0
