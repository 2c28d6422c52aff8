"""Layers compared with pytorch-struct and SuPar: `python -m benchmarks.neural_layer`.

Value and gradient of the likelihood of 8 trees, from the same scores, which must agree;
softmax-margin with exact F1 has no counterpart there. pytorch-struct is an extra
(`pip install treewright[torch-struct]`), SuPar is not (`pip install --no-deps supar dill`); without
them their columns stay empty. One thread each, CPU time.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.measure import race
from benchmarks.neural_peers import (
    PEERS,
    STRUCT,
    SUPAR,
    Value,
    all_trees,
    binary_trees,
    projective_trees,
)
from benchmarks.table import markdown
from treewright.forests.features import Example, FeatureMatrix
from treewright.forests.forest import NO_TAIL, ForestBuilder
from treewright.forests.tables import arc_example
from treewright.inference.trees import labelled_projective_trees
from treewright.losses import objective_named
from treewright.torch import ForestLoss, TreeLoss
from treewright.torch.trees import GoldTrees, gold_scores

LENGTHS, BATCH = (10, 20, 40), 8
OURS, F1 = "likelihood", "exact F1"
LAYERS: dict[str, Any] = {OURS: "likelihood", F1: "softmax-margin"}


@dataclass(frozen=True)
class Problem:
    """Scores of a minibatch, and functions that compute values from them.

    far: how much values may differ, by peer; 1e-6 for those that are not named.
    """

    name: str
    words: int
    scores: Tensor
    ours: dict[str, Value]
    peers: dict[str, Value]
    far: dict[str, float] = field(default_factory=dict)


def main() -> None:
    torch.set_num_threads(1)
    makers = (projective, everything, binary)
    problems = (make(words) for make in makers for words in LENGTHS)
    rows = [(each.name, str(each.words), *measured(each)) for each in problems]
    header = ["structure", "words", *(f"{name} ms" for name in (*LAYERS, *PEERS))]
    print(markdown(header, rows))


def measured(problem: Problem) -> Iterator[str]:
    """Times of one minibatch, value and gradient; those of peers beside ours."""
    likelihood = problem.ours[OURS]
    for name, theirs in problem.peers.items():
        far = problem.far.get(name, 1e-6)
        torch.testing.assert_close(likelihood(), theirs(), rtol=far, atol=far, check_dtype=False)
        pair = step(likelihood, problem.scores), step(theirs, problem.scores)
        torch.testing.assert_close(*pair, rtol=far, atol=far)
    all_values = problem.ours | problem.peers
    runs = {k: partial(step, each, problem.scores) for k, each in all_values.items()}
    found = race(runs, clock=time.process_time)
    yield from (f"{1e3 * found[name]:.2f}" for name in LAYERS)
    for name in PEERS:
        seconds = found.get(name)
        yield f"{1e3 * seconds:.2f} ({seconds / found[OURS]:.1f} times)" if seconds else ""


def step(value: Value, scores: Tensor) -> Tensor:
    """The gradient over the scores of a minibatch."""
    return torch.autograd.grad(value().sum(), scores)[0]


def projective(words: int) -> Problem:
    """Projective dependency trees; several words may hang on the root."""
    scores, gold = random_scores(words), random_trees(words)
    pairs = zip(gold.heads.numpy(), gold.labels.numpy(), strict=True)
    examples = [arc_example(heads, names, 1, single_root=False) for heads, names in pairs]
    peers = projective_trees(scores[..., 0], lambda: gold_scores(scores, gold))
    return Problem("projective trees", words, scores, of_forests(examples, scores), peers)


def everything(words: int) -> Problem:
    """All dependency trees; several words may hang on the root.

    pytorch-struct adds 1e-5 to every weight, SuPar's values have 32 bits.
    """
    scores, gold = random_scores(words), random_trees(words)
    layers = {k: TreeLoss(name, "f1", single_root=False) for k, name in LAYERS.items()}
    ours: dict[str, Value] = {k: partial(each, scores, gold) for k, each in layers.items()}
    peers = all_trees(scores[..., 0], lambda: gold_scores(scores, gold))
    far = {STRUCT: 1e-3, SUPAR: 1e-5}
    return Problem("all trees", words, scores, ours, peers, far)


def binary(words: int) -> Problem:
    """Binary trees, a score for every span."""
    scores, random = random_scores(words), np.random.default_rng(words)
    golds = [random_spans(0, words, random) for _ in range(BATCH)]
    examples = [binary_example(words, spans) for spans in golds]

    def gold() -> Tensor:
        pairs = zip(scores[..., 0], golds, strict=True)
        return torch.stack([table[tuple(np.transpose(spans))].sum() for table, spans in pairs])

    peers = binary_trees(scores[..., 0], gold)
    return Problem("binary trees", words, scores, of_forests(examples, scores), peers)


def of_forests(examples: list[Example], scores: Tensor) -> dict[str, Value]:
    """Our layers over forests."""
    layers = {k: ForestLoss(objective_named(name, "f1"), threads=1) for k, name in LAYERS.items()}
    return {k: partial(each, examples, list(scores)) for k, each in layers.items()}


def random_scores(words: int) -> Tensor:
    """Scores of pairs of places, one label."""
    random = torch.Generator().manual_seed(words)
    shape = (BATCH, words + 1, words + 1, 1)
    return torch.randn(shape, dtype=torch.float64, generator=random, requires_grad=True)


def random_trees(words: int) -> GoldTrees:
    """Projective trees, so that both kinds of forest have them."""
    random = np.random.default_rng(words)
    size = (BATCH, words + 1, words + 1, 1)
    tables = random.normal(size=size).astype(np.float32)
    heads = np.stack([labelled_projective_trees(table, 1, False)[0].heads for table in tables])
    lengths = torch.full((BATCH,), words)
    return GoldTrees(torch.from_numpy(heads).long(), torch.zeros(heads.shape).long(), lengths)


def random_spans(begin: int, end: int, random: np.random.Generator) -> list[tuple[int, int]]:
    """The spans of a binary tree with random splits."""
    if end - begin == 1:
        return [(begin, end)]
    split = int(random.integers(begin + 1, end))
    return [
        (begin, end),
        *random_spans(begin, split, random),
        *random_spans(split, end, random),
    ]


def binary_example(words: int, gold: list[tuple[int, int]]) -> Example:
    """All binary trees as a forest: part p is the span of node p."""
    builder = ForestBuilder()
    node: dict[tuple[int, int], int] = {}
    for width in range(1, words + 1):
        for i in range(words + 1 - width):
            splits = range(i + 1, i + width)
            tails = [(node[i, k], node[k, i + width]) for k in splits] or [()]
            node[i, i + width] = builder.node([(len(node), *pair) for pair in tails])
    right = np.isin(np.arange(len(node)), [node[span] for span in gold])
    counts = np.stack((right, np.ones_like(right), right)).astype(np.int16)
    forest = builder.build(counts, len(gold))
    features = FeatureMatrix.from_columns([i * (words + 1) + j for i, j in node])
    below = (forest.left == NO_TAIL) | (right[forest.left] & right[forest.right])
    return Example(forest, features, forest.restrict(right[forest.part] & below))


if __name__ == "__main__":
    main()
