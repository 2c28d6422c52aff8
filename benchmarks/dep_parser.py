"""A trained dependency model on a treebank: attachment, speed on one core by beam, memory.

    treewright train examples/dep.toml --run runs/dep --threads 1
    python -m benchmarks.dep_parser runs/dep/model data/dep-ewt/dev.conllu

Sentences/s count encoding and search (and tagging, where tags are automatic) from words in memory
to trees; the best of three rounds, CPU time.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.measure import peak_mb
from benchmarks.table import markdown
from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.metrics.dependency import score
from treewright.models.dependency.parser import DependencyParser

HEADER = ("tags", "beam", "UAS", "LAS", "LAS, full labels", "sentences/s")
BEAMS = (1, 2, 4, 8, 16, 32)


def untagged(tree: DependencyTree) -> DependencyTree:
    words = (word._replace(upos="_", xpos="_", feats="_") for word in tree.words)
    return replace(tree, words=tuple(words))


def full_las(found: Sequence[DependencyTree], gold: Sequence[DependencyTree]) -> float:
    """Labelled attachment with the subtypes of relations, which the shared task cuts."""
    pairs = [
        (a.head, a.deprel) == (b.head, b.deprel)
        for tree, right in zip(found, gold, strict=True)
        for a, b in zip(tree.words, right.words, strict=True)
    ]
    return 100 * sum(pairs) / len(pairs)


def measure(
    parser: DependencyParser, given: Sequence[DependencyTree], gold: Sequence[DependencyTree],
    beam: int | None, rounds: int = 3,
) -> list[str]:  # fmt: skip
    times = []
    parser = parser if beam is None else parser.with_settings(beam=beam)
    for _ in range(rounds):
        began = time.process_time()
        found = list(parser.parse_many(given))
        times.append(time.process_time() - began)
    trees = [analysis.tree for analysis in found]
    words = score(trees, gold).words
    attachment = [f"{100 * words[name].score.f:.2f}" for name in ("UAS", "LAS")]
    return [*attachment, f"{full_las(trees, gold):.2f}", f"{len(gold) / min(times):,.0f}"]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model", type=Path)
    options.add_argument("gold", type=Path)
    chosen = options.parse_args()
    parser, gold = DependencyParser.load(chosen.model), list(conllu.read(chosen.gold))
    print(f"peak memory with the model loaded: {peak_mb():.0f} MB")
    searches = parser.settings.algorithm in {"arc-eager", "arc-hybrid"}  # others have no beam
    rows = [
        ["gold", str(beam or "-"), *measure(parser, gold, gold, beam)]
        for beam in (BEAMS if searches else (None,))
    ]
    print(f"peak memory after parsing: {peak_mb():.0f} MB")
    if parser.tagger is not None:
        bare = [untagged(tree) for tree in gold]
        beam = parser.settings.transition.beam if searches else None
        rows.append(["predicted", str(beam or "-"), *measure(parser, bare, gold, beam, 1)])
    print(markdown(HEADER, rows))


if __name__ == "__main__":
    main()
