"""Tables of docs/results/taggers.md: `python -m benchmarks.taggers TREEBANK [JOB ...]`.

TREEBANK is a folder with train.auto and dev.auto. Jobs: `tables` trains a POS tagger and a
supertagger and scores them on dev; `jackknife` trains one on automatic parts of speech; `ablation`
trains local models without one group of templates each, on a part of train. `model=DIR` scores a
model of kind "super" that is there.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from benchmarks.measure import peak_mb
from benchmarks.table import markdown
from treewright.data.auto import read_auto
from treewright.data.records import Derivation
from treewright.grammar.lexicon import Lexicon
from treewright.models.tagging.pos import pos_corpus, train_in_run
from treewright.models.tagging.settings import (
    PosTaggerSettings,
    SuperTaggerSettings,
    TaggerSettings,
)
from treewright.models.tagging.supertagger import Supertagger, jackknife, super_corpus
from treewright.models.tagging.training import TaggedCorpus, accuracy, train_tagger
from treewright.scores.tagging.base import Posteriors
from treewright.scores.tagging.sets import POS_GROUPS, SUPER_GROUPS
from treewright.scores.tagging.tagger import Pruning, Tagger
from treewright.train.run import Run

BETAS = (0.3, 0.075, 0.03, 0.01, 0.005, 0.001)
BEAMS = ["supertags on dev", "1-best", *map(str, BETAS)]
COSTS = ["training", "tags", "features", "CPU s", "peak MB so far"]
FOLDS = 5
WIDE = 10**6  # dictionary cutoff of the widest beam: parts of speech alone decide
WIDE_LATTICE = Pruning(5e-5, 1, 24)
ABLATION_SENTENCES = 3000


class Scorer:
    """Posteriors of plain categories against those of dev."""

    def __init__(self, tagger: Tagger, dev: Sequence[Derivation]) -> None:
        shown = Supertagger(tagger, tagger).shown
        names, self.group = shown.names, shown.group
        number = {name: i for i, name in enumerate(names)}
        leaves = chain.from_iterable(derivation.leaves for derivation in dev)
        self.gold = np.array([number.get(leaf.category, -1) for leaf in leaves])

    def best(self, found: Posteriors) -> float:
        return float(np.mean(found.merged(self.group).best() == self.gold))

    def several(self, found: Posteriors, beta: float) -> tuple[float, float]:
        """Accuracy and categories a word at a beam."""
        kept = found.merged(self.group).above(beta)
        right = np.zeros(len(kept), dtype=bool)
        right[kept.positions[kept.tag == self.gold[kept.positions]]] = True
        return float(right.mean()), len(kept.tag) / len(kept)


def speed(
    tagger: Tagger, words: Sequence[Sequence[str]], pos: Sequence[Sequence[str]] | None
) -> tuple[int, int]:
    """Words and sentences a second of CPU, one thread, features included; the best of three."""
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        tagger.posteriors_batch(words, pos)
        best = min(best, time.process_time() - start)
    return round(sum(map(len, words)) / best), round(len(words) / best)


def tables(train: list[Derivation], dev: list[Derivation], run: Run) -> None:
    """Trains both taggers and scores them."""
    costs = []

    def trained(name: str, corpus: TaggedCorpus, settings: TaggerSettings) -> Tagger:
        start = time.process_time()
        tagger = train_in_run(corpus, settings, run, name)
        seconds = round(time.process_time() - start)
        costs.append([name, len(tagger.tags), len(tagger.weights.keys), seconds, round(peak_mb())])
        return tagger

    pos = trained("POS tagger", pos_corpus(train), PosTaggerSettings())
    corpus = super_corpus(train, Lexicon().learn(train))
    tagger = trained("supertagger", corpus, SuperTaggerSettings())
    score(Supertagger(tagger, pos), dev)
    print(markdown(COSTS, costs), flush=True)


def score(model: Supertagger, dev: list[Derivation]) -> None:
    """Accuracy and speed of a supertagger and its part-of-speech tagger."""
    gold, pos = pos_corpus(dev), model.pos
    assert pos is not None
    print(f"\nPOS accuracy {accuracy(pos, gold):.2%}\n", flush=True)
    rows = [
        ["gold POS", *beams(model.tagger, dev, gold.tags)],
        ["predicted POS", *beams(model.tagger, dev, pos.tag_batch(gold.words))],
    ]
    print(markdown(BEAMS, rows), flush=True)
    fast = [
        ["POS tagger", *speed(pos, gold.words, None)],
        ["supertagger", *speed(model.tagger, gold.words, gold.tags)],
    ]
    print(markdown(["speed, one core", "words/s", "sentences/s"], fast), flush=True)


def jackknifed(train: list[Derivation], dev: list[Derivation], run: Run) -> None:
    """A supertagger for automatic parts of speech, trained on such."""
    words, held_out = pos_corpus(train), pos_corpus(dev)
    folded = jackknife(words, FOLDS, PosTaggerSettings(), run)
    corpus = super_corpus(train, Lexicon().learn(train), folded)
    tagger = train_in_run(corpus, SuperTaggerSettings(), run, "supertagger")
    pos = train_in_run(words, PosTaggerSettings(), run, "POS")
    guessed = pos.tag_batch(held_out.words)
    print(markdown(BEAMS, [["predicted POS, jackknifed", *beams(tagger, dev, guessed)]]))


def beams(tagger: Tagger, dev: list[Derivation], pos: Sequence[Sequence[str]]) -> list[str]:
    """Accuracy of the best category, and at every beam with categories a word."""
    scorer, words = Scorer(tagger, dev), [derivation.sentence.words for derivation in dev]
    found = tagger.posteriors_batch(words, pos)
    wide = tagger.posteriors_batch(words, pos, WIDE, WIDE_LATTICE)
    cells = [f"{scorer.best(found):.2%}"]
    for beta in BETAS:
        right, size = scorer.several(wide if beta < 0.005 else found, beta)
        cells.append(f"{100 * right:.1f} @ {size:.2f}")
    return cells


def ablation(train: list[Derivation], dev: list[Derivation], _: Run) -> None:
    train = train[:ABLATION_SENTENCES]
    lexicon = Lexicon().learn(train)
    entries = super_corpus(train, lexicon), super_corpus(dev, lexicon)
    jobs = (
        ("POS", PosTaggerSettings(), POS_GROUPS, pos_corpus(train), pos_corpus(dev)),
        ("entry", SuperTaggerSettings(), SUPER_GROUPS, *entries),
    )
    for name, settings, groups, corpus, held_out in jobs:
        rows = []
        for left_out in (None, *groups):
            templates = [t for group, ts in groups.items() if group != left_out for t in ts]
            how = replace(settings, templates=templates, order=0)
            share = accuracy(train_tagger(corpus, how), held_out)
            rows.append([f"without {left_out}" if left_out else "all templates", f"{share:.2%}"])
            print(rows[-1], flush=True)
        print(markdown([f"local model, {len(corpus.words):,} sentences", f"{name} accuracy"], rows))


def main(folder: Path, jobs: Sequence[str]) -> None:
    train, dev = (list(read_auto(folder / f"{name}.auto")) for name in ("train", "dev"))
    with tempfile.TemporaryDirectory() as directory:
        for job in jobs:
            run = Run(Path(directory) / job.replace("/", "_"), threads=1, quiet=True)
            if job.startswith("model="):
                score(Supertagger.load(job.removeprefix("model=")), dev)
            else:
                JOBS[job](train, dev, run)


JOBS = {"tables": tables, "jackknife": jackknifed, "ablation": ablation}

if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(JOBS))
