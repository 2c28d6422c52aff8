"""Experiments that reproduce papers, one folder per paper; modules export `EXPERIMENTS`."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from treewright.errors import ConfigError
from treewright.experiments.experiment import Experiment


def all_experiments() -> dict[str, Experiment]:
    """All experiments by name, in order."""
    modules = map(import_module, sorted(_modules()))
    experiments = [each for module in modules for each in getattr(module, "EXPERIMENTS", ())]
    return {each.name: each for each in sorted(experiments, key=lambda each: each.name)}


def experiment_named(name: str) -> Experiment:
    """The experiment with this name."""
    known = all_experiments()
    if name not in known:
        raise ConfigError(f"unknown experiment {name!r}: one of {', '.join(known)}")
    return known[name]


def _modules() -> Iterator[str]:
    for package in pkgutil.iter_modules(__path__, f"{__name__}."):
        if package.ispkg:
            path = import_module(package.name).__path__
            yield from (each.name for each in pkgutil.iter_modules(path, f"{package.name}."))
