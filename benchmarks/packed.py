"""Models before and after packing: size, scores from words alone, load time and memory.

    python -m benchmarks.packed runs/dep/model packages/treewright-en/treewright_en/dep \
        --dev data/dep-ewt/dev.conllu

Each model runs in a process of its own, one thread. Loading is the best of five, after imports;
memory is the peak of a process that loads the model and parses the first 200 sentences of dev.
`--costs` leaves the scores out.
"""

import argparse
import json
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

from benchmarks.measure import peak_mb
from benchmarks.table import markdown
from treewright.models.kinds import load
from treewright.models.packing import directory_bytes

ROUNDS, SOME = 5, 200


def measure(model: Path, dev: Path, costs_only: bool = False) -> dict[str, float]:
    """All figures of one model, by this process."""
    seconds = []
    loaded = load(model)
    for _ in loaded.parse_many(islice(loaded.read(dev), SOME)):
        pass
    memory = peak_mb()  # before the model is loaded again and the treebank read as a whole
    for _ in range(ROUNDS):
        began = time.process_time()
        load(model)
        seconds.append(time.process_time() - began)
    costs = {"MB": directory_bytes(model) / 1e6, "load s": min(seconds), "parsing MB": memory}
    if costs_only:
        return costs
    from benchmarks.words_only import scores  # after the memory was read

    return costs | scores(loaded, dev)


def in_process(model: Path, dev: Path, *options: str) -> dict[str, float]:
    """The same by a process of its own, so that its memory is its own."""
    command = [sys.executable, "-m", "benchmarks.packed", str(model), "--dev", str(dev), "--json"]
    done = subprocess.run([*command, *options], check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--json", action="store_true", help="one model, by this process")
    parser.add_argument("--costs", action="store_true", help="no scores")
    options = parser.parse_args()
    if options.json:
        print(json.dumps(measure(options.models[0], options.dev, options.costs)))
        return
    more = ["--costs"] if options.costs else []
    rows = [in_process(model, options.dev, *more) for model in options.models]
    header = ["model", *rows[0]]
    print(markdown(header, [[str(m), *(f"{v:.2f}" for v in row.values())]
                            for m, row in zip(options.models, rows, strict=True)]))  # fmt: skip


if __name__ == "__main__":
    main()
