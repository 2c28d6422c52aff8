"""Errors meant for the user: each is one line that says what is wrong, and where.

The command line prints them as they are; anything else that escapes is a bug.
"""

from os import PathLike, fspath


class TreewrightError(Exception):
    """Base of every error that the user, not the programmer, can mend."""


class FormatError(TreewrightError):
    """A data file breaks its format; renders as `path:line: message`."""

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
    """A grammar cannot do what is asked of it: a category or a rule that it does not have."""


class ForestError(TreewrightError):
    """A forest is malformed, or cannot do what is asked of it."""


class DeadlineError(TreewrightError):
    """A computation was given up because its time was over (`treewright.inference.deadline`)."""


class StoreError(TreewrightError):
    """A forest store or a model on disk is damaged, or of another version."""
