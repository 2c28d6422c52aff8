"""CoNLL-U and CoNLL-X: byte-for-byte round trips, views of a sentence, and what must be refused."""

import io
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import treebank_file
from treewright.data.conllu import format_sentence, read, write
from treewright.data.dependency import is_projective, top_down
from treewright.errors import FormatError


def row(name: str, head: str = "_", deprel: str = "_", form: str = "w") -> str:
    return f"{name}\t{form}\t_\tNOUN\tNN\t_\t{head}\t{deprel}\t_\t_" + "\n"


def token(name: str) -> str:
    return f"{name}\tcan't\t_\t_\t_\tTypo=Yes\t_\t_\t_\tSpaceAfter=No\n"


RICH = (
    "# sent_id = a b\n# text = I can't\n#bare\n"
    + row("0.1", form="early")
    + row("0.2")
    + row("1", "2", "nsubj", form="New York")
    + row("1.1")
    + token("2-3")
    + row("2", "0", "root", form="#")
    + row("2.1")
    + row("3", "2", "advmod")
    + row("3.1")
    + "\n"
)
PLAIN = row("1", "0", "root") + "\n"


def heads_text(*heads: int) -> str:
    return "".join(row(str(i), str(head), "x") for i, head in enumerate(heads, start=1)) + "\n"


def round_trip(text: str) -> str:
    out = io.StringIO(newline="")
    write(read(io.StringIO(text, newline="")), out)
    return out.getvalue()


def test_everything_comes_back() -> None:
    assert round_trip(RICH + PLAIN + RICH) == RICH + PLAIN + RICH


def test_views() -> None:
    (tree,) = read(io.StringIO(RICH))
    assert (tree.id, tree.text, len(tree)) == ("a b", "I can't", 3)
    assert tree.forms == ("New York", "#", "w")
    assert tree.upos == ("NOUN",) * 3
    assert tree.xpos == ("NN",) * 3
    assert tree.heads.tolist() == [2, 0, 2]
    assert tree.deprels == ("nsubj", "root", "advmod")
    assert tree.is_projective
    assert tree.tokens[0][:3] == (2, 3, "can't")
    assert [(node.after, node.rank) for node in tree.empty_nodes][-1] == (3, 1)


def test_a_sentence_without_comments_has_no_name() -> None:
    (tree,) = read(io.StringIO(PLAIN))
    assert tree.id is None
    assert tree.text is None


@pytest.mark.parametrize("corpus", ["dep-ewt", "dep-atis"])
@pytest.mark.parametrize("part", ["train", "dev"])
def test_treebanks_come_back_byte_for_byte(corpus: str, part: str) -> None:
    path = treebank_file(f"{corpus}/{part}.conllu")
    text = "".join(map(format_sentence, read(path)))
    assert text.encode() == path.read_bytes()


@pytest.mark.parametrize(
    ("part", "sentences", "crossing"), [("train", 12544, 288), ("dev", 2001, 31)]
)
def test_ewt_counts_of_its_readme(part: str, sentences: int, crossing: int) -> None:
    trees = list(read(treebank_file(f"dep-ewt/{part}.conllu")))
    assert len(trees) == sentences
    assert sum(not tree.is_projective for tree in trees) == crossing


def test_paths_and_open_files_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    write(read(io.StringIO(RICH)), path)
    assert path.read_bytes() == RICH.encode()
    with path.open(encoding="utf-8") as file:
        assert list(read(file)) == list(read(path))


def test_reading_streams() -> None:
    sentences = read(io.StringIO(PLAIN + "broken"))
    assert len(next(sentences)) == 1
    with pytest.raises(FormatError, match="<text>:3: "):
        next(sentences)


