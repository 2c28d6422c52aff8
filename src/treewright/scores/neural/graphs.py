"""Graphs of numbers that a network was exported to, run by ONNX Runtime on the CPU."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Bytes, Floats32, Integers
from treewright.errors import ConfigError, StoreError

EXTERNAL = b"external_data"  # a graph that names other files would read them


class Graph:
    """One graph: arrays in, one array out.

    Args:
        data: the ONNX file, uint8 [bytes].
        threads: of ONNX Runtime.
    """

    def __init__(self, data: Bytes, threads: int = 1) -> None:
        self.data, self.threads = np.ascontiguousarray(data), threads

    def __call__(self, *arrays: Integers | Floats32) -> Floats32:
        """The output for these inputs, in the order in which the graph names them."""
        names = (each.name for each in self.session.get_inputs())
        feeds = dict(zip(names, arrays, strict=True))
        found: Floats32 = self.session.run(None, feeds)[0]
        return found

    @cached_property
    def session(self) -> Any:
        """The session of ONNX Runtime, made when it is first needed."""
        runtime = _runtime()
        raw = self.data.tobytes()
        if EXTERNAL in raw:
            raise StoreError("a network's graph names other files, which are never read")
        how = runtime.SessionOptions()
        how.intra_op_num_threads, how.inter_op_num_threads = self.threads, 1
        how.log_severity_level = 3
        try:
            return runtime.InferenceSession(raw, how, providers=["CPUExecutionProvider"])
        except Exception as error:  # the runtime has many kinds, all of its own
            raise StoreError(f"a network's graph is damaged: {str(error)[:200]}") from error


def _runtime() -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        message = "this model needs ONNX Runtime: pip install treewright[neural]"
        raise ConfigError(message) from error
    return onnxruntime


def as_bytes(data: bytes) -> NDArray[np.uint8]:
    """A file as an array, as models keep it."""
    return np.frombuffer(data, np.uint8)
