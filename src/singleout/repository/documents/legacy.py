"""Three-tuples of quasi-identifier, population and distance: Koot (2012), section 7.1.3 (R5).

They are accepted and marked: every formula needs the number of cells besides the distance, and
without power sums a prediction has a wide range.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from singleout.errors import BadChoice
from singleout.repository.documents.population import DeclaredPopulation

__all__ = ["from_three_tuple", "is_three_tuple"]

_KEYS = ("QID", "population", "KL", "N", "n")


def is_three_tuple(given: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether plain values are a three-tuple: they have ``QID`` and ``KL``."""
    return isinstance(given, Mapping) and "QID" in given and "KL" in given


def from_three_tuple(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plain values of the record of a three-tuple.

    Examples
    --------
    >>> from_three_tuple({"QID": ["age"], "population": "City=Urk", "KL": 0.4011})["legacy"]
    True
    """
    unknown = [str(key) for key in given if key not in _KEYS]
    if unknown:
        raise BadChoice(
            f"A three-tuple has {', '.join(_KEYS[:3])}, and N and n if they are known, but not "
            f"{unknown[0][:60]!r}."
        )
    attributes = given["QID"]
    if isinstance(attributes, str) or not isinstance(attributes, list | tuple | set | frozenset):
        raise BadChoice("The QID of a three-tuple must be a list of names of attributes.")
    numbers = {"kappa": given["KL"], "cells": given.get("N"), "people": given.get("n")}
    return {
        "quasi_identifier": [
            one if isinstance(one, Mapping) else {"attribute": one} for one in attributes
        ],
        "population": DeclaredPopulation.of(given.get("population")).to_dict(),
        "numbers": {key: value for key, value in numbers.items() if value is not None},
        "legacy": True,
    }
