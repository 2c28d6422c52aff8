"""Errors for users: one line that says what is wrong, and where.

The command line prints them. Any other exception is a bug.
"""

from os import PathLike, fspath


class TreewrightError(Exception):
    """Base class of all errors that a user can fix."""


class FormatError(TreewrightError):
    """A data file is malformed; printed as `path:line: message`."""

    def __init__(self, path: str | PathLike[str], line: int, message: str) -> None:
        super().__init__(path, line, message)  # all three, so that the error survives pickling
        self.path = fspath(path)
        self.line = line
        self.message = message

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class ConfigError(TreewrightError):
    """A setting is unknown, missing, or of the wrong type or value."""


class GrammarError(TreewrightError):
    """A grammar lacks a category or a rule."""


class ForestError(TreewrightError):
    """A forest is malformed, or does not support an operation."""


class DeadlineError(TreewrightError):
    """A computation exceeded its deadline (`treewright.inference.deadline`)."""


class StoreError(TreewrightError):
    """A forest store or a model on disk is damaged or has another version."""
