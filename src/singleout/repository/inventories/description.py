"""What a catalogue says about a data set, before it is put into the words of a vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from singleout.core.paths import check_name, expanded
from singleout.errors import UnreadableFile

__all__ = ["MOST_COLUMNS", "DescribedColumn", "Description", "read_bounded"]

MOST_COLUMNS = 20_000
_LARGEST = 50_000_000  # bytes; the codebook of a large survey has a few million


@dataclass(frozen=True)
class DescribedColumn:
    """A column as its catalogue has it: its name, its label and how many categories it has."""

    name: str
    label: str = ""
    categories: int | None = None


@dataclass(frozen=True)
class Description:
    """A data set as a catalogue describes it.

    Parameters
    ----------
    title
        What it is called.
    columns
        Its columns, in their order.
    holder
        Who is responsible for it; empty if the catalogue does not say.
    universe
        Whom it is about, in the words of the catalogue.
    """

    title: str
    columns: tuple[DescribedColumn, ...]
    holder: str = ""
    universe: str = ""


def read_bounded(path: str | Path, what: str, *, largest: int = _LARGEST) -> bytes:
    """Return the content of a file from elsewhere, unless it is larger than it can be."""
    file = expanded(path)
    check_name(str(file))
    try:
        with file.open("rb") as stream:
            raw = stream.read(largest + 1)  # a device may have no end
    except OSError as error:
        raise UnreadableFile(f"{str(file)!r} cannot be read: {error.strerror}.") from None
    if len(raw) > largest:
        raise UnreadableFile(
            f"{str(file)!r} is too large for {what}: more than {largest // 1_000_000} MB."
        )
    return raw
