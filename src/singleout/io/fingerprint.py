"""The fingerprint of a file: it identifies the file without its content."""

from __future__ import annotations

import glob
import hashlib
import os
from typing import Any

from singleout.core.paths import expanded
from singleout.core.progress import working_on
from singleout.errors import UnreadableFile
from singleout.io.files import scheme_of

__all__ = ["fingerprint"]


def fingerprint(source: Any) -> str | None:
    """Return the SHA-256 of a file in hexadecimal digits; None for data that is not one file."""
    if not isinstance(source, str | os.PathLike) or scheme_of(os.fsdecode(source)) is not None:
        return None
    path = expanded(os.fsdecode(source))
    if path.is_dir() or (glob.has_magic(str(path)) and not path.exists()):
        return None
    working_on(f"Taking the fingerprint of {path.name}")
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UnreadableFile(f"{str(path)!r} cannot be read: {error.strerror}.") from None
