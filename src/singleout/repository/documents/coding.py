"""How the values of an attribute are coded: as they are, in intervals, or in named groups."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any, Literal

from pydantic import Field, field_validator

from singleout.errors import BadChoice
from singleout.repository.documents.canonical import short
from singleout.repository.documents.fields import Count, DocumentModel, Words
from singleout.repository.documents.values import Scalar, scalar, text_of

__all__ = ["IDENTITY", "PERIODS", "Coding", "canonical_mapping", "coding_name", "period_of"]

IDENTITY = "identity"
# levels that every date has; the finer first
PERIODS = ("level=month", "level=quarter", "level=year", "level=decade")
_NUMBER = r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?"
_WIDTH = re.compile(rf"width=({_NUMBER})(?:,\s*offset=({_NUMBER}))?")


def coding_name(text: str) -> str:
    """Return the canonical name of a coding.

    Examples
    --------
    >>> coding_name("width=5.0,offset=7"), coding_name(""), coding_name("level=province")
    ('width=5,offset=2', 'identity', 'level=province')
    """
    text = text.strip()
    if text in ("", IDENTITY):
        return IDENTITY
    found = _WIDTH.fullmatch(text)
    if found and Fraction(found[1]) > 0:
        width, offset = Fraction(found[1]), Fraction(found[2] or 0)
        offset %= width
        return f"width={_decimal(width)}" + (f",offset={_decimal(offset)}" if offset else "")
    if text.startswith("level=") and text.removeprefix("level=").strip():
        level = text.removeprefix("level=").strip()
        return f"level={text_of(scalar(level, 'The name of a level'))}"
    raise BadChoice(
        f"{short(text)} is no coding; give identity, width=5, width=5,offset=2 or level=province."
    )


def _decimal(number: Fraction) -> str:
    """Return a number of finitely many decimals, all of them."""
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    whole, rest = divmod(int(number * 10**places), 10**places)
    return f"{whole}.{rest:0{places}}" if places else str(whole)


def canonical_mapping(given: Any) -> Any:
    """Return a mapping of values with keys and values in canonical form."""
    if not isinstance(given, Mapping):
        return given
    found = {text_of(scalar(key)): scalar(value) for key, value in given.items()}
    if len(found) < len(given):
        raise ValueError("a mapping has the same value twice, written in two ways.")
    return found


def period_of(name: str, ordinal: int) -> int:
    """Return the number of the month, quarter, year or decade of a day; they follow each other."""
    day = date.fromordinal(ordinal)
    return {
        "level=month": day.year * 12 + day.month - 1,
        "level=quarter": day.year * 4 + (day.month - 1) // 3,
        "level=year": day.year,
        "level=decade": day.year // 10,
    }[name]


class Coding(DocumentModel):
    """One way to code an attribute; its kind, width and offset are in its name.

    A level is a mapping of values, or of the groups of the coding that it is made ``of``, to
    groups. Without a mapping it is only known by its number of possible groups.
    """

    name: str = Field(default=IDENTITY, exclude=True)
    of: str = IDENTITY
    mapping: dict[str, Scalar] | None = None
    possible: Count | None = None
    description: Words = ""

    @field_validator("name", "of")
    @classmethod
    def _canonical_name(cls, given: str) -> str:
        return coding_name(given)

    @field_validator("mapping", mode="before")
    @classmethod
    def _canonical_mapping(cls, given: Any) -> Any:
        return canonical_mapping(given)

    @property
    def kind(self) -> Literal["identity", "interval", "level"]:
        """What kind of coding this is."""
        if self.name == IDENTITY:
            return "identity"
        return "interval" if self.name.startswith("width=") else "level"

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The width and the offset of intervals, exactly."""
        found = _WIDTH.fullmatch(self.name)
        if found is None:
            raise BadChoice(f"The coding {self.name!r} has no width; give one such as width=5.")
        return Fraction(found[1]), Fraction(found[2] or 0)

    @property
    def width(self) -> float | None:
        """The width of intervals."""
        return float(self.interval[0]) if self.kind == "interval" else None

    @property
    def offset(self) -> float | None:
        """Where intervals start."""
        return float(self.interval[1]) if self.kind == "interval" else None

    def index_of(self, value: float) -> int:
        """Return the number of the interval that a number is in."""
        width, offset = self.interval
        return math.floor((Fraction(text_of(scalar(value))) - offset) / width)

    def group_of(self, given: Any) -> Scalar | None:
        """Return the group of a value of the coding below; an interval is called by its start.

        Examples
        --------
        >>> Coding(name="width=5,offset=2").group_of(11), Coding(name="width=0.1").group_of(0.3)
        (7, 0.3)
        """
        value = scalar(given)
        if self.kind == "identity":
            return value
        if self.kind == "level":
            return (self.mapping or {}).get(text_of(value))
        if isinstance(value, str | bool):
            return None
        width, offset = self.interval
        return scalar(float(offset + width * self.index_of(value)))

    def coarser_than(self, other: Coding) -> bool:
        """Whether each group of another coding lies within one of this, by their names alone.

        An attribute also knows its mappings: `Attribute.coarser`.
        """
        if self.name == other.name:
            return False
        if other.kind == "identity":
            return True
        if self.kind == other.kind == "interval":
            (width, offset), (finer, start) = self.interval, other.interval
            return (width / finer).denominator == 1 and ((offset - start) / finer).denominator == 1
        return self.kind == "level" and self.of == other.name
