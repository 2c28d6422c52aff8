"""Dense grammars compared with pytorch-struct's SentCFG: `python -m benchmarks.dense`.

30 nonterminals and 30 preterminals, one sentence, one thread, double precision: log Z and the
marginals of all rules, roots and words. The full grammar has all 108,000 rules; the other as many
as a treebank grammar of that size has. SentCFG's tensors have the same size for both.
Needs the extra `treewright[torch-struct]`.
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.measure import race
from benchmarks.peers import FORBIDDEN
from benchmarks.table import markdown
from treewright import _core
from treewright.forests import Grammar, chart
from treewright.inference.dense import DenseGrammar

NONTERMINALS = PRETERMINALS = 30
RULES = 1000
LENGTHS = (10, 20, 40)
Contender = tuple[Callable[[], object], float]


def main() -> None:
    rows = [row(words, full) for full in (False, True) for words in LENGTHS]
    header = ["rules", "words", "pytorch-struct ms", "Treewright ms", "ratio", "log Z differs by"]
    print(markdown(header, rows))


def row(words: int, full: bool) -> tuple[str, ...]:
    rng = np.random.default_rng(words)
    n, size = NONTERMINALS, NONTERMINALS + PRETERMINALS
    terms, roots = rng.normal(size=(words, PRETERMINALS)), rng.normal(size=n)
    rules = rng.normal(size=(n, size, size))
    if not full:
        allowed = np.zeros(rules.size, dtype=bool)
        allowed[rng.choice(rules.size, RULES, replace=False)] = True
        rules[~allowed.reshape(rules.shape)] = -np.inf
    theirs, their_z = sent_cfg(terms, rules, roots)
    ours, our_z = (dense if full else sparse)(terms, rules, roots)
    times = race({"theirs": theirs, "ours": ours}, rounds=5, clock=time.process_time)
    return (
        f"{np.isfinite(rules).sum():,}",
        str(words),
        f"{times['theirs'] * 1e3:.0f}",
        f"{times['ours'] * 1e3:.2f}",
        f"{times['theirs'] / times['ours']:.0f}",
        f"{abs(their_z - our_z):.0e}",
    )


def sent_cfg(terms: np.ndarray, rules: np.ndarray, roots: np.ndarray) -> Contender:
    import torch
    from torch_struct import SentCFG

    torch.set_num_threads(1)
    given = (terms, np.maximum(rules, FORBIDDEN), roots)
    tensors = [torch.tensor(x[None], dtype=torch.float64, requires_grad=True) for x in given]
    return lambda: SentCFG(tensors).marginals, float(SentCFG(tensors).partition.item())


def dense(terms: np.ndarray, rules: np.ndarray, roots: np.ndarray) -> Contender:
    """The grammar is made ready once, as for the sentences of a corpus."""
    grammar = DenseGrammar(rules, roots)
    return partial(grammar.marginals, terms), grammar.marginals(terms).log_z


def sparse(terms: np.ndarray, rules: np.ndarray, roots: np.ndarray) -> Contender:
    """A chart in which the goal rewrites to any nonterminal; it is built once for its rules."""
    words, n, goal = len(terms), NONTERMINALS, NONTERMINALS + PRETERMINALS
    binary = np.argwhere(np.isfinite(rules))
    grammar = Grammar.of(goal + 1, binary, [(goal, symbol) for symbol in range(n)])
    entries = [(word, n + tag) for word in range(words) for tag in range(PRETERMINALS)]
    built = chart(grammar, words, entries, goal, sharing="rule")
    assert built is not None
    lexical = built.parts[:, 0] < 0
    of_rules = np.concatenate((rules[np.isfinite(rules)], roots))
    scores = of_rules[np.where(lexical, 0, built.parts[:, 0])]
    scores[lexical] = terms.ravel()
    z = float(_core.log_inside(built.forest.core, scores)[-1])
    return partial(_core.marginals, built.forest.core, scores), z


if __name__ == "__main__":
    main()
