"""The kinds of fields that documents have, each with its bounds."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
)

from singleout.core.text import whole_characters
from singleout.repository.documents.canonical import SAFE

__all__ = [
    "HASH",
    "KEY_ID",
    "Count",
    "Day",
    "Deviation",
    "DocumentModel",
    "Hash",
    "KeyId",
    "Name",
    "Reason",
    "Share",
    "Words",
]

HASH = r"^sha256:[0-9a-f]{64}$"
KEY_ID = r"^ed25519:[0-9a-f]{32}$"
_LONGEST = 2_000
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LARGEST = 10**300  # a double holds it


class DocumentModel(BaseModel):
    """A part of a document of a repository."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _clean(text: str) -> str:
    """Refuse text that could control a terminal."""
    if text.isascii() and text.isprintable():  # mostly, and nothing is
        return text
    if whole_characters(text) != text or not text.replace("\n", " ").isprintable():
        raise ValueError("a text has a character that cannot be printed; leave it out.")
    return text


def _count(given: Any) -> Any:
    """Return a count that a double can hold: the number of cells may be astronomic."""
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, int):
        return given
    if not 0 <= given < _LARGEST:
        raise ValueError("a count is negative or of more than 300 digits.")
    return int(float(given)) if given > SAFE else given


def _plain_count(count: int) -> int | float:
    return float(count) if count > SAFE else count


def _day(given: Any) -> Any:
    """Refuse numbers, which would count seconds, and times."""
    written = isinstance(given, str) and _DAY.fullmatch(given)
    if written or (isinstance(given, date) and not isinstance(given, datetime)):
        return given
    raise ValueError("a date must be written as 2021-12-31.")


Day = Annotated[date, BeforeValidator(_day)]
Hash = Annotated[str, StringConstraints(pattern=HASH)]
KeyId = Annotated[str, StringConstraints(pattern=KEY_ID)]
Words = Annotated[str, StringConstraints(max_length=_LONGEST), AfterValidator(_clean)]
Reason = Annotated[
    str, StringConstraints(min_length=1, max_length=_LONGEST), AfterValidator(_clean)
]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_clean)]
Count = Annotated[
    int, BeforeValidator(_count), Field(ge=0), PlainSerializer(_plain_count, when_used="json")
]
Share = Annotated[float, Field(ge=0, le=1)]
Deviation = Annotated[float, Field(ge=0)]
