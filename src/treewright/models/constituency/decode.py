"""Decoding of constituency charts: Viterbi, max-constituents or max-F1.

`min-risk`, the name used by all kinds of models, is `max-constituents` here.
"""

from typing import Literal, get_args

import numpy as np

from treewright.arrays import Floats, Indices, Integers
from treewright.errors import ConfigError
from treewright.forests.build import Chart
from treewright.forests.constituency.chart import FIRST_SPAN_PART, WORD_PART
from treewright.forests.constituency.counts import ConstituentCounter
from treewright.inference import exact, minrisk
from treewright.inference.exact import Derivation
from treewright.inference.minrisk import Events

Decoder = Literal["viterbi", "min-risk", "max-constituents", "max-f1"]
DECODERS: tuple[str, ...] = get_args(Decoder)
AGAIN = "'"  # marks a repeated label in a unary chain
PENALTY = 0.4  # subtracted from each constituent's posterior; 0 maximises recall alone


def decode(
    chart: Chart,
    scores: Floats,
    decoder: str,
    counter: ConstituentCounter,
    penalty: float = PENALTY,
) -> Derivation:
    """The derivation that a decoder chooses."""
    match decoder:
        case "viterbi":
            return exact.viterbi(chart.forest, scores)
        case "max-constituents" | "min-risk":
            events = constituents(chart, counter)[0]
            return minrisk.max_expected_counts(chart.forest, scores, events, penalty)
        case "max-f1":
            events = constituents(chart, counter)[0]
            return minrisk.max_expected_f1(chart.forest, scores, 50, events)
    raise ConfigError(f"unknown decoder {decoder!r}: one of {', '.join(DECODERS)}")


def constituents(
    chart: Chart, counter: ConstituentCounter
) -> tuple[Events, list[tuple[int, int, str]]]:
    """The constituents that parts produce, as events, and the span and label of each event."""
    number: dict[tuple[int, int, str, int], int] = {}
    first, event = [0], []
    symbols = (each.tolist() for each in symbols_of(chart, counter))
    for symbol, begin, end in zip(*symbols, strict=True):
        labels = counter.chains[symbol]
        # A repeated label in a chain, such as the second NP of NP+NP, is a separate event.
        again = [labels[:place].count(label) for place, label in enumerate(labels)]
        keys = [(begin, end, *name) for name in zip(labels, again, strict=True)]
        event += [number.setdefault(key, len(number)) for key in keys]
        first.append(len(event))
    table = Events(np.array(first, dtype=np.int32), np.array(event, dtype=np.int32))
    return table, [(begin, end, label + AGAIN * n) for begin, end, label, n in number]


def symbols_of(chart: Chart, counter: ConstituentCounter) -> tuple[Integers, Indices, Indices]:
    """The symbol that each part produces (the last number: none), and its span: [parts] each."""
    rule, begin, _, end = chart.parts.T
    none = len(counter.chains) - 1
    if (rule <= FIRST_SPAN_PART).any():
        symbol = np.where(rule <= FIRST_SPAN_PART, FIRST_SPAN_PART - rule, none)
    else:
        symbol = np.where(rule == WORD_PART, none, counter.parents[rule])
    return symbol, begin, end
