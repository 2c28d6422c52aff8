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
    ],
)
def test_what_is_malformed_is_named_with_its_line(
    sentence: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=f"1.xml:{message}"):
        list(genia.read(written(tmp_path, sentence)))