BAD = [
    ("1\tw\n\n", 1, "expected 10 columns"),
    (PLAIN + row("2", "0") + "\n", 3, "expected the id 1, not '2'"),
    (row("01", "0") + "\n", 1, "expected the id 1, not '01'"),
    (row("1", "0") + row("3", "1") + "\n", 2, "expected the id 2, not '3'"),
    (row("x", "0") + "\n", 1, "expected the id 1"),
    (row("1", "2") + "\n", 1, "the head 2 of a sentence of 1 words"),
    (row("1", "-1") + "\n", 1, "not a word id"),
    (row("1", "00") + "\n", 1, "not a word id"),
    (row("1", "_") + "\n", 1, "not a word id"),
    (heads_text(0, 3, 2), 2, "word 2 hangs on a cycle"),
    (heads_text(0, 2), 2, "word 2 hangs on a cycle"),
    (heads_text(2, 0, 0), 3, "a second root, after word 2"),
    (heads_text(2, 1), 1, "the sentence has no root"),
    (token("2-1") + PLAIN, 1, "bad range 2-1"),
    (token("1-1") + PLAIN, 1, "bad range 1-1"),
    (token("2-3") + PLAIN, 1, "bad range 2-3"),
    (token("1-2") + PLAIN, 2, "the last multiword range ends after"),
    (token("1-2") + row("1", "0") + token("2-3") + row("2", "1") + "\n", 3, "overlaps"),
    (token("1-2") + row("0.1") + heads_text(0, 1), 2, "between a multiword range"),
    (token("1-2").replace("\t_\t_\t_\tTypo", "\tx\t_\t_\tTypo") + heads_text(0, 1), 1, "LEMMA"),
    (row("1.1") + PLAIN, 1, "expected the empty node 0.1, not 1.1"),
    (row("0.2") + PLAIN, 1, "expected the empty node 0.1, not 0.2"),
    (row("0.1", "1") + PLAIN, 1, "0.1 cannot have the column HEAD"),
    (row("1", "0") + "# late\n\n", 2, "a comment between"),
    ("# alone\n\n", 1, "a sentence without words"),
    (row("1", "0", form="") + "\n", 1, "the column FORM is empty"),
    (row("1", "0", "a b") + "\n", 1, "a space in the column DEPREL"),
    (row("1", "0", form="a\0") + "\n", 1, "NUL"),
    ("", 1, "the file is empty"),
]


