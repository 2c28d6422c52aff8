"""`python -m fuzz.soak`: mixed work for a while, with kills, while memory and results are watched.

python -m fuzz.soak --seconds 3600 --report docs/results/soak.md
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import treewright
from fuzz.serving import Load
from treewright.minibank.write import write_minibank
from treewright.models.parsing import FileParser, ParseOptions
from treewright.storage.atomic import is_partial, sha256_of

HEADER = """# Soak

Work of six kinds in turn, on models of a sampled treebank, in one process that goes on and in
others that are killed. A round fails if its output is not, byte for byte, that of the first time,
if anything half-written is left under a final name, or if a process outlives its parent. This page
comes from

    python -m fuzz.soak --seconds {seconds:g} --seed {seed} --report docs/results/soak.md

"""
CONFIGS = {
    "dep": '"minibank/train.conllu"\n[transition]\nbeam = 4\n[optimiser]\niterations = 2\n',
    "pos": '"minibank/train.auto"\n[pos]\nlocal_passes = 2\nchain = { iterations = 3 }\n',
}
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL)
THREADS, JOBS, COPIES = 8, 2, 4
SECONDS_TO_END = 20.0  # for the children of a killed process


@dataclass
class Soak:
    """The place of the work, what is expected, and what was seen."""

    place: Path
    random: Random
    rounds: Counter[str] = field(default_factory=Counter)
    kills: int = 0
    longest: float = 4.0  # seconds of a training that nobody ends
    faults: list[str] = field(default_factory=list)
    watched: list[tuple[int, int]] = field(default_factory=list)  # resident MB, open files
    server: list[tuple[int, int]] = field(default_factory=list)  # the same of the server that stays

    def __post_init__(self) -> None:
        write_minibank(self.place / "minibank", 120, seed=self.random.randrange(1 << 30))
        for kind, text in CONFIGS.items():
            (self.place / f"{kind}.toml").write_text(f'kind = "{kind}"\ntrain = {text}')
            begin = time.monotonic()
            self.train(kind, "whole").wait()
            self.longest = time.monotonic() - begin
        self.text = self.place / "text.conllu"
        self.text.write_text((self.place / "minibank" / "train.conllu").read_text() * COPIES)
        self.parser = FileParser(self.place / "whole-dep" / "model", None, ParseOptions())
        self.sentences = list(self.parser.read(self.text))[:200]
        self.blocks = self.parser(self.sentences)
        self.expected = "".join(self.parser.here(self.text))
        self.answer = b""
        self.words = [list(each.forms) for each in self.sentences[:20]]
        self.staying = Load(self.serve(), self.words, self.random)

    def start(self, *arguments: str, stderr: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        """The command line in a session of its own."""
        command = [sys.executable, "-m", "treewright", *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": stderr}
        return subprocess.Popen(command, cwd=self.place, text=True, start_new_session=True, **pipes)

    def serve(self) -> subprocess.Popen[str]:
        where = ["--model", "dep=whole-dep/model", "--port", "0", "--workers", str(JOBS)]
        return self.start("serve", *where, stderr=subprocess.PIPE)

    def train(self, kind: str, name: str) -> subprocess.Popen[str]:
        return self.start("train", f"{kind}.toml", "--resume", "--run", f"{name}-{kind}")

    def parse(self, *options: str) -> subprocess.Popen[str]:
        where = ["--model", "whole-dep/model", "--jobs", str(JOBS)]
        return self.start("parse", str(self.text), *where, *options)

    def check(self, good: bool, what: str) -> None:
        if not good:
            self.faults.append(what)

    def killed(self, process: subprocess.Popen[str]) -> bool:
        """Whether the process was ended by a signal, which it gets at a random moment."""
        number = self.random.choice(SIGNALS)
        try:
            process.communicate(timeout=self.random.uniform(0, self.longest))
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        process.communicate()
        self.check(ended(process.pid), f"processes outlive one that got {number.name}")
        self.kills += process.returncode != 0
        return process.returncode != 0


def ended(session: int) -> bool:
    """Whether all processes of a session end in time."""
    end = time.monotonic() + SECONDS_TO_END
    while time.monotonic() < end:
        try:
            os.killpg(session, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def threads(soak: Soak) -> None:
    """Eight threads parse with one model object."""
    parts = [soak.sentences[i::THREADS] for i in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(soak.parser, parts))
    for i, blocks in enumerate(found):
        soak.check(blocks == soak.blocks[i::THREADS], "threads parse otherwise")


def loading(soak: Soak) -> None:
    """A model is loaded and parses."""
    model = treewright.load(soak.place / "whole-dep" / "model")
    (analysis,) = model.parse_many(soak.sentences[:1])
    soak.check(analysis.format(soak.parser.form) == soak.blocks[0], "a loaded model differs")


def parses(soak: Soak) -> None:
    """`parse --jobs 2 --out`, killed at a random moment, then once more."""
    out = soak.place / "out"
    out.unlink(missing_ok=True)
    done = not soak.killed(soak.parse("--out", str(out)))
    soak.check(done or not out.exists() or out.read_text() == soak.expected, "a half-written file")
    soak.parse("--out", str(out)).communicate()
    soak.check(out.exists() and out.read_text() == soak.expected, "parses differ")
    soak.check(not any(map(is_partial, soak.place.iterdir())), "something partial is left")


def trains(soak: Soak) -> None:
    """Training that is killed up to three times, and resumed."""
    kind = soak.random.choice(list(CONFIGS))
    run = soak.place / f"again-{kind}"
    subprocess.run(["rm", "-rf", str(run)], check=True)
    for _ in range(3):
        soak.killed(soak.train(kind, "again"))
    soak.train(kind, "again").communicate()
    whole = sha256_of(soak.place / f"whole-{kind}" / "model")
    soak.check((run / "model").exists() and sha256_of(run / "model") == whole, "models differ")


def serves(soak: Soak) -> None:
    """A server whose workers are killed while clients ask, half of them with damaged requests."""
    load = Load(soak.serve(), soak.words, soak.random)
    soak.answer = soak.answer or load.answer()
    load.run(soak.answer)
    close(soak, load)


def stays(soak: Soak) -> None:
    """The same with one server that stays for all turns."""
    soak.staying.run(soak.answer)
    soak.server.append(soak.staying.watched())


def close(soak: Soak, load: Load) -> None:
    """Ends a server, and adds what was seen of it."""
    load.end()
    soak.faults += load.faults
    soak.kills += load.kills
    soak.check(ended(load.process.pid), "processes outlive a server")


WORK: tuple[Callable[[Soak], None], ...] = (threads, loading, parses, trains, serves, stays)


def run(seconds: float, seed: int) -> Soak:
    """All kinds of work in turn, each at least once, until the time is over."""
    with TemporaryDirectory() as folder:
        soak, end = Soak(Path(folder), Random(seed)), time.monotonic() + seconds
        for work in cycle(WORK):
            work(soak)
            soak.rounds[work.__name__] += 1
            soak.watched.append((resident_mb(), len(list(Path("/proc/self/fd").iterdir()))))
            if time.monotonic() > end and len(soak.rounds) == len(WORK):
                close(soak, soak.staying)
                return soak
    raise AssertionError


def resident_mb() -> int:
    """The resident memory of this process."""
    status = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) // 1024


def page(soak: Soak) -> str:
    """What was done and seen."""
    rows = [
        f"| {(work.__doc__ or '').rstrip('.')} | {soak.rounds[work.__name__]} |" for work in WORK
    ]
    watched = {"": soak.watched[len(WORK) - 1 :], " of the server that stays": soak.server}
    seen = [
        f"| {what}{whose} after the first turn, at most, and at the end |"
        f" {found[0][i]}, {max(each[i] for each in found)}, {found[-1][i]} |"
        for whose, found in watched.items()
        for i, what in enumerate(("resident memory, MB,", "open files"))
    ]
    seen += [
        f"| processes that a signal ended, workers of the server among them | {soak.kills} |",
        f"| faults | {len(soak.faults)} |",
    ]
    found = [f"- {what}: {n}" for what, n in Counter(soak.faults).items()]
    return "\n".join(["| work | rounds |", "| --- | ---: |", *rows, *seen, "", *found, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code is 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.soak")
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--report", type=Path, help="write a page here")
    given = parser.parse_args(arguments)
    soak = run(given.seconds, given.seed)
    print(page(soak))
    if given.report:
        header = HEADER.format(seconds=given.seconds, seed=given.seed)
        given.report.write_text(header + page(soak), encoding="utf-8")
    return int(bool(soak.faults))


if __name__ == "__main__":
    sys.exit(main())
