"""How the values of an attribute are coded: as they are, in intervals, or in named groups."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from singleout.errors import BadChoice
from singleout.repository.documents.canonical import short
from singleout.repository.documents.values import Scalar, scalar, text_of

__all__ = ["IDENTITY", "Coding", "coding_name"]

IDENTITY = "identity"
_NUMBER = r"-?\d+(?:\.\d+)?"
_WIDTH = re.compile(rf"width=({_NUMBER})(?:,\s*offset=({_NUMBER}))?")
_LONGEST_NUMBER = 30


def coding_name(text: str) -> str:
    """Return the canonical name of a coding.

    >>> coding_name("width=5.0,offset=7"), coding_name(""), coding_name("level=province")
    ('width=5,offset=2', 'identity', 'level=province')
    """
    text = text.strip()
    if text in ("", IDENTITY):
        return IDENTITY
    found = _WIDTH.fullmatch(text)
    if found and len(text) <= 2 * _LONGEST_NUMBER:
        width, offset = Fraction(found[1]), Fraction(found[2] or 0)
        if width > 0:
            offset %= width
            return f"width={_decimal(width)}" + (f",offset={_decimal(offset)}" if offset else "")
    elif text.startswith("level="):
        level = text.removeprefix("level=").strip()
        if level:
            return f"level={text_of(scalar(level, 'The name of a level'))}"
    raise BadChoice(
        f"{short(text)} is no coding; give identity, width=5, width=5,offset=2 or level=province."
    )


def _decimal(number: Fraction) -> str:
    """Return a number with finitely many decimals, all of them."""
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    return f"{float(number):.{places}f}" if places else str(number.numerator)


class Coding(BaseModel):
    """One way to code an attribute; its kind, width and offset are in its name.

    A level is a mapping of values, or of the groups of the coding that it is made ``of``, to
    groups. Without a mapping it is only known by its number of possible groups.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(default=IDENTITY, exclude=True)
    of: str = IDENTITY
    mapping: dict[str, Scalar] | None = None
    possible: int | None = Field(default=None, ge=1)
    description: str = ""

    @property
    def kind(self) -> Literal["identity", "interval", "level"]:
        """What kind of coding this is."""
        if self.name == IDENTITY:
            return "identity"
        return "interval" if self.name.startswith("width=") else "level"

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The width and the offset of intervals."""
        found = _WIDTH.fullmatch(self.name)
        assert found is not None
        return Fraction(found[1]), Fraction(found[2] or 0)

    @property
    def width(self) -> float | None:
        """The width of intervals."""
        return float(self.interval[0]) if self.kind == "interval" else None

    @property
    def offset(self) -> float | None:
        """Where intervals start."""
        return float(self.interval[1]) if self.kind == "interval" else None

    def group_of(self, given: Any) -> Scalar | None:
        """Return the group of a value of the coding below: intervals by their lower ends."""
        value = scalar(given)
        if self.kind == "identity":
            return value
        if self.kind == "level":
            return (self.mapping or {}).get(text_of(value))
        if isinstance(value, str | bool):
            return None
        width, offset = self.interval
        low = offset + width * math.floor((Fraction(text_of(value)) - offset) / width)
        return scalar(float(low))

    def coarser_than(self, other: Coding) -> bool:
        """Whether each group of another coding lies within one of this; equal codings are not."""
        if self.name == other.name:
            return False
        if other.kind == "identity":
            return True
        if self.kind == other.kind == "interval":
            (width, offset), (finer, start) = self.interval, other.interval
            return (width / finer).denominator == 1 and ((offset - start) / finer).denominator == 1
        return self.kind == "level" and self.of == other.name
