"""Structured SVMs by block-coordinate Frank-Wolfe with pairwise steps over remembered planes.

    min_w |w|^2 / 2 + C/n sum_i hinge_i(w)

The dual has one simplex for each example (Lacoste-Julien et al. 2013): shares a_ip of its planes
(g_ip, b_ip), with

    w = -C/n sum_ip a_ip g_ip,    dual = C/n sum_ip a_ip b_ip - |w|^2 / 2

Loss-augmented inference finds the most violated plane of an example; planes are kept, and passes
over kept planes alone follow, since they cost much less than inference (Shah, Kolmogorov and
Lampert 2015). A step moves share from the worst plane to the best one (Osokin et al. 2016): plain
steps towards the best plane can only shrink all other shares together, and converge slowly.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Indices, Integers
from treewright.train.cutting_planes import CuttingPlane, Hinges, SvmSettings
from treewright.train.loop import Arrays, State, Step, Tick, Values, silent

MAX_STEPS = 5  # of one visit to a block
MAX_IDLE = 5  # passes without share, after which a plane is dropped
MAX_INNER = 10  # passes over kept planes after each pass of inference
INNER_GAP = 0.1  # they end at this fraction of the last pass's gap
STATE = ("passes", "place", "converged", "hinge", "gap", "seconds")


class Block:
    """The planes of one example, over the features that they use, and the share of each.

    slopes: [planes, features]. Plane 0 is gold's, which is zero; at first it has the whole share.
    """

    def __init__(self) -> None:
        self.features = np.zeros(0, np.int32)
        self.slopes, self.offsets = np.zeros((1, 0)), np.zeros(1)
        self.shares, self.idle = np.ones(1), np.zeros(1, np.int64)
        self.gram = np.zeros((1, 1))

    def add(self, plane: CuttingPlane) -> None:
        """Adds a plane, unless it is there."""
        features: Indices = np.union1d(self.features, plane.features)
        if len(features) > len(self.features):
            wider = np.zeros((len(self.slopes), len(features)))
            wider[:, np.searchsorted(features, self.features)] = self.slopes
            self.features, self.slopes = features, wider
        slope = np.zeros(len(features))
        slope[np.searchsorted(features, plane.features)] = plane.values
        same = self.offsets == plane.offset
        if same.any() and (self.slopes[same] == slope).all(1).any():
            return
        self.slopes = np.vstack((self.slopes, slope))
        self.offsets = np.append(self.offsets, plane.offset)
        self.shares, self.idle = np.append(self.shares, 0.0), np.append(self.idle, 0)
        self.gram = self.slopes @ self.slopes.T

    def move(self, weights: Floats, scale: float) -> float:
        """Pairwise steps, each with the best step size; the block's gap over its planes before.

        scale: C/n.
        """
        if len(self.offsets) == 1:
            return 0.0
        scores = self.slopes @ weights[self.features] + self.offsets
        gap = scale * float(scores.max() - self.shares @ scores)
        if gap <= 0:
            return 0.0
        before = self.shares.copy()
        for _ in range(MAX_STEPS):
            best = int(scores.argmax())
            worst = int(np.where(self.shares > 0, scores, np.inf).argmin())
            gain = float(scores[best] - scores[worst])
            if gain <= 0:
                break
            slope = self.gram[best] - self.gram[worst]
            length = scale * float(slope[best] - slope[worst])
            most = float(self.shares[worst])
            step = min(most, gain / length) if length > 0 else most
            self.shares[worst] -= step
            self.shares[best] += step
            scores -= scale * step * slope
        weights[self.features] -= scale * ((self.shares - before) @ self.slopes)
        return gap

    def drop_idle(self) -> None:
        """Drops planes that have long been without share."""
        self.idle = np.where(self.shares > 0, 0, self.idle + 1)
        self.idle[0] = 0
        if (used := self.idle < MAX_IDLE).all():
            return
        for name in ("slopes", "offsets", "shares", "idle"):
            setattr(self, name, getattr(self, name)[used])
        self.gram = self.slopes @ self.slopes.T


class FrankWolfe:
    """A learner of one simplex per example.

    A pass visits every example once. It stops when the gap, summed over the visits of a pass, is at
    most epsilon * C. The hinges and gaps are those at which each step was taken, so that the
    objective and the gap of a pass cost no inference of their own; `certified_gap` is exact.
    """

    def __init__(self, hinges: Hinges, features: int, settings: SvmSettings, seed: int) -> None:
        self.hinges, self.settings = hinges, settings
        self.weights, self.mean = np.zeros((2, features))
        self.blocks = [Block() for _ in range(len(hinges))]
        self.passes = self.place = 0
        self.converged, self.hinge, self.gap, self.seconds = False, 0.0, 0.0, 0.0
        self._random = np.random.default_rng(seed)
        self._order = self._random.permutation(len(hinges))

    @property
    def done(self) -> bool:
        return self.converged or self.passes >= self.settings.iterations

    def model(self) -> Arrays:
        return {"weights": (self.mean if self.settings.averaging else self.weights).copy()}

    def state(self) -> State:
        blocks = self.blocks
        arrays: Arrays = {
            "weights": self.weights,
            "mean": self.mean,
            "planes": np.array([len(b.offsets) for b in blocks]),
            "widths": np.array([len(b.features) for b in blocks]),
            "slopes": np.concatenate([b.slopes.ravel() for b in blocks]),
        }
        for name in ("features", "offsets", "shares", "idle"):
            arrays[name] = np.concatenate([getattr(b, name) for b in blocks])
        return arrays, {name: getattr(self, name) for name in STATE}

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values) -> None:
        self.weights, self.mean = arrays["weights"].copy(), arrays["mean"].copy()
        for name in STATE:
            setattr(self, name, values[name])
        if self.passes > self.settings.iterations:
            raise ValueError(f"{self.passes} passes of {self.settings.iterations}")
        planes, widths = arrays["planes"], arrays["widths"]
        features = _split(arrays["features"], widths)
        slopes = _split(arrays["slopes"], planes * widths)
        rest = {name: _split(arrays[name], planes) for name in ("offsets", "shares", "idle")}
        for number, block in enumerate(self.blocks):
            block.features = features[number]
            block.slopes = slopes[number].reshape(int(planes[number]), int(widths[number]))
            for name, rows in rest.items():
                setattr(block, name, rows[number])
            block.gram = block.slopes @ block.slopes.T
        for _ in range(self.passes):
            self._order = self._random.permutation(len(self.hinges))

    def advance(self, tick: Tick = silent) -> Step:
        size, c = len(self.hinges), self.settings.c
        while self.place < size:
            began = time.process_time()
            self._visit(int(self._order[self.place]))
            self.place += 1
            self.seconds += time.process_time() - began
            if self.place < size:
                tick(self.passes + self.place / size)
        began = time.process_time()
        self._inner_passes()
        self.seconds += time.process_time() - began
        self.passes += 1
        if self.settings.averaging:
            self.mean += (2.0 / (self.passes + 1)) * (self.weights - self.mean)
        primal = 0.5 * float(self.weights @ self.weights) + c * self.hinge / size
        figures = {"gap": self.gap, "dual": self.dual(), "cpu_seconds": self.seconds}
        self.converged = self.gap <= self.settings.epsilon * c
        self.place, self.hinge, self.gap = 0, 0.0, 0.0
        self._order = self._random.permutation(size)
        return Step(self.passes, primal, figures)

    def dual(self) -> float:
        """The dual's value: no weights have a lower objective."""
        shared = sum(float(block.shares @ block.offsets) for block in self.blocks)
        return self._scale * shared - 0.5 * float(self.weights @ self.weights)

    def certified_gap(self) -> tuple[float, float]:
        """The objective of the model's weights, and how far at most it is from its minimum."""
        weights = self.model()["weights"]
        hinge = sum(self.hinges.violation(i, weights)[0] for i in range(len(self.hinges)))
        primal = 0.5 * float(weights @ weights) + self._scale * hinge
        return primal, primal - self.dual()

    def continue_with(self, c: float) -> None:
        """Trains on with another C: shares stay, and so the weights are scaled."""
        ratio = c / self.settings.c
        self.weights *= ratio
        self.mean *= ratio
        self.settings = replace(self.settings, c=c)
        self.passes, self.converged = 0, False

    @property
    def _scale(self) -> float:
        return self.settings.c / len(self.hinges)

    def _visit(self, number: int) -> None:
        """Inference for one example, and steps of its block."""
        value, plane = self.hinges.most_violated(number, self.weights)
        block = self.blocks[number]
        block.add(plane)
        self.hinge += value
        self.gap += block.move(self.weights, self._scale)
        block.drop_idle()

    def _inner_passes(self) -> None:
        """Passes over the kept planes, in the pass's order, until their gap is small.

        Blocks leave when their gap is so small that all of them together would be done.
        """
        enough, order = INNER_GAP * self.gap, self._order.tolist()
        for _ in range(MAX_INNER):
            gaps = [self.blocks[i].move(self.weights, self._scale) for i in order]
            if sum(gaps) <= enough:
                break
            least = enough / len(self.blocks)
            order = [i for i, gap in zip(order, gaps, strict=True) if gap > least]


def _split(values: NDArray[Any], sizes: Integers) -> list[NDArray[Any]]:
    return [part.copy() for part in np.split(values, np.cumsum(sizes)[:-1])]
