"""Dense grammars: matrix products against charts of the same rules."""

import numpy as np
import pytest

from treewright.errors import ForestError
from treewright.forests import Grammar, chart
from treewright.inference import exact
from treewright.inference.dense import DenseGrammar, DenseMarginals


def by_chart(terms: np.ndarray, rules: np.ndarray, roots: np.ndarray) -> DenseMarginals:
    """The twin: a chart with a goal that rewrites to any nonterminal."""
    words, t, n = *terms.shape, len(rules)
    goal = n + t
    binary = np.argwhere(np.isfinite(rules))
    grammar = Grammar.of(goal + 1, binary, [(goal, symbol) for symbol in range(n)])
    entries = [(word, n + tag) for word in range(words) for tag in range(t)]
    built = chart(grammar, words, entries, goal, sharing="rule")
    assert built is not None
    rule = built.parts[:, 0]
    of_rules = np.concatenate((rules[np.isfinite(rules)], roots))
    scores = np.where(rule < 0, 0.0, of_rules[np.maximum(rule, 0)])
    scores[rule < 0] = terms.ravel()
    found = exact.marginals(built.forest, scores)
    of_rule = np.bincount(rule[rule >= 0], found.parts[rule >= 0], len(binary) + n)
    counts = np.zeros_like(rules)
    counts[tuple(binary.T)] = of_rule[: len(binary)]
    spans = np.zeros((words + 1, words + 1, n))
    for (begin, end, symbol), p in zip(built.nodes.tolist(), found.nodes, strict=True):
        if symbol < n:
            spans[begin, end, symbol] = p
    lexical = found.parts[rule < 0].reshape(terms.shape)
    return DenseMarginals(found.log_z, lexical, counts, of_rule[len(binary) :], spans)


@pytest.mark.parametrize("words", [2, 3, 4, 7])
@pytest.mark.parametrize("allowed", [1.0, 0.4])
@pytest.mark.parametrize("spread", [1.0, 30.0])
def test_they_are_those_of_a_chart(words: int, allowed: float, spread: float) -> None:
    rng = np.random.default_rng(words)
    n, t = 3, 2
    rules = spread * rng.normal(size=(n, n + t, n + t))
    rules[rng.random(rules.shape) > allowed] = -np.inf
    rules[:, n:, n:] = rng.normal(size=(n, t, t))
    rules[0, n:, 0] = rng.normal(size=t)  # some derivation there is
    terms, roots = spread * rng.normal(size=(words, t)), rng.normal(size=n)
    ours, theirs = DenseGrammar(rules, roots).marginals(terms), by_chart(terms, rules, roots)
    assert ours.log_z == pytest.approx(theirs.log_z, rel=1e-12)
    for name in ("terms", "rules", "roots", "spans"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-9)
    assert ours.rules.sum() == pytest.approx(words - 1)


def test_what_it_cannot_do_is_an_error() -> None:
    rules, roots = np.full((2, 3, 3), -np.inf), np.zeros(2)
    rules[0, 2, 2] = 0.0
    grammar = DenseGrammar(rules, roots)
    assert grammar.marginals(np.zeros((2, 1))).log_z == pytest.approx(0.0)
    with pytest.raises(ForestError, match="no derivation"):
        grammar.marginals(np.zeros((3, 1)))
    for terms in np.zeros((1, 1)), np.zeros((2, 3)):
        with pytest.raises(ForestError, match="two words"):
            grammar.marginals(terms)
    with pytest.raises(ForestError, match="do not fit together"):
        DenseGrammar(rules, np.zeros(3))
    with pytest.raises(ForestError, match="finite"):
        DenseGrammar(np.full((2, 3, 3), -np.inf), roots)
