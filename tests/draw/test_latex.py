"""Drawings as LaTeX: escapes, braces that match, parts that fit a page."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from treewright.data.auto import parse_tree
from treewright.data.brackets import Phrase, Tagged
from treewright.draw.latex import latex_arcs, latex_derivation, latex_frame, latex_tree
from treewright.draw.nodes import from_brackets, from_derivation

TREE = r"(<T S\NP 0 2> (<L (S\NP)/NP V V 5%_<b> x>) (<L NP N N {] x>) )"


def balanced(text: str) -> bool:
    depth = 0
    for character in text.replace(r"\{", "").replace(r"\}", ""):
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return False
    return depth == 0


def test_a_derivation_escapes_what_tex_would_read() -> None:
    lines = latex_derivation(from_derivation(parse_tree(TREE))).splitlines()
    assert r"\AxiomC{5\%\_\textless{}b\textgreater{}}" in lines
    assert r"\UnaryInfC{\textsf{(S\textbackslash{}NP)/NP}}" in lines
    assert r"\AxiomC{\{{]}}" in lines
    assert sum(line.startswith(r"\BinaryInfC") for line in lines) == 1


def test_fragments_are_proofs_of_their_own() -> None:
    frag = r"(<T FRAG 0 2> (<T FRAG 0 1> (<L NP N N a x>) ) (<L NP N N b x>) )"
    text = latex_derivation(from_derivation(parse_tree(frag)))
    assert text.count(r"\DisplayProof") == 2
    assert "FRAG" not in text


def test_wide_trees_are_cut() -> None:
    tree: Phrase | Tagged = Tagged("NN", "antidisestablishment")
    for number in range(20):
        tree = Phrase("NP", (Tagged("NN", f"antidisestablishment{number}"), tree))
    text = latex_tree(from_brackets(tree))
    assert (
        text.count(r"\begin{forest}") == text.count(r"\end{forest}") == text.count(r"\fitted") > 3
    )
    assert "The whole, with {[}1{]} to" in text
    assert balanced(text)


def test_arcs() -> None:
    text = latex_arcs(["A&B", "sleeps"], [2, 0], ["nsubj", "root"])
    assert r"\begin{deptext}[column sep=1em] A\symbol{38}B \& sleeps \\ \end{deptext}" in text
    assert r"\depedge{2}{1}{nsubj}" in text
    assert r"\deproot{2}{root}" in text
    assert latex_arcs([], [], []) == ""


def test_long_sentences_continue_in_rows() -> None:
    words = [f"word{number}" for number in range(60)]
    heads = [2, 0, 2, 60, 60] + [2] * 54 + [2]
    rows = latex_arcs(words, heads, ["dep"] * 60).split(r"\begin{dependency}")[1:]
    assert len(rows) > 2
    assert all(r"\fitted" in row for row in rows)
    assert "word59" not in rows[0].split("deptext")[1]
    assert "word59" in rows[-1].split("deptext")[1]
    assert [row.count(r"\dots") for row in rows] == [1] * len(rows)
    assert r"{dep (word10), dep (word11), dep (word12), …}" in rows[0]
    assert r"\depedge{1}{2}{dep (word1)}" in rows[1]  # from the dots, which are the first word
    for row in rows:
        columns = row[: row.index(r"\end{deptext}")].count(r"\&") + 1
        ends = re.findall(r"\\depedge\{(\d+)\}\{(\d+)\}", row)
        assert all(1 <= int(each) <= columns for pair in ends for each in pair)
        assert len(ends) == len(set(ends))


def test_hyphens_make_no_dashes() -> None:
    text = latex_arcs(["--", "a-b", "---"], [2, 0, 2], ["punct", "root", "punct"])
    assert r"-{}- \& a-b \& -{}-{}- \\" in text


def test_the_frame_is_a_document() -> None:
    for kind, package in (("ccg", "bussproofs"), ("const", "forest"), ("dep", "tikz-dependency")):
        before, after = latex_frame(kind)
        assert rf"\usepackage{{{package}}}" in before
        assert (before + after).count(r"\begin{document}") == after.count(r"\end{document}") == 1


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
@pytest.mark.parametrize("kind", ["dep", "ccg", "const"])
def test_files_compile(kind: str, tmp_path: Path) -> None:
    """With special characters, and some that pdflatex does not have."""
    words = ["50%", "&_#$", "{\\}~^", "\u65e5\U0001f600", "na\u00efve\u2026", '"--"', "<|>"]
    trees = {
        "dep": latex_arcs(words * 8, [2, 0] + [2] * 54, ["a_b&c"] * 56),
        "ccg": latex_derivation(from_derivation(parse_tree(TREE))),
        "const": latex_tree(from_brackets(Phrase("S&", tuple(Tagged("N_N", w) for w in words)))),
    }
    before, after = latex_frame(kind)
    (tmp_path / "a.tex").write_text(before + trees[kind] + after, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if "not found" in done.stdout:
        pytest.skip("needs the packages of LaTeX that drawings use")
    assert done.returncode == 0, done.stdout[-600:]
