"""Compares two checkouts on the examples: equality of models, and cost.

    python -m benchmarks.commits OLD NEW [--sentences 100]

OLD and NEW are checkouts with an environment in `.venv` and a built core. Both train the same
examples on one minibank, in turns and by one thread, and parse its sentences. Times are processor
times, so that a busy machine matters less.
"""

import argparse
import os
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

from benchmarks.table import markdown

# examples, the suffix of their treebanks, what their models parse, and further options: of CCG
# derivations that tie, either may be chosen, but their dependencies are the same
EXAMPLES: dict[str, tuple[str, ...]] = {
    "ccg": ("auto", "train.txt", "--format", "deps"),
    "const": ("mrg", "train.mrg"),
    "const-svm": ("mrg", "train.mrg"),
    "dep": ("conllu", "train.conllu"),
    "dep-graph": ("conllu", "train.conllu"),
    "pos": ("auto", "train.txt"),
    "supertagger": ("auto", "train.txt"),
}
# how long it takes to start and load a model, and the fastest of five turns of parsing
PROBE = """
import sys, time
from pathlib import Path
import treewright
parser = treewright.load(sys.argv[1])
print(time.process_time())
sentences, times = list(parser.read(Path(sys.argv[2]))), []
for _ in range(5):
    began = time.process_time()
    list(parser.parse_many(sentences))
    times.append(time.process_time() - began)
print(min(times))
"""
# settings in NEW that keep what was the default: dependency parsers trained on gold tags
AS_BEFORE = {"dep": ["--set=pos_folds=0"]}


@dataclass(frozen=True)
class Outcome:
    """What training and parsing gave, and their processor time in seconds."""

    score: str
    parses: list[str]
    training: float
    starting: float
    parsing: float


def run(checkout: Path, *arguments: object) -> tuple[subprocess.CompletedProcess[str], float]:
    """A command of a checkout, and its processor time."""
    command = [checkout / ".venv/bin/python", "-m", "treewright", *map(str, arguments)]
    before = getrusage(RUSAGE_CHILDREN)
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=checkout, check=False
    )
    if done.returncode:
        raise SystemExit(f"{checkout}: {' '.join(map(str, arguments))}:\n{done.stderr[-2000:]}")
    after = getrusage(RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def outcome(checkout: Path, example: str, bank: Path, out: Path, changes: Sequence[str]) -> Outcome:
    extension, source, *more = EXAMPLES[example]
    files = [f"--set={part}={bank}/{part}.{extension}" for part in ("train", "dev")]
    config = checkout / "examples" / f"{example}.toml"
    trained, training = run(
        checkout, "train", config, "--run", out, "--threads", 1, *files, *changes
    )
    found = re.search(r"score on dev: (\S+)", trained.stderr)
    options = ("--model", out / "model", "--jobs", 1, *more)
    parsed, _ = run(checkout, "parse", bank / source, *options)
    probe = [checkout / ".venv/bin/python", "-c", PROBE, out / "model", bank / source]
    times = subprocess.run(probe, capture_output=True, text=True, cwd=checkout, check=True)
    starting, parsing = map(float, times.stdout.split())
    score, parses = found[1] if found else "", parsed.stdout.splitlines()
    return Outcome(score, parses, training, starting, parsing)


def row(example: str, old: Outcome, new: Outcome) -> list[str]:
    same = (Counter(old.parses) & Counter(new.parses)).total()
    share = f"{100 * same / max(len(old.parses), len(new.parses)):.1f}"
    times = ((each.training, each.starting, each.parsing) for each in (new, old))
    ratios = (f"{ours / before:.2f}" for ours, before in zip(*times, strict=True))
    return [example, old.score, new.score, share, *ratios]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("old", type=Path)
    arguments.add_argument("new", type=Path)
    arguments.add_argument("--sentences", type=int, default=100, help="of the minibank")
    arguments.add_argument("--examples", nargs="+", default=list(EXAMPLES), choices=EXAMPLES)
    chosen = arguments.parse_args()
    rows = []
    with TemporaryDirectory() as directory:
        bank = Path(directory) / "bank"
        new = chosen.new.resolve()
        run(new, "minibank", "--out", bank, "--sentences", chosen.sentences)
        trees = (bank / "train.conllu").read_text().strip().split("\n\n")
        words = (re.findall(r"^\d+\t([^\t]+)", tree, flags=re.MULTILINE) for tree in trees)
        (bank / "train.txt").write_text("".join(" ".join(each) + "\n" for each in words))
        for example in chosen.examples:
            outs = (Path(directory) / f"{example}-{which}" for which in ("old", "new"))
            changes = AS_BEFORE.get(example, [])
            old = outcome(chosen.old.resolve(), example, bank, next(outs), [])
            rows.append(row(example, old, outcome(new, example, bank, next(outs), changes)))
            print(*rows[-1], flush=True)
    header = ["example", "dev score, old", "new", "equal lines of output, %", "training, new / old"]
    print(markdown([*header, "start", "parsing"], rows))


if __name__ == "__main__":
    main()
