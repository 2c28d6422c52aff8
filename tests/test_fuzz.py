"""A short fuzz of every reader, and the inputs that once were accepted or crashed."""

from pathlib import Path

import numpy as np
import pytest

from fuzz import arguments
from fuzz.engine import Outcome, attempt, fuzz
from fuzz.report import write_section
from fuzz.targets import TARGETS
from treewright import _core

# Graphs of ONNX: 2^62 rounds of a loop, and numbers in a file elsewhere.
GRAPHS = (
    "08083abf010a87010a016e0a02676f0a017812017922044c6f6f702a720a04626f647932670a100a0163120164220849"
    "64656e746974790a100a016112016222084964656e746974791204626f64795a0b0a016912060a04080712005a0b0a01"
    "6312060a04080912005a090a016112040a020801620b0a016412060a040809120062090a016212040a020801a0010512"
    "01672a0f100742016e4a0800000000000000402a0910094202676f4a01015a090a017812040a02080162090a01791204"
    "0a02080142040a001011",
    "08083a670a0e0a01780a017712017922034164641201672a3c080410014201776a160a086c6f636174696f6e120a7365"
    "637265742e62696e6a0b0a066f66667365741201306a0c0a066c656e6774681202313670015a090a017812040a020801"
    "62090a017912040a02080142040a001011",
)
# What has been found: brackets of any depth, numbers of any length, markup that is no category.
PAST: dict[str, list[bytes]] = {
    "auto": [
        b"ID=1 PARSER=GOLD NUMPARSE=1\n(<L N NN NN a b N>)\n",
        b"ID=1 PARSER=GOLD NUMPARSE=1\n" + b"(<T S 0 1> " * 3000,
    ],
    "parg": [b'<s id="1"> 1\n1\t0\tN\t1\ta\tb\n<\\s>\n', b"<s> 99999999999999999999\n<\\s>\n"],
    "brackets": [b"(" * 100_000, b"( (S (NP a) b) )", b"(S)"],
    "conllu": [b"".join(b"0.%d\te%s\n" % (i, b"\t_" * 8) for i in range(1, 3000))],
    "markedup": [b"N\n  1 (A{1}B)\n", b"(" * 50_000],
    "toml": [b"x = " + b"9" * 5000, b"beta = 1" + b"0" * 400, b"x = " + b"[" * 3000],
    "tsv": [b"sentence-id\tcorrect\tproduced\tdue\na\t1e3\t1\t1\n", b"\xff"],
    "text": [b"a\0b", b"a " * 100_000],
    "safetensors": [b"\xff" * 8, (10).to_bytes(8, "little") + b"[" * 10],
    "store": [b"", b"\0" * 64],
    "checkpoint": [
        b'lbfgs\n{"arrays": {}, "values": {}}',
        b'adam\n{"arrays": {"model.weights": ["<i4", [1]]}, "values": {"finished": true}}',
    ],
    "genia": [
        b'<!DOCTYPE a [<!ENTITY b "b"><!ENTITY c "&b;&b;">]><a>&c;</a>',
        b'<sentence><cons cat="N P(" null="a b("/></sentence>',
        b'<sentence><cons cat="NP" null="T" id="i1" ref="i1"/></sentence>',
    ],
    "vectors": [b".txt.gz\nplain", b".txt\n" + b"a" * 2_000_000, b".bin\n1 1\na\nb \0\0\0\0"],
    "marginals": [
        b"[" * 100_000,
        b'{"words": [], "marginals": {"arcs": [[{"head": [], "label": "", "probability": 9}]]}}',
    ],
    "tables": [
        b"arguments\n" + b"a." * 50_000 + b"a = 1",
        b"reorder\nx = 0x" + b"f" * 5000,
        b"semantics\n[[template]]\ncategory = 'N'\nterm = '" + b"(" * 5000 + b"'",
    ],
    "tokenizer": [
        b"{}",
        b"[" * 100_000,
        b'{"model": {"type": "WordPiece", "vocab": {}}, "normalizer": {"type": "Replace"}}',
    ],
    "graph": [bytes.fromhex(each) for each in GRAPHS],
    "model": [b"\n==== manifest.json\n" + each for each in (b"[" * 100_000, b"{}", b"[]", b"null")],
    "http": [b"/v1/parse\n" + each for each in (b"[" * 100_000, b'{"text": "\\ud800"}', b"1e999")],
    "run": [b"[" * 100_000, b'{"seconds": "x", "peak_rss_mb": null}\n', b"{}\n" * 3],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TARGETS)
def test_a_short_fuzz(name: str) -> None:
    found = fuzz(name, 0.2, seed=1)
    assert not found.failures
    assert found.taken >= 1


@pytest.mark.parametrize("name", PAST)
def test_inputs_of_the_past(name: str) -> None:
    outcome = Outcome(name)
    for data in PAST[name]:
        attempt(name, data, outcome)
    assert outcome.executions == len(PAST[name])
    assert not outcome.failures


def test_damaged_arguments_leave_the_answer_as_it_is() -> None:
    """A function of the core that is attacked, and one that takes what is damaged."""
    arrays = [np.array(each, np.int32) for each in ([0, 1, 2], [-1, 0], [-1, -1], [0, 1])]
    forest, scores = _core.Forest(*arrays, 2), np.array([1.0, 2.0])
    marginals = arguments.attacked("marginals", _core.marginals)
    seen: list[object] = []

    def takes_all(forest: object, scores: object) -> None:
        seen.append(scores)
        raise IndexError

    for _ in range(30):
        assert marginals(forest, scores)[0] == 3.0
        with pytest.raises(IndexError):
            arguments.attacked("takes all", takes_all)(forest, scores)
    assert scores.tolist() == [1.0, 2.0]
    assert any(each is not scores for each in seen)
    assert set(arguments.found) == {"takes all: IndexError"}


def test_a_section_of_a_page_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    for title, text in (("A", "old"), ("B", "b"), ("A", "new")):
        write_section(page, title, text)
    assert page.read_text() == "# Reliability\n\n## A\n\nnew\n\n## B\n\nb\n"
