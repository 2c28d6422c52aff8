"""Calibration of marginals: a reliability table for arcs, brackets or supertags.

    python -m benchmarks.calibration MODEL GOLD --sentences 200 --retag
    python -m benchmarks.calibration MODEL GOLD --retag --temperatures 24 48 96 192

MODEL is a directory or the name of an installed model. GOLD is CoNLL-U for a dependency parser,
brackets for a constituency parser, AUTO for a CCG parser.
Each marginal above 0.001 counts as one prediction, which is right if gold has the item. Rows are
tenths of probability; the expected calibration error is the mean distance between probability and
accuracy, weighted by the number of predictions. Words come with the tags of the file, or with
`--retag` with the model's own. With temperatures, for models that have this setting (CCG,
transition-based dependency, neural constituency): the log loss per item of gold with each of them,
by which one is chosen, and the expected calibration error. Gold items without a prediction count as
0.001, so that the losses of different temperatures are comparable.
"""

import argparse
import math
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.table import markdown
from treewright import load
from treewright.data import conllu, ptb
from treewright.data.auto import read_auto
from treewright.data.brackets import tagged_words
from treewright.data.records import Sentence
from treewright.grammar.treebank import prepare, spans

LEAST, ROWS = 0.001, 10
Pair = tuple[float, bool]  # a probability, and whether gold has the item
Parse = Callable[[list[Any]], Iterator[Any]]
Some = tuple[int, int]  # the first sentence, from 0, and the end


def arcs(parse: Parse, gold: Path, some: Some) -> Iterator[Pair]:
    trees = list(islice(conllu.read(gold), *some))
    for tree, found in zip(trees, parse(trees), strict=True):
        for word, row in zip(tree.words, found.marginals, strict=True):
            right = word.head, word.deprel
            yield from ((p, arc == right) for arc, p in row.items())
            yield from [(0.0, True)] * (right not in row)


def brackets(parse: Parse, gold: Path, some: Some) -> Iterator[Pair]:
    read = (prepare(tree) for tree in ptb.read(gold))
    trees = list(islice((tree for tree in read if tree is not None), *some))
    leaves = [list(tagged_words(tree)) for tree in trees]
    words = [Sentence.of([x.word for x in row], [x.label for x in row]) for row in leaves]
    for tree, found in zip(trees, parse(words), strict=True):
        right = set(spans(tree))
        yield from ((p, span in right) for span, p in found.marginals.items())
        yield from [(0.0, True)] * len(right - found.marginals.keys())


def supertags(parse: Parse, gold: Path, some: Some) -> Iterator[Pair]:
    derivations = list(islice(read_auto(gold), *some))
    parsed = parse([each.sentence for each in derivations])
    for gold_tree, found in zip(derivations, parsed, strict=True):
        for leaf, row in zip(gold_tree.leaves, found.marginals.supertags, strict=True):
            yield from ((p, category == leaf.category) for category, p in row.items())
            yield from [(0.0, True)] * (leaf.category not in row)


KINDS = {"dep": arcs, "const": brackets, "ccg": supertags}


def table(pairs: list[Pair]) -> tuple[list[list[str]], float]:
    """Rows of the table, and the expected calibration error."""
    pairs = [pair for pair in pairs if pair[0] >= LEAST]
    rows, error = [], 0.0
    for number in range(ROWS):
        inside = [pair for pair in pairs if min(int(pair[0] * ROWS), ROWS - 1) == number]
        if inside:
            mean = sum(p for p, _ in inside) / len(inside)
            right = sum(is_right for _, is_right in inside) / len(inside)
            error += abs(mean - right) * len(inside) / len(pairs)
            name = f"{number / ROWS:.1f} to {(number + 1) / ROWS:.1f}"
            rows.append([name, f"{len(inside):,}", f"{mean:.3f}", f"{right:.3f}"])
    return rows, error


def log_loss(pairs: list[Pair]) -> float:
    """The log loss per item of gold; probabilities stay away from 0 and 1 by `LEAST`."""
    kept = [
        (min(max(p, LEAST), 1 - LEAST), is_right) for p, is_right in pairs if is_right or p >= LEAST
    ]
    loss = -sum(math.log(p if is_right else 1 - p) for p, is_right in kept)
    return loss / sum(is_right for _, is_right in kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("gold", type=Path)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--after", type=int, default=0, help="sentences to leave out before")
    parser.add_argument("--retag", action="store_true")
    parser.add_argument("--temperatures", type=float, nargs="*", default=())
    options = parser.parse_args()
    model: Any = load(options.model)
    change = model.untagged if options.retag else lambda sentence: sentence
    some = options.after, options.after + options.sentences

    def pairs(model: Any) -> list[Pair]:
        def parse(sentences: list[Any]) -> Iterator[Any]:
            return iter(model.parse_many(map(change, sentences)))

        found = KINDS[model.kind](parse, options.gold, some)
        return list(found)

    if options.temperatures:
        warmed = ((t, pairs(model.with_settings(temperature=t))) for t in options.temperatures)
        rows = [[f"{t:g}", f"{log_loss(each):.4f}", f"{table(each)[1]:.3f}"] for t, each in warmed]
        print(markdown(["temperature", "log loss", "calibration error"], rows))
        return
    rows, error = table(pairs(model))
    print(markdown(["probability", "predictions", "mean", "right"], rows))
    print(f"\nExpected calibration error: {error:.3f}")


if __name__ == "__main__":
    main()
