"""The number of files and functions executed for one sentence, or for one training run.

    python -m benchmarks.visits [--list]

Trains a parser of each formalism on a small minibank and parses one sentence with it, in this
process, and counts the Python functions of Treewright that are entered, and the files they are in.
Imports, lambdas and comprehensions do not count; the C++ core is not seen.
"""

import argparse
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType

import treewright
from benchmarks.table import markdown
from treewright.minibank.write import write_minibank
from treewright.models import training
from treewright.train.run import Run

PACKAGE = Path(treewright.__file__).parent
EXAMPLES = Path(__file__).parents[1] / "examples"
KINDS = {"ccg": ("ccg", "auto"), "const": ("const", "mrg"), "dep": ("dep", "conllu")}
SENTENCE = "the dog saw a cat"


class Visits:
    """The functions of Treewright that were entered."""

    def __init__(self) -> None:
        self.functions: set[CodeType] = set()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        inside = code.co_filename.startswith(str(PACKAGE)) and not code.co_name.startswith("<")
        if event == "call" and inside:
            self.functions.add(code)

    @property
    def files(self) -> list[str]:
        paths = {Path(code.co_filename) for code in self.functions}
        return sorted(path.relative_to(PACKAGE).as_posix() for path in paths)


@contextmanager
def visits() -> Iterator[Visits]:
    found = Visits()
    threading.setprofile(found)
    sys.setprofile(found)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def train(kind: str, directory: Path) -> Path:
    name, extension = KINDS[kind]
    files = [f"{part}={directory}/{part}.{extension}" for part in ("train", "dev")]
    plan = training.read_plan(EXAMPLES / f"{name}.toml", files)
    return training.train(plan, Run(directory / kind, 1, plan.seed))


def parse(model: Path) -> str:
    return str(treewright.load(model).parse(SENTENCE))


def traced(work: Callable[[], object]) -> Visits:
    with visits() as found:
        work()
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--list", action="store_true", help="print the files, too")
    arguments.add_argument("--sentences", type=int, default=60, help="of the minibank")
    chosen = arguments.parse_args()
    rows = []
    with TemporaryDirectory() as name:
        directory = Path(name)
        write_minibank(directory, chosen.sentences, 1)
        for kind in KINDS:
            trained = traced(lambda kind=kind: train(kind, directory))  # type: ignore[misc]
            parsed = traced(lambda kind=kind: parse(directory / kind / "model"))  # type: ignore[misc]
            for what, found in (("parse", parsed), ("train", trained)):
                rows.append([kind, what, str(len(found.files)), str(len(found.functions))])
                if chosen.list:
                    print(kind, what, *found.files, sep="\n    ")
    print(markdown(["kind", "work", "files", "functions"], rows))


if __name__ == "__main__":
    main()
