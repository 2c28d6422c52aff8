"""Agreement with hand-made categories, statistics, traces, and whole treebanks."""

from io import StringIO
from pathlib import Path

import pytest
from typer.testing import CliRunner

from treewright.cli.main import app
from treewright.convert.agreement import compare, read_tagged
from treewright.convert.arguments import Arguments, known_arguments, stem
from treewright.convert.longrange import links
from treewright.convert.penn import read_penn
from treewright.convert.ptb_ccg import Converted, convert
from treewright.convert.statistics import statistics
from treewright.data import ptb
from treewright.errors import FormatError

WORKS = "(S (NP-SBJ (DT The) (NN cell)) (VP (VBZ divides)) (. .))"
RELATIVE = (
    "(NP (NP (DT the) (NN man)) (SBAR (WHNP-1 (WP whom)) (S (NP-SBJ (PRP we)) "
    "(VP (VBD met) (NP-1 (-NONE- *T*))))))"
)
PASSIVE = (
    "(S (NP-SBJ-1 (DT The) (NN gene)) (VP (VBD was) (VP (VBN found) (NP-1 (-NONE- *)))) (. .))"
)
CONTROL = (
    "(S (NP-SBJ-1 (PRP We)) (VP (VBP want) (S (NP-SBJ-1 (-NONE- *)) "
    "(VP (TO to) (VP (VB sleep))))) (. .))"
)
SHARED = (
    "(S (NP-SBJ (PRP We)) (VP (VP (VP (VBD saw) (NP-1 (-NONE- *RNR*))) (CC and) "
    "(VP (VBD heard) (NP-1 (-NONE- *RNR*)))) (NP-1 (NNS trains))) (. .))"
)


def converted(text: str, number: int = 1) -> Converted:
    (tree,) = ptb.read(StringIO(text))
    return convert(tree, f"test.{number}", known_arguments())


def test_agreement_counts_words(tmp_path: Path) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text(
        "The|DT|NP/N cell|NN|N/N divides|VBZ|S[dcl]\\NP .|.|.\nOther|JJ|N\nMissing|NN|N\n"
    )
    results = [converted(WORKS, number).derivation for number in (1, 2)]
    found = compare([d for d in results if d], read_tagged(gold))
    assert (found.words, found.agreeing, found.unlike, found.missing) == (5, 3, 1, 1)
    assert found.confusions == {("N/N", "N"): 1}


def test_malformed_tags_are_an_error(tmp_path: Path) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("The|DT\n")
    with pytest.raises(FormatError, match=r"gold\.txt:1"):
        read_tagged(gold)


def test_statistics() -> None:
    derivation = converted(WORKS).derivation
    assert derivation
    found = statistics([derivation] * 10)
    assert (found.sentences, found.words, found.types) == (10, 40, 4)
    assert (found.categories, found.frequent, found.once) == (4, 4, 0)
    assert (found.binary_rules, found.unary_rules, found.per_word) == (3, 0, 1.0)
    assert found.growth[-1] == (10, 4)


@pytest.mark.parametrize(
    ("text", "kind", "mark"),
    [
        (RELATIVE, "*T*", "XU"),
        (PASSIVE, "passive", None),
        (CONTROL, "control", "XB"),
        (SHARED, "*RNR*", "XU"),
    ],
)
def test_traces_become_dependencies(text: str, kind: str, mark: str | None) -> None:
    result = converted(text)
    assert result.dependencies
    assert {key for key, count in result.traces.items() if count} == {(kind, True)}
    assert set(result.dependencies.marks.values()) == ({mark} if mark else set())


def test_a_trace_names_its_governor_and_its_antecedent() -> None:
    (tree,) = ptb.read(StringIO(RELATIVE))
    root = read_penn(tree)
    assert root
    (link,) = links(root)
    assert (link.kind, set(link.governors), set(link.heads)) == ("*T*", {4}, {1})


