"""The GENIA treebank's XML becomes trees in Penn style."""

from pathlib import Path

import pytest

from treewright.data import genia, ptb
from treewright.errors import FormatError

FORM = '<?xml version="1.0"?>\n<a><PMID>1</PMID><Title>{}</Title></a>\n'
NOUN, VERB = '<tok cat="NN">Binding</tok>', '<tok cat="VBN">seen</tok>'
KINDS = ("T", "Zero", "QSTN", "RNR")
ROWS = {
    "function tags, an index and a passive": (
        f'<cons cat="S"><cons cat="NP" role="SBJ" id="i12">{NOUN}</cons> <cons cat="VP">'
        f'{VERB} <cons cat="NP" null="NONE" ref="i12"/></cons></cons><tok cat=".">.</tok>',
        "( (S (NP-SBJ-12 (NN Binding)) (VP (VBN seen) (NP-12 (-NONE- *)))) (. .))",
    ),
    "attributes in capitals, several tags": (
        f'<cons cat="NP" SYN="COOD" SEM="TMP" FCTN="TPC">{NOUN}</cons>',
        "( (NP-TMP-TPC-COOD (NN Binding)))",
    ),
    "kinds of traces": (
        "".join(f'<cons cat="NP" null="{kind}"/>' for kind in KINDS),
        "( (NP (-NONE- *T*)) (NP (-NONE- 0)) (NP (-NONE- *?*)) (NP (-NONE- *RNR*)))",
    ),
    "a trace of a trace has the index of the first": (
        f'<cons cat="WHNP" id="i1">{NOUN}</cons><cons cat="NP" null="T" ref="i1" id="i2"/>'
        '<cons cat="NP" null="NONE" ref="i2"/>',
        "( (WHNP-1 (NN Binding)) (NP-1 (-NONE- *T*)) (NP-1 (-NONE- *)))",
    ),
    "brackets and characters of XML": (
        '<cons cat="PRN"><tok cat="(">(</tok><tok cat="NN">a&lt;b</tok></cons>',
        "( (PRN (-LRB- -LRB-) (NN a<b)))",
    ),
    "gapping, an empty phrase and an element of another kind": (
        f'<cons cat="NP" gap="i3">{NOUN}</cons><cons cat="PP"/><term>{VERB}</term>',
        "( (NP=3 (NN Binding)) (VBN seen))",
    ),
}


def written(tmp_path: Path, *sentences: str) -> Path:
    path = tmp_path / "1.xml"
    inner = "\n".join(f'<sentence id="s{i}">{each}</sentence>' for i, each in enumerate(sentences))
    path.write_text(FORM.format(inner))
    return path


@pytest.mark.parametrize("name", ROWS)
def test_sentences_are_trees(name: str, tmp_path: Path) -> None:
    given, wanted = ROWS[name]
    (tree,) = genia.read(written(tmp_path, given))
    (expected,) = ptb.read(_file(tmp_path, wanted))
    assert ptb.format_tree(tree) == ptb.format_tree(expected)


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "wanted.mrg"
    path.write_text(text)
    return path


def test_words_outside_sentences_and_empty_sentences_are_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, NOUN, "", VERB)
    assert len(list(genia.read(path))) == 2


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("<cons cat='NP'>stray</cons>", "2: 'stray' is outside <tok>"),
        ("<tok>word</tok>", "2: a word without a part of speech"),
        ("<cons>" * 400, "2: phrases are nested more than 300"),
        ("<cons>", "2: mismatched tag"),
        (f"<cons cat='NP' id='x'>{NOUN}</cons>", "2: 'x' has no number"),
        ("<tok cat=' '>word</tok>", "2: a word without a part of speech"),
    ],
)
def test_what_is_malformed_is_named_with_its_line(
    sentence: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=f"1.xml:{message}"):
        list(genia.read(written(tmp_path, sentence)))


def test_entities_are_not_read(tmp_path: Path) -> None:
    """Ten of ten of ten: a bomb of a few lines."""
    path = tmp_path / "1.xml"
    path.write_text('<!DOCTYPE a [<!ENTITY b "b"><!ENTITY c "&b;&b;">]><a>&c;</a>')
    with pytest.raises(FormatError, match="declares entities"):
        list(genia.read(path))
    with pytest.raises(FormatError, match="not well-formed"):
        list(genia.read(Path("/dev/zero")))


def test_labels_stay_in_one_piece(tmp_path: Path) -> None:
    path = written(tmp_path, '<cons cat="N P(" role="x y"><tok cat="N N">a</tok></cons>')
    (tree,) = genia.read(path)
    ptb.write([tree], one := tmp_path / "1.mrg")
    ptb.write(ptb.read(one), two := tmp_path / "2.mrg")
    assert one.read_text() == two.read_text() == "( (NP-LRB--x-y (NN a)) )\n"


def test_long_chains_of_traces_take_linear_time(tmp_path: Path) -> None:
    """20,000 of them took minutes when each label followed its chain."""
    rows = (f'<cons cat="NP" null="T" id="i{n}" ref="i{n + 1}"/>' for n in range(20_000))
    (tree,) = genia.read(written(tmp_path, "".join(rows)))
    assert {child.label for child in tree.children} == {"NP-20000"}  # type: ignore[union-attr]
    path = written(tmp_path, '<cons cat="NP" null="T" id="i1" ref="i1"/>')
    assert len(list(genia.read(path))) == 1
