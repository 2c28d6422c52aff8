"""Files parsed by several processes: the same blocks in the same order, and errors as they were."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.small_ccg import bank, small_parser
from treewright.models.parsing import PIECE, FileParser, ParseOptions

SENTENCES = 2 * PIECE + 7


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("ccg") / "model"
    small_parser().save(place)
    return place


@pytest.fixture
def text(tmp_path: Path) -> Path:
    lines = [" ".join(bank()[i % len(bank())].sentence.words) for i in range(SENTENCES)]
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n")
    return tmp_path / "in.txt"


def parsed(model: Path, source: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """By a process of its own, which has no threads when it forks."""
    command = [sys.executable, "-m", "treewright", "parse", "--model", str(model), str(source)]
    return subprocess.run([*command, *options], capture_output=True, text=True, check=False)


def test_two_processes_give_what_one_gives(model: Path, text: Path) -> None:
    one, two = (parsed(model, text, "--jobs", jobs) for jobs in "12")
    assert (one.returncode, one.stderr) == (two.returncode, two.stderr) == (0, "")
    assert two.stdout == one.stdout
    ids = [line.split()[0] for line in one.stdout.splitlines() if line.startswith("ID=")]
    assert ids == [f"ID={number}" for number in range(1, SENTENCES + 1)]


def test_an_error_names_its_line_and_leaves_nothing(model: Path, text: Path) -> None:
    with text.open("a") as file:
        file.write("word|\n" * 3)
    out = text.with_name("out")
    found = parsed(model, text, "--jobs", "2", "--tagged", "--out", str(out))
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert f"{text}:1: expected word|POS" in found.stderr
    text.write_text("a|DT\n" * SENTENCES + "dog|\n")
    found = parsed(model, text, "--jobs", "2", "--tagged", "--out", str(out))
    assert f"{text}:{SENTENCES + 1}: expected word|POS" in found.stderr
    assert not out.exists()


def test_what_travels_is_the_directory(model: Path) -> None:
    parser = FileParser(model, "deps", ParseOptions(k_best=2))
    make: Callable[..., FileParser]
    make, arguments = parser.__reduce__()
    assert arguments == (model.resolve(), "deps", ParseOptions(k_best=2))
    sentence = bank()[0].sentence
    assert make(*arguments)([sentence]) == parser([sentence])


def test_a_line_of_100_000_tokens_is_named_and_the_rest_is_parsed(model: Path, text: Path) -> None:
    parser = FileParser(model, None, ParseOptions(text="tokens"))
    words = " ".join(bank()[0].sentence.words)
    text.write_text(f"{words}\n{'a ' * 100_000}\n{words}\n")
    with pytest.warns(UserWarning, match=r"^sentence 2 \(a a a \.\.\.\) has 100000 words"):
        first, long, last = parser.here(text)
    assert "ID=2 " in long
    assert first.split("\n")[1] == last.split("\n")[1]


DYING = """
import os, signal, sys
from pathlib import Path
from treewright.models.parsing import FileParser, ParseOptions

parser = FileParser(Path(sys.argv[1]), None, ParseOptions())
parser.model.parse_many = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
list(parser.by_processes(Path(sys.argv[2]), 2))
"""


def test_a_process_that_dies_is_an_error(model: Path, text: Path) -> None:
    command = [sys.executable, "-c", DYING, str(model), str(text)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "TreewrightError: a parsing process died" in found.stderr


def test_a_terminal_is_answered_at_once(model: Path) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "treewright", "parse", "--model", str(model)]
    words = " ".join(bank()[0].sentence.words)
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        os.write(ours, f"{words}\n".encode())
        assert process.stdout.readline().startswith("ID=1 ")  # the next line has not been typed
        process.kill()
    os.close(ours)
    os.close(theirs)
