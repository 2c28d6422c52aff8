"""`python -m fuzz`: fuzzes every reader, or some, and prints or writes a table of what was found.

python -m fuzz --seconds 3                  a smoke run, as in CI
python -m fuzz --seconds 600 --report docs/results/reliability.md
python -m fuzz auto --coverage --seconds 60 with atheris, which mutates for new coverage
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from fuzz.coverage import fuzz_for_coverage
from fuzz.engine import Outcome, fuzz_apart
from fuzz.report import write_section
from fuzz.targets import TARGETS

TITLE = "Damaged files and requests"
HEADER = """\
Every reader of files from elsewhere is called with damaged copies of valid files: bytes flipped,
lines and fields moved, dropped and repeated, numbers beyond every range, brackets thousands deep.
It passes if it takes the input or raises a `TreewrightError`, within 5 seconds; where there is a
writer, what was taken must come back the same. `http` are requests to the server, whose answer must
not be a failure (status 500). This table comes from

    python -m fuzz --seconds {seconds:g} --seed {seed} --report docs/results/reliability.md

"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the targets; the exit code is 1 if any input failed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=float, default=3.0, help="per target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--coverage", action="store_true", help="with atheris")
    parser.add_argument("--report", type=Path, help="write a section of this page")
    parser.add_argument("--inputs", type=Path, help="write inputs that failed to this directory")
    given = parser.parse_args(arguments)
    run = fuzz_for_coverage if given.coverage else fuzz_apart
    header = HEADER.format(seconds=given.seconds, seed=given.seed)
    outcomes: list[Outcome] = []
    for name in given.targets or TARGETS:
        outcomes.append(run(name, given.seconds, given.seed))
        if given.report:  # as far as it is: a long run may be stopped
            write_section(given.report, TITLE, header + table(outcomes))
    print(table(outcomes))
    if given.inputs:
        save_inputs(outcomes, given.inputs)
    return int(any(outcome.failures for outcome in outcomes))


def table(outcomes: Sequence[Outcome]) -> str:
    """One row per target, and the failures below."""
    rows = [
        f"| {o.target} | {o.executions} | {o.taken} | {len(o.failures)} | {o.slowest:.2f} |"
        f" {o.peak_rss_mb:.0f} |"
        for o in outcomes
    ]
    head = "| target | inputs | taken | failures | slowest, s | peak RSS, MB |"
    found = [f"{o.target}: {what}\n" for o in outcomes for what in o.failures]
    return "\n".join([head, "| --- | ---: | ---: | ---: | ---: | ---: |", *rows, "", *found])


def save_inputs(outcomes: Sequence[Outcome], directory: Path) -> None:
    """The inputs that failed, one file each, named after their targets."""
    directory.mkdir(parents=True, exist_ok=True)
    for outcome in outcomes:
        for number, data in enumerate(outcome.failures.values()):
            (directory / f"{outcome.target}-{number}").write_bytes(bytes.fromhex(data))


if __name__ == "__main__":
    sys.exit(main())
