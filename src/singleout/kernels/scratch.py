"""Arrays to work in, made once and used again: fresh memory is slow to touch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scratch"]


class Scratch:
    """Arrays to work in, by name; one thread works in them at a time."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}
        self.kept: dict[Any, tuple[NDArray[Any], ...]] = {}

    def array(self, name: str, size: int, kind: Any = np.int64) -> NDArray[Any]:
        """Return an array with at least so many elements; what is in it is not known."""
        found = self._arrays.get(name)
        if found is None or len(found) < size:
            found = np.empty(size, dtype=kind)  # not zeros: numpy gives those small pages
            self._arrays[name] = found
        return found
