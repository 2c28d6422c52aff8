"""Output formats: what other programs read in them."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.conftest import treebank_file
from treewright.data.auto import parse_tree, read_auto
from treewright.data.parg import read_parg
from treewright.data.records import Derivation, Leaf, Node
from treewright.formats.ccg.formats import FORMATS, prolog_category
from treewright.formats.ccg.objects import derivation_object
from treewright.formats.ccg.rules import rule_symbol, rule_word
from treewright.grammar.category import parse
from treewright.grammar.indices import dependencies_of

TREE = (
    r"(<T S 0 2> (<T S 1 2> (<L NP NNP NNP O'Hara&Co NP{1}>) "
    r"(<T S\NP 0 2> (<L (S\NP)/NP VBD VBD bought ((S{2}\NP{1}){2}/NP{3}){2}>) "
    r"(<L NP NNP NNP 5%_<b> NP{3}>) ) ) (<L . . . . .{4}>) )"
)


def output(name: str, tree: str = TREE) -> str:
    derivation = Derivation("s1", parse_tree(tree))
    return FORMATS[name](derivation, dependencies_of(derivation))


def test_deps() -> None:
    assert output("deps").splitlines() == [
        r"bought_2 (S\NP)/NP 1 O'Hara&Co_1",
        r"bought_2 (S\NP)/NP 2 5%_<b>_3",
        r"<c> O'Hara&Co|NNP|NP bought|VBD|(S\NP)/NP 5%_<b>|NNP|NP .|.|.",
    ]


def test_conll() -> None:
    comment, *rows, end, _ = output("conllu").split("\n")
    columns = [row.split("\t") for row in rows]
    assert (comment, end) == ("# sent_id = s1", "")
    assert {len(row) for row in columns} == {10}
    assert [row[6] for row in columns] == ["2", "0", "2", "2"]
    assert [row[7] for row in columns] == ["ba", "root", "fa", "rp"]
    assert columns[0][8] == r"2:(S\NP)/NP.1"
    assert columns[2][9] == "Supertag=NP"


def test_json() -> None:
    derivation = Derivation("s1", parse_tree(TREE))
    values = derivation_object(derivation.root, dependencies_of(derivation))
    found = json.loads(json.dumps(values))
    assert found["supertags"] == ["NP", r"(S\NP)/NP", "NP", "."]
    expected = {"functor": 1, "category": r"(S\NP)/NP", "slot": 1, "argument": 0}
    assert found["dependencies"][0] == expected
    root = found["nodes"][-1]
    assert (root["category"], root["rule"]) == ("S", "rp")
    assert [found["nodes"][child]["category"] for child in root["children"]] == ["S", "."]


def test_xml_can_be_parsed() -> None:
    root = ET.fromstring(output("xml"))
    assert root.get("id") == "s1"
    assert [rule.get("type") for rule in root.iter("rule")] == ["rp", "ba", "fa"]
    assert [leaf.get("word") for leaf in root.iter("lf")] == ["O'Hara&Co", "bought", "5%_<b>", "."]
    control = Derivation("s1", Leaf("NP", "a\x01", "N", "N"))
    assert "a�" in ET.fromstring(FORMATS["xml"](control, [])).find("lf").get("word")


def test_prolog() -> None:
    fact, *words = output("prolog").splitlines()
    assert fact == (
        r"ccg('s1',rp(s,ba(s,lf('s1',1,np),fa((s\np),lf('s1',2,((s\np)/np)),lf('s1',3,np))),"
        r"lf('s1',4,'.')))."
    )
    assert words[0] == r"w('s1',1,'O\'Hara&Co','NNP','NP')."


@pytest.mark.parametrize(
    ("category", "term"),
    [(r"S[dcl]\NP", r"(s:dcl\np)"), (",", "','"), (r"NP\NP[conj]", r"(np\np):conj")],
)
def test_prolog_categories(category: str, term: str) -> None:
    assert prolog_category(parse(category)) == term


@pytest.mark.parametrize(
    ("tree", "symbol", "word"),
    [
        (r"(<T S/(S\NP) 0 1> (<L NP N N a x>) )", ">T", "tr"),
        (r"(<T S\(S/NP) 0 1> (<L NP N N a x>) )", "<T", "tr"),
        (r"(<T NP\NP 0 1> (<L S\NP N N a x>) )", "un", "lex"),
        (r"(<T S/NP 0 2> (<L S/(S\NP) N N a x>) (<L (S\NP)/NP V V b x>) )", ">B", "fc"),
        (r"(<T (S/PP)/NP 0 2> (<L S/(S\NP) N N a x>) (<L ((S\NP)/PP)/NP V V b x>) )", ">B2", "fc"),
        ("(<T NP 0 2> (<L NP N N a x>) (<L NP[conj] N N b x>) )", "&", "coord"),
        ("(<T S 0 2> (<L NP N N a x>) (<L PP V V b x>) )", "?", "other"),
    ],
)
def test_names_of_rules(tree: str, symbol: str, word: str) -> None:
    root = parse_tree(tree)
    assert isinstance(root, Node)
    assert (rule_symbol(root), rule_word(root)) == (symbol, word)


@pytest.mark.parametrize("part", ["ccg-ewt/dev", "ccg-atis/dev"])
@pytest.mark.parametrize("name", ["auto", "parg"])
def test_the_treebank_is_written_as_it_was(part: str, name: str) -> None:
    write: Callable[..., str] = FORMATS[name]
    derivations = read_auto(treebank_file(f"{part}.auto"))
    text = "".join(write(d, dependencies_of(d)) for d in derivations)
    assert text == treebank_file(f"{part}.{name}").read_text(encoding="utf-8")


def test_parg_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "x.parg"
    path.write_text(output("parg"))
    (sentence,) = read_parg(path)
    assert [tuple(row) for row in sentence.rows] == [
        (1, r"(S\NP)/NP", 1, 0),
        (1, r"(S\NP)/NP", 2, 2),
    ]
