"""Populations by enumeration: everybody in a small universe is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from itertools import product
from typing import Any

Person = tuple[tuple[str, str], ...]


def universe(
    values: Mapping[str, list[Any]], determines: Mapping[tuple[str, str], Mapping[Any, Any]] = {}
) -> list[dict[str, Any]]:
    """Return every person there can be."""
    everybody = [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
    return [
        person
        for person in everybody
        if all(
            person[one] not in mapping or person[other] == mapping[person[one]]
            for (one, other), mapping in determines.items()
        )
    ]


def people(term_by_name: Mapping[str, Any], everybody: list[dict[str, Any]]) -> set[Person]:
    """Return the persons of a universe who meet all terms."""
    return {
        tuple(sorted((name, repr(value)) for name, value in person.items()))  # True is not 1
        for person in everybody
        if all(meets(person[name], term) for name, term in term_by_name.items())
    }


def meets(value: Any, term: Any) -> bool:
    if isinstance(term, dict) and "in" in term:
        return any(meets(value, item) for item in term["in"])
    if isinstance(term, dict) and "not_in" in term:
        return not any(meets(value, item) for item in term["not_in"])
    if isinstance(term, dict):
        return all(_within(value, key, end) for key, end in term.items())
    return type(value) is type(term) and value == term


def _within(value: Any, key: str, end: Any) -> bool:
    if _kind(value) != _kind(end) or _kind(value) == "other":
        return False
    return {
        "from": value >= end,
        "above": value > end,
        "to": value <= end,
        "below": value < end,
    }[key]


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "other"
    if isinstance(value, int | float):
        return "number"
    try:
        date.fromisoformat(value)
    except ValueError:
        return "other"
    return "date"
