"""Closed lists: sexes, countries, large places and first names; codes of known surveys."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

__all__ = [
    "COUNTED",
    "COUNTRIES",
    "DAILY_LIFE",
    "FIRST_NAMES",
    "ID_WORDS",
    "JOINING",
    "PARTS",
    "PLACES",
    "SEXES",
    "SURVEYS",
    "data",
    "words",
]


def data(name: str) -> dict[str, Any]:
    """Return a file of words that is shipped with the package."""
    text = (files("singleout.assessment.guess.data") / name).read_text(encoding="utf-8")
    return tomllib.loads(text)


def words(text: str) -> list[str]:
    """Return the words of a list, which may go over several lines."""
    return " ".join(text.split()).split(", ")


_LISTS = data("lists.toml")

# Two of these, of different kinds, make a column of sexes.
SEXES = {word: kind for kind, text in _LISTS["sexes"].items() for word in words(text)}
COUNTRIES = frozenset(word for text in _LISTS["countries"].values() for word in words(text))
PLACES = frozenset(words(_LISTS["lists"]["places"]))
FIRST_NAMES = frozenset(words(_LISTS["lists"]["first_names"]))
JOINING = frozenset(words(_LISTS["lists"]["joining"]))
PARTS = frozenset(words(_LISTS["lists"]["parts"]))
# Words in the names of columns whose numbers count or measure something.
COUNTED = frozenset(words(_LISTS["lists"]["counted"]))
# Words in the names of columns that number their records.
ID_WORDS = frozenset(words(_LISTS["lists"]["ids"]))
# What columns are called by known surveys, by their meaning.
SURVEYS = {meaning: words(text) for meaning, text in _LISTS["surveys"].items()}
# Names that mean something only side by side.
DAILY_LIFE = frozenset(words(_LISTS["together"]["daily_life"]))
