"""Publish from the table of a user: first what would become public, then that and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from singleout.core.text import printable
from singleout.errors import NotPublishable
from singleout.web.repositories.opening import opened
from singleout.web.repositories.rows import receipt_of, rights_of, row_of, told

if TYPE_CHECKING:
    from singleout.web.answering import Held

__all__ = ["offered", "published", "tried"]


def offered(_: Held, where: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a form of publication needs to know of a repository."""
    with opened(where) as repository:
        return {
            "personal": repository.personal,
            "vocabularies": [
                (one["hash"], printable(f"{one['name']} {one['version']}"))
                for one in repository.store.vocabularies()
            ],
            "rights": rights_of(repository, where),
        }


def tried(held: Held, where: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return what would become public, or why the gate refuses it; nothing is written or sent.

    Parameters
    ----------
    held
        The table.
    where
        The repository it is for: its budget is asked as well.
    wanted
        The arguments of `publishable`, as plain values; the vocabulary by its hash.
    """
    from singleout.repository.publishing.explain import impact_statement
    from singleout.repository.publishing.publishable import publishable

    counter = held.counter()
    how = dict(wanted)
    with opened(where) as repository:
        if how.get("vocabulary"):
            how["vocabulary"] = repository.store.vocabulary(how["vocabulary"])
        try:
            record = publishable(
                counter,
                how.pop("quasi_identifier"),
                how.pop("population") or None,
                key=repository.key,
                repository=repository,
                **how,
            )
        except NotPublishable as error:
            return {"refused": _reasons(error)}
    return {
        "refused": [],
        "id": record.id,
        "row": row_of(record),
        "explained": told(record),
        "impact": printable(impact_statement(record)),
        "record": json.dumps(record.to_dict(), ensure_ascii=False),
    }


def _reasons(error: NotPublishable) -> list[dict[str, str]]:
    """Return why something is refused, and what would pass."""
    from singleout.repository.gate.refusal import Refusal

    found = [one for one in error.refusals if isinstance(one, Refusal)]
    if not found:
        return [{"sentence": printable(one), "would_pass": ""} for one in error.reasons]
    return [
        {"sentence": printable(one.sentence), "would_pass": printable(one.would_pass)}
        for one in found
    ]


def published(_: Held, where: Mapping[str, Any], record: str) -> dict[str, Any]:
    """Publish a record as it was shown; return its receipt, or why it is refused."""
    from singleout.repository.documents.record import Record

    with opened(where) as repository:
        try:
            return receipt_of(repository.publish(Record.of(record)))
        except NotPublishable as error:
            return {"refused": _reasons(error)}
