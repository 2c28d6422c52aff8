"""Treewright trains parsers for the metric they will be judged by.

CCG, constituency and dependency parsers become one kind of object, a packed forest; inference,
losses and trainers see nothing else.
"""

from importlib.metadata import version
from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treewright.models.kinds import Model

__version__ = version("treewright")


def load(directory: str | PathLike[str]) -> "Model":
    """The trained model in a directory."""
    from treewright.models.kinds import load as load_model

    return load_model(directory)
