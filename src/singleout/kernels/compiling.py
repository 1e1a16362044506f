"""Compilation happens once on a machine and takes seconds: say so, rather than seem to hang."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numba import njit

from singleout.core.progress import working_on

__all__ = ["FIRST_RUN", "announce_compiling", "inlined", "inner"]

FIRST_RUN = "Compiling, first run only"

# Loops that only other loops call. What Python would need to call them is not compiled; and small
# ones, used in one place, are put there before anything is compiled. Both save seconds.
inner = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
inlined = njit(nogil=True, inline="always")


def announce_compiling(*kernels: Any) -> None:
    """Say that kernels are about to be compiled, if none of them ever was on this machine.

    Which of them are needed depends on the table, so that one is enough to know.
    """
    if not any(_is_compiled(kernel) for kernel in kernels):
        working_on(FIRST_RUN)


def _is_compiled(kernel: Any) -> bool:
    if not hasattr(kernel, "stats") or kernel.signatures:  # compilation is switched off, or done
        return True
    cache = Path(kernel.stats.cache_path)
    return any(cache.glob(f"*.{kernel.__name__}-*.nbi"))
