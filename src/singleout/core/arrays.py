"""Types of arrays, by kind and bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["C128", "F64", "I32", "I64", "U8", "U16", "U32", "U64", "Flags"]

Flags = NDArray[np.bool_]
U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
C128 = NDArray[np.complex128]