@pytest.mark.parametrize(("text", "line", "message"), BAD)
def test_malformed_files(text: str, line: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_bytes(text.encode())
    with pytest.raises(FormatError, match=message) as caught:
        list(read(path))
    assert (caught.value.path, caught.value.line) == (str(path), line)
    with pytest.raises(FormatError, match=message) as caught:
        list(read(io.StringIO(text, newline="")))
    assert (caught.value.path, caught.value.line) == ("<text>", line)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_bytes((PLAIN + row("1", "0", form="*")).encode().replace(b"*", b"\xe9"))
    with pytest.raises(FormatError, match="not UTF-8 at byte 3") as caught:
        list(read(path))
    assert caught.value.line == 3
    with path.open(encoding="utf-8") as file, pytest.raises(FormatError, match="not UTF-8"):
        list(read(file))


@pytest.mark.parametrize("start", [b"\x1f\x8b\x08\x00", b"PK\x03\x04\xff"])
def test_a_packed_file_is_named(start: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_bytes(start)
    with pytest.raises(FormatError, match=r"this is a (gzip file: unpack|zip archive)"):
        list(read(path))


def test_conllx_has_several_roots_and_nothing_but_words() -> None:
    text = row("1", "0", form="#") + row("2", "0") + "\n"
    (tree,) = read(io.StringIO(text), "conllx")
    assert tree.heads.tolist() == [0, 0]
    assert format_sentence(tree) == text
    for bad in ("# sent_id = 1\n" + PLAIN, token("1-2") + heads_text(0, 1), row("0.1") + PLAIN):
        with pytest.raises(FormatError, match=r":1: (not CoNLL-U: )?expected"):
            list(read(io.StringIO(bad), "conllx"))


def test_the_name_of_a_file_tells_the_dialect(tmp_path: Path) -> None:
    text = row("1", "0") + row("2", "0") + "\n"
    for name in ("a.conllx", "a.conll"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert next(read(tmp_path / name)).heads.tolist() == [0, 0]
    (tmp_path / "a.conllu").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="second root"):
        list(read(tmp_path / "a.conllu"))


def crosses(a: tuple[int, int], b: tuple[int, int]) -> bool:
    (low, high), (start, end) = sorted(a), sorted(b)
    return low < start < high < end


@given(st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_projectivity_is_the_absence_of_crossing_arcs(heads: list[int]) -> None:
    heads = [min(head, len(heads)) for head in heads]
    if len(top_down(heads)) == len(heads):
        arcs = list(enumerate(heads, start=1))
        assert is_projective(heads) != any(crosses(a, b) for a, b in product(arcs, arcs))


@pytest.mark.parametrize("form", ["", "a\tb", "a\nb"])
def test_words_that_would_break_the_file(form: str) -> None:
    (tree,) = read(io.StringIO(PLAIN))
    word = tree.words[0]._replace(form=form)
    with pytest.raises(ValueError, match="a field is empty or has"):
        format_sentence(replace(tree, words=(word,)))


@pytest.mark.parametrize("comment", ["text", "# a\nb", "# a\r"])
def test_comments_that_would_break_the_file(comment: str) -> None:
    (tree,) = read(io.StringIO(PLAIN))
    with pytest.raises(ValueError, match="one line that starts with #"):
        format_sentence(replace(tree, comments=(comment,)))


def outcome(text: str) -> str | int:
    """What comes back, or the line of the error."""
    try:
        return round_trip(text)
    except FormatError as error:
        return error.line


PIECES = [
    RICH,
    PLAIN,
    row("1", "0"),
    row("2", "1"),
    token("1-2"),
    row("0.1"),
    "# c\n",
    "\n",
    "x\ty",
]


@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6), st.integers(0), st.text(max_size=2)
)
def test_any_text_is_refused_or_comes_back(pieces: list[str], at: int, noise: str) -> None:
    text = "".join(pieces)
    at %= len(text) + 1
    text = text[:at] + noise + text[at:]
    found = outcome(text)
    usual = re.sub(r"\n{2,}", "\n\n", re.sub(r"\r(?=\n|$)", "", text.removeprefix("\ufeff")))
    usual = usual.strip("\n") + "\n\n"
    assert found == usual or (isinstance(found, int) and 1 <= found <= text.count("\n") + 1)


def test_heads_may_be_left_unread() -> None:
    text = row("1", "_") + row("2", "7", "x") + "\n"
    with pytest.raises(FormatError):
        list(read(io.StringIO(text)))
    (tree,) = read(io.StringIO(text), heads="none")
    assert [word.head for word in tree.words] == [0, 0]
    with pytest.raises(FormatError, match=":1: expected the id 1"):
        list(read(io.StringIO(row("2") + "\n"), heads="none"))


def test_heads_may_be_known_of_some_words() -> None:
    text = row("1", "_") + row("2", "0", "root") + "\n"
    (tree,) = read(io.StringIO(text), heads="some")
    assert [word.head for word in tree.words] == [-1, 0]
    assert format_sentence(tree) == text
    for wrong in ("3", "x"):
        with pytest.raises(FormatError, match=":1: the head"):
            list(read(io.StringIO(row("1", wrong) + row("2", "_") + "\n"), heads="some"))


@pytest.mark.parametrize(
    "text",
    [
        PLAIN[:-1],
        PLAIN[:-2],
        PLAIN + "\n",
        "\n" + PLAIN,
        PLAIN.replace("\n", "\r\n"),
        "\ufeff" + PLAIN,
    ],
)
def test_line_ends_and_marks_of_other_systems_are_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes(text.encode())
    for source in (path, io.StringIO(text, newline="\n")):
        (tree,) = read(source)
        assert format_sentence(tree) == PLAIN


def test_many_empty_nodes_are_read_and_written_in_linear_time() -> None:
    nodes = "".join(row(f"0.{n}") for n in range(1, 20_001))
    (tree,) = read(io.StringIO(nodes + PLAIN))
    assert len(tree.empty_nodes) == 20_000
    assert format_sentence(tree) == nodes + PLAIN


def test_a_file_may_be_written_in_its_own_place(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(2 * (row("1", "0", "root") + "\n"))
    before = path.read_text()
    write(read(path), path)
    assert path.read_text() == before
    path.write_text(before + "1\n")
    with pytest.raises(FormatError):
        write(read(path), path)
    assert path.read_text() == before + "1\n"
    assert [each.name for each in tmp_path.iterdir()] == ["x.conllu"]
