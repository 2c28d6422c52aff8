"""Decoding for expected constituents: chains that repeat a label count it twice, and only then."""

import numpy as np

from tests.const_examples import grammar_of
from treewright.data.brackets import Phrase, Tagged
from treewright.forests.constituency.counts import ConstituentCounter
from treewright.grammar.binarise import Binariser
from treewright.inference import exact
from treewright.models.constituency.decode import constituents, decode


def test_a_repeated_label_is_two_events() -> None:
    words = (Tagged("DT", "a"), Tagged("NN", "b"))
    once, twice = Phrase("NP", words), Phrase("NP", (Phrase("NP", words),))
    grammar = grammar_of([once, twice], Binariser("right", 0, 1))
    number = grammar.rules.number
    chart = grammar.chart(
        grammar.tag_numbers(["DT", "NN"]), [(0, 2, number["NP"]), (0, 2, number["NP+NP"])]
    )
    assert chart is not None
    counter = ConstituentCounter(grammar)
    scores = np.zeros(chart.forest.parts)
    scores[chart.parts[:, 0] == -2 - number["NP"]] = np.log(4)  # NP 0.8, NP+NP 0.2
    events, names = constituents(chart, counter)
    posterior = events.sums(exact.marginals(chart.forest, scores).parts)
    assert dict(zip((name for _, _, name in names), posterior.round(9), strict=True)) == {
        "NP": 1.0,
        "NP'": 0.2,
    }
    for decoder in ("viterbi", "max-constituents", "max-f1"):
        best = decode(chart, scores, decoder, counter)
        assert grammar.tree(chart, best.edges, ["a", "b"], ["DT", "NN"]).label == "NP"
