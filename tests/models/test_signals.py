"""Signals and kills while files are parsed: no process, no partial file, no half an answer."""

import gc
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from itertools import repeat
from pathlib import Path

import psutil
import pytest

from tests.models.test_contract import model_named, sentences_for
from tests.small_ccg import bank
from treewright.cli.guard import Terminated, end_on_signals

SECONDS = 120  # on a busy machine


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("models")
    model_named("pos").save(place / "pos")
    return place


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More than anybody waits for."""
    path = tmp_path_factory.mktemp("text") / "in.txt"
    lines = "".join(" ".join(each.sentence.words) + "\n" for each in bank())
    path.write_text(lines * (400_000 // len(bank())))
    return path


def started(model: Path, text: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "treewright", "parse", "--model", str(model), str(text)]
    process = subprocess.Popen(
        [*command, "--tokens", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    begun = psutil.Process(process.pid)
    wait_for(lambda: process.poll() is not None or len(begun.children(recursive=True)) >= 2)
    return process


def wait_for(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_workers_and_leaves_no_file(
    number: signal.Signals, models: Path, text: Path, tmp_path: Path
) -> None:
    process = started(models / "pos", text, "--jobs", "2", "--out", str(tmp_path / "out"))
    workers = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(number)
    _, errors = process.communicate(timeout=SECONDS)  # until nobody holds its pipes
    said = b"interrupted" if number == signal.SIGINT else b"terminated"
    assert (process.returncode, errors) == (128 + number, b"treewright: error: " + said + b"\n")
    assert not psutil.wait_procs(workers, timeout=SECONDS)[1]
    assert not list(tmp_path.iterdir())


def test_workers_end_with_a_killed_parent(models: Path, text: Path, tmp_path: Path) -> None:
    process = started(models / "pos", text, "--jobs", "2", "--out", str(tmp_path / "out"))
    workers = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate(timeout=SECONDS)  # until nobody holds its pipes
    assert not psutil.wait_procs(workers, timeout=SECONDS)[1]
    assert not (tmp_path / "out").exists()


def test_nobody_reads_the_output(models: Path, text: Path) -> None:
    with started(models / "pos", text, "--jobs", "2") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait(SECONDS)) == (b"", 1)


@pytest.mark.parametrize(
    "name",
    ["dep arc-eager", "dep mst", "dep eisner", "ccg", "ccg bp", "const rich", "const pcfg", "pos"],
)
def test_ctrl_c_while_parsing(name: str) -> None:
    """The core asks for signals while it parses: what it finds must not get lost in it."""
    model_named("dep arc-eager")  # its treebank has the sentences of all dep models
    parser = model_named(name)
    sentence = sentences_for(parser.kind)[0]
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    gc.disable()  # an exception in a callback of the collector, such as hypothesis has, is lost
    try:
        for delay in (0.1, 0.15, 0.2):
            signal.setitimer(signal.ITIMER_REAL, delay)
            with pytest.raises(KeyboardInterrupt):
                deque(parser.parse_many(repeat(sentence, 10**6)), maxlen=0)  # takes minutes
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()


def test_signals_that_are_ignored_stay_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN), signal.getsignal(signal.SIGTERM)
    try:
        end_on_signals()  # as in a command that nohup started
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        with pytest.raises(Terminated):
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGHUP, before[0])
        signal.signal(signal.SIGTERM, before[1])
