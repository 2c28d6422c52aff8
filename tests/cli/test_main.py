"""The command line: its commands, and what the shell sees when something goes wrong."""

import subprocess
import sys
from textwrap import indent

import pytest
from typer.testing import CliRunner

from treewright import __version__
from treewright.cli.info import collect
from treewright.cli.main import app

# The command line, with one more command whose body a test supplies.
PROGRAM = """
import os, signal, sys
from treewright.cli.main import app, run
from treewright.errors import ConfigError, FormatError

@app.command()
def misbehave() -> None:
{body}

run()
"""


def start(body: str, *args: str) -> subprocess.Popen[str]:
    code = PROGRAM.format(body=indent(body, "    "))
    return subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def outcome(body: str, *args: str) -> tuple[int, str]:
    """The exit code and the stderr of a command with this body."""
    process = start(body, *(args or ["misbehave"]))
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


@pytest.mark.parametrize("argument", ["version", "--version"])
def test_version(argument: str) -> None:
    result = CliRunner().invoke(app, [argument])
    assert result.exit_code == 0
    assert result.output == f"treewright {__version__}\n"


def test_info_shows_every_fact() -> None:
    result = CliRunner().invoke(app, ["info"])
    assert result.exit_code == 0
    facts = collect()
    assert {"treewright", "python", "numpy", "scipy", "core simd", "threads"} <= set(facts)
    assert len(result.output.splitlines()) == len(facts)


def test_no_arguments_show_the_help() -> None:
    result = CliRunner().invoke(app, [])
    assert "version" in result.output
    assert "info" in result.output


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("raise ConfigError('run.toml: no')", 2, "run.toml: no"),
        ("raise ConfigError('two\\nlines')", 2, "two lines"),
        ("raise FormatError('a.mrg', 3, 'unbalanced')", 2, "a.mrg:3: unbalanced"),
        ("open('no/such')", 2, "no/such: No such file or directory"),
        ("open('/')", 2, "/: Is a directory"),
        ("raise PermissionError(13, 'Permission denied', 'x')", 2, "x: Permission denied"),
        ("raise OSError('odd')", 2, "odd"),
        ("b'ab\\xff'.decode()", 2, "input is not valid utf-8 (byte 2): invalid start byte"),
        (
            "chr(8220).encode('latin-1')",
            2,
            "the output's encoding, latin-1, has no '\\u201c': set PYTHONIOENCODING=utf-8, or write"
            " to a file with --out",
        ),
        ("os.kill(os.getpid(), signal.SIGINT)", 130, "interrupted"),
        (
            "1 / 0",
            1,
            "ZeroDivisionError: division by zero (this is a bug; run"
            " `treewright --debug ...` for a traceback)",
        ),
    ],
)
def test_an_error_is_one_line(body: str, code: int, message: str) -> None:
    assert outcome(body) == (code, f"treewright: error: {message}\n")


def test_debug_shows_the_traceback() -> None:
    code, errors = outcome("raise ConfigError('no')", "--debug", "misbehave")
    assert code == 1
    assert "Traceback" in errors
    assert "ConfigError: no" in errors


@pytest.mark.parametrize("argument", ["no-such-command", "--no-such-option"])
def test_a_usage_error_exits_with_2(argument: str) -> None:
    code, errors = outcome("pass", argument)
    assert code == 2
    assert argument in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("lines", [1, 100_000], ids=["at exit", "in the command"])
def test_a_closed_pipe_is_quiet(lines: int) -> None:
    body = f"sys.stdin.read()\nfor _ in range({lines}): print('x' * 80)"
    with start(body, "misbehave") as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


def test_a_closed_output_is_quiet() -> None:
    command = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "treewright", "version"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, treewright.cli.main; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    modules = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert "treewright.cli.main" in modules
    assert {"numpy", "scipy", "treewright._core"}.isdisjoint(modules)
