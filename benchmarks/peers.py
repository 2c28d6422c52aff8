"""pytorch-struct on the same sentences: inside and marginals of a grammar without rule weights.

An optional extra (`pip install treewright[torch-struct]`); without it the section says so.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.measure import race
from benchmarks.table import markdown
from treewright import _core
from treewright.forests import Grammar, chart

SYMBOLS = 10
LENGTHS = (10, 20, 40)


def section() -> str:
    try:
        rows = [row(words) for words in LENGTHS]
    except ImportError:
        return "## Peers\n\nNot measured: pytorch-struct is not installed.\n"
    header = ["words", "pytorch-struct ms", "Treewright ms", "ratio", "log Z agrees"]
    return (
        "## Peers\n\n"
        f"log Z and all marginals of a full context-free grammar over {SYMBOLS} nonterminals and\n"
        f"{SYMBOLS} preterminals, one sentence, one thread: pytorch-struct's SentCFG and a\n"
        "Treewright chart of the same rules, scored alike, with a part for each rule.\n\n"
        + markdown(header, rows)
    )


def row(words: int) -> tuple[str, ...]:
    rng = np.random.default_rng(words)
    terms = rng.normal(size=(words, SYMBOLS))
    rules = rng.normal(size=(SYMBOLS, 2 * SYMBOLS, 2 * SYMBOLS))
    roots = rng.normal(size=SYMBOLS)
    theirs, their_z = torch_struct(terms, rules, roots)
    ours, our_z = treewright(terms, rules, roots)
    times = race({"theirs": theirs, "ours": ours}, rounds=3)
    return (
        str(words),
        f"{times['theirs'] * 1e3:.1f}",
        f"{times['ours'] * 1e3:.2f}",
        f"{times['theirs'] / times['ours']:.0f}",
        f"{abs(their_z - our_z):.0e}",
    )


def torch_struct(
    terms: np.ndarray, rules: np.ndarray, roots: np.ndarray
) -> tuple[Callable[[], object], float]:
    import torch
    from torch_struct import SentCFG

    torch.set_num_threads(1)
    log_potentials = [
        torch.tensor(x[None], dtype=torch.float64, requires_grad=True)
        for x in (terms, rules, roots)
    ]
    z = float(SentCFG(log_potentials).partition.item())
    return lambda: SentCFG(log_potentials).marginals, z


def treewright(
    terms: np.ndarray, rules: np.ndarray, roots: np.ndarray
) -> tuple[Callable[[], object], float]:
    """Symbols: nonterminals, then preterminals, then the goal."""
    words, goal = len(terms), 2 * SYMBOLS
    binary = np.argwhere(np.ones_like(rules))
    unary = [(goal, a) for a in range(SYMBOLS)]
    entries = [(i, SYMBOLS + t) for i in range(words) for t in range(SYMBOLS)]
    grammar = Grammar.of(goal + 1, binary, unary)
    built = chart(grammar, words, entries, goal, sharing="rule")
    assert built is not None
    rule_scores = np.concatenate((rules.ravel(), roots))
    lexical = built.parts[:, 0] < 0
    scores = np.where(lexical, 0.0, rule_scores[built.parts[:, 0]])
    scores[lexical] = terms.ravel()
    z = float(_core.log_inside(built.forest.core, scores)[-1])
    return partial(_core.marginals, built.forest.core, scores), z
