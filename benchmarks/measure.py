"""Interleaved timing: contenders take turns, so that noise affects all of them alike."""

import gc
import resource
import time
from collections.abc import Callable, Mapping

import numpy as np


def race(
    contenders: Mapping[str, Callable[[], object]],
    rounds: int = 7,
    seconds: float = 6.0,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """The best time of each contender, in seconds, over rounds in which each runs once.

    The first round warms up. Rounds end early once they took `seconds` in all, but not before the
    second.
    """
    best = dict.fromkeys(contenders, np.inf)
    gc.disable()
    try:
        began = time.perf_counter()
        for number in range(rounds + 1):
            for name, run in contenders.items():
                start = clock()
                run()
                elapsed = clock() - start
                if number:
                    best[name] = min(best[name], elapsed)
            if number and time.perf_counter() - began > seconds:
                break
    finally:
        gc.enable()
    return best


def growth(sizes: list[int], times: list[float]) -> float:
    """The exponent x of time ~ size^x, by least squares on logs."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def peak_mb() -> float:
    """The largest resident set of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
