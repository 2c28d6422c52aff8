"""`treewright info`: the facts about the installation that a bug report or a benchmark needs."""

import os
import platform

import typer

from treewright import __version__


def command() -> None:
    """Show versions, what the core was built for, and what the machine offers."""
    facts = collect()
    width = max(map(len, facts))
    for name, value in facts.items():
        typer.echo(f"{name:<{width}}  {value}")


def collect() -> dict[str, str]:
    """The facts by name, in the order in which they are shown."""
    import numpy as np
    import scipy

    from treewright import _core

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
    import numpy as np

    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    return " ".join([*simd.get("baseline", []), *simd.get("found", [])])


def available_threads() -> int:
    """The number of threads that this process may run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
