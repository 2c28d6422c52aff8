"""The facts about installation and machine that a run, a benchmark or a bug report records."""

import os
import platform
import resource

import numpy as np
import scipy

from treewright import __version__, _core


def facts() -> dict[str, str]:
    """The facts by name, in the order in which they are shown."""
    return {
        "treewright": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "core compiler": _core.compiler(),
        "core simd": _core.simd_level(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpu simd": cpu_simd(),
        "threads": str(available_threads()),
    }


def cpu_simd() -> str:
    """The instruction sets that this CPU has, as numpy names them."""
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    return " ".join([*simd.get("baseline", []), *simd.get("found", [])])


def available_threads() -> int:
    """The number of threads that this process may run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def peak_rss_mb() -> float:
    """The most memory that this process has held so far, in MB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
