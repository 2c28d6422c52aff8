"""A trained CCG parser on a treebank: accuracy, speed, inference time, growth with length.

    python -m benchmarks.ccg_parser runs/ccg/model data/ccg-ewt/dev.auto [JOB]

Speeds are CPU time of one thread; the engine's are charts, scores and the best parse with its
dependencies, from supertags that are there already (the best of three rounds). `JOB`, one of
accuracy, engine, growth and normal-form, prints that table alone.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.table import markdown
from treewright.data.auto import read_auto
from treewright.data.records import Sentence
from treewright.forests.ccg.chart import Outcome
from treewright.machine import peak_rss_mb
from treewright.models.ccg.dev import CcgDev
from treewright.models.ccg.lattice import Lattice
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.search import Beam, search
from treewright.models.kinds import load
from treewright.scores.tagging.tagger import Pruning

DENSITIES = (1.3, 3.6, 10.0, 22.0)  # categories a word
WIDE = 10**6  # dictionary cutoff: parts of speech alone decide
WIDE_LATTICE = Pruning(1e-9, 1, 60)
LENGTHS = (10, 20, 40, 80, 120, 160, 200)


def accuracy(parser: CcgParser, path: Path) -> list[Sequence[object]]:
    """A row for each source of POS tags and each schedule."""
    rows: list[Sequence[object]] = []
    dev = CcgDev(path)
    for gold_pos in (True, False):
        for schedule in ("quick", "adaptive", "reverse"):
            chosen = parser.with_settings(schedule=schedule)
            parsed = dev.parse(chosen, gold_pos)
            found = dev.scores(parsed)
            figures = (found.labelled.f, found.unlabelled.f, found.labelled_all.f)
            shown = [f"{100 * x:.2f}" for x in (*figures, found.supertags or 0, found.coverage)]
            speed = f"{parsed.speed:.0f}"
            rows.append(("gold" if gold_pos else "predicted", schedule, *shown, speed))
    return rows


def engine(parser: CcgParser, path: Path) -> list[Sequence[object]]:
    """Sentences of at most 40 words a second, at several numbers of categories a word."""
    sentences = [d.sentence for d in read_auto(path) if len(d.leaves) <= 40]
    found = wide_lattices(parser, sentences)
    rows: list[Sequence[object]] = []
    for wanted in DENSITIES:
        beam = Beam(beta_for(found, wanted), WIDE)
        seconds = min(_engine(parser, sentences, found, beam) for _ in range(3))
        parsed = sum(
            parser.analyse(*each, beam).outcome is Outcome.PARSED
            for each in zip(sentences, found, strict=True)
        )
        share = f"{100 * parsed / len(sentences):.1f}"
        rows.append((f"{density(found, beam.beta):.2f}", share, f"{len(sentences) / seconds:.0f}"))
    return rows


def _engine(
    parser: CcgParser, sentences: Sequence[Sentence], found: Sequence[Lattice], beam: Beam
) -> float:
    for lattice in found:
        lattice.kept(beam)
    began = time.process_time()
    for sentence, lattice in zip(sentences, found, strict=True):
        _ = parser.analyse(sentence, lattice, beam).dependencies
    return _since(began)


def wide_lattices(parser: CcgParser, sentences: Sequence[Sentence]) -> list[Lattice]:
    """What the supertagger says of sentences, however improbable."""
    words = [s.words for s in sentences]
    pos = [tuple(token.pos or "" for token in s.tokens) for s in sentences]
    tagger = parser.supertagger.tagger
    found = tagger.posteriors_batch(words, pos, WIDE, WIDE_LATTICE).split()
    return [
        Lattice(tagger, w, p, parser.entry_of_tag, {WIDE: f})
        for w, p, f in zip(words, pos, found, strict=True)
    ]


def density(found: Sequence[Lattice], beta: float) -> float:
    """Categories a word."""
    kept = [lattice.known[WIDE].above(beta) for lattice in found]
    return sum(len(each.tag) for each in kept) / sum(map(len, kept))


def beta_for(found: Sequence[Lattice], wanted: float) -> float:
    """The beam with so many categories a word, by bisection."""
    low, high = -40.0, 0.0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if density(found, np.exp(middle)) > wanted else (low, middle)
    return float(np.exp(low))


def growth(parser: CcgParser, path: Path) -> list[Sequence[object]]:
    """Milliseconds and items by length, on sentences joined end to end."""
    tokens = [token for d in read_auto(path) for token in d.sentence.tokens]
    rows: list[Sequence[object]] = []
    for length in LENGTHS:
        pieces = [tuple(tokens[i * length : (i + 1) * length]) for i in range(5)]
        sentences = [Sentence(str(i), piece) for i, piece in enumerate(pieces)]
        lattices = parser.lattices(sentences)
        began = time.process_time()
        found = [
            search(parser.grammar, each.cells, parser.schedule, parser.chart) for each in lattices
        ]
        charts = [each.chart for each in found if each.chart is not None]
        items = sum(chart.forest.nodes for chart in charts) / max(len(charts), 1)
        rows.append(
            (length, f"{1000 * _since(began) / 5:.1f}", f"{items:.0f}", f"{peak_rss_mb():.0f}")
        )
    return rows


def normal_form(parser: CcgParser, path: Path) -> list[Sequence[object]]:
    """Scores and speed with Eisner's constraints on compositions and without them."""
    dev = CcgDev(path)
    rows: list[Sequence[object]] = []
    for constrained in (True, False):
        chart = replace(parser.chart, normal_form=constrained)
        how = (chart, parser.settings, parser.inference)
        parsed = dev.parse(CcgParser(parser.grammar, parser.supertagger, parser.scorer, *how))
        found = dev.scores(parsed)
        shown = [f"{100 * x:.2f}" for x in (found.labelled.f, found.unlabelled.f, found.coverage)]
        rows.append(("on" if constrained else "off", *shown, f"{parsed.speed:.0f}"))
    return rows


def _since(began: float) -> float:
    return time.process_time() - began


def main() -> None:
    directory, path = Path(sys.argv[1]), Path(sys.argv[2])
    began = time.process_time()
    model = load(directory)
    assert isinstance(model, CcgParser)
    print(f"Loaded in {_since(began):.2f} s CPU, {peak_rss_mb():.0f} MB.\n")
    jobs = sys.argv[3:] or list(JOBS)
    for job in jobs:
        columns, table = JOBS[job]
        print(markdown(columns, table(model, path)), "\n", flush=True)


JOBS = {
    "accuracy": (
        ("POS", "schedule", "LF", "UF", "LF*", "supertags", "coverage", "sentences/s"),
        accuracy,
    ),
    "engine": (("categories/word", "parsed, %", "sentences/s"), engine),
    "normal-form": (
        ("normal form", "LF", "UF", "coverage", "sentences/s"),
        normal_form,
    ),
    "growth": (("words", "ms", "items", "peak RSS, MB"), growth),
}


if __name__ == "__main__":
    main()
