"""The installation and machine that a run, a benchmark or a bug report records."""

import platform

import numpy as np
import scipy

from treewright import __version__, _core
from treewright.machine import available_threads


def environment() -> dict[str, str]:
    """Versions and machine facts by name, in display order."""
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
