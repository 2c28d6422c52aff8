"""A run that is killed at any point and resumed produces the same model."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CONFIG = """
kind = "toy"
sentences = 8
dev_sentences = 2
[optimiser]
name = "{name}"
iterations = {iterations}
batch = 5
patience = 2
checkpoint_seconds = 0
"""
# Dies in the n-th call of fsync, n = 1, 2, ... until a run gets through; each is then continued.
EVERY_FSYNC = """
import os, sys
from pathlib import Path
from treewright.models.training import read_plan, train
from treewright.train.run import Run

config, base = Path(sys.argv[1]), Path(sys.argv[2])

def forked(action):
    child = os.fork()
    if not child:
        action()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def run(name):
    train(read_plan(config), Run(base / name, 1, quiet=True), mode="resume")

def dies(n):
    left = [n]
    def fsync(_):
        left[0] -= 1
        if not left[0]:
            os._exit(9)
    os.fsync = fsync
    run(str(n))

def files(name):
    model = base / name / "model"
    return {file.name: file.read_bytes() for file in sorted(model.rglob("*.*"))}

os.fsync = lambda _: None  # the process dies here, not the disk
run("whole")
n = 1
while forked(lambda: dies(n)):
    assert forked(lambda: run(str(n))) == 0, n
    assert files(str(n)) == files("whole"), n
    left = {each.name for each in (base / str(n)).iterdir()}
    assert left == {each.name for each in (base / "whole").iterdir()}, (n, left)
    n += 1
print(n - 1)
"""


@pytest.mark.parametrize(("name", "iterations"), [("lbfgs", 3), ("adam", 2)])
def test_death_in_every_write(name: str, iterations: int, tmp_path: Path) -> None:
    config = tmp_path / "toy.toml"
    config.write_text(CONFIG.format(name=name, iterations=iterations))
    command = [sys.executable, "-c", EVERY_FSYNC, str(config), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 15


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_kill_9_at_random_moments(tmp_path: Path) -> None:
    config = tmp_path / "toy.toml"
    config.write_text(CONFIG.format(name="adagrad", iterations=60))
    command = [sys.executable, "-m", "treewright", "train", str(config), "--resume"]
    changes = ["--set", "optimiser.patience=0"]
    subprocess.run([*command, *changes, "--run", tmp_path / "whole"], check=True)
    dice, records, kills = random.Random(7), tmp_path / "run" / "records.jsonl", 0
    while not (tmp_path / "run" / "model").exists():
        with subprocess.Popen([*command, *changes, "--run", tmp_path / "run"]) as process:
            goal = lines(records) + dice.randint(1, 6)
            while process.poll() is None and kills < 4 and lines(records) < goal:
                time.sleep(0.001)
            if kills < 4:
                process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
    assert kills >= 2
    for file in sorted((tmp_path / "whole" / "model").iterdir()):
        assert (tmp_path / "run" / "model" / file.name).read_bytes() == file.read_bytes()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_training_with_one_line(number: signal.Signals, tmp_path: Path) -> None:
    config = tmp_path / "toy.toml"
    config.write_text(CONFIG.format(name="adam", iterations=5000))
    command = [sys.executable, "-m", "treewright", "train", str(config), "--resume"]
    changes = ["--set", "optimiser.patience=0", "--run", tmp_path / "run"]
    with subprocess.Popen([*command, *changes], stderr=subprocess.PIPE) as process:
        while process.poll() is None and lines(tmp_path / "run" / "records.jsonl") < 5:
            time.sleep(0.01)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    said = b"interrupted" if number == signal.SIGINT else b"terminated"
    advice = f"to continue: treewright train --run {tmp_path / 'run'} --resume".encode()
    message = b"treewright: error: " + said + b"; " + advice + b"\n"
    assert (process.returncode, errors) == (128 + number, message)
    assert not (tmp_path / "run" / "model").exists()
