"""Time and memory of one long sentence, for the installed parsers.

    python -m benchmarks.long_sentences --report docs/results/reliability.md

The sentence joins sentences of the minibank, whose words most models do not know. Every model runs
in a process of its own, one thread, lengths in rising order after a sentence of five words: seconds
of CPU, and the peak of resident memory over that of loading and the short sentence. Lengths past
the parser's limit (`--max-words`) are not parsed; `--over` lifts the limit.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.measure import peak_mb
from benchmarks.table import markdown
from fuzz.report import write_section
from treewright.minibank.sentences import sample
from treewright.models.kinds import load

MODELS = ("en-dep", "en-ccg", "en-bio-ccg", "en-const")
MODELS += ("en-neural-dep", "en-neural-ccg", "en-neural-const")
LENGTHS = (100, 200, 250, 500, 1000, 2000, 10_000)
LIMITS = 600, 12 << 30  # seconds of CPU and bytes of a process that is given up
TITLE = "Long sentences"
HEADER = """\
Time and memory of one sentence of n words in the packaged parsers, up to the length that
each takes by default (`--max-words`). A longer sentence has a clear answer, and the rest of the
file goes on. Each cell: seconds of CPU, and MB that the sentence adds to the peak of resident
memory; past the limit, the seconds until the answer. One thread; the sentence joins sentences of
the minibank. This table comes from

    python -m benchmarks.long_sentences{given} --report docs/results/reliability.md

"""


def words(number: int) -> list[str]:
    """The words of sampled sentences, one after the other, without their full stops."""
    found: list[str] = []
    for derivation in sample(max(20, number // 4), 0):
        found += [word for word in derivation.sentence.words if word != "."]
    return (found * (1 + number // len(found)))[:number]


def measure(name: str, lengths: Sequence[int], over: bool) -> Iterator[dict[str, float | bool]]:
    """Sentences of rising length in this process."""
    model = load(name)
    if over:
        model = model.with_max_words(max(lengths))
    model.parse(words(5)).format(model.formats[0])
    before = peak_mb()
    for number in sorted(lengths):
        sentence, begin = words(number), time.process_time()
        analysis = model.parse(sentence)
        analysis.format(model.formats[0])
        seconds = time.process_time() - begin
        found = {"seconds": seconds, "mb": peak_mb() - before, "parsed": analysis.parsed}
        yield found if number <= model.max_words else {**found, "limit": model.max_words}


def cells(name: str, lengths: Sequence[int], over: bool) -> list[str]:
    """The same in another process, as text."""
    given = ["--one", name, "--lengths", *map(str, lengths), *(["--over"] if over else [])]
    limit = partial(resource.setrlimit, resource.RLIMIT_CPU, (LIMITS[0], LIMITS[0]))
    memory = partial(resource.setrlimit, resource.RLIMIT_AS, (LIMITS[1], LIMITS[1]))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "benchmarks.long_sentences", *given],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: (limit(), memory()),  # type: ignore[func-returns-value]
    )
    found = [_cell(json.loads(line)) for line in done.stdout.splitlines()]
    why = (done.stderr.strip().splitlines() or [str(done.returncode)])[-1]
    return found + [f"given up ({why:.60})"] * (len(lengths) - len(found))


def _cell(found: dict[str, float]) -> str:
    if "limit" in found:
        assert not found["parsed"]
        return f"over {found['limit']:,}: {found['seconds']:.2f} s"
    note = "" if found["parsed"] else ", no full parse"
    return f"{found['seconds']:.2f} s, {found['mb']:.0f} MB{note}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--over", action="store_true", help="lift the limits of the parsers")
    parser.add_argument("--one", help="one model, in this process")
    parser.add_argument("--report", type=Path, help="write a section of this page")
    given = parser.parse_args(arguments)
    if given.one:
        for found in measure(given.one, given.lengths, given.over):
            print(json.dumps(found), flush=True)
        return
    rows = []
    for name in given.models or MODELS:
        rows.append([name, *cells(name, sorted(given.lengths), given.over)])
        print(*rows[-1], sep=" | ", flush=True)
    by_length = zip(*(row[1:] for row in rows), strict=True)
    lines = [[f"{n:,}", *each] for n, each in zip(sorted(given.lengths), by_length, strict=True)]
    table = markdown(["words", *(row[0] for row in rows)], lines)
    if given.report:
        shown = (
            f" --lengths {' '.join(map(str, given.lengths))}" if given.lengths != LENGTHS else ""
        )
        write_section(given.report, TITLE, HEADER.format(given=shown) + table)


if __name__ == "__main__":
    main()
