"""Decoding of CCG charts: Viterbi, minimum risk, or jointly with the supertagger."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from treewright.arrays import Floats
from treewright.forests.ccg.chart import CcgChart
from treewright.inference import bp, exact, joint_lists, minrisk
from treewright.inference.factors import FactorGraph
from treewright.inference.joint_lists import JointScorer
from treewright.inference.settings import InferenceSettings, decode
from treewright.models.ccg.extraction import dependency_events
from treewright.models.ccg.lattice import Lattice
from treewright.models.ccg.pos import PosLattice


@dataclass(frozen=True, eq=False)
class Joint:
    """Scores and k-best lists of the joint model, computed on demand from its factor graph."""

    graph: FactorGraph
    settings: InferenceSettings
    state: bp.State | None  # None: belief propagation has not run

    @cached_property
    def scores(self) -> Floats:
        """The parser's scores with the messages of belief propagation: float64 [parts]."""
        state, primary, s = self.state, self.graph.primary, self.settings
        if state is None:
            state = bp.run(self.graph, s.iterations, s.threshold, damping=s.damping).state
        return self.graph.forest_factor(primary).scores(state.incoming(primary))

    @cached_property
    def score(self) -> JointScorer:
        """A function that computes joint scores of the parser's derivations."""
        return JointScorer(self.graph)

    def kbest(self, k: int) -> list[exact.Derivation]:
        """The parser's k derivations with the highest joint scores, best first."""
        return joint_lists.kbest(self.graph, k).derivations


@dataclass(frozen=True, eq=False)
class Choice:
    """A chosen derivation, with its expected gain, joint scores and corrected POS tags, if any."""

    best: exact.Derivation
    gain: float | None = None
    joint: Joint | None = None
    pos: Sequence[str] | None = None


def choose(chart: CcgChart, scores: Floats, how: InferenceSettings) -> Choice:
    """Decodes with the parser alone: Viterbi, or maximum expected dependencies."""
    if how.algorithm == "viterbi":
        return Choice(exact.viterbi(chart.forest, scores))
    events = dependency_events(chart)[0]
    decision = minrisk.max_expected_counts(chart.forest, scores, events, how.penalty)
    return Choice(exact.rescored(chart.forest, scores, decision.edges), decision.score)


def choose_jointly(
    chart: CcgChart, scores: Floats, graph: FactorGraph, lattice: Lattice, how: InferenceSettings
) -> Choice:
    """Decodes with the joint model of parser and supertagger; the score remains the parser's."""
    events = None if how.algorithm == "dd" else dependency_events(chart)[0]
    answer = decode(graph, how, events)
    edges = answer.derivation.edges
    pos = lattice.mended(graph, answer.values) if isinstance(lattice, PosLattice) else None
    joint = Joint(graph, how, answer.state)
    gain = answer.derivation.score if how.algorithm == "bp" else None
    return Choice(exact.rescored(chart.forest, scores, edges), gain, joint, pos)
