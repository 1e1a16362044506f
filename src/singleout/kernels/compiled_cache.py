"""Compiled loops on disk: kept if there is a place for them, and never a reason not to run.

Numba refuses to start where it cannot write, and stops at a damaged file. Here neither matters:
what cannot be read is compiled again, and what cannot be written is compiled in every run.
"""

from __future__ import annotations

import logging
import pickle
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core.caching import (
    CacheImpl,
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    InTreeCacheLocator,
)

__all__ = ["CompiledCache", "say_that_nothing_is_kept"]

_DIGEST = 32  # bytes of a SHA-256

_log = logging.getLogger("singleout")


class _DamagedError(Exception):
    """A file is not as it was written."""


class _AsInstalled(InTreeCacheLocator):  # type: ignore[misc] # numba has no types
    """The folder of the package, for reading only: the last resort, where nothing can be written.

    What an administrator's first run compiled is there for everybody.
    """

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _AsInstalled | None:
        return cls(py_func, py_file) if Path(py_file).exists() else None


class _Implementation(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [*CacheImpl._locator_classes, _AsInstalled]  # noqa: RUF012


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Files with a checksum and their key.

    Damaged machine code would end the process; and of two processes that start at once, one may
    overwrite the other's data under a number that the index gives to its own.
    """

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (repr(key), data))

    def load(self, key: Any) -> Any:
        kept_key, data = super().load(key) or ("", None)
        return data if kept_key == repr(key) else None

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(sha256(content).digest() + content)

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        if sha256(content[_DIGEST:]).digest() != content[:_DIGEST]:
            raise _DamagedError(name)
        return pickle.loads(content[_DIGEST:])


class CompiledCache(FunctionCache):  # type: ignore[misc]
    """The compiled forms of one loop; a loop that cannot be read or kept is compiled.

    Parameters
    ----------
    function
        The loop in Python.
    shared_stamp
        Stands for the files with loops that this one calls.
    """

    _impl_class = _Implementation

    def __init__(self, function: Any, shared_stamp: str) -> None:
        super().__init__(function)
        stamp = (self._impl.locator.get_source_stamp(), shared_stamp)
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature; None if it has to be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - garbage fails in every way there is
            self._start_anew()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if there is a place for it."""
        try:
            super().save_overload(sig, data)
        except OSError:
            say_that_nothing_is_kept()

    def _start_anew(self) -> None:
        try:
            self.flush()
        except OSError:
            say_that_nothing_is_kept()

    def has_files(self) -> bool:
        """Whether the loop was ever compiled and kept."""
        return Path(self._cache_file._index_path).exists()


@cache
def say_that_nothing_is_kept() -> None:
    """Say it once: the next run takes as long."""
    _log.warning(
        "Note: compiled code could not be kept, so every run compiles for some seconds; set "
        "NUMBA_CACHE_DIR to a folder that you may write to."
    )
