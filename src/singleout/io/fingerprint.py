"""The fingerprint of a file: proof of which file was looked at, without its content."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from singleout.core.paths import expanded
from singleout.core.progress import working_on
from singleout.errors import UnreadableFile

__all__ = ["fingerprint"]


def fingerprint(source: Any) -> str | None:
    """Return the SHA-256 of a file in hexadecimal digits; None for what is no path.

    Parameters
    ----------
    source
        What was read: a path, or a table or data frame, which has no file.
    """
    if not isinstance(source, str | os.PathLike):
        return None
    path = expanded(source)
    working_on(f"Taking the fingerprint of {path.name}")
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UnreadableFile(f"{str(path)!r} cannot be read: {error.strerror}.") from None
