"""A file before it is read: whether it can be opened, and its format by its first bytes."""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path

from singleout.core.paths import check_name, expanded
from singleout.errors import UnreadableFile, did_you_mean

__all__ = [
    "checked_file",
    "damaged",
    "extension_by_content",
    "first_bytes",
    "looks_like",
    "scheme_of",
    "without_secrets",
]

_HEAD = 1 << 12

# first bytes, the format in words, the extension that such a file should have
_SIGNATURES: tuple[tuple[bytes, str, str | None], ...] = (
    (b"PAR1", "a Parquet file", ".parquet"),
    (b"ARROW1", "an Arrow file", ".arrow"),
    (b"\xff\xff\xff\xff", "an Arrow stream", ".arrow"),
    (b"FEA1", "a Feather file of version 1", None),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook, old or locked", ".xls"),
    (b"$FL2", "an SPSS file", ".sav"),
    (b"$FL3", "an SPSS file", ".zsav"),
    (b"<stata_dta>", "a Stata file", ".dta"),
    (b"\x71\x02\x01", "a Stata file", ".dta"),
    (b"\x72\x02\x01", "a Stata file", ".dta"),
    (b"\x73\x02\x01", "a Stata file", ".dta"),
    (bytes(12) + b"\xc2\xea\x81\x60", "a SAS file", ".sas7bdat"),
    (b"HEADER RECORD*******LIB", "a SAS transport file", ".xpt"),
    (b"RDX2\n", "an R data file", ".rda"),
    (b"RDX3\n", "an R data file", ".rda"),
    (b"X\n\x00\x00\x00", "an R data file", ".rds"),
    (b"SQLite format 3\x00", "an SQLite database", None),
    (b"%PDF-", "a PDF document", None),
    (b"{\\rtf", "a rich text document", None),
    (b"\x89PNG", "a PNG image", None),
    (b"\xff\xd8\xff", "a JPEG image", None),
    (b"GIF8", "a GIF image", None),
    (b"\x1f\x8b", "a gzip archive", None),
    (b"BZh", "a bzip2 archive", None),
    (b"\xfd7zXZ\x00", "an xz archive", None),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", None),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", None),
    (b"PK\x03\x04", "an Excel workbook or a ZIP archive", None),
)
_WORKBOOKS = {"xl/workbook.xml": ".xlsx", "xl/workbook.bin": ".xlsb", "content.xml": ".ods"}
_MARKUP = ((b"<!doctype html", "a web page"), (b"<html", "a web page"), (b"<?xml", "an XML file"))
_SURE = (b"%PDF-", b"{\\rtf", b"<stata_dta>", b"HEADER RECORD*******LIB")
# Also of a mistyped URL: if it were taken for a file name, a message would show its password.
# One letter before the colon is a drive.
_SCHEME = re.compile(r"\s*([\w+.:-]{2,}):/")
_SECRET = re.compile(
    r"(:|//).*@|(pass(word|wd|phrase)?|pwd|token|secret)\s*=", re.IGNORECASE | re.DOTALL
)
_DRIVE = re.compile(r"\s*[A-Za-z]:[\\/]")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def scheme_of(text: str) -> str | None:
    """Return the scheme of a URL, correct or mistyped; None for a path.

    >>> scheme_of("https://example.org/people.csv"), scheme_of("postgresql:/host/hospital")
    ('https', 'postgresql')
    >>> scheme_of("people.csv"), scheme_of("C:/people.csv")
    (None, None)
    """
    scheme = _SCHEME.match(text)
    return None if scheme is None else scheme[1].lower()


def without_secrets(text: str) -> str:
    """Return a text for a message: itself, or ``…`` if it may contain a password.

    >>> without_secrets("people.csv"), without_secrets("zoe:hush@db.example/hospital")
    ('people.csv', '…')
    """
    return "…" if _SECRET.search(_DRIVE.sub("", text, count=1)) else text


