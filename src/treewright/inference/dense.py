"""Inside and marginals of dense grammars by matrix products, without a forest.

Symbols are N nonterminals over two or more words and T preterminals over one word, as in SentCFG of
pytorch-struct. With v(i, j) the inside values of a span, scaled so that the largest is 1:

    P(i, j)[B, C] = sum_k v(i, k)[B] v(k, j)[C]    splits first, as in `Grammar.factored`
    v(i, j)[A]    = sum_BC r[A, B, C] P(i, j)[B, C]

for all spans of a width at once: O(L^3 N^2 + L^2 N^3). Children over one word are multiplied into
the rules beforehand, once per word. The backward pass is the adjoint. Scores that are 700 below the
best of their span, or of all rules, underflow to zero.
"""

from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ForestError


@dataclass(frozen=True, eq=False)
class DenseMarginals:
    """log Z and expected uses: terms [L, T], rules [N, N+T, N+T], roots [N], spans [L+1, L+1, N].

    Spans of one word are in `terms`.
    """

    log_z: float
    terms: Floats
    rules: Floats
    roots: Floats
    spans: Floats


class DenseGrammar:
    """Rules and roots, prepared for many sentences.

    Args:
        rules: [N, N+T, N+T], scores of A -> B C, nonterminals before preterminals; -inf forbids.
        roots: [N], scores of the symbol over the sentence.
    """

    def __init__(self, rules: Floats, roots: Floats) -> None:
        self.n, self.t = n, t = len(rules), rules.shape[1] - len(rules)
        if rules.shape != (n, n + t, n + t) or roots.shape != (n,) or t < 1:
            raise ForestError(f"rules {rules.shape} and roots {roots.shape} do not fit together")
        self.best_rule, self.best_root = float(rules.max()), float(roots.max())
        if not (np.isfinite(self.best_rule) and np.isfinite(self.best_root)):
            raise ForestError("a dense grammar needs a rule and a root of finite score")
        whole = np.exp(rules - self.best_rule)
        self.roots = np.exp(roots - self.best_root)
        self.nn = whole[:, :n, :n].reshape(n, n * n)
        self.tt = whole[:, n:, n:].reshape(n, t * t)
        self.tn = np.ascontiguousarray(whole[:, n:, :n].swapaxes(0, 1)).reshape(t, n * n)
        self.nt = np.ascontiguousarray(whole[:, :n, n:]).reshape(n * n, t)

    def marginals(self, terms: Floats) -> DenseMarginals:
        """log Z and all marginals of a sentence; terms: [L, T], scores of preterminals."""
        if terms.ndim != 2 or terms.shape[1] != self.t or len(terms) < 2:
            raise ForestError(f"terms {terms.shape} are not of two words or more by {self.t}")
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            sweep = _Sweep(self, terms)
            for width in range(2, len(terms) + 1):
                sweep.inside(width)
            log_z, roots = sweep.top()
            for width in range(len(terms), 1, -1):
                sweep.outside(width)
            counts = sweep.counts(log_z, roots)
        if not np.isfinite(counts.terms).all():
            raise ForestError("scores of a dense grammar are too far apart")
        return counts


