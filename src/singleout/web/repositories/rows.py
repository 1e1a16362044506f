"""Records as rows of tables, and what a user may do: for all pages of the area."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from singleout.core.text import printable
from singleout.core.wording import count, figure
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.repository.client.repository import Repository
    from singleout.repository.documents.record import Record
    from singleout.repository.store.kept.stored import Receipt, StoredRecord

__all__ = ["names_of", "people_text", "receipt_of", "rights_of", "row_of", "stored_row", "told"]

_LEAST = 0.01
EVERY_ROLE = ("holder", "moderator")


def names_of(record: Record) -> str:
    """Return a quasi-identifier in one line."""
    return printable("+".join(map(str, record.quasi_identifier)))


def people_text(people: float) -> str:
    """Return an expected number of people as it is read: nobody cares for less than a hundredth."""
    if 0 < people < _LEAST:
        return f"< {figure(_LEAST, 'g')}"
    return figure(people, ",.0f" if people >= 100 else ".3g")


def row_of(record: Record) -> dict[str, Any]:
    """Return what a table shows of a record."""
    numbers = record.numbers
    return {
        "id": record.id,
        "names": names_of(record),
        "population": printable(str(record.population)),
        "people": "–" if numbers.people is None else count(numbers.people),
        "cells": "–" if numbers.cells is None else figure(numbers.cells),
        "distance": figure(numbers.kappa, ".4g"),
        "sd": "–" if numbers.sd.kappa is None else figure(numbers.sd.kappa, ".2g"),
        "date": "–" if record.reference_date is None else record.reference_date.isoformat(),
    }


def told(record: Record) -> list[dict[str, str]]:
    """Return what is public of a record and what is not, each with what it means."""
    from singleout.repository.publishing.explain import explained

    return [
        {"kind": kind, "sentence": printable(sentence), "meaning": _meaning(name)}
        for kind, name, sentence in explained(record)
    ]


def _meaning(name: str) -> str:
    term = "distance" if name == "kappa" else name
    return say(f"web.repository.terms.{term}.meaning") if term else ""


def stored_row(stored: StoredRecord) -> dict[str, Any]:
    """Return the same with the state; of one that was withdrawn, only that."""
    row = {"id": stored.id} if stored.record is None else row_of(stored.record)
    reasons = list(map(printable, stored.reasons))
    return {**row, "state": stored.state, "reasons": reasons, "index": stored.index}


def receipt_of(receipt: Receipt) -> dict[str, Any]:
    """Return what a receipt says."""
    said = {
        "id": receipt.id,
        "state": receipt.state,
        "index": receipt.index,
        "size": receipt.head.size,
        "refused": [],
        "reasons": list(map(printable, receipt.reasons)),
    }
    return {**said, "sentence": say("repository.client.accepted", **_numbers(said))}


def _numbers(said: Mapping[str, Any]) -> dict[str, Any]:
    return {"index": said["index"], "size": said["size"]}


def rights_of(repository: Repository, where: Mapping[str, Any]) -> dict[str, Any]:
    """Return the roles that the user's key has; no key is made for the question.

    ``why`` is the key of the sentence that says what is needed where something is not possible.
    """
    from singleout.repository.documents.keys import default_key_file

    if not where["may_change"]:
        return {"key": "", "roles": [], "why": "closed"}
    if where["kind"] != "practice" and not default_key_file().exists():
        roles = list(EVERY_ROLE) if repository.personal else []
        return {"key": "", "roles": roles, "why": "no_key"}
    mine = repository.key.id
    if repository.personal:
        return {"key": mine, "roles": list(EVERY_ROLE), "why": ""}
    known = [one for one in repository.store.holders() if one.id == mine and one.active]
    roles = list(known[0].roles) if known else []
    return {"key": mine, "roles": roles, "why": "no_role" if known else "unknown_key"}
