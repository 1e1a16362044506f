"""Counting bits, by the processor's own instruction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config, types
from numba.extending import intrinsic

__all__ = ["popcount"]

if config.DISABLE_JIT:

    def popcount(word: Any) -> Any:
        """Return how many bits of a word are set."""
        return np.uint64(int(word).bit_count())

else:

    @intrinsic
    def popcount(typing_context: Any, word: Any) -> Any:  # noqa: ARG001
        """Return how many bits of a word are set."""

        def generate(context: Any, builder: Any, signature: Any, words: Any) -> Any:  # noqa: ARG001
            return builder.ctpop(words[0])

        return types.uint64(types.uint64), generate
