"""The audit log: who asked for what kind of thing, when and why. Never what was in it.

One JSON object a line. Several processes may write the same file: each line is one write at its
end. An address is written as a keyed hash, the key of which lives as long as the process.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from singleout.errors import UnwritableOutput

__all__ = ["AuditLog"]


class AuditLog:
    """A file that lines are appended to; or nothing, without a path."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._key = secrets.token_bytes(32)
        self._file = -1
        if path is not None:
            try:
                self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            except OSError as error:
                raise UnwritableOutput(
                    f"The audit log {path} cannot be written: {error.strerror}."
                ) from error

    def write(self, event: Mapping[str, object]) -> None:
        """Append a line; a disk that is full stops the request that would go unrecorded."""
        if self._file < 0:
            return
        stamped = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **event}
        line = json.dumps(stamped, ensure_ascii=True) + "\n"
        try:
            os.write(self._file, line.encode())
        except OSError as error:
            raise UnwritableOutput(
                f"The audit log {self._path} cannot be written: {error.strerror}."
            ) from error

    def caller(self, address: str) -> str:
        """Return a name for an address that nobody can turn back after this process ended."""
        return hashlib.blake2b(address.encode(), key=self._key, digest_size=6).hexdigest()

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
