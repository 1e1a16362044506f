"""Compilation happens once on a machine and takes seconds: say so, rather than seem to hang."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import njit, types

from singleout.core.progress import working_on
from singleout.kernels.compiled_cache import CompiledCache, warn_uncached

__all__ = [
    "announce_compiling",
    "cache_folder",
    "compile_from_now_on",
    "inlined",
    "inner",
    "is_warm",
    "kernel",
    "kernels",
    "worth_compiling",
]

_FIRST_RUN = "Compiling, first run only"


# Loops that only other loops call. Wrappers for calls from Python are not compiled, and small loops
# with one caller are inlined before anything is compiled. Both save seconds.
def inner(function: Callable[..., Any]) -> Any:
    """Prepare a loop for the loops that call it."""
    compiled = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    if hasattr(compiled, "get_call_template"):  # compilation may be switched off
        compiled.get_call_template = _without_literals(compiled.get_call_template)
    return compiled


def _without_literals(template: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap what Numba asks a loop for: a variable that is 0 at first compiles nothing twice.

    Numba infers types in turns. In the first the variable is the literal 0, for which it compiles
    the loop, and in the next a whole number, for which it compiles it once more.
    """

    def plain(args: Any, kws: Any) -> Any:
        return template(
            tuple(types.unliteral(kind) for kind in args),
            {name: types.unliteral(kind) for name, kind in kws.items()},
        )

    return plain


inlined = njit(nogil=True, inline="always")

# files with loops that loops in other files call
_SHARED = (
    "bits.py",
    "distinct/bit_loops.py",
    "distinct/once_loops.py",
    "distinct/pair_loops.py",
    "lattice/groups.py",
    "lattice/scores.py",
    "peel/shared.py",
    "suppression/classes.py",
    "uniques/split_loops.py",
)


kernels: list[Any] = []  # all that were loaded


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop that Python calls, once on a machine; it may call those of shared files.

    Numba invalidates its cache when the file of the loop itself changes. After an upgrade it would
    still call the old loops of other files, and write out of bounds.
    """
    compiled = njit(nogil=True)(function)
    if hasattr(compiled, "_cache"):  # compilation may be switched off
        try:
            compiled._cache = CompiledCache(function, _shared_stamp())
        except RuntimeError:  # no locator that NUMBA_CACHE_LOCATOR_CLASSES allows
            warn_uncached()
        compiled.compile = _without_collecting(compiled.compile)
    kernels.append(compiled)
    return compiled


def _without_collecting(compile_: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap the compilation of a loop: it makes many objects that live long, and little garbage."""

    def compiled(signature: Any) -> Any:
        collects = gc.isenabled()
        gc.disable()
        try:
            return compile_(signature)
        finally:
            if collects:
                gc.enable()

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
    """Whether to use a compiled loop: it is compiled already, or enough work is, or was, to do.

    ``work`` is the work to do, in the unit of ``SMALL_WORK``.
    """
    global _done  # noqa: PLW0603 - all that this process did
    if _is_compiled(loop):
        return True
    _done += work
    return _done > SMALL_WORK


def compile_from_now_on() -> None:
    """Compile loops for the least work, as if there had been enough of it."""
    global _done  # noqa: PLW0603
    _done = SMALL_WORK + 1


def cache_folder() -> str | None:
    """Return where compiled loops are kept; None if they cannot be."""
    from singleout.kernels.grouping import loops

    cached = getattr(loops.pack, "_cache", None)
    if not isinstance(cached, CompiledCache):
        return None
    folder = Path(cached.cache_path)
    nearest = next((part for part in (folder, *folder.parents) if part.exists()), folder)
    if not os.access(nearest, os.W_OK):
        return None
    package = Path(__file__).parent
    return str(package if package in folder.parents else folder.parent)


def is_warm() -> bool:
    """Whether the loops that take longest to compile are compiled."""
    from singleout.kernels.distinct import pair_loops
    from singleout.kernels.uniques import search_loops

    return _is_compiled(search_loops.find_unique) and _is_compiled(pair_loops.count_pairs)


def announce_compiling(*kernels: Any) -> None:
    """Report that kernels are about to be compiled, if none of them ever was on this machine.

    Which of them are needed depends on the table, so one that is compiled is enough to know.
    """
    if not any(_is_compiled(kernel) for kernel in kernels):
        working_on(_FIRST_RUN)


def _is_compiled(kernel: Any) -> bool:
    if not hasattr(kernel, "_cache") or kernel.overloads:  # compilation is switched off, or done
        return True
    return isinstance(kernel._cache, CompiledCache) and kernel._cache.has_files()
