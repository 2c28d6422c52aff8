"""The array types of the library, under one name each."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Complexes = NDArray[np.complex128]
Indices = NDArray[np.int32]
SmallCounts = NDArray[np.int16]
Integers = NDArray[np.int64]
Keys = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
