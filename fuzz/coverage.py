"""The same targets under atheris, which keeps inputs that reach new code (libFuzzer for Python)."""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from fuzz.engine import MAX_SECONDS, Outcome
from fuzz.targets import TARGETS

UNITS = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
MEMORY = re.compile(r"stat::peak_rss_mb:\s*(\d+)")
SLOWEST = re.compile(r"stat::slowest_unit_time_sec:\s*(\d+)")
PROGRAM = """
import sys, atheris
with atheris.instrument_imports(include=["treewright"]):
    from fuzz.targets import TARGETS
from treewright.errors import TreewrightError
run = TARGETS[sys.argv.pop(1)].run
def one(data):
    try:
        run(data)
    except TreewrightError:
        pass
atheris.Setup(sys.argv, one)
atheris.Fuzz()
"""


def fuzz_for_coverage(name: str, seconds: float, seed: int) -> Outcome:
    """Fuzzes for so many seconds, or until the first failure."""
    with TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for number, data in enumerate(TARGETS[name].seeds()):
            (corpus / str(number)).write_bytes(data)
        found = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", PROGRAM, name, str(corpus), f"-seed={seed + 1}",
             f"-max_total_time={int(seconds)}", f"-timeout={int(MAX_SECONDS)}", "-max_len=65536",
             f"-artifact_prefix={folder}/", "-print_final_stats=1"],
            capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
        outcome = Outcome(name, *(_number(each, found.stderr) for each in (UNITS, UNITS)))
        outcome.peak_rss_mb = _number(MEMORY, found.stderr)
        outcome.slowest = _number(SLOWEST, found.stderr)
        for path in sorted(Path(folder).glob("*-*")):
            outcome.failures[_reason(found.stderr, path)] = path.read_bytes().hex()
        if found.returncode and not outcome.failures:
            outcome.failures[f"exit code {found.returncode}"] = ""
    return outcome


def _number(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return int(found[1]) if found else 0


def _reason(log: str, path: Path) -> str:
    lines = [line for line in log.splitlines() if "Error" in line or "ERROR" in line]
    return f"{path.name.split('-')[0]}: {(lines or [''])[0]:.200}"
