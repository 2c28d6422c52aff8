"""Treewright trains parsers for the metric they will be judged by.

CCG, constituency and dependency parsers become one kind of object, a packed forest; inference,
losses and trainers see nothing else.
"""

from importlib.metadata import version

__version__ = version("treewright")
