"""Connections to a Ray cluster (extra `treewright[ray]`)."""

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from socket import create_connection
from threading import current_thread, main_thread
from typing import Any

from treewright.errors import ConfigError

SECONDS_TO_ANSWER = 10.0


@contextmanager
def kept_signals() -> Iterator[None]:
    """Restores signal handlers in the block: Ray's handler of SIGTERM aborts.

    Only the main thread can do this.
    """
    kept = (signal.SIGINT, signal.SIGTERM) if current_thread() is main_thread() else ()
    before = {number: signal.getsignal(number) for number in kept}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def connected(address: str) -> Any:
    """Ray, connected to the cluster at an address; `auto`: one on this machine."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise ConfigError("--ray needs Ray: pip install 'treewright[ray]'") from error
    if not ray.is_initialized():
        where = None if address == "auto" else address
        if where is not None:
            knock(where)
        try:
            ray.init(
                where, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            hint = "; if it asks for a token, set RAY_AUTH_MODE=token" if where else ""
            raise ConfigError(f"--ray {address}: {error}{hint}") from error
    return ray


def head_of(ray: Any, address: str) -> str | None:
    """The address of the head of the cluster; None if it cannot be reached."""
    direct = address if address.startswith("ray://") else ray.get_runtime_context().gcs_address
    try:
        knock(direct)
    except ConfigError:
        return None
    return str(direct)


def knock(address: str) -> None:
    """Raises an error if HOST:PORT does not answer; Ray itself would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not (host and port.isdecimal()):
        raise ConfigError(f"--ray {address}: an address is HOST:PORT, or auto")
    try:
        create_connection((host, int(port)), SECONDS_TO_ANSWER).close()
    except (OSError, OverflowError) as error:
        raise ConfigError(f"--ray {address}: no answer: {error}") from error
