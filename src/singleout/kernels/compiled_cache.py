"""A cache of compiled loops on disk that never keeps a program from running.

Numba refuses to start where it cannot write, and stops at a damaged file. Here code that cannot be
read is compiled again, and code that cannot be written is compiled in every run.
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

__all__ = ["CompiledCache", "warn_uncached"]

_DIGEST = 32  # bytes of a SHA-256

_log = logging.getLogger("singleout")


class _DamagedError(Exception):
    """The checksum of a file is wrong."""


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
        stored_key, data = super().load(key) or ("", None)
        return data if stored_key == repr(key) else None

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
    """The compiled forms of one loop; one that cannot be loaded is compiled again.

    ``shared_stamp`` identifies the contents of the files with loops that this one calls.
    """

    _impl_class = _Implementation

    def __init__(self, function: Any, shared_stamp: str) -> None:
        super().__init__(function)
        stamp = (self._impl.locator.get_source_stamp(), shared_stamp)
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code for a signature; None if it has to be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - garbage fails in every way there is
            self._discard()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save compiled code, if it can be written."""
        try:
            super().save_overload(sig, data)
        except OSError:
            warn_uncached()

    def _discard(self) -> None:
        try:
            self.flush()
        except OSError:
            warn_uncached()

    def has_files(self) -> bool:
        """Whether the loop was ever compiled and saved."""
        return Path(self._cache_file._index_path).exists()


@cache
def warn_uncached() -> None:
    """Warn once that the next run has to compile again."""
    _log.warning(
        "Note: compiled code could not be kept, so every run compiles for some seconds; set "
        "NUMBA_CACHE_DIR to a folder that you may write to."
    )
