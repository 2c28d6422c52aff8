"""
Treewright's native core: forests, sweeps and objectives over integers and floats.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


def simd_level() -> str:
    """The instruction set that the hot loops use here."""

def compiler() -> str:
    """What the core was compiled with."""

def set_deadline(seconds: float | None) -> None:
    """Sets the time from now at which the core's loops give up; None: never."""

class Forest:
    """A checked packed forest; keeps the arrays it was given."""

    def __init__(self, first_edge: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], part: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: int) -> None: ...

    @property
    def nodes(self) -> int: ...

    @property
    def edges(self) -> int: ...

    @property
    def parts(self) -> int: ...

def reachable_nodes(forest: Forest) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """One byte a node: do derivations of the goal use it?"""

def reachable_parts(forest: Forest) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """One byte a part: do derivations of the goal use it?"""

def restrict(forest: Forest, keep: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Arrays of the sub-forest of kept edges, and the old numbers of its nodes and edges.
    """

def log_inside(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def max_inside(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def log_outside(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def max_outside(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def scaled_inside(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Mantissas in [1, 2) and exponents of 2."""

def scaled_outside(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Mantissas in [1, 2) and exponents of 2."""

def count_inside(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], prime: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """Numbers of derivations modulo a prime."""

def marginals(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    log Z and the marginals of nodes, edges and parts; zeros if no derivation has weight.
    """

def viterbi(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """The best score and derivation; no edges if none has weight."""

def viterbi_by(forest: Forest, gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    The best sum of gains, and of the derivations that have it the one of the best score.
    """

def kbest(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int) -> list[tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]]:
    """At most k (score, edges), best first."""

def sample(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, seed: int) -> list[Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """k derivations drawn from the model."""

def entropy(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """In nats."""

def divergence(forest: Forest, p_scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], q_scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """KL(P || Q) in nats."""

class TermPlan:
    """sum_k coefficient[k] * exp(rate_n[k] n + rate_d[k] d)."""

    def __init__(self, complex: bool, rate_n: Sequence[complex], rate_d: Sequence[complex], coefficient: Sequence[complex]) -> None: ...

class SplitPlan:
    """Any g on the goal's (n, d) cells, row-major."""

    def __init__(self, g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class SlicedPlan:
    """sum_k coefficient[d][k] * exp(rate[k] n)."""

    def __init__(self, complex: bool, rate: Sequence[complex], coefficient: Sequence[complex]) -> None: ...

class MarginPlan:
    """A loss offset[d] - slope[d] * n."""

    def __init__(self, offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class CellPlan:
    """A loss on the goal's (n, d) cells, row-major."""

    def __init__(self, loss: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slack: bool) -> None: ...

class TiltedPlan:
    """
    A positive g by exponential tilting, or by the exact plan where that is out of reach.
    """

    def __init__(self, log_g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_within_d: bool, start: tuple[float, float], tolerance: float, exact: TermPlan | SplitPlan | SlicedPlan) -> None: ...

class CompiledObjective:
    """An objective on one forest, compiled to numbers."""

    def __init__(self, side: str, constant: float = 0.0, cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, plan: TermPlan | SplitPlan | SlicedPlan | TiltedPlan | MarginPlan | CellPlan | None = None) -> None: ...

class CountTable:
    """The counts n and d of a forest's parts."""

    def __init__(self, forest: Forest, n: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], d: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def goal_range(self) -> tuple[int, int, int, int]:
        """The lowest and highest n and d of the goal's derivations."""

    @property
    def rounding_steps(self) -> float:
        """
        Bounds the relative rounding error of real terms, in units of roundoff.
        """

def node_ranges(forest: Forest, counts: CountTable) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """n_low, n_high, d_low, d_high of every node."""

def cell_costs(forest: Forest, counts: CountTable) -> tuple[float, float, int, int]:
    """Products of split and of sliced (a term), and their cells."""

def term_values(forest: Forest, counts: CountTable, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: TermPlan) -> list[complex]:
    """E[exp(rate_n[k] n + rate_d[k] d)] of each term."""

def split_law(forest: Forest, counts: CountTable, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """P(n, d) on the goal's grid."""

def sliced_values(forest: Forest, counts: CountTable, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: SlicedPlan) -> list[complex]:
    """[d][term]: E[exp(rate n); d]."""

def split_best(forest: Forest, counts: CountTable, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cell: int | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    The best score in each (n, d) cell, and the derivation of one cell (of the first if None).
    """

def tilted_log_sum(forest: Forest, counts: CountTable, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: TiltedPlan) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))], int, float, float, int] | None:
    """
    log sum of w g, the marginals of w g, terms, certified error, share of edges, values of d kept apart; or None.
    """

def fit_terms(log_rest: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lows: tuple[int, int], n_within_d: bool, centre: tuple[float, float], covariance: Sequence[float], moments: Sequence[Sequence[float]], tolerance: float, outer_n: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], outer_d: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], outer_log_rest: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], float] | None:
    """
    A sum of exponentials of the counts from a centre, with rates along n and d and coefficients [terms] each, and a bound on its mean error under a law with these moments; or None.
    """

class TiltedCorpus:
    """Sentences whose counts add up, tilted by a plane of the sums."""

    def __init__(self, sentences: Sequence[tuple[Forest, CountTable, Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]], slope_n: float, slope_d: float) -> None:
        """Forests, counts and scores, and the slopes that go into the scores."""

    @property
    def log_total(self) -> float:
        """log of the sum of the tilted weights."""

    @property
    def rounding_steps(self) -> float:
        """Bounds the relative rounding error of a moment, in units of roundoff."""

    def law(self) -> tuple[float, float, float, float, float]:
        """Means of n and d, variance of n, covariance, variance of d."""

    def log_moments(self, rate_n: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rate_d: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """log E[exp(rate x)] of each pair of rates."""

    def masses(self, coefficient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        E[uses * sum_k c_k exp(rate_k x - shift_k)] of every sentence's parts, with the rates of the last moments.
        """

def expectation(forest: Forest, counts: CountTable, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], objective: CompiledObjective) -> tuple[float, float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """log Z, E[g] and every part's E[g * uses]."""

def evaluate(forest: Forest, gold: Forest | None, counts: CountTable | None, objective: CompiledObjective, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """An objective's value and its gradient over the scores."""

class Features:
    """A CSR matrix of parts and features."""

    def __init__(self, first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], local: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], vocabulary: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def scores(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Every part's score."""

    def backpropagate(self, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The gradient over the vocabulary, from the one over the parts."""

class FeatureBatch:
    """The features of some examples, checked once."""

    def __init__(self, examples: list[Features], features: int) -> None: ...

    def scores(self, numbers: Sequence[int], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """Scores of the parts of some examples."""

    def add_up(self, numbers: Sequence[int], gradients: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        From gradients over parts: features that any example has, the gradient there, examples with each.
        """

class Batch:
    """Items (forest, gold, counts, features, objective), checked once."""

    def __init__(self, items: list[object], features: int) -> None: ...

    def __len__(self) -> int: ...

    def run(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Every item's value, and the gradient of their sum; the same for any number of threads.
        """

    def run_on(self, numbers: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        Values of some items; features that they have, the gradient there, items with each.
        """

    def run_tables(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Every item's value and gradient, each item with the weights of its own table.
        """

    def uses(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """How many items have each feature."""

class Grammar:
    """Integer rules, compiled for the chart builder."""

    def __init__(self, symbols: int, binary: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], unary: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def symbols(self) -> int: ...

def build_chart(grammar: Grammar, words: int, entry_word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], entry_symbol: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], goal: int, sharing: str, max_edges: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], int, Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))]]: ...

def build_chain(first_tag: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tag: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: int, max_edges: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], int, Annotated[NDArray[numpy.int32], dict(shape=(None, None))]]: ...

class Templates:
    """Feature templates, compiled."""

    def __init__(self, code: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int, values: int, places: int, marks: int) -> None: ...

    def __len__(self) -> int: ...

class KeyTable:
    """The keys of features; a feature is its key's position."""

    def __init__(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], key_bits: int = 64) -> None: ...

    def __len__(self) -> int: ...

class TagTemplates:
    """Feature templates of taggers, compiled."""

    def __init__(self, templates: Templates, scans: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    def hash(self, attributes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_position: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
        """Feature keys, [positions, templates]."""

class TaggerModel:
    """Weights of a tagger, ready to tag."""

    def __init__(self, templates: TagTemplates, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], row_first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_tag: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], local: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], chain: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], tags: int, set_first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], set_tag: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bigram: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], trigrams: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], trigram: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: int, key_bits: int = 64) -> None: ...

    def tag(self, attributes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_position: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], set: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], beta: float, least: int, most: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        The pruned lattice: offsets of positions, tags, posteriors, emissions, local.
        """

    def marginals(self, first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tag: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], emission: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], power: float = 1.0) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """log Z and posteriors of a sentence's candidates."""

    def rows(self, attributes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_position: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def entries(self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_tag: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tag: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

class LocalObjective:
    """The local model's likelihood."""

    def __init__(self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], templates: int, row_first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_tag: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tags: int, set_first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], set_tag: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], set: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def value_and_gradient(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def step(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float, precision: float, dropout: float, seed: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float:
        """One pass of AdaGrad; changes weights and squares."""

class CcgGrammar:
    """A compiled CCG: symbols, rules, lexical entries."""

    def __init__(self, variables: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], category: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], root: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], mark: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], rules: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], maps: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], entry_symbol: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_slot: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], empty_pairs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rule_score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], root_score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], closed: bool) -> None: ...

