"""What other packages add, by entry points: kinds of models, losses, encoders.

A package names its object in its own pyproject.toml, and the name works wherever a configuration
or a command takes one of ours:

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
    """The object of that name, or None; its package is imported now."""
    for each in entry_points(group=group):
        if each.name == name:
            try:
                return each.load()
            except (ImportError, AttributeError) as error:
                message = f"{name!r} of {group} cannot be imported from {each.value}: {error}"
                raise ConfigError(message) from error
    return None
