"""A line search for the strong Wolfe conditions (Nocedal and Wright 2006, section 3.5)."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from treewright.arrays import Floats

DECREASE, CURVATURE = 1e-4, 0.9  # c1 and c2, as in every quasi-Newton method
TRIALS = 20
ROUNDING = 1e-14  # of a value: a rise by less may be none


@dataclass(frozen=True, eq=False)
class Point:
    """A step along the search direction: where it leads, the value there, and its derivative."""

    step: float
    weights: Floats
    value: float
    gradient: Floats
    slope: float


class LineSearch:
    """Looks for a step from `start` that takes the value down enough and leaves little slope."""

    def __init__(self, start: Point, at: Callable[[float], Point]) -> None:
        self.start, self.at = start, at

    def run(self, step: float) -> Point | None:
        """A good point, the first try at `step`; None where the search finds no decrease."""
        before = self.start
        for _ in range(TRIALS):
            now = self.at(step)
            if not self._is_down(now) or (now.value >= before.value and before.step > 0):
                return self._between(before, now)
            if self._is_flat(now):
                return now
            if now.slope >= 0:
                return self._between(now, before)
            before, step = now, 2.5 * step
        return before

    def _between(self, low: Point, high: Point) -> Point | None:
        """Narrows an interval, in which `low` is the better end, to a good point."""
        for _ in range(TRIALS):
            now = self.at(_minimum(low, high))
            if not self._is_down(now) or now.value >= low.value:
                high = now
                continue
            if self._is_flat(now):
                return now
            if now.slope * (high.step - low.step) >= 0:
                high = low
            low = now
        return low if low.step > 0 else None

    def _is_down(self, point: Point) -> bool:
        rounding = ROUNDING * abs(self.start.value)
        bound = self.start.value + DECREASE * point.step * self.start.slope + rounding
        return math.isfinite(point.value) and point.value <= bound

    def _is_flat(self, point: Point) -> bool:
        return abs(point.slope) <= -CURVATURE * self.start.slope


def _minimum(a: Point, b: Point) -> float:
    """The minimum of the cubic through both ends, kept away from them."""
    middle, width = (a.step + b.step) / 2, abs(b.step - a.step)
    if not (math.isfinite(b.value) and math.isfinite(b.slope)):
        return a.step + 0.1 * (b.step - a.step)
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step)
    square = d1 * d1 - a.slope * b.slope
    if square < 0:
        return middle
    d2 = math.copysign(math.sqrt(square), b.step - a.step)
    scale = b.slope - a.slope + 2 * d2
    found = b.step - (b.step - a.step) * (b.slope + d2 - d1) / scale if scale else middle
    return min(max(found, middle - 0.4 * width), middle + 0.4 * width)