class CcgChartSettings:
    """What a CCG chart contains, and its limits."""

    def __init__(self, normal_form: bool, dependencies: bool, spans: bool, fragments: bool, keep_gold: bool, max_unary: int, margin: float, cell_margin: float, max_nodes: int, max_edges: int) -> None: ...

class CcgChart:
    """A CCG chart as a forest, and what its parts stand for."""

    @property
    def outcome(self) -> int:
        """0 parsed, 1 fragments, 2 no parse, 3 too large, 4 unknown pairs"""

    @property
    def margin(self) -> float:
        """the margin that was used"""

    def forest(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], int]:
        """first_edge, left, right, part, parts"""

    def nodes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[nodes, 3]: begin, end, symbol"""

    def parts(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[parts, 7]: kind, rule or cell or symbol, heads, begin, split, end"""

    def filled(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """the dependencies that each part fills, as first and numbers"""

    def dependencies(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[dependencies, 3]: the functor's cell, relation, argument"""

    def counts(self) -> Annotated[NDArray[numpy.int16], dict(shape=(None,))]:
        """n, d and c of the parts, one after the other; empty without gold"""

    def gold_edges(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    def unknown(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[pairs, 2]: symbols whose rules the grammar does not know yet"""

def ccg_chart(grammar: CcgGrammar, first_cell: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], entry: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: CcgChartSettings, cell_score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, gold_cell: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, gold_node: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, gold_dependency: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> CcgChart:
    """The chart of a sentence's lexical entries."""

class CcgWords:
    """The words of a sentence as features see them."""

    def __init__(self, attribute: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], verbs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stops: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int) -> None: ...

def ccg_feature_keys(grammar: CcgGrammar, chart: CcgChart, words: CcgWords, templates: Templates) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]]:
    """first [parts + 1] and keys"""

def ccg_feature_numbers(grammar: CcgGrammar, chart: CcgChart, words: CcgWords, templates: Templates, table: KeyTable) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """first [parts + 1] and feature numbers"""

def ccg_feature_scores(grammar: CcgGrammar, chart: CcgChart, words: CcgWords, templates: Templates, table: KeyTable, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cell_score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, cell_weight: float = 0.0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    float64 [parts]; lexical parts also have cell_weight times their cell's score
    """

class Tokens:
    """A sentence as integers; keeps the arrays."""

    def __init__(self, attributes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int, sort: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class SpanModel:
    def __init__(self, bits: int, kinds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], templates: Templates) -> None: ...

    @property
    def shape(self) -> tuple[int, int]: ...

    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]: ...

    def set_weights(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def candidates(self, tokens: Tokens, threshold: float) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]: ...

    def best(self, tokens: Tokens) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]: ...

class SpanTrainer:
    def __init__(self, model: SpanModel) -> None: ...

    def train(self, first_token: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tokens: Tokens, first_span: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], spans: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float) -> float: ...

class TreebankGrammar:
    def __init__(self, tags: int, symbols: int, binary: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], unary: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], root: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def rules(self) -> int: ...

def build_pruned(grammar: TreebankGrammar, tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], spans: bool, max_edges: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], int, Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))]]: ...

def cky_best(grammar: TreebankGrammar, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: int, entry_word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], entry_tag: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], entry_score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None, None))]]: ...

class FeatureSpace:
    def __init__(self, grammar: TreebankGrammar, kind: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], templates: Templates) -> None: ...

class FeatureCounter:
    def __init__(self, space: FeatureSpace) -> None: ...

    def add(self, tokens: Tokens, parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def keys(self, least: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

class FeatureIndex:
    def __init__(self, space: FeatureSpace, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: int, key_bits: int = 64) -> None: ...

    @property
    def size(self) -> int: ...

    def matrix(self, tokens: Tokens, parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

    def scores(self, tokens: Tokens, parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class TransitionModel:
    def __init__(self, system: str, labels: int, root_label: int, templates: Templates, class_column: int, classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tag_column: int, tags: int, filter_first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], filter_labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def cost(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], action: int) -> int: ...

    def features(self, table: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    def oracle(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reduce_early: bool) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

class TransitionLearner:
    def __init__(self, model: TransitionModel) -> None: ...

    def learn(self, table: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], beam: int, max_violation: bool, aggressiveness: float, ticking: bool) -> int: ...

    def explore(self, table: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], exploration: float, ticking: bool) -> int: ...

    def update(self, table: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], better_heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], better_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], worse_heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], worse_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float, reduce_early: bool) -> None: ...

    def tick(self) -> None: ...

    def kbest(self, table: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, beam: int, root: int = 0) -> list[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], float]]: ...

    def averaged(self, threshold: float) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint16], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]: ...

    def current(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint16], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]: ...

    def state(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint16], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], float]: ...

    def restore(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], moments: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], random: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], time: float) -> None: ...

    @property
    def features(self) -> int: ...

class TransitionParser:
    def __init__(self, model: TransitionModel, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], key_bits: int = 64) -> None: ...

    def parse(self, table: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], beam: int, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def kbest(self, table: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, beam: int) -> list[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], float]]: ...

    @property
    def bytes(self) -> int: ...

def best_trees(words: int, score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, single_root: bool) -> list[tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]]:
    """
    The k best spanning trees of arc scores [head, word]: pairs of a score and heads.
    """

def best_tree_by(words: int, gain: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    The heads of the tree with the best sum of gains, of equals that with the best score.
    """

def best_labelled_trees(words: int, labels: int, score: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, single_root: bool, variants: bool) -> list[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], float]]:
    """
    The k best labelled trees of arc scores [head, word, label]: heads, labels, score.
    """

