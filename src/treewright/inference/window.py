"""A window of the box that holds all but a known share of the probability (Chernoff bounds).

    P(n >= a)  <=  exp(-r a) E[exp(r n)]   for every r > 0,

and likewise below, and for d. The moments are real lanes of one forward sweep. For several
independent sentences together the moments multiply.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treewright import _core
from treewright.arrays import Floats
from treewright.forests.forest import Forest
from treewright.inference.box import Box, total_box
from treewright.inference.lanes import lane_plan

# Rates to try, times the range of the count.
STEEPNESS = np.geomspace(3.0, 6000.0, 20)


def window(sentences: Sequence[tuple[Forest, Floats]], tail: float) -> Box:
    """A box of the summed counts outside of which there is at most `tail` of the mass."""
    return Tails(sentences).window(tail)


class Tails:
    """How much of the mass of the summed counts is far out, at most: windows of every size.

    Args:
        sentences: forests with their scores.
    """

    def __init__(self, sentences: Sequence[tuple[Forest, Floats]]) -> None:
        self.box = box = total_box(forest for forest, _ in sentences)
        self._ends = [sign * STEEPNESS / max(size - 1, 1) for size in box.shape for sign in (1, -1)]
        rates = np.zeros((2, 4 * len(STEEPNESS)))
        rates[0, : 2 * len(STEEPNESS)] = np.concatenate(self._ends[:2])
        rates[1, 2 * len(STEEPNESS) :] = np.concatenate(self._ends[2:])
        logs = sum(_log_moments(forest, scores, rates) for forest, scores in sentences)
        # Counted from the middle of the box.
        logs -= rates[0] * (box.n_low + box.n_high) / 2 + rates[1] * (box.d_low + box.d_high) / 2
        self._logs = np.split(logs, 4)

    def window(self, tail: float) -> Box:
        """A box outside of which there is at most `tail`; beyond a half, a half is enough."""
        cuts = [
            _cut(np.abs(rate), log, size, min(tail, 0.5) / 4)
            for rate, log, size in zip(
                self._ends, self._logs, np.repeat(self.box.shape, 2), strict=True
            )
        ]
        return replace(
            self.box,
            n_low=self.box.n_low + cuts[1],
            n_high=self.box.n_high - cuts[0],
            d_low=self.box.d_low + cuts[3],
            d_high=self.box.d_high - cuts[2],
        )


def _log_moments(forest: Forest, scores: Floats, rates: Floats) -> Floats:
    """log E[exp(rates[0] n + rates[1] d)] [rates]; infinite where it leaves the sweep's range."""
    plan = lane_plan(False, *rates, np.zeros(rates.shape[1]))
    moments = np.real(_core.lane_values(forest.core, forest.count_table, scores, plan))
    usable = (moments > 1e-250) & (moments < 1e250)
    logs: Floats = np.log(moments, out=np.full(moments.shape, np.inf), where=usable)
    return logs


def _cut(rate: Floats, log_moment: Floats, size: int, tail: float) -> int:
    """How many values to cut off at one end so that at most `tail` is lost there."""
    outermost_lost = (size + 1) / 2 - np.arange(size)  # from the middle, if so many are cut
    lost = np.min(log_moment[:, None] - rate[:, None] * outermost_lost, axis=0)
    fits = np.flatnonzero(lost <= np.log(tail))
    return int(fits.max(initial=0))