class _Sweep:
    """The arrays of one sentence; the prefix `d_` marks adjoints.

    Each span is stored twice, so that all splits of all spans of a width are slices: at [i, width]
    in `left`, as a left child, and at [j, words - width] in `right`.
    """

    def __init__(self, grammar: DenseGrammar, terms: Floats) -> None:
        words, n = len(terms), grammar.n
        self.words, self.n, self.grammar = words, n, grammar
        self.word_scale = terms.max(axis=1)
        self.word = np.exp(terms - self.word_scale[:, None])
        # The rules [A, C] and [A, B] that remain with each word as left or right child.
        self.with_left = (self.word @ grammar.tn).reshape(words, n, n)
        self.with_right = (self.word @ grammar.nt.T).reshape(words, n, n)
        shape = words + 1, words + 1
        self.left, self.right = np.zeros((*shape, n)), np.zeros((*shape, n))
        self.left_scale, self.right_scale = np.zeros(shape), np.zeros(shape)
        self.d_left, self.d_right = np.zeros_like(self.left), np.zeros_like(self.left)
        # Adjoints of v(i, j) before scaling, for splits with a word on the left or right.
        self.d_by_left, self.d_by_right = np.zeros_like(self.left), np.zeros_like(self.left)
        self.kept: dict[int, tuple[Floats, Floats]] = {}
        self.weighted: dict[int, Floats] = {}  # left children times their weights
        # For all spans, by width.
        spans = words * (words - 1) // 2
        self.pairs, self.d_raw = np.empty((spans, n * n)), np.empty((spans, n))
        self.pairs[: words - 1] = 0.0  # spans of two words have no such split

    def inside(self, width: int) -> None:
        """Computes v for all spans of a width."""
        starts = self.words - width + 1
        shares, best = self._shares(width)
        if width == 2:
            raw = self._word_pairs() @ self.grammar.tt.T
        else:
            left, right = self._children(self.left, self.right, width)
            pairs = self.pairs[self._rows(width)]
            self.weighted[width] = shares[:, 2:, None] * left
            np.matmul(
                self.weighted[width].transpose(0, 2, 1),
                right,
                out=pairs.reshape(starts, self.n, self.n),
            )
            raw = pairs @ self.grammar.nn.T
            inner = self.left[: starts + 1, width - 1]
            raw += shares[:, :1] * _times(self.with_left[:starts], inner[1:])
            raw += shares[:, 1:2] * _times(self.with_right[width - 1 :], inner[:-1])
        peak = raw.max(axis=1)
        scale = best + self.grammar.best_rule + np.log(peak)
        self.left_scale[:starts, width] = self.right_scale[width:, self.words - width] = scale
        peak[peak == 0] = 1.0
        self.left[:starts, width] = self.right[width:, self.words - width] = raw / peak[:, None]
        self.kept[width] = shares, peak[:, None]

    def _rows(self, width: int) -> slice:
        """The rows in `pairs` and `d_raw` of the spans of a width."""
        first = sum(range(self.words - width + 2, self.words))
        return slice(first, first + self.words - width + 1)

    def _children(self, left: Floats, right: Floats, width: int) -> tuple[Floats, Floats]:
        """The rows of (i, k) and (k, j) for all i and k with two or more words on both sides."""
        starts, words = self.words - width + 1, self.words
        return left[:starts, 2 : width - 1], right[width:, words - width + 2 : words - 1]

    def _word_pairs(self) -> Floats:
        pairs: Floats = self.word[:-1, :, None] * self.word[1:, None, :]
        return pairs.reshape(len(pairs), -1)

    def _shares(self, width: int) -> tuple[Floats, Floats]:
        """The scale of each split, relative to the best: left word, right word, each k."""
        starts, word = self.words - width + 1, self.word_scale
        if width == 2:
            return np.ones((starts, 1)), word[:-1] + word[1:]
        inner = self.left_scale[: starts + 1, width - 1]
        logs = np.empty((starts, width - 1))
        logs[:, 0], logs[:, 1] = word[:starts] + inner[1:], inner[:-1] + word[width - 1 :]
        np.add(*self._children(self.left_scale, self.right_scale, width), out=logs[:, 2:])
        best = logs.max(axis=1)
        return np.exp(logs - np.where(np.isfinite(best), best, 0.0)[:, None]), best

    def top(self) -> tuple[float, Floats]:
        """log Z and the roots' marginals; starts the backward pass."""
        weights, value = self.grammar.roots, self.left[0, self.words]
        total = float(weights @ value)
        if not total > 0:
            raise ForestError("the grammar has no derivation of the sentence")
        self.d_left[0, self.words] = weights / total
        scale = self.grammar.best_root + self.left_scale[0, self.words]
        return float(scale + np.log(total)), weights * value / total

    def outside(self, width: int) -> None:
        """Computes the adjoints of all children of spans of a width."""
        starts = self.words - width + 1
        d_value = self.d_left[:starts, width] + self.d_right[width:, self.words - width]
        self.d_left[:starts, width] = d_value
        shares, peak = self.kept.pop(width)
        d_raw = self.d_raw[self._rows(width)]
        np.divide(d_value, peak, out=d_raw)
        if width == 2:
            return
        d_pairs = (d_raw @ self.grammar.nn).reshape(starts, self.n, self.n)
        _, right = self._children(self.left, self.right, width)
        d_left, d_right = self._children(self.d_left, self.d_right, width)
        d_left += shares[:, 2:, None] * (right @ d_pairs.transpose(0, 2, 1))
        d_right += self.weighted.pop(width) @ d_pairs
        of_left, of_right = d_raw * shares[:, :1], d_raw * shares[:, 1:2]
        self.d_by_left[:starts, width] = of_left
        self.d_by_right[width:, self.words - width] = of_right
        inner = self.d_left[: starts + 1, width - 1]
        inner[1:] += _times(self.with_left[:starts].transpose(0, 2, 1), of_left)
        inner[:-1] += _times(self.with_right[width - 1 :].transpose(0, 2, 1), of_right)

    def counts(self, log_z: float, roots: Floats) -> DenseMarginals:
        """Marginals: values times adjoints."""
        g, n, t = self.grammar, self.n, self.grammar.t
        d_two = self.d_raw[self._rows(2)]
        d_left, d_right = (each.reshape(-1, n * n) for each in self._words_rules())
        rules = np.empty((n, n + t, n + t))
        rules[:, :n, :n] = (g.nn * (self.d_raw.T @ self.pairs)).reshape(n, n, n)
        rules[:, n:, n:] = (g.tt * (d_two.T @ self._word_pairs())).reshape(n, t, t)
        rules[:, n:, :n] = (g.tn * (self.word.T @ d_left)).reshape(t, n, n).swapaxes(0, 1)
        rules[:, :n, n:] = (g.nt * (d_right.T @ self.word)).reshape(n, n, t)
        d_word = d_left @ g.tn.T + d_right @ g.nt
        d_pairs = (d_two @ g.tt).reshape(-1, t, t)
        d_word[:-1] += _times(d_pairs, self.word[1:])
        d_word[1:] += _times(d_pairs.transpose(0, 2, 1), self.word[:-1])
        return DenseMarginals(log_z, self.word * d_word, rules, roots, self._spans())

    def _words_rules(self) -> tuple[Floats, Floats]:
        """Adjoints of `with_left` and `with_right`, over all spans with a word at that end."""
        # Word i on the left of (i + 1, j); word j - 1 on the right of (i, j - 1).
        left = self.d_by_left[:-1, 1:].transpose(0, 2, 1) @ self.left[1:, :-1]
        right = self.d_by_right[1:, :-1].transpose(0, 2, 1) @ self.right[:-1, 1:]
        return left, right

    def _spans(self) -> Floats:
        """Marginals by begin and end."""
        spans = np.zeros_like(self.left)
        both = self.left * self.d_left
        for start in range(self.words):
            spans[start, start:] = both[start, : self.words + 1 - start]
        return spans


def _times(matrices: Floats, vectors: Floats) -> Floats:
    """Each matrix times its vector."""
    product: Floats = (matrices @ vectors[:, :, None])[:, :, 0]
    return product
