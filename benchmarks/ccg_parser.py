"""A trained CCG parser on a treebank: accuracy, speed, the engine alone, growth with length.

    python -m benchmarks.ccg_parser runs/ccg/model ../shared/data/ccg-ewt/dev.auto

Speeds are CPU time of one thread; the engine's are charts, scores and the best parse with its
dependencies, from supertags that are there already.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.table import markdown
from treewright.data.auto import read_auto
from treewright.data.records import Sentence, Token
from treewright.models.ccg import CcgModel
from treewright.models.ccg_parser import CcgParser
from treewright.models.ccg_scores import score_parser
from treewright.models.ccg_search import Beam, search
from treewright.models.kinds import load
from treewright.train.facts import peak_rss_mb

BETAS = (0.1, 0.002, 0.0002, 0.00002)
LENGTHS = (10, 20, 40, 80, 120, 160, 200)


def accuracy(parser: CcgParser, path: Path) -> list[Sequence[object]]:
    """A row for each source of POS tags and each schedule."""
    rows: list[Sequence[object]] = []
    derivations = list(read_auto(path))
    for gold_pos in (True, False):
        for schedule in ("default", "adaptive", "reverse"):
            chosen = parser.with_settings(schedule=schedule)
            found = score_parser(chosen, derivations, gold_pos=gold_pos)
            figures = (found.labelled.f, found.unlabelled.f, found.labelled_all.f)
            shown = [f"{100 * x:.2f}" for x in (*figures, found.supertags or 0, found.coverage)]
            speed = _speed(chosen, [d.sentence for d in derivations], gold_pos)
            rows.append(("gold" if gold_pos else "automatic", schedule, *shown, f"{speed:.0f}"))
    return rows


def _speed(parser: CcgParser, sentences: Sequence[Sentence], gold_pos: bool) -> float:
    if not gold_pos:
        bare = [tuple(Token(token.word) for token in s.tokens) for s in sentences]
        sentences = [replace(s, tokens=t) for s, t in zip(sentences, bare, strict=True)]
    began = time.process_time()
    for analysis in parser.parse_many(sentences):
        _ = analysis.dependencies
    return len(sentences) / (time.process_time() - began)


def engine(parser: CcgParser, path: Path) -> list[Sequence[object]]:
    """Sentences of at most 40 words a second, at several numbers of categories a word."""
    sentences = [d.sentence for d in read_auto(path) if len(d.leaves) <= 40]
    lattices = parser.lattices(sentences)
    rows: list[Sequence[object]] = []
    for beta in BETAS:
        cells = [lattice.cells(Beam(beta, 20)) for lattice in lattices]
        density = sum(len(c.entry) for c in cells) / sum(c.words for c in cells)
        began = time.process_time()
        for sentence, lattice in zip(sentences, lattices, strict=True):
            _ = parser.analyse(sentence, lattice, Beam(beta, 20)).dependencies
        rows.append((f"{beta:g}", f"{density:.2f}", f"{len(cells) / _since(began):.0f}"))
    return rows


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


def _since(began: float) -> float:
    return time.process_time() - began


def main() -> None:
    directory, path = Path(sys.argv[1]), Path(sys.argv[2])
    began = time.process_time()
    model = load(directory)
    assert isinstance(model, CcgModel)
    print(f"Loaded in {_since(began):.2f} s CPU, {peak_rss_mb():.0f} MB.\n")
    columns = ("POS", "schedule", "LF", "UF", "LF*", "supertags", "coverage", "sentences/s")
    print(markdown(columns, accuracy(model.parser, path)), "\n")
    print(markdown(("beta", "categories/word", "sentences/s"), engine(model.parser, path)), "\n")
    print(markdown(("words", "ms", "items", "peak RSS, MB"), growth(model.parser, path)))


if __name__ == "__main__":
    main()
