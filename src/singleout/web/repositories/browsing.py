"""Browse a repository: what it is, its records page by page, and one record in full."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from singleout.core.text import printable
from singleout.core.wording import count, percent
from singleout.errors import BadChoice, SingleoutError
from singleout.report.say import say
from singleout.web.predicting.following import plain, table
from singleout.web.predicting.pasted import MOST_OPTIONS
from singleout.web.repositories.opening import opened
from singleout.web.repositories.rows import names_of, people_text, rights_of, stored_row, told

if TYPE_CHECKING:
    from singleout.report.content import Part
    from singleout.repository.client.repository import Repository
    from singleout.repository.documents.record import Record
    from singleout.repository.store.kept.stored import StoredRecord
    from singleout.web.answering import Held

__all__ = ["as_question", "browsed", "record_in_full", "unsettled"]

_PAGE = 20  # records
_LOOKED_AT = 500  # entries of the log that one page looks at, at most
_MOST_NAMES = 200  # quasi-identifiers of the list
_LARGEST_POWER = 8


def browsed(_: Held, where: Mapping[str, Any], before: int = 0) -> dict[str, Any]:
    """Return what a repository is, and its records before an entry, the newest first.

    Parameters
    ----------
    where
        The repository.
    before
        The entry that the page ends before; 0 for the end of the log.
    """
    with opened(where) as repository:
        size = repository.head().size
        rows, after = _page(repository, before if 0 < before < size else size)
        known = repository.quasi_identifiers()
        return {
            "name": printable(repository.name),
            "personal": repository.personal,
            "entries": size,
            "names": [
                {"names": printable("+".join(map(str, names))), "records": count(number)}
                for names, number in known[:_MOST_NAMES]
            ],
            "more_names": max(0, len(known) - _MOST_NAMES),
            "vocabularies": [
                printable(f"{one['name']} {one['version']}")
                for one in repository.store.vocabularies()
            ],
            "rows": rows,
            "next": after,
        }


def _page(
    repository: Repository, end: int, states: tuple[str, ...] = ()
) -> tuple[list[dict[str, Any]], int]:
    """Return the rows of a page, and the entry before which the next one ends; 0 if it is last."""
    rows: list[dict[str, Any]] = []
    least = max(0, end - _LOOKED_AT)
    for index, identity in _records_before(repository, end, least):
        row = _row(repository, identity)
        if not states or row["state"] in states:
            rows.append(row)
        if len(rows) == _PAGE:
            return rows, index
    return rows, least


def _records_before(repository: Repository, end: int, least: int) -> Iterator[tuple[int, str]]:
    """Yield entry and record of each that was published, the last one first."""
    step = 50
    while end > least:
        start = max(least, end - step)
        entries: list[Any] = list(repository.store.entries(start, end))
        for entry in reversed(entries):
            leaf = json.loads(entry["leaf"] if isinstance(entry, dict) else entry.leaf)
            if leaf.get("record") is not None:
                yield int(leaf["index"]), str(leaf["record"])
        end = start


def _row(repository: Repository, identity: str) -> dict[str, Any]:
    try:
        return stored_row(repository.record(identity))
    except SingleoutError:  # one that only some may read, or that a service keeps nothing of
        return {"id": identity, "state": "closed", "reasons": []}


def unsettled(_: Held, where: Mapping[str, Any], before: int = 0) -> dict[str, Any]:
    """Return the records that are quarantined or disputed, and what the user may do."""
    with opened(where) as repository:
        size = repository.head().size
        end = before if 0 < before < size else size
        rows, after = _page(repository, end, ("quarantined", "disputed"))
        return {"rows": rows, "next": after, "rights": rights_of(repository, where)}


# ---- one record


def record_in_full(_: Held, where: Mapping[str, Any], identity: str) -> dict[str, Any]:
    """Return everything that is known of a record, and what it predicts."""
    with opened(where) as repository:
        stored = repository.record(identity)
        rights = rights_of(repository, where)
        found = {
            **stored_row(stored),
            "time": stored.time,
            "holder": _called(repository, stored.holder),
            "history": [
                {"state": row.state, "time": row.time, "reasons": list(map(printable, row.reasons))}
                for row in repository.history(identity)
            ],
            "may": _may(stored, rights),
            "rights": rights,
        }
        if stored.record is None:
            return {**found, "content": None}
        return {**found, "content": _content(repository, stored.record)}


def _content(repository: Repository, record: Record) -> dict[str, Any]:
    from singleout.repository.publishing.explain import impact_statement

    cells = record.numbers.cells
    return {
        "names": names_of(record),
        "population": printable(str(record.population)),
        "explained": told(record),
        "facts": _facts(record),
        "predicted": plain(_predicted(repository, record)),
        "impact": printable(impact_statement(record)),
        "json": json.dumps(record.to_dict(), indent=2, ensure_ascii=False),
        "can_be_asked": cells is not None and cells <= MOST_OPTIONS,
        "cells": cells,
    }


def _facts(record: Record) -> list[tuple[str, str]]:
    """Return what else a record says of itself."""
    coverage = record.coverage
    share = "" if coverage.fraction is None else f", {percent(coverage.fraction)}"
    found = {
        "date": "" if record.reference_date is None else record.reference_date.isoformat(),
        "coverage": say(f"web.repository.coverages.{coverage.kind}") + share,
        "tier": say(f"web.repository.tiers.{record.gate.tier}"),
        "vocabulary": record.vocabulary or "",
        "supersedes": record.supersedes or "",
        "licence": record.licence,
        "norm": record.norm,
        "software": record.software,
    }
    return [
        (say(f"web.repository.facts.{name}"), printable(text))
        for name, text in found.items()
        if text
    ]


def _predicted(repository: Repository, record: Record) -> list[Part]:
    """Return how many would be unique among ten people, a hundred and so on up to all of them."""
    from singleout.report.content import Paragraph

    most = record.people or 10**_LARGEST_POWER
    numbers = [10**power for power in range(1, _LARGEST_POWER + 1) if 10**power < most]
    try:
        found = repository.table(record, [*numbers, most] if record.people else numbers)
    except SingleoutError as error:  # such as a number of cells that nobody said
        return [Paragraph(str(error))]
    rows = [
        (
            count(row["people"]),
            people_text(row["unique"]),
            percent(row["share"]),
            say(
                "web.repository.from_to",
                low=people_text(row["low"]),
                high=people_text(row["high"]),
            ),
        )
        for row in found.rows
    ]
    heads = say("web.repository.predicted_heads").split(" | ")
    return [table(say("web.repository.predicted"), heads, rows)]


def _called(repository: Repository, holder: str) -> str:
    """Return the name of a holder, with the id of the key."""
    names = [one.name for one in repository.store.holders() if one.id == holder]
    named = names and names[0] and names[0] != holder
    return printable(f"{names[0]} ({holder})" if named else holder)


def _may(stored: StoredRecord, rights: Mapping[str, Any]) -> list[str]:
    """Return what the user may do with a record in its state, by the roles of the key."""
    from singleout.repository.store.admitted.states import TRANSITIONS

    next_states = TRANSITIONS[stored.state]
    moderates = "moderator" in rights["roles"]
    own = stored.holder == rights["key"] and "holder" in rights["roles"]
    may = {
        "dispute": "holder" in rights["roles"] and "disputed" in next_states,
        "withdraw": (own or moderates) and "withdrawn" in next_states,
        "valid": moderates and stored.state == "quarantined",
        "quarantined": moderates and "quarantined" in next_states,
        "choose": moderates and stored.state == "disputed",
        "settle": moderates and stored.state == "disputed",
    }
    return [name for name, allowed in may.items() if allowed]


def as_question(_: Held, where: Mapping[str, Any], identity: str) -> dict[str, Any]:
    """Return a record as a question of a questionnaire, by its summary."""
    with opened(where) as repository:
        record = repository.content(identity)
    numbers = record.numbers
    if numbers.cells is None:
        raise BadChoice("The record does not say how many cells are possible; give cells.")
    if numbers.cells > MOST_OPTIONS:
        raise BadChoice(
            f"This record has {numbers.cells:,} possible cells, and a question at most "
            f"{MOST_OPTIONS:,} answers; read on the page of the record what it predicts."
        )
    summary: dict[str, Any] = {"cells": numbers.cells, "kl": max(0.0, numbers.kappa)}
    if numbers.s2 is not None and numbers.s3 is not None:
        summary["power_sums"] = [numbers.s2, numbers.s3]
    return {"name": names_of(record), "summary": summary, "people": record.people}
