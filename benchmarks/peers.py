"""pytorch-struct on the same sentences: log Z and all marginals of the benchmark's grammar.

An optional extra (`pip install treewright[torch-struct]`); without it the section says so.
"""

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.forests import SYMBOLS, grammar
from benchmarks.measure import race
from benchmarks.table import markdown
from treewright import _core
from treewright.forests import Grammar, chart

LENGTHS = (10, 20, 40, 80)
FORBIDDEN = -1e5  # pytorch-struct's gradients are not defined at -infinity


def section() -> str:
    try:
        rows = [row(words, full) for full in (False, True) for words in LENGTHS[: 4 - full]]
    except ImportError:
        return (
            "## Comparison with pytorch-struct\n\nNot measured: pytorch-struct is not installed.\n"
        )
    header = ["grammar", "words", "pytorch-struct ms", "Treewright ms", "ratio", "log Z differs by"]
    return (
        "## Comparison with pytorch-struct\n\n"
        f"Time for log Z and all marginals with {SYMBOLS} symbols, for one sentence, with one\n"
        "thread in double precision: pytorch-struct's SentCFG, and a Treewright chart with the\n"
        "same rules and scores. The benchmark grammar has one rule per symbol, because treebank\n"
        "grammars have few of the possible rules; the full grammar has all rules. The cost of\n"
        "SentCFG's tensors is the same for both; the cost of a chart depends on the number of\n"
        "rules, after `Grammar.factored` for the full grammar.\n\n" + markdown(header, rows)
    )


def row(words: int, full: bool) -> tuple[str, ...]:
    rng = np.random.default_rng(words)
    terms, roots = rng.normal(size=(words, SYMBOLS)), rng.normal(size=SYMBOLS)
    rules = rng.normal(size=(SYMBOLS, SYMBOLS, SYMBOLS))
    if not full:
        parent, left, right = grammar(np.random.default_rng(0)).binary.T
        allowed = np.zeros(rules.shape, dtype=bool)
        allowed[parent, left, right] = True
        rules[~allowed] = -np.inf
    theirs, their_z = torch_struct(terms, rules, roots)
    ours, our_z = treewright(terms, rules, roots, full)
    times = race({"theirs": theirs, "ours": ours}, rounds=3)
    return (
        "full" if full else "benchmark",
        str(words),
        f"{times['theirs'] * 1e3:.1f}",
        f"{times['ours'] * 1e3:.2f}",
        f"{times['theirs'] / times['ours']:.1f}",
        f"{abs(their_z - our_z):.0e}",
    )


def torch_struct(
    terms: np.ndarray, rules: np.ndarray, roots: np.ndarray
) -> tuple[Callable[[], object], float]:
    """Its preterminals span one word, its nonterminals more: a child may be either."""
    import torch
    from torch_struct import SentCFG

    torch.set_num_threads(1)
    finite = np.maximum(rules, FORBIDDEN)
    tensors = (terms, np.tile(finite, (1, 2, 2)), roots)
    potentials = [torch.tensor(x[None], dtype=torch.float64, requires_grad=True) for x in tensors]
    warnings.filterwarnings("ignore", module="torch_struct")
    z = float(SentCFG(potentials).partition.item())
    return lambda: SentCFG(potentials).marginals, z


def treewright(
    terms: np.ndarray, rules: np.ndarray, roots: np.ndarray, full: bool
) -> tuple[Callable[[], object], float]:
    """A chart in which the goal rewrites to any symbol; a full grammar is factored first."""
    words, goal = len(terms), SYMBOLS
    binary = np.argwhere(np.isfinite(rules))
    plain = Grammar.of(goal + 1, binary, [(goal, symbol) for symbol in range(SYMBOLS)])
    rule_numbers = np.arange(len(binary) + SYMBOLS)
    compiled, stands_for = plain.factored() if full else (plain, rule_numbers)
    entries = [(word, symbol) for word in range(words) for symbol in range(SYMBOLS)]
    built = chart(compiled, words, entries, goal, sharing="rule")
    assert built is not None
    of_rules = np.concatenate((rules[np.isfinite(rules)], roots, [0.0]))[stands_for]
    lexical = built.parts[:, 0] < 0
    scores = of_rules[np.where(lexical, 0, built.parts[:, 0])]
    scores[lexical] = terms.ravel()
    z = float(_core.log_inside(built.forest.core, scores)[-1])
    return partial(_core.marginals, built.forest.core, scores), z