def best_labellings(heads: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], words: int, labels: int, score: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int) -> list[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], float]]:
    """The k best labellings of given trees: heads, labels, score."""

def build_arc_forest(words: int, head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], siblings: bool, single_root: bool, max_edges: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], int, Annotated[NDArray[numpy.int32], dict(shape=(None, None))]]: ...

class ArcTemplates:
    def __init__(self, templates: Templates) -> None: ...

    def scores(self, attributes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sibling: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: int, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    def update(self, attributes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sibling: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: int, change: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], time: float) -> None: ...

    def descend(self, attributes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sibling: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: int, gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], time: float, squares: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], rate: float) -> None: ...

class ForestFactor:
    """
    A forest whose parts choose the values of variables. Not for two threads at once: it keeps its last answer.
    """

    def __init__(self, forest: Forest, parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], most_work: int | None = None) -> None: ...

    def rescore(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """New scores of all parts."""

    def forget(self) -> None:
        """The next `best` starts from nothing."""

    def log_marginals(self, messages: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """log Z and the log of every value's probability."""

    def message(self, messages: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """log Z and what the factor tells the variables, normalised over each."""

    def part_marginals(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The parts' marginals of the last log_marginals."""

    def scores(self, messages: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The parts' scores with the messages of their values."""

    def best(self, messages: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """Score, edges and values of the best derivation, from the last answer."""

    def solve(self, messages: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """The same from nothing; the last answer stays."""

    def alive(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """One byte a value: does a derivation use it?"""

    @property
    def work(self) -> int:
        """Edges that the last `best` looked at."""

def event_gains(first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], event: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], marginals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalty: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Of each part, the sum over its events of their posterior less the penalty.
    """

def intersect(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], value_of_part: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], emission: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], stop: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transition: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_edges: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], int, Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Arrays of a forest intersected with a chain, its edges' scores, and whose edges they are.
    """
