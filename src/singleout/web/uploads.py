"""Uploaded files: streamed into the workspace under names of ours, within limits.

Nothing of the name that a browser sends becomes part of a path. A compressed file is measured
before it is read: a few kilobytes can hold terabytes.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request

from singleout.web.errors import Refused
from singleout.web.rendering import settings_of, workspace_of

__all__ = ["Upload", "receive_text", "receive_upload"]

_PACKED = (".gz",)
_ZIPPED = (".xlsx", ".xlsm", ".xlsb", ".ods", ".zip")
_CHUNK = 1 << 20
_LONGEST_NAME = 200


class Upload:
    """A file that was received: what its user calls it, and where it is."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path


async def receive_upload(
    request: Request, field: str = "file", largest: int | None = None
) -> Upload:
    """Write the file of a form into the workspace, piece by piece; refuse one that is too large."""
    settings = settings_of(request)
    limit = settings.max_upload if largest is None else largest
    writer = _Writer(workspace_of(request).folder, field, limit)
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data" or b"boundary" not in options:
        raise Refused(422, "web.errors.no_file")
    try:
        parser = MultipartParser(options[b"boundary"], writer.callbacks)
        async for chunk in request.stream():
            parser.write(chunk)
        parser.finalize()
        upload = writer.finished()
        _check_expanded(upload.path, settings.max_expanded)
    except (ValueError, ClientDisconnect):  # a form that breaks off
        writer.discard()
        raise Refused(422, "web.errors.no_file") from None
    except Refused:
        writer.discard()
        raise
    return upload


async def receive_text(request: Request, largest: int, no_text: str) -> str:
    """Return the text of a file that is not kept; ``no_text`` is the key of what refuses others."""
    limit = min(settings_of(request).max_upload, largest)
    received = await receive_upload(request, largest=limit)
    try:
        return received.path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Refused(422, no_text) from None
    finally:
        received.path.unlink(missing_ok=True)


class _Writer:
    """Takes the parts of a form, and writes the one that is the file."""

    def __init__(self, folder: Path, field: str, largest: int) -> None:
        self._folder = folder
        self._wanted = field
        self._largest = largest
        self._header = b""
        self._headers: dict[bytes, bytes] = {}
        self._value = b""
        self._file: Any = None
        self._path: Path | None = None
        self._name = ""
        self._size = 0
        self.callbacks: Any = {
            "on_header_field": self._on_header_field,
            "on_header_value": self._on_header_value,
            "on_header_end": self._on_header_end,
            "on_headers_finished": self._on_headers_finished,
            "on_part_data": self._on_part_data,
            "on_part_end": self._on_part_end,
        }

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        self._headers[self._header.lower()] = self._value
        self._header = self._value = b""

    def _on_headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._headers = {}
        named = options.get(b"name", b"").decode("utf-8", "replace") == self._wanted
        if not named or b"filename" not in options or self._path is not None:
            return
        self._name = _shown(options[b"filename"].decode("utf-8", "replace"))
        self._path = self._folder / f"upload-{_unused(self._folder)}{_ending(self._name)}"
        self._file = self._path.open("wb")
        self._path.chmod(0o600)

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._file is None:
            return
        self._size += end - start
        if self._size > self._largest:
            raise Refused(413, "web.errors.too_large", limit=f"{self._largest / (1 << 20):,.0f}")
        self._file.write(data[start:end])

    def _on_part_end(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def finished(self) -> Upload:
        """Return the file; refuse a form without one."""
        if self._path is None or self._file is not None or not self._size:
            raise Refused(422, "web.errors.no_file")
        return Upload(self._name, self._path)

    def discard(self) -> None:
        """Remove what was written."""
        if self._file is not None:
            self._file.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def _shown(name: str) -> str:
    """Return the last part of the name of a file, as its user knows it."""
    return re.split(r"[/\\]", name)[-1][-_LONGEST_NAME:] or "file"


def _ending(name: str) -> str:
    """Return the ending of a name if a reader knows it; otherwise it is taken for text."""
    from singleout.io.read import EXTENSIONS

    first, packed = Path(name.lower()), ""
    if first.suffix in _PACKED:
        first, packed = Path(first.stem), first.suffix
    known = first.suffix in (*EXTENSIONS, ".yaml", ".yml")
    return f"{first.suffix if known else '.csv'}{packed}"


def _unused(folder: Path) -> int:
    found = (re.match(r"upload-(\d+)", path.name) for path in folder.glob("upload-*"))
    return max((int(one[1]) for one in found if one), default=0) + 1


# ---- what it would become


def _check_expanded(path: Path, largest: int) -> None:
    if path.suffix in _ZIPPED:
        size = _zipped(path)
    elif path.suffix == ".gz":
        size = _gzipped(path, largest)
    else:
        return
    if size > largest:
        raise Refused(413, "web.errors.expands", limit=f"{largest / (1 << 20):,.0f}")


def _zipped(path: Path) -> int:
    """Return the bytes that the members of an archive say they have; readers refuse others."""
    with suppress(zipfile.BadZipFile, OSError, ValueError), zipfile.ZipFile(path) as archive:
        return sum(member.file_size for member in archive.infolist())
    return 0


def _gzipped(path: Path, largest: int) -> int:
    """Return the bytes that a file has once it is expanded, counted up to a limit."""
    size = 0
    expand = zlib.decompressobj(wbits=31)
    with path.open("rb") as file:
        while (part := file.read(_CHUNK)) and size <= largest:
            while part and size <= largest:
                try:
                    size += len(expand.decompress(part, _CHUNK))
                except zlib.error:  # the reader says what is wrong with it
                    return 0
                part = expand.unconsumed_tail
                if expand.eof:
                    part = expand.unused_data
                    expand = zlib.decompressobj(wbits=31)
    return size
