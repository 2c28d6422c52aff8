"""The processes of the server: a keeper that has loaded the models, and workers forked from it.

A fork shares the memory of its parent until it writes, so all workers share one copy of the models.
The keeper does nothing else: it has no threads, which forks would lose.
"""

import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Sequence
from multiprocessing import get_context
from typing import Any

from threadpoolctl import threadpool_limits

from treewright.errors import TreewrightError
from treewright.serve.frames import Frame, Kind, receive_frame
from treewright.serve.models import Models
from treewright.serve.settings import Limits, ModelSource
from treewright.serve.work import BatchWork, batches

ONE = b"1"  # the message that requests a worker; the worker's socket is attached


def start_keeper(sources: Sequence[ModelSource], limits: Limits) -> tuple[Any, socket.socket]:
    """Starts a keeper process; returns it and the socket for reports and requests."""
    ours, theirs = socket.socketpair()
    context = get_context("spawn")
    process = context.Process(
        target=_keep, args=(tuple(sources), limits, theirs), name="treewright-keeper"
    )
    process.start()
    theirs.close()
    return process, ours


def _keep(sources: Sequence[ModelSource], limits: Limits, control: socket.socket) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for workers
    threadpool_limits(1)
    try:
        models = Models.load(sources)
        control.sendall(Frame(Kind.HELLO, body=_described(models)).encoded())
    except (TreewrightError, OSError) as error:
        control.sendall(Frame(Kind.FAILED, body=str(error).encode()).encoded())
        return
    gc.collect()
    gc.freeze()  # objects that are never collected are not written to, and stay shared
    while True:
        message, sockets, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            os._exit(0)  # immediately: frozen objects are never freed, which nanobind would report
        _start_worker(models, sources, limits, control, socket.socket(fileno=sockets[0]))


def _described(models: Models) -> bytes:
    return json.dumps(models.described()).encode()


def _start_worker(
    models: Models,
    sources: Sequence[ModelSource],
    limits: Limits,
    control: socket.socket,
    theirs: socket.socket,
) -> None:
    if sys.platform != "linux":  # forks are only safe on Linux: the worker loads the models itself
        get_context("spawn").Process(target=_spawned, args=(sources, limits, theirs)).start()
    elif os.fork() == 0:
        control.close()
        _leave(models, limits, theirs)
    theirs.close()


def _leave(models: Models, limits: Limits, server: socket.socket) -> None:
    """Works until the server is gone, and ends the process."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        serve_batches(models, limits, server)
        code = 0
    except (BrokenPipeError, ConnectionResetError):
        code = 0
    except BaseException:  # noqa: BLE001 - a fork must not go on where its parent was
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def _spawned(sources: Sequence[ModelSource], limits: Limits, server: socket.socket) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threadpool_limits(1)
    serve_batches(Models.load(sources), limits, server)


def serve_batches(models: Models, limits: Limits, server: socket.socket) -> None:
    """The main loop of a worker: one batch after the other."""

    def send(frame: Frame) -> None:
        server.sendall(frame.encoded())

    send(Frame(Kind.HELLO, body=str(os.getpid()).encode()))
    for message in batches(lambda: receive_frame(server)):
        BatchWork(models, limits, message, send).run()
        send(Frame(Kind.READY))
