"""Seal a file: a hash over all its bytes, kept in the file, so that no byte changes unnoticed.

`verify` compares every cell of every table. An SQLite file has other bytes as well: free space
within pages, free pages, the header. Whoever appended to a store seals it when it is closed. The
seal holds the size of the log and SQLite's own counter of changes, so that a file which was written
since is known to be unsealed rather than changed.
"""

from __future__ import annotations

import hashlib
import struct
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, Engine, insert, select, update

from singleout.errors import SingleoutError, StoreChanged
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.database import translated

__all__ = ["BLANK", "LARGEST_SEALED", "check_seal", "seal", "void_seal"]

LARGEST_SEALED = 256 * 2**20  # bytes; to seal a file, it is read into memory once

_PATIENCE = 1_000  # milliseconds that closing a store may wait for others
_MAGIC = b"singleout seal 1"
_PARTS = struct.Struct(">16sQI32s8s")  # magic, size of the log, changes, hash, check of the others
BLANK = _MAGIC.ljust(_PARTS.size, b"\0")
_CHANGES, _CHANGES_AGAIN = slice(24, 28), slice(92, 96)  # of the header of an SQLite file
_LEAF = 13  # the type of a page that holds rows


def seal(engine: Engine) -> bool:
    """Seal the file of a store; return whether it is.

    It is not if somebody else writes, if the file may not be written, or if it is too large. A
    store without a seal is checked by its cells.
    """
    if engine.dialect.name != "sqlite":
        return False
    with suppress(SingleoutError), translated(engine), engine.connect() as connection:
        connection.exec_driver_sql(f"PRAGMA busy_timeout={_PATIENCE}")
        connection.rollback()
        connection.execution_options(writes=True)
        with connection.begin():
            return _sealed(connection)
    return False


def _sealed(connection: Connection) -> bool:
    _write(connection, BLANK)
    if _bytes_of(connection) > LARGEST_SEALED:
        return False
    image = _image(connection)
    size = int(connection.execute(select(tables.head.c.size)).scalar_one())
    _write(connection, _content(size, image, _hash(image, _start(connection, image))))
    return True


def void_seal(connection: Connection) -> None:
    """Say that the file is written to without an entry in the log, so that no seal holds."""
    if connection.dialect.name == "sqlite":
        _write(connection, BLANK)


def check_seal(connection: Connection, size: int) -> bool:
    """Return whether the file has a seal that holds at this size of the log.

    Raises
    ------
    StoreChanged
        If any byte of a sealed file was changed, or the seal itself.
    """
    rows = connection.execute(select(tables.seal)).all()
    if len(rows) != 1 or rows[0][0] != 1:
        raise StoreChanged("The seal of the store is missing (table seal).")
    content = rows[0][1]
    if content == BLANK:
        return False
    if connection.dialect.name != "sqlite" or not _is_whole(content):
        raise StoreChanged("The seal of the store was changed (table seal).")
    _, sealed_size, changes, digest, _ = _PARTS.unpack(content)
    if sealed_size > size:
        raise StoreChanged(
            f"The file of the store was sealed with {sealed_size} entries, and the log has {size}."
        )
    if sealed_size < size or _bytes_of(connection) > LARGEST_SEALED:
        return False
    image = _image(connection)
    counters = _counters(image)
    if changes not in counters:
        return False  # SQLite rewrote the file since, as VACUUM does
    if set(counters) != {changes} or _hash(image, _start(connection, image)) != digest:
        raise StoreChanged(
            "The file of the store was changed since it was sealed, in bytes that hold no row."
        )
    return True


def _write(connection: Connection, content: bytes) -> None:
    # of the same length always, so that SQLite changes these bytes and no others
    if connection.execute(update(tables.seal).values(content=content)).rowcount != 1:
        connection.execute(insert(tables.seal), {"only": 1, "content": content})


def _content(size: int, image: memoryview, digest: bytes) -> bytes:
    changes = int.from_bytes(image[_CHANGES], "big")
    parts = _PARTS.pack(_MAGIC, size, changes, digest, b"")
    return parts[:-8] + _check(parts)


def _check(content: bytes) -> bytes:
    return hashlib.sha256(content[:-8]).digest()[:8]


def _is_whole(content: Any) -> bool:
    return (
        isinstance(content, bytes)
        and len(content) == _PARTS.size
        and content.startswith(_MAGIC)
        and content[-8:] == _check(content)
    )


def _counters(image: memoryview) -> tuple[int, int]:
    """Return SQLite's counter of changes, which the header holds twice."""
    return int.from_bytes(image[_CHANGES], "big"), int.from_bytes(image[_CHANGES_AGAIN], "big")


def _bytes_of(connection: Connection) -> int:
    pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    return int(pages) * int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())


def _image(connection: Connection) -> memoryview:
    """Return all pages as this transaction sees them.

    They are asked of SQLite: closing a file that was opened beside it would drop its locks.
    """
    driver: Any = connection.connection.driver_connection
    return memoryview(driver.serialize())


def _start(connection: Connection, image: memoryview) -> int:
    """Return where the content of the seal begins: in the only row of its page."""
    question = "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = 'seal'"
    page = int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())
    at = (int(connection.exec_driver_sql(question).scalar_one()) - 1) * page
    rows = int.from_bytes(image[at + 3 : at + 5], "big")
    row = int.from_bytes(image[at + 8 : at + 10], "big")
    start = bytes(image[at : at + page]).find(_MAGIC, row)
    if image[at] != _LEAF or rows != 1 or start < 0:
        raise StoreChanged("The seal of the store was changed (table seal).")
    return at + start


def _hash(image: memoryview, start: int) -> bytes:
    """Return the hash of all bytes but those of the seal itself."""
    digest = hashlib.sha256(image[:start])
    digest.update(image[start + _PARTS.size :])
    return digest.digest()
