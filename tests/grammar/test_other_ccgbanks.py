"""Derivations as other languages' CCGbanks and other parsers write them, written here.

A case of `other_ccgbanks.txt` is a name, a line of the format, and its dependencies by default
markup: `functor slot argument; ...`.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from treewright.data.auto import format_derivation, format_tree, parse_tree, read_auto, write_auto
from treewright.data.parg import read_ccgbank
from treewright.data.records import Derivation, leaves
from treewright.errors import FormatError
from treewright.forests.ccg.chart import Cells, ChartSettings, Outcome, ccg_chart
from treewright.grammar.category import parse, substitute, unify
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.defaults import default_entry
from treewright.grammar.indices import dependencies_of
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.rules import dialect, read_rules, underivable

TEXT = (Path(__file__).parent / "other_ccgbanks.txt").read_text(encoding="utf-8")
CASES = [block.splitlines() for block in TEXT.strip().split("\n\n")]
JAPANESE = [case[1] for case in CASES if "Japanese" in case[0]]
each_case = pytest.mark.parametrize("case", CASES, ids=[case[0][2:] for case in CASES])


@each_case
def test_every_step_has_a_rule_and_the_dependencies_are_found(case: list[str]) -> None:
    derivation = Derivation("x", parse_tree(case[1]))
    assert underivable(derivation, dialect(derivation)) == []
    words = [leaf.word for leaf in derivation.leaves]
    found = dependencies_of(Lexicon().indexed(derivation))
    shown = {f"{words[d.functor]} {d.slot} {words[d.argument]}" for d in found}
    assert shown == set(case[2].split("; ") if len(case) > 2 else ())


@each_case
def test_what_is_read_is_written_as_auto(case: list[str]) -> None:
    text = format_tree(parse_tree(case[1]))
    assert format_tree(parse_tree(text)) == text
    assert text == case[1] or not case[0].startswith(("# Chinese", "# German"))


@each_case
def test_a_grammar_that_is_read_off_parses_the_sentence(case: list[str]) -> None:
    derivation = Lexicon().indexed(Derivation("x", parse_tree(case[1])))
    entries = [default_entry(parse(leaf.category)) for leaf in derivation.leaves]
    rules = replace(read_rules([derivation], only_seen=True), marked_conjuncts=False)
    grammar = CompiledGrammar(rules, entries, Lexicon().unary)
    cells = Cells.of([[grammar.tables.entries.get(entry)] for entry in entries])
    assert ccg_chart(grammar, cells, ChartSettings()).outcome is Outcome.PARSED


def test_words_and_tags_of_japanese_brackets() -> None:
    first, last = list(leaves(parse_tree(JAPANESE[0])))[::5]
    assert (first.word, first.pos) == ("猫", "名詞-一般")
    assert (last.word, last.category) == (
        "。",
        r"S[mod=nm,form=base,fin=t]\S[mod=nm,form=base,fin=f]",
    )
    slashes = next(leaves(parse_tree("{NP[case=nc] 1/2/1/2/名詞-数/_}")))
    assert (slashes.word, slashes.pos) == ("1/2", "名詞-数")
    marked = next(leaves(parse_tree(JAPANESE[3])))
    assert marked.category == "S[mod=nm,form=base]"


def test_a_file_of_brackets_with_and_without_headers(tmp_path: Path) -> None:
    path, copy = tmp_path / "ja.txt", tmp_path / "copy.auto"
    path.write_text(f"{JAPANESE[0]}\nID=7, Prob=-53.9\n{JAPANESE[1]}\n", encoding="utf-8")
    found = list(read_ccgbank(path))
    assert [each.id for each in found] == ["1", "7"]
    write_auto(copy, read_auto(path))
    again = [format_derivation(each) for each in read_auto(copy)]
    assert again == [format_derivation(each) for each in read_auto(path)]


BROKEN = {
    "{< S {NP a/a/x} {S\\NP b/b/x}": "the line ends",
    "{< S {NP a/a/x}} {NP b/b/x}": "ends before",
    "{NP a/a/x}}": "too many closing",
    "{NP a/b}": "word/lemma",
    "{NP a/b/a/c/x/y}": "word/lemma",
    "{< S x {NP a/a/x}}": "expected '{'",
    "{< S {NP a/a/x} {NP b/b/x} {NP c/c/x}}": "1 or 2 children",
    "{< S " * 1001 + "{NP a/a/x}": "deeper",
}


@pytest.mark.parametrize("line", BROKEN)
def test_damaged_brackets_are_one_clear_error(line: str, tmp_path: Path) -> None:
    path = tmp_path / "ja.txt"
    path.write_text(f"{JAPANESE[0]}\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=rf":2: .*{BROKEN[line]}"):
        list(read_auto(path))


DAMAGED = (
    "(<L N a a NN O N>)",
    "(<L N a a NN O O N>",
    "(<L N a a NN O O N>))",
    "(<T NP lex 0 1> x",
    "(<T NP lex 2 1> (<L N a a NN O O N>))",
)


@pytest.mark.parametrize("line", DAMAGED)
def test_damaged_lines_of_other_parsers(line: str) -> None:
    with pytest.raises(ValueError, match=r"expected|ends before|cannot be"):
        parse_tree(line)


def test_values_of_features_unify_one_by_one() -> None:
    wanted = parse("NP[case=X1,mod=X2,fin=f]")
    given = parse("NP[case=ga,mod=nm,fin=f]")
    found = unify(wanted, given)
    assert found == {"X1": "ga", "X2": "nm"}
    assert substitute(wanted, found) is given
    assert unify(wanted, parse("NP[case=ga,mod=nm,fin=t]")) is None
    assert unify(wanted, parse("NP[case=X3,mod=nm,fin=f]")) == {"X2": "nm"}
    assert unify(parse("NP[case=X1,mod=X1]"), parse("NP[case=ga,mod=nm]")) is None
    assert unify(wanted, parse("NP[case=ga,mod=nm]")) is None
