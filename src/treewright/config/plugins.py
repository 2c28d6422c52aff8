"""Extensions in other packages, found by entry points: kinds of models, losses, encoders.

A package declares an object in its pyproject.toml; the name can then be used in configurations and
commands like a built-in one:

    [project.entry-points."treewright.losses"]
    jaccard = "my_package.losses:jaccard"
"""

from importlib.metadata import entry_points
from typing import Any

from treewright.errors import ConfigError

KINDS, LOSSES, ENCODERS = "treewright.kinds", "treewright.losses", "treewright.encoders"


def plugin_names(group: str) -> list[str]:
    """The names that installed packages add to a group."""
    return sorted({each.name for each in entry_points(group=group)})


def plugin(group: str, name: object) -> Any | None:
    """The object with this name, or None; its package is imported."""
    for each in entry_points(group=group):
        if each.name == name:
            try:
                return each.load()
            except (ImportError, AttributeError) as error:
                message = f"{name!r} of {group} cannot be imported from {each.value}: {error}"
                raise ConfigError(message) from error
    return None
