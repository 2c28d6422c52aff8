"""AUTO and PARG: byte for byte round trips, and one clear error for each way to be broken."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import treebank_file
from treewright.data.auto import MAX_DEPTH, format_tree, parse_tree, read_auto, write_auto
from treewright.data.parg import format_dependencies, read_ccgbank, read_parg, write_parg
from treewright.data.records import (
    Dependencies,
    Dependency,
    Derivation,
    Leaf,
    Node,
    leaves,
    postorder,
)
from treewright.errors import FormatError

PARTS = ["ccg-ewt/dev", "ccg-atis/dev", "ccg-ewt/train", "ccg-atis/train"]
HEADER = "ID=s1 PARSER=GOLD NUMPARSE=1\n"
LEAF = "(<L NP NN NN :) NP{1}>)"
PARG = '<s id="s1"> 2\n0\t1\tS\\NP\t1\tHe\truns\n<\\s>\n'
CCGBANK_AUTO = (
    "ID=x.1 PARSER=GOLD NUMPARSE=1\n"
    "(<T S[dcl] 0 2> (<T S[dcl] 1 2> (<L NP PRP PRP He NP>) "
    r"(<L S[dcl]\NP VBZ VBZ runs S[dcl]\NP_1>) ) (<L . . . . .>) ) "
    "\n"
)
CCGBANK_PARG = (
    '<s id="x.1"> 2\n0 \t 1 \t S[dcl]\\NP \t 1 \t He runs\n'
    "0 \t 2 \t S[b]\\NP \t 1 \t He go <XB>\n<\\s>\n"
)


@pytest.mark.parametrize("part", PARTS)
def test_round_trip_auto(part: str, tmp_path: Path) -> None:
    source, copy = treebank_file(f"{part}.auto"), tmp_path / "copy.auto"
    write_auto(copy, read_auto(source))
    assert copy.read_bytes() == source.read_bytes()


@pytest.mark.parametrize("part", PARTS)
def test_round_trip_parg(part: str, tmp_path: Path) -> None:
    source, copy = treebank_file(f"{part}.parg"), tmp_path / "copy.parg"
    write_parg(copy, read_parg(source))
    assert copy.read_bytes() == source.read_bytes()


def test_round_trip_in_ccgbank_s_dialect(tmp_path: Path) -> None:
    auto, parg, copy = tmp_path / "a.auto", tmp_path / "a.parg", tmp_path / "copy"
    auto.write_text(CCGBANK_AUTO)
    write_auto(copy, read_auto(auto), end=" ")
    assert copy.read_text() == CCGBANK_AUTO
    parg.write_text(CCGBANK_PARG)
    write_parg(copy, read_parg(parg), "ccgbank")
    assert copy.read_text() == CCGBANK_PARG


@pytest.mark.parametrize("header", ["ID=7", "ID=7, log probability=-2.5e-3", "ID=7 "])
def test_headers_of_other_parsers(header: str, tmp_path: Path) -> None:
    path = tmp_path / "a.auto"
    path.write_text(f"{header}\n{LEAF}\n")
    (found,) = read_auto(path)
    assert (found.id, found.parser, found.rank) == ("7", "UNKNOWN", 1)


def test_parg_without_ids_or_sizes(tmp_path: Path) -> None:
    path = tmp_path / "a.parg"
    path.write_text(PARG.replace(' id="s1"', "") + PARG.replace(' id="s1"> 2', ">"))
    first, second = read_parg(path)
    assert (first.id, first.size, second.id, second.size) == ("1", 3, "2", 2)
    assert first.rows == second.rows


def test_a_space_before_the_end_of_a_parg_header(tmp_path: Path) -> None:
    path = tmp_path / "a.parg"
    path.write_text(PARG.replace('"s1">', '"s1" >'))
    (found,) = read_parg(path)
    assert (found.id, found.size) == ("s1", 3)


def test_what_a_derivation_holds(tmp_path: Path) -> None:
    path = tmp_path / "a.auto"
    path.write_text(CCGBANK_AUTO)
    (derivation,) = read_auto(path)
    assert derivation.sentence.words == ("He", "runs", ".")
    assert [leaf.pos for leaf in derivation.leaves] == ["PRP", "VBZ", "."]
    assert isinstance(derivation.root, Node)
    assert [child.category for child in derivation.root.children] == ["S[dcl]", "."]
    assert [t.category for t in postorder(derivation.root)][-1] == "S[dcl]"


def test_what_dependencies_hold(tmp_path: Path) -> None:
    path = tmp_path / "a.parg"
    path.write_text(CCGBANK_PARG)
    (sentence,) = read_parg(path)
    control = Dependency(2, r"S[b]\NP", 1, 0)
    assert sentence.rows == (Dependency(1, r"S[dcl]\NP", 1, 0), control)
    assert sentence.marks == {control: "XB"}
    assert sentence.words == {0: "He", 1: "runs", 2: "go"}


def test_a_deep_derivation_is_no_trouble() -> None:
    tree = "(<T NP 0 2> " * MAX_DEPTH + LEAF + f" {LEAF} )" * MAX_DEPTH
    root = parse_tree(tree)
    assert len(list(leaves(root))) == MAX_DEPTH + 1
    assert format_tree(root) == tree
    assert "1001 words" in repr(root)


def test_closing_brackets_need_no_space_before_them() -> None:
    assert format_tree(parse_tree(f"(<T NP 0 1> (<T NP 0 1> {LEAF}))")) == (
        f"(<T NP 0 1> (<T NP 0 1> {LEAF} ) )"
    )
    with pytest.raises(ValueError, match="end of the derivation"):
        parse_tree(f"(<T NP 0 1> {LEAF}))")


def test_words_may_look_like_markup() -> None:
    root = parse_tree("(<T NP 0 2> (<L NP -LRB- -LRB- ( NP{1}>) (<L NP SYM SYM )> NP{2}>) )")
    assert [leaf.word for leaf in leaves(root)] == ["(", ")>"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"", 1, "empty"),
        (b"(<L NP NN NN a NP>)\n", 1, "expected ID="),
        (b"ID=s1 PARSER=x\n" + LEAF.encode(), 1, "expected ID="),
        (HEADER.encode(), 2, "ends inside the derivation"),
        (f"{HEADER}\n".encode(), 2, "ends inside the derivation"),
        (f"{HEADER}{LEAF}\n{LEAF}\n".encode(), 3, "expected ID="),
        (f"{HEADER}{LEAF[:-5]}\n".encode(), 2, "'>\\)' after the five fields"),
        (f"{HEADER}(<T NP 0 2> {LEAF} )\n".encode(), 2, "expected '\\(<T' or '\\(<L', not '\\)'"),
        (f"{HEADER}(<T NP 0 1> {LEAF} {LEAF} )\n".encode(), 2, "'\\)' after 1 children"),
        (f"{HEADER}(<T NP 0 2> {LEAF} {LEAF}\n".encode(), 2, "ends inside the derivation"),
        (f"{HEADER}(<T NP 1 1> {LEAF} )\n".encode(), 2, "head of a node with 1"),
        (f"{HEADER}(<T NP 0 3> {LEAF} )\n".encode(), 2, "1 or 2 children, not '3'"),
        (f"{HEADER}(<T NP 0 9999999999> {LEAF} )\n".encode(), 2, "1 or 2 children"),
        (f"{HEADER}{LEAF} {LEAF}\n".encode(), 2, "ends before '\\(<L'"),
        (f"{HEADER}(<T NP  0 1> {LEAF} )\n".encode(), 2, "two spaces"),
        (f"{HEADER}{'(<T NP 0 1> ' * (MAX_DEPTH + 1)}{LEAF}\n".encode(), 2, "deeper than 1000"),
        (f"{HEADER}{LEAF}\n".encode().replace(b":)", b"\xff"), 2, "not UTF-8 at byte 14"),
        (f"{HEADER}{LEAF}\n".encode().replace(b":)", b"\0"), 2, "NUL"),
    ],
)
def test_broken_auto(text: bytes, line: int, message: str, tmp_path: Path) -> None:
    check_error(read_auto, text, line, message, tmp_path)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"", 1, "empty"),
        (PARG.replace(" 2\n", " x\n", 1).encode(), 1, "expected <s id="),
        (PARG.removesuffix("<\\s>\n").encode(), 1, "is not closed"),
        (PARG.replace("\t1\t", "\t").encode(), 2, "six fields"),
        (PARG.replace("\t1\tHe", "\t0\tHe").encode(), 2, "six fields"),
        (PARG.replace("0\t1", "0\t7").encode(), 2, "word 7 of a sentence of 3"),
        (PARG.replace("0\t1", "1\t1").encode(), 2, "word 1 is 'runs', but was 'He'"),
        (PARG.encode().replace(b"runs", b"\x80"), 2, "not UTF-8"),
    ],
)
def test_broken_parg(text: bytes, line: int, message: str, tmp_path: Path) -> None:
    check_error(read_parg, text, line, message, tmp_path)


def test_blank_lines_between_sentences(tmp_path: Path) -> None:
    path = tmp_path / "blank"
    path.write_text(f"\n\n{HEADER}{LEAF}\n \n\n{HEADER}{LEAF}\n\n")
    assert len(list(read_auto(path))) == len(list(read_ccgbank(path))) == 2
    path.write_text(f"\n{PARG}\n\n{PARG}\n")
    assert len(list(read_parg(path))) == len(list(read_ccgbank(path))) == 2
    check_error(read_auto, f"{HEADER}\n{LEAF}\n".encode(), 2, "ends inside the deriv", tmp_path)
    for read in (read_auto, read_parg):
        check_error(read, b"\n \n", 1, "the file has no sentences", tmp_path)


def test_neither_auto_nor_parg(tmp_path: Path) -> None:
    check_error(lambda path: iter(read_ccgbank(path)), b"hello\n", 1, "neither AUTO", tmp_path)


def check_error(
    read: Callable[[Path], Iterator[object]], text: bytes, line: int, message: str, folder: Path
) -> None:
    path = folder / "broken"
    path.write_bytes(text)
    with pytest.raises(FormatError, match=message) as caught:
        list(read(path))
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert "\n" not in str(caught.value)


def test_reading_takes_one_sentence_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "late.auto"
    path.write_text(f"{HEADER}{LEAF}\nbroken\n")
    derivations = read_auto(path)
    first = next(derivations).root
    assert isinstance(first, Leaf)
    assert first.word == ":)"
    with pytest.raises(FormatError):
        next(derivations)


def test_a_space_in_a_word_is_written_so_that_it_can_be_read(tmp_path: Path) -> None:
    leaf = Leaf("N", "New York", "NNP", "NNP")
    write_auto(tmp_path / "a", [Derivation("s", leaf)])
    (read,) = read_auto(tmp_path / "a")
    assert [leaf.word for leaf in leaves(read.root)] == ["New\u00a0York"]
    row = Dependency(0, "N/N", 1, 1)
    write_parg(tmp_path / "p", [Dependencies("s", 2, (row,), {0: "New York", 1: "Times"})])
    (found,) = read_parg(tmp_path / "p")
    assert found.words == {0: "New\u00a0York", 1: "Times"}


@pytest.mark.parametrize("word", ["", "a\nb", "a\0b"])
def test_words_that_no_reader_could_take_are_not_written(word: str) -> None:
    with pytest.raises(ValueError, match="a word is empty or has a line end"):
        format_tree(Leaf("N", word, "NNP", "NNP"))


def test_words_without_part_of_speech_can_be_read_again() -> None:
    read = parse_tree(format_tree(Leaf("N", "York", "", "")))
    assert isinstance(read, Leaf)
    assert (read.word, read.pos) == ("York", "_")


@pytest.mark.parametrize(
    ("old", "new"), [(" 1\n", " 01\n"), ("0\t1\t", "00\t1\t"), ("\t1\ta", "\t01\ta")]
)
def test_numbers_of_parg_have_one_form(old: str, new: str, tmp_path: Path) -> None:
    text = '<s id="s"> 1\n0\t1\tN/N\t1\ta\tb\n<\\s>\n'
    path = tmp_path / "p"
    path.write_text(text)
    assert format_dependencies(next(read_parg(path))) == text
    path.write_text(text.replace(old, new))
    with pytest.raises(FormatError):
        list(read_parg(path))


GOOD = r"(<T S[dcl] 1 2> (<L NP PRP PRP He NP>) (<L S[dcl]\NP VBD VBD left S[dcl]\NP_1>) )"
CUT = GOOD[: GOOD.index(" left") + 5]


def test_damaged_derivations_are_told_and_the_others_read(tmp_path: Path) -> None:
    """A line cut off, a header without its line, a line without its header, the file's end."""
    lines = ["ID=a.1 PARSER=GOLD NUMPARSE=1", CUT, "ID=a.2 PARSER=GOLD NUMPARSE=1"]
    lines += ["ID=a.3 PARSER=GOLD NUMPARSE=1", GOOD, "cut off", "ID=a.4 PARSER=GOLD NUMPARSE=1"]
    path = tmp_path / "damaged.auto"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found: dict[str, str] = {}
    read = read_ccgbank(path, lambda name, error: found.setdefault(name, str(error)))
    assert [each.id for each in read] == ["a.3"]
    assert list(found) == ["a.1", "a.2", "line 6", "a.4"]
    assert found["a.1"] == "the line ends inside the derivation"
    assert found["a.2"] == found["a.4"] == "no derivation follows"
    assert found["line 6"].endswith("not 'cut off'")


def test_damaged_derivations_are_errors_otherwise(tmp_path: Path) -> None:
    data = f"ID=a.1 PARSER=GOLD NUMPARSE=1\n{CUT}\n".encode()
    check_error(lambda path: iter(read_ccgbank(path)), data, 2, "the line ends", tmp_path)
