"""Projective dependency marginals compared with pytorch-struct: `python -m benchmarks.eisner`.

pytorch-struct is an optional extra (`pip install treewright[torch-struct]`); without it its column
stays empty.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.measure import growth, race
from benchmarks.table import markdown
from treewright.forests.dependency.arcs import arc_forest, complete_arcs
from treewright.inference import exact, matrix_tree, trees

LENGTHS = (10, 20, 40, 80)


def main() -> None:
    rows, times = [], []
    for words in LENGTHS:
        found = measured(words)
        times.append(found["ours"])
        rows.append((str(words), *(f"{found[name] * 1e3:.3f}" for name in OURS), theirs(found)))
    print(markdown(["words", *OURS.values(), "pytorch-struct marginals"], rows))
    print(f"Marginals grow as n^{growth(list(LENGTHS[1:]), times[1:]):.1f}.")


OURS = {
    "build": "build forest ms",
    "ours": "marginals ms",
    "second": "second order",
    "viterbi": "best tree",
    "kbest": "8 best",
    "mst": "best, all trees",
    "mst8": "8 best, all trees",
    "matrix": "matrix-tree marginals",
}


def theirs(found: dict[str, float]) -> str:
    if "theirs" not in found:
        return ""
    return f"{found['theirs'] * 1e3:.1f} ({found['theirs'] / found['ours']:.0f} times)"


def measured(words: int) -> dict[str, float]:
    scores = np.random.default_rng(words).normal(size=(words + 1, words + 1))
    first, second = complete_arcs(words, False), complete_arcs(words, False, siblings=True)
    parts = np.append(scores[first.head, first.word], 0.0)
    more = np.zeros(second.forest.parts)
    more[: len(second)] = scores[second.head, second.word]
    runs: dict[str, Callable[[], object]] = {
        "build": partial(arc_forest, words, first.head, first.word, single_root=False),
        "ours": partial(exact.marginals, first.forest, parts),
        "second": partial(exact.marginals, second.forest, more),
        "viterbi": partial(exact.viterbi, first.forest, parts),
        "kbest": partial(exact.kbest, first.forest, parts, 8),
        "mst": partial(trees.spanning_trees, scores, 1, False),
        "mst8": partial(trees.spanning_trees, scores, 8, False),
        "matrix": partial(matrix_tree.marginals, scores, False),
    }
    peer = torch_struct(scores, exact.log_z(first.forest, parts))
    return race(runs | ({"theirs": peer} if peer else {}))


def torch_struct(scores: np.ndarray, log_z: float) -> Callable[[], object] | None:
    """Its arcs are [head, word] with the root's on the diagonal; the same log Z, or it is wrong."""
    try:
        import torch
        from torch_struct import DependencyCRF
    except ImportError:
        return None
    torch.set_num_threads(1)
    inner = scores[1:, 1:].copy()
    np.fill_diagonal(inner, scores[0, 1:])
    potentials = torch.tensor(inner[None], dtype=torch.float64, requires_grad=True)
    made = partial(DependencyCRF, potentials, multiroot=True)
    assert abs(float(made().partition.item()) - log_z) < 1e-6 * abs(log_z)
    return lambda: made().marginals


if __name__ == "__main__":
    main()
