"""What columns are called in English, French, German, Dutch and Spanish, and what that means.

Exposure follows the examples of Sondeck and Laurent, section 4.1: demographic data are found by
everybody (EE), habits and homes by those who search (ER), dates of an organisation's own events by
its services (IE), medical details by few (IR). Sensitive categories are those of the General Data
Protection Regulation, articles 9 and 10, and a person's money; their impacts are a first estimate.

A term that starts with ``=`` must be the whole name: ``name`` is a person's, ``file name`` is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from singleout.assessment.guess.lists import data, words
from singleout.assessment.rating.scales import Exposure
from singleout.core.choices import Role
from singleout.report.say import say

__all__ = ["MEANINGS", "Meaning"]

Impacts = tuple[int, int, int]


@dataclass(frozen=True)
class Meaning:
    """What a column is about.

    Parameters
    ----------
    key
        Its name in the lists and in the catalogue.
    role
        What the column is for.
    terms
        What it is called, in several languages.
    exposure
        How easily a quasi-identifier is found elsewhere.
    impacts
        Bodily, material and moral impact of its disclosure.
    ordered
        Whether its numbers and dates have an order that means something.
    law
        The article of the regulation that protects it: ``article_9``.
    seen
        Whether others often see it, so that it is known, with this exposure, as well as sensitive.
    none_tells
        Whether *none* is an answer that hits people like another: no income, no religion.
    zero_is_none
        Whether zero says that there is none, among amounts.
    """

    key: str
    role: Role
    terms: Sequence[str]
    exposure: Exposure | None = None
    impacts: Impacts | None = None
    ordered: bool = False
    law: str = ""
    seen: bool = False
    none_tells: bool = False
    zero_is_none: bool = False

    @property
    def words(self) -> str:
        """What it is, in words."""
        return say(f"guess.meanings.{self.key}")


def _meaning(key: str, entry: dict[str, Any]) -> Meaning:
    exposure, impacts = entry.get("exposure"), entry.get("impacts")
    return Meaning(
        key,
        Role(entry["role"]),
        words(entry["terms"]),
        None if exposure is None else Exposure[exposure],
        None if impacts is None else tuple(impacts),
        ordered=entry.get("ordered", False),
        law=entry.get("law", ""),
        seen=entry.get("seen", False),
        none_tells=entry.get("none_tells", False),
        zero_is_none=entry.get("zero_is_none", False),
    )


MEANINGS = {key: _meaning(key, entry) for key, entry in data("meanings.toml").items()}
