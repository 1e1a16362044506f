"""Types of arrays, by kind and bits, and sums by group."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["C128", "F64", "I32", "I64", "U8", "U16", "U32", "U64", "Flags", "sums", "total"]

Flags = NDArray[np.bool_]
U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
C128 = NDArray[np.complex128]


def total(amounts: NDArray[Any], counts: NDArray[Any]) -> float:
    """Return the sum of amounts, each as often as it is counted.

    Not ``@``, which waits in a thread for each core: that takes more time than it saves here.
    """
    return float((amounts * counts).sum())


def sums(ids: NDArray[Any], amounts: ArrayLike, groups: int = 0) -> F64:
    """Return the sum of the amounts of each group, numbered from 0, at least so many groups."""
    # the stubs of numpy know no weighted counts
    return np.asarray(np.bincount(ids, amounts, minlength=groups), dtype=np.float64)
