"""Files that appear as a whole or not at all."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from treewright.errors import StoreError
from treewright.storage.atomic import new_directory, new_file, sha256_of, write_file, write_together


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


@pytest.mark.parametrize("place", [0, 1, 2])
def test_files_are_written_together_or_not_at_all(place: int, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text("old")
    paths[place].unlink()
    paths[place].mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        write_together([(path, ["new"]) for path in paths])
    paths[place].rmdir()
    assert {path.read_text() for path in paths if path.exists()} == {"old"}
    os.mkfifo(paths[place])
    reader = os.open(paths[place], os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_together([(path, ["new"]) for path in paths])
        assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)
    assert paths[place].is_fifo()
    assert paths[place - 1].read_text() == "new"


def test_two_files_with_one_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "x")
    with pytest.raises(StoreError, match="x: several outputs have this name"):
        write_together([(tmp_path / "x", ["a"]), (tmp_path / "link", ["b"])])
    assert not (tmp_path / "x").exists()
    write_together([(Path(os.devnull), ["a"]), (Path(os.devnull), ["b"])])


def test_a_store_does_not_replace_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="pipe: is not a file"), new_file(tmp_path / "pipe"):
        pass
    assert (tmp_path / "pipe").is_fifo()


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


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    for name in (".x.0a1b2c3d.partial", ".y.0a1b2c3d.partial", "x.partial"):
        (tmp_path / name).write_text("half")
    (tmp_path / ".x.ffffffff.partial").mkdir()
    write_file(tmp_path / "x", ["whole"])
    names = sorted(each.name for each in tmp_path.iterdir())
    assert names == [".y.0a1b2c3d.partial", "x", "x.partial"]


def test_two_writers_of_one_file_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with new_file(path) as one, new_file(path) as other:
        one.write(b"one")
        other.write(b"other")
    assert path.read_bytes() == b"one"  # it finished last
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_one_directory_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "d"
    with new_directory(path) as one, new_directory(path) as other:
        (one / "one").touch()
        (other / "other").touch()
    assert [each.name for each in path.iterdir()] == ["one"]  # it finished last
    assert list(tmp_path.iterdir()) == [path]


def test_a_directory_called_old_stays(tmp_path: Path) -> None:
    (tmp_path / "d.old").mkdir()
    for _ in range(2):
        with new_directory(tmp_path / "d") as partial:
            (partial / "a").touch()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["d", "d.old"]


def test_no_link_is_followed_on_the_way(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("safe")
    for name in ("x.partial", ".x.0a1b2c3d.partial"):
        (tmp_path / name).symlink_to(victim)
    write_file(tmp_path / "x", ["a"])
    assert victim.read_text() == "safe"


def test_directories_are_exchanged_without_the_system_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewright.storage.atomic._exchange", lambda *_: False)
    for name in "ab":
        with new_directory(tmp_path / "d") as partial:
            (partial / name).touch()
    assert [each.name for each in (tmp_path / "d").iterdir()] == ["b"]
    assert [each.name for each in tmp_path.iterdir()] == ["d"]


def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    def full() -> Iterator[str]:
        yield "a"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StoreError, match=r"/x: No space left on device"):
        write_file(tmp_path / "x", full())


def no_room(path: Path) -> None:
    """As a write to a full disk does."""
    raise OSError(errno.ENOSPC, "No space left on device", str(path))


def no_room_for_a_whole_file(path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"x"
        raise OSError(errno.ENOSPC, "No space left on device")

    write_file(path, pieces())


@pytest.mark.parametrize("write", [no_room, no_room_for_a_whole_file])
def test_an_error_inside_a_new_directory_names_the_final_place(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    """Nobody knows the name of the directory while it grows."""

    def fill() -> None:
        with new_directory(tmp_path / "d") as partial:
            (partial / "parts").mkdir()
            write(partial / "parts" / "x")

    with pytest.raises(StoreError, match=r"/d/parts/x: No space left on device") as caught:
        fill()
    assert "partial" not in str(caught.value)


def test_links_in_a_circle(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(StoreError, match="loop: Too many levels of symbolic links"):
        write_file(loop, ["a"])
    assert loop.is_symlink()