@pytest.mark.parametrize(
    ("word", "expected"),
    [("binding", "bind"), ("depends", "depend"), ("used", "used"), ("studies", "study"),
     ("associated", "associat"), ("stopped", "stop")],
)  # fmt: skip
def test_stems_bring_forms_together(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_lists_decide_about_prepositional_phrases() -> None:
    text = "(S (NP-SBJ (PRP It)) (VP (VBZ sits) (PP (IN on) (NP (NN ice)))) (. .))"
    (tree,) = ptb.read(StringIO(text))
    found = []
    for lists in (Arguments(), Arguments(verbs_with={"on": ("sit",)})):
        derivation = convert(tree, "x.1", lists).derivation
        assert derivation
        found.append(derivation.leaves[1].category)
    assert found == [r"S[dcl]\NP", r"(S[dcl]\NP)/PP"]


def test_a_treebank_with_its_licence(tmp_path: Path) -> None:
    trees = tmp_path / "a.mrg"
    trees.write_text(WORKS)
    out = tmp_path / "bank"
    options = ["--train", str(trees), "--dev", str(trees), "--name", "ccg-craft"]
    result = CliRunner().invoke(app, ["convert", "bank", "--out", str(out), *options])
    assert result.exit_code == 0, result.output
    names = ["README.md", "dev.auto", "dev.parg", "dev.report.json"]
    assert sorted(p.name for p in out.iterdir())[:4] == names
    text = (out / "README.md").read_text()
    assert "Creative Commons Attribution 3.0" in text
    assert "| train | 1 | 1 | 4 |" in text
    (out / "dev.auto").unlink()  # an older treebank is replaced
    assert CliRunner().invoke(app, ["convert", "bank", "--out", str(out), *options]).exit_code == 0
    assert (out / "dev.auto").exists()


@pytest.mark.parametrize("name", ["README.md", "train.auto", "notes"])
def test_a_treebank_replaces_no_other_directory(name: str, tmp_path: Path) -> None:
    trees, out = tmp_path / "a.mrg", tmp_path / "bank"
    trees.write_text(WORKS)
    out.mkdir()
    (out / name).write_text("mine")
    given = ["convert", "bank", "--out", str(out), "--train", str(trees)]
    result = CliRunner().invoke(app, given)
    assert "is not a converted treebank" in str(result.exception)
    assert (out / name).read_text() == "mine"


def test_a_conversion_needs_three_places(tmp_path: Path) -> None:
    trees, out = tmp_path / "a.mrg", str(tmp_path / "out")
    trees.write_text(WORKS)
    options = [part for n in ("auto", "parg", "report") for part in (f"--{n}", out)]
    result = CliRunner().invoke(app, ["convert", "ptb-ccg", str(trees), *options])
    assert "several outputs have this name" in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_commands_print_measures(tmp_path: Path) -> None:
    trees, gold = tmp_path / "a.mrg", tmp_path / "gold.txt"
    trees.write_text(WORKS)
    gold.write_text("The|DT|NP/N cell|NN|N divides|VBZ|S[dcl]\\NP .|.|.\n")
    out = [part for n in ("auto", "parg", "report") for part in (f"--{n}", str(tmp_path / n))]
    CliRunner().invoke(app, ["convert", "ptb-ccg", str(trees), *out])
    auto = str(tmp_path / "auto")
    result = CliRunner().invoke(app, ["convert", "agreement", "--auto", auto, "--gold", str(gold)])
    assert result.output.startswith("100.00 % of 4 words agree")
    result = CliRunner().invoke(
        app, ["convert", "statistics", "--auto", auto, "--parg", str(tmp_path / "parg")]
    )
    assert '"categories": 4' in result.output


def test_a_word_with_the_label_of_a_phrase_is_no_internal_error() -> None:
    result = converted("(S (NP-SBJ (PRP He)) (VP (SBAR sang) (NP (NN tea))) (. .))")
    assert result.cause != "internal error", result.detail
