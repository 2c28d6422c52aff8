"""One target in a process of its own: mutations for some seconds, and what came of them."""

import json
import subprocess
import sys
import time
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

from fuzz.mutate import mutated
from fuzz.targets import TARGETS
from treewright.errors import TreewrightError
from treewright.machine import peak_rss_mb

MAX_SECONDS = 5.0  # of one input; more is a hang
MAX_BYTES = 1 << 20
SHOWN = 20  # failures that are kept


@dataclass
class Outcome:
    """What fuzzing of one target found."""

    target: str
    executions: int = 0
    taken: int = 0
    failures: dict[str, str] = field(default_factory=dict)  # what, and the input in hex
    slowest: float = 0.0
    peak_rss_mb: float = 0.0


def fuzz(name: str, seconds: float, seed: int) -> Outcome:
    """Mutates the target's seeds for so many seconds, in this process."""
    target, random, outcome = TARGETS[name], Random(seed), Outcome(name)
    seeds, end = target.seeds(), time.monotonic() + seconds
    while time.monotonic() < end or outcome.executions < len(seeds):
        new = outcome.executions >= len(seeds)
        data = mutated(seeds, random)[:MAX_BYTES] if new else seeds[outcome.executions]
        attempt(name, data, outcome)
    outcome.peak_rss_mb = peak_rss_mb()
    return outcome


def attempt(name: str, data: bytes, outcome: Outcome) -> None:
    """Calls a target with one input, and adds what comes of it to the outcome."""
    begin = time.process_time()
    try:
        TARGETS[name].run(data)
        outcome.taken += 1
    except TreewrightError:
        pass
    except Exception as error:  # noqa: BLE001
        _keep(outcome, _signature(error), data)
    outcome.executions += 1
    passed = time.process_time() - begin
    outcome.slowest = max(outcome.slowest, passed)
    if passed > MAX_SECONDS:
        _keep(outcome, f"hang: {MAX_SECONDS} s", data)


def _keep(outcome: Outcome, what: str, data: bytes) -> None:
    if len(outcome.failures) < SHOWN:
        outcome.failures.setdefault(what, data.hex())


def _signature(error: Exception) -> str:
    """Kind and place of an error: two inputs with the same one are one failure."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {error!s:.100}"


def fuzz_apart(name: str, seconds: float, seed: int) -> Outcome:
    """The same in another process, whose crash is one more failure."""
    command = [sys.executable, "-W", "ignore", "-m", "fuzz.engine", name, str(seconds), str(seed)]
    most = 10 * (seconds + 60)  # of a machine that does other work, too
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=most)
    except subprocess.TimeoutExpired:
        return Outcome(name, failures={f"hang: no answer after {most:g} s": ""})
    if found.returncode != 0:
        last = (found.stderr.strip().splitlines() or [""])[-1]
        return Outcome(name, failures={f"crash, exit code {found.returncode}: {last:.200}": ""})
    return Outcome(**json.loads(found.stdout.splitlines()[-1]))  # libraries may print, too


if __name__ == "__main__":
    print(json.dumps(asdict(fuzz(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))))
