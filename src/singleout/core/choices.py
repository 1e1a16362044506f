"""The choices that travel with a table: what a column is for, and what a missing value means."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from singleout.errors import BadChoice, did_you_mean

__all__ = ["MissingPolicy", "Role", "choose"]


class Role(StrEnum):
    """What a column is for."""

    DIRECT_IDENTIFIER = "direct-identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    WEIGHT = "weight"
    HOUSEHOLD = "household"
    COUNT = "count"  # how many people a row stands for, in a table of counts
    OTHER = "other"


class MissingPolicy(StrEnum):
    """What a missing value means when records are compared."""

    VALUE = "value"  # missing is a value like another
    WILDCARD = "wildcard"  # missing matches everything, and everything matches it
    DROP = "drop"  # records with a missing key are left out, and counted


_Choice = TypeVar("_Choice", bound=StrEnum)


def choose(kind: type[_Choice], word: str, what: str) -> _Choice:
    """Return the member of ``kind`` for a user's word, or say which words there are."""
    try:
        return kind(word)
    except ValueError:
        words = [str(member) for member in kind]
        advice = did_you_mean(word, words)
        raise BadChoice(
            f"{word!r} is not a {what}; choose one of {', '.join(words)}.{advice}"
        ) from None
