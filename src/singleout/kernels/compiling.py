"""Compilation happens once on a machine and takes seconds: say so, rather than seem to hang."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import njit

from singleout.core.progress import working_on
from singleout.kernels.compiled_cache import CompiledCache, say_that_nothing_is_kept

__all__ = ["FIRST_RUN", "announce_compiling", "inlined", "inner", "kernel", "worth_compiling"]

FIRST_RUN = "Compiling, first run only"

# Loops that only other loops call. What Python would need to call them is not compiled; and small
# ones, used in one place, are put there before anything is compiled. Both save seconds.
inner = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
inlined = njit(nogil=True, inline="always")

_SHARED = ("bits.py", "distinct/pair_loops.py")  # files with loops that loops in other files call


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop that Python calls, once on a machine; it may call those of shared files.

    Numba takes what was compiled before as long as the file of the loop itself is the same. After
    an upgrade it would go on with what other files had then, and write where it must not.
    """
    compiled = njit(nogil=True)(function)
    if hasattr(compiled, "_cache"):  # compilation may be switched off
        try:
            compiled._cache = CompiledCache(function, _shared_stamp())
        except RuntimeError:  # none of the places that NUMBA_CACHE_LOCATOR_CLASSES allows
            say_that_nothing_is_kept()
    return compiled


@cache
def _shared_stamp() -> str:
    here = Path(__file__).parent
    return sha256(b"".join((here / name).read_bytes() for name in _SHARED)).hexdigest()


# Work that is done without compiled loops before they are compiled: about what compiling takes.
# As long as it is not used up, compiling might be in vain; from then on it soon pays.
SMALL_WORK = 100_000_000

_done = 0


def worth_compiling(work: int, loop: Any) -> bool:
    """Whether to use a compiled loop: it is there already, or there is, or was, much to do.

    Parameters
    ----------
    work
        How much there is to do, as ``SMALL_WORK`` counts it.
    loop
        The loop.
    """
    global _done  # noqa: PLW0603 - all that this process did
    if _is_compiled(loop):
        return True
    _done += work
    return _done > SMALL_WORK


def announce_compiling(*kernels: Any) -> None:
    """Say that kernels are about to be compiled, if none of them ever was on this machine.

    Which of them are needed depends on the table, so that one is enough to know.
    """
    if not any(_is_compiled(kernel) for kernel in kernels):
        working_on(FIRST_RUN)


def _is_compiled(kernel: Any) -> bool:
    if not hasattr(kernel, "_cache") or kernel.overloads:  # compilation is switched off, or done
        return True
    return isinstance(kernel._cache, CompiledCache) and kernel._cache.has_files()
