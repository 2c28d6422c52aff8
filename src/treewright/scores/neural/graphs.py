"""Runs a network's exported graphs with ONNX Runtime on the CPU."""

from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Bytes, Floats32, Integers
from treewright.errors import ConfigError, StoreError
from treewright.scores.neural.checks import check_graph

MAX_GB = 8  # of what all graphs compute at a time


class Graph:
    """A graph: several arrays in, one array out.

    Args:
        data: the ONNX file, uint8 [bytes].
        threads: number of threads of ONNX Runtime.
    """

    def __init__(self, data: Bytes, threads: int = 1) -> None:
        self.data, self.threads = np.ascontiguousarray(data), threads

    def __call__(self, *arrays: Integers | Floats32) -> Floats32:
        """The output for these inputs, in the order of the graph's names."""
        session = self.session
        names = [each.name for each in session.get_inputs()]
        if len(names) != len(arrays):
            raise StoreError(f"a network's graph has {len(names)} inputs, not {len(arrays)}")
        try:
            found = session.run(None, dict(zip(names, arrays, strict=True)))[0]
        except Exception as error:  # the runtime has many exception types of its own
            raise StoreError(f"a network's graph fails: {str(error)[:200]}") from error
        return _checked(found, len(arrays[0]))

    @cached_property
    def session(self) -> Any:
        """The session of ONNX Runtime, created on first use."""
        runtime = _runtime()
        raw = self.data.tobytes()
        check_graph(raw)
        how = runtime.SessionOptions()
        how.intra_op_num_threads, how.inter_op_num_threads = self.threads, 1
        how.log_severity_level = 4
        how.add_session_config_entry("session.use_env_allocators", str(int(_limit_memory())))
        try:
            return runtime.InferenceSession(raw, how, providers=["CPUExecutionProvider"])
        except Exception as error:  # the runtime has many kinds, all of its own
            raise StoreError(f"a network's graph is damaged: {str(error)[:200]}") from error


def _checked(found: Any, sentences: int) -> Floats32:
    """The output, checked to have one row of finite numbers (or -inf) per sentence."""
    if not isinstance(found, np.ndarray) or found.dtype != np.float32:
        raise StoreError("a network's graph gives something else than 32-bit floats")
    if found.ndim < 2 or len(found) != sentences:
        raise StoreError(f"a network's graph gives {found.shape} for {sentences} sentences")
    if found.size and not float(found.max()) < np.inf:
        raise StoreError("a network gives NaN or infinity")
    return found


@cache
def _limit_memory() -> bool:
    """Limits the memory that all graphs share, once per process.

    Returns whether that was possible.
    """
    runtime = _runtime()
    where = runtime.OrtMemoryInfo(
        "Cpu", runtime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, runtime.OrtMemType.DEFAULT
    )
    try:
        runtime.create_and_register_allocator(
            where, runtime.OrtArenaCfg({"max_mem": MAX_GB << 30, "arena_extend_strategy": 0})
        )
    except Exception:  # noqa: BLE001 - another library of this process has its own
        return False
    return True


def _runtime() -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        message = "this model needs ONNX Runtime: pip install treewright[neural]"
        raise ConfigError(message) from error
    return onnxruntime


def as_bytes(data: bytes) -> NDArray[np.uint8]:
    """A file as an array for a bundle."""
    return np.frombuffer(data, np.uint8)
