"""The derivation that a CCG parser chooses: Viterbi, minimum risk, or with the supertagger."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treewright.arrays import Floats
from treewright.forests.ccg.chart import CcgChart
from treewright.inference import bp, exact, minrisk
from treewright.inference.factors import FactorGraph
from treewright.inference.settings import InferenceSettings, decode
from treewright.models.ccg.analysis import dependency_events
from treewright.models.ccg.lattice import Lattice
from treewright.models.ccg.pos import PosLattice


@dataclass(frozen=True, eq=False)
class Choice:
    """A derivation with its score, and what `CcgAnalysis` says more of it; new parts of speech."""

    best: exact.Derivation
    gain: float | None = None
    beliefs: Callable[[], Floats] | None = None
    pos: Sequence[str] | None = None


def choose(chart: CcgChart, scores: Floats, how: InferenceSettings) -> Choice:
    """By the parser alone: its best derivation, or that with the best expected dependencies."""
    if how.algorithm == "viterbi":
        return Choice(exact.viterbi(chart.forest, scores))
    events = dependency_events(chart)[0]
    found = minrisk.max_expected_counts(chart.forest, scores, events, how.penalty)
    return Choice(exact.rescored(chart.forest, scores, found.edges), found.score)


def choose_jointly(
    chart: CcgChart, scores: Floats, graph: FactorGraph, lattice: Lattice, how: InferenceSettings
) -> Choice:
    """By the joint model of parser and supertagger; the score is that of the parser."""
    events = None if how.algorithm == "dd" else dependency_events(chart)[0]
    answer = decode(graph, how, events)
    edges = answer.derivation.edges
    pos = lattice.mended(graph, answer.cells) if isinstance(lattice, PosLattice) else None

    def beliefs() -> Floats:
        state = answer.state
        if state is None:  # dual decomposition gives no probabilities
            state = bp.run(graph, how.iterations, how.threshold, damping=how.damping).state
        return state.part_beliefs(graph.primary)

    gain = answer.derivation.score if how.algorithm == "bp" else None
    return Choice(exact.rescored(chart.forest, scores, edges), gain, beliefs, pos)
