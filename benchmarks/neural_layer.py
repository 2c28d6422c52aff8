"""Layers of networks beside pytorch-struct: `python -m benchmarks.neural_layer`.

Value and gradient of the likelihood of 8 dependency trees, from the same scores, which must agree;
softmax-margin with exact F1 has no counterpart there. pytorch-struct is an extra
(`pip install treewright[torch-struct]`); without it its column stays empty. One thread each.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor

from benchmarks.measure import race
from benchmarks.table import markdown
from treewright.forests.tables import arc_example
from treewright.inference.trees import labelled_projective_trees
from treewright.losses import objective_named
from treewright.torch import ForestLoss, TreeLoss
from treewright.torch.trees import GoldTrees, gold_scores

LENGTHS, BATCH = (10, 20, 40), 8
Value = Callable[[], Tensor]


def main() -> None:
    torch.set_num_threads(1)
    rows = [
        (name, str(words), *measured(words, projective))
        for name, projective in (("projective trees", True), ("all trees", False))
        for words in LENGTHS
    ]
    header = ["structure", "words", "likelihood ms", "exact F1 ms", "pytorch-struct likelihood ms"]
    print(markdown(header, rows))


def measured(words: int, projective: bool) -> list[str]:
    """Times of one minibatch, value and gradient."""
    random = torch.Generator().manual_seed(words)
    shape = (BATCH, words + 1, words + 1, 1)
    scores = torch.randn(shape, dtype=torch.float64, generator=random, requires_grad=True)
    gold = random_trees(words)
    names = ("likelihood", "softmax-margin")
    likelihood, f1 = (layer(scores, gold, name, projective) for name in names)
    runs = {"ours": partial(step, likelihood, scores), "f1": partial(step, f1, scores)}
    theirs = torch_struct(scores, gold, projective)
    if theirs is not None:
        # Over all trees, theirs adds 1e-5 to every weight.
        far = 1e-6 if projective else 1e-3
        torch.testing.assert_close(likelihood(), theirs(), rtol=far, atol=far)
        pair = step(likelihood, scores), step(theirs, scores)
        torch.testing.assert_close(*pair, rtol=far, atol=far)
        runs["theirs"] = partial(step, theirs, scores)
    found = race(runs)
    times = [f"{1e3 * found[name]:.2f}" for name in ("ours", "f1")]
    if "theirs" not in found:
        return [*times, ""]
    return [*times, f"{1e3 * found['theirs']:.2f} ({found['theirs'] / found['ours']:.1f} times)"]


def step(value: Value, scores: Tensor) -> Tensor:
    """The gradient over the scores of a minibatch."""
    return torch.autograd.grad(value().sum(), scores)[0]


def random_trees(words: int) -> GoldTrees:
    """Projective trees, so that both kinds of forest have them."""
    random = np.random.default_rng(words)
    size = (BATCH, words + 1, words + 1, 1)
    tables = random.normal(size=size).astype(np.float32)
    heads = np.stack([labelled_projective_trees(table, 1, False)[0].heads for table in tables])
    lengths = torch.full((BATCH,), words)
    return GoldTrees(torch.from_numpy(heads).long(), torch.zeros(heads.shape).long(), lengths)


def layer(scores: Tensor, gold: GoldTrees, objective: str, projective: bool) -> Value:
    """Ours; several words may hang on the root."""
    if not projective:
        whole = TreeLoss(objective, "f1", single_root=False)  # type: ignore[arg-type]
        return lambda: whole(scores, gold)
    made = ForestLoss(objective_named(objective, "f1"), threads=1)
    heads, labels = gold.heads.numpy(), gold.labels.numpy()
    pairs = zip(heads, labels, strict=True)
    examples = [arc_example(h, names, 1, single_root=False) for h, names in pairs]
    return lambda: made(examples, list(scores))


def torch_struct(scores: Tensor, gold: GoldTrees, projective: bool) -> Value | None:
    """Theirs; arcs are [head, word] with the root's on the diagonal."""
    try:
        from torch_struct import DependencyCRF, NonProjectiveDependencyCRF
    except ImportError:
        return None
    crf = DependencyCRF if projective else NonProjectiveDependencyCRF

    def value() -> Tensor:
        arcs = scores[..., 0]
        inner = arcs[:, 1:, 1:]
        off = inner - torch.diag_embed(inner.diagonal(dim1=1, dim2=2))
        potentials = off + torch.diag_embed(arcs[:, 0, 1:])
        return crf(potentials, multiroot=True).partition - gold_scores(scores, gold)

    return value


if __name__ == "__main__":
    main()
