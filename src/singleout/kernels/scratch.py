"""Arrays to work in, made once and used again: fresh memory is slow to touch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scratch"]


class Scratch:
    """Work arrays by name; one thread uses them at a time."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}
        self.cached: dict[Any, tuple[NDArray[Any], ...]] = {}

    def array(self, name: str, size: int, kind: Any = np.int64) -> NDArray[Any]:
        """Return an array with at least so many elements, not initialised."""
        array = self._arrays.get(name)
        if array is None or len(array) < size:
            array = np.empty(size, dtype=kind)  # not zeros: numpy gives those small pages
            self._arrays[name] = array
        return array