def checked_file(name: str | os.PathLike[str]) -> Path:
    """Return the path of a file that exists and can be opened; raise an error if it cannot."""
    text = os.fsdecode(name)
    scheme = scheme_of(text)
    if scheme is not None:
        # a password is before an @, in the query, or taken for a scheme
        shown = f"{scheme}://…" if ":" not in scheme else "…"
        if not re.search(r"[@?&;=]", text):
            shown = without_secrets(text)
        raise UnreadableFile(
            f"{shown!r} is an address; singleout never fetches anything: "
            "download the file and give its path."
        )
    if not text.strip():
        raise UnreadableFile("The file name is empty; give the path of a file.")
    check_name(text)
    path = _opened(text)
    if isinstance(path, str):  # not raised in there: the traceback would show the name
        raise UnreadableFile(path)
    return path


def _opened(text: str) -> Path | str:
    """Return the path of a file that can be opened, or the sentence of the error."""
    shown = without_secrets(text)
    try:
        path = _regular(expanded(text), shown)
        with path.open("rb") as file:
            if file.read(1):
                return path
        return f"{path.name} is empty (0 bytes); there is nothing to read."
    except (FileNotFoundError, NotADirectoryError):
        return _not_found(text)
    except PermissionError:
        return f"{shown!r} may not be opened by this user; ask for the right to read it."
    except OSError as error:  # a name too long, a cycle of links, a failing disk
        return f"{shown!r} cannot be opened: {without_secrets(str(error.strerror))}."


def _regular(path: Path, shown: str) -> Path:
    if path.is_dir():
        raise UnreadableFile(f"{shown!r} is a folder; give the path of one file in it.")
    if path.exists() and not path.is_file():
        raise UnreadableFile(f"{shown!r} is not a regular file; save the data to a file first.")
    return path


def _not_found(text: str) -> str:
    if without_secrets(text) != text:
        return (
            "There is no file of the name that was given, which is not repeated since it may hold "
            "a password; the address of a table in a database is written "
            "postgresql://user:password@host/database#table."
        )
    path = expanded(text)
    folder = path.parent
    if not folder.is_dir():
        return f"No file {text!r}: there is no folder {str(folder)!r}."
    try:
        files = [entry.name for entry in folder.iterdir() if entry.is_file()]
    except OSError:
        files = []
    advice = did_you_mean(path.name, files)
    return f"No file {text!r}.{advice}"


def damaged(name: str, kind: str, reason: str = "") -> UnreadableFile:
    """Return the error for a file that its reader cannot parse."""
    return UnreadableFile(
        f"{name} cannot be read as {kind}: it is cut off, damaged or of another kind{reason}."
    )


def first_bytes(path: Path) -> bytes:
    """Return the beginning of a file."""
    with path.open("rb") as file:
        return file.read(_HEAD)


def looks_like(head: bytes) -> str | None:
    """Return the format of a file in words, by its first bytes; None if unknown."""
    start = head.lstrip().lower()
    for mark, words in _MARKUP:
        if start.startswith(mark):
            return words
    return _signature(head)[0]


def extension_by_content(path: Path) -> str | None:
    """Return the extension that a file should have by its content; None if unknown."""
    head = first_bytes(path)
    if head.startswith(b"PK\x03\x04"):
        return _zip_extension(path)
    return _signature(head)[1]


def _signature(head: bytes) -> tuple[str | None, str | None]:
    """Return the format in words and the extension; None for both if unknown."""
    for magic, words, extension in _SIGNATURES:
        if not head.startswith(magic):
            continue
        # letters alone may be a header: a questionnaire can have a column PAR1
        letters = magic.isascii() and magic.isalnum()
        if letters and magic not in _SURE and not _CONTROL.search(head):
            continue
        return words, extension
    return None, None


def _zip_extension(path: Path) -> str | None:
    try:
        with zipfile.ZipFile(path) as archive:
            members = set(archive.namelist())
    except (zipfile.BadZipFile, OSError):
        return ".xlsx"  # damaged: the reader of workbooks raises the error
    return next((ending for member, ending in _WORKBOOKS.items() if member in members), None)
