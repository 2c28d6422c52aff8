"""Errors on the command line: one line on stderr and an exit code; tracebacks only with --debug."""

import os
import signal
import sys
from types import FrameType
from typing import Any

from typer.core import TyperGroup

from treewright.errors import TreewrightError

USER_ERROR, INTERNAL_ERROR, SIGNAL = 2, 1, 128


class Terminated(KeyboardInterrupt):
    """A signal asks the command to end; it cleans up as after Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class InterruptError(TreewrightError):
    """The user pressed Ctrl-C, or another signal asked the command to end."""

    def __init__(self, error: KeyboardInterrupt, advice: str = "") -> None:
        number = error.number if isinstance(error, Terminated) else signal.SIGINT
        said = "interrupted" if number == signal.SIGINT else "terminated"
        super().__init__(f"{said}; {advice}" if advice else said)
        self.code = SIGNAL + number


def end_on_signals() -> None:
    """Makes SIGTERM and SIGHUP end a command as Ctrl-C does, unless they are ignored (nohup)."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminate)


def _terminate(number: int, _: FrameType | None) -> None:
    raise Terminated(number)


class GuardedGroup(TyperGroup):
    """A command group that raises Ctrl-C as an ordinary error.

    Help texts show flags without a type.
    """

    def get_params(self, ctx: Any) -> Any:
        return without_flag_types(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            without_flag_types(command.get_params(ctx))
        return command

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise InterruptError(error) from error


def without_flag_types(params: Any) -> Any:
    """Lists the flags among parameters without the word <bool>."""
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
    return params


def report(error: Exception) -> int:
    """Prints one line about `error` and returns the exit code that goes with it."""
    message, code = describe(error)
    line = " ".join(message.split())
    print(f"treewright: error: {line}", file=sys.stderr)  # noqa: T201
    return code


def describe(error: Exception) -> tuple[str, int]:
    """The message and the exit code for an error."""
    match error:
        case InterruptError():
            return str(error), error.code
        case TreewrightError() | OSError() | UnicodeError() | MemoryError():
            return _mendable(error), USER_ERROR
    hint = "this is a bug; run `treewright --debug ...` for a traceback"
    return f"{type(error).__name__}: {error} ({hint})", INTERNAL_ERROR


def _mendable(error: Exception) -> str:
    match error:
        case UnicodeDecodeError():
            return f"input is not valid {error.encoding} (byte {error.start}): {error.reason}"
        case UnicodeEncodeError():
            character = error.object[error.start]
            return (
                f"the output's encoding, {error.encoding}, has no {character!a}: set"
                " PYTHONIOENCODING=utf-8, or write to a file with --out"
            )
        case OSError(filename=filename, strerror=str(reason)) if filename is not None:
            return f"{os.fsdecode(filename)}: {reason}"
        case MemoryError():
            return "not enough memory"
    return str(error)
