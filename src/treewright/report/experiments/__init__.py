"""The experiments: every module here that exports `EXPERIMENTS` is one of the list."""

import pkgutil
from importlib import import_module

from treewright.errors import ConfigError
from treewright.report.experiment import Experiment


def all_experiments() -> dict[str, Experiment]:
    """All experiments by name, in order."""
    modules = (import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__))
    found = [each for module in modules for each in getattr(module, "EXPERIMENTS", ())]
    return {each.name: each for each in sorted(found, key=lambda each: each.name)}


def experiment_named(name: str) -> Experiment:
    """The experiment of that name."""
    known = all_experiments()
    if name not in known:
        raise ConfigError(f"unknown experiment {name!r}: one of {', '.join(known)}")
    return known[name]
