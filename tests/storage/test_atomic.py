"""Files that appear as a whole or not at all."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from treewright.storage.atomic import new_directory, sha256_of, write_file


def fails() -> Iterator[str]:
    yield "half"
    raise ValueError("no more")


def test_a_file_is_replaced_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_file(path, ["a", b"\xff"])
    assert path.read_bytes() == b"a\xff"
    with pytest.raises(ValueError, match="no more"):
        write_file(path, fails())
    assert path.read_bytes() == b"a\xff"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link, path = tmp_path / "link", tmp_path / "x"
    link.symlink_to(path)
    write_file(link, ["a"])
    assert link.is_symlink()
    assert path.read_text() == "a"


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_file(pipe, ["a", "b"])
        assert os.read(reader, 10) == b"ab"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_directory_is_replaced_at_once(tmp_path: Path) -> None:
    place = tmp_path / "d"
    for name in "ab":
        with new_directory(place) as partial:
            (partial / name).touch()
            assert not (place / name).exists()
    assert [each.name for each in place.iterdir()] == ["b"]
    with pytest.raises(ValueError, match="no"), new_directory(place) as partial:
        raise ValueError("no")
    assert [each.name for each in place.iterdir()] == ["b"]
    assert list(tmp_path.iterdir()) == [place]


def test_the_hash_of_a_directory_sees_names_and_content(tmp_path: Path) -> None:
    found = set()
    for name, text in (("a", "1"), ("b", "1"), ("a", "2")):
        with new_directory(tmp_path / "d") as partial:
            (partial / "sub").mkdir()
            (partial / "sub" / name).write_text(text)
        found.add(sha256_of(tmp_path / "d"))
    assert len(found) == 3
