"""SUDA's lists, linked: scores by column, by value, by set of columns and by record.

The program of Elliot et al. (2005) had two windows, one to choose and one to look. Here a column or
a set that is chosen narrows every list to what it is part of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from singleout.core.wording import count, in_figures, percent

if TYPE_CHECKING:
    from singleout.methods.suda.result import Suda

__all__ = ["MOST_LISTED", "lists", "narrowed"]

_SETS = 300
_VALUES = 1000  # the first by their share of all scores
_RECORDS = 300
_SHOWN = 12  # rows of a list on the page
_FEWEST = 3  # records that have a value which is shown
MOST_LISTED = 300_000  # minimal uniques that are listed, to be looked up by set
_SECONDS = 20.0  # for the sets of single records


def lists(found: Suda, *, records: bool) -> dict[str, Any]:
    """Return the lists as plain values.

    Parameters
    ----------
    found
        The special uniques.
    records
        Whether single records, and values that very few have, may be shown.
    """
    values = found.value_contributions.sort("share", descending=True).head(_VALUES).to_dicts()
    return {
        "columns": [
            {"column": row["variable"], "share": row["share"]}
            for row in found.variable_contributions.sort("share", descending=True).to_dicts()
        ],
        "values": [
            {
                "column": row["variable"],
                "value": str(row["value"]) if records or row["records"] >= _FEWEST else None,
                "records": row["records"],
                "share": row["share"],
            }
            for row in values
            if row["share"] > 0
        ],
        "sets": [
            {"columns": list(row["columns"]), "records": row["records"], "share": row["share"]}
            for row in found.set_contributions.head(_SETS).to_dicts()
        ],
        "records": _records(found) if records and found.with_uniques else [],
    }


def _records(found: Suda) -> list[dict[str, Any]]:
    """Return the riskiest records, and of each set the riskiest that it singles out."""
    sets = _sets_of_records(found)
    risky = {row["record"]: row for row in found.risky(_RECORDS).to_dicts()}
    scores = dict(zip(found.record.tolist(), found.score.tolist(), strict=True))
    shown: Counter[tuple[str, ...]] = Counter()
    chosen = []
    for number in sorted(sets, key=lambda one: (-scores[one], one)):
        if number in risky or any(shown[one] < _SHOWN for one in sets[number]):
            shown.update(sets[number])
            chosen.append(number)
    return [
        {
            "record": number,
            "score": scores[number],
            "because": str(risky[number]["because"])
            if number in risky
            else "; ".join(" × ".join(one) for one in sets[number][:3]),
            "sets": [list(one) for one in sets[number]],
        }
        for number in chosen
    ]


def _sets_of_records(found: Suda) -> dict[int, list[tuple[str, ...]]]:
    """Return the sets that single each record out, small first; of the riskiest if too many."""
    sets: dict[int, list[tuple[str, ...]]] = {}
    if found.listed:
        for number, names in found.uniques:
            sets.setdefault(number, []).append(names)
        return {number: sorted(some, key=len) for number, some in sets.items()}
    exact = found.exact(found.risky(_RECORDS)["record"].to_list(), seconds=_SECONDS)
    return {one.record: list(one.uniques or ()) for one in exact.found}


def narrowed(
    found: Mapping[str, Any], column: str | None, chosen: Sequence[str] | None
) -> dict[str, Any]:
    """Return the first rows of each list that hold a column, or a set of columns, in words.

    Parameters
    ----------
    found
        The lists.
    column, chosen
        The column, or the columns of the set, that was chosen; None if none was.
    """
    wanted = None if chosen is None else set(chosen)

    def holds(columns: Sequence[str]) -> bool:
        return (column is None or column in columns) and (wanted is None or wanted == set(columns))

    inside = wanted if wanted is not None else None if column is None else {column}
    sets = [one for one in found["sets"] if holds(one["columns"])]
    values = [one for one in found["values"] if inside is None or one["column"] in inside]
    records = [
        one
        for one in found["records"]
        if (column is None and wanted is None) or any(map(holds, one["sets"]))
    ]
    return {
        "columns": [
            {**one, "share": percent(one["share"]), "chosen": one["column"] == column}
            for one in found["columns"]
        ],
        "sets": [
            {
                "name": " × ".join(one["columns"]),
                "key": found["sets"].index(one),
                "records": count(one["records"]),
                "share": percent(one["share"]),
                "chosen": wanted is not None,
            }
            for one in sets[:_SHOWN]
        ],
        "values": [
            {**one, "records": count(one["records"]), "share": percent(one["share"])}
            for one in values[:_SHOWN]
        ],
        "records": [
            {**one, "number": count(one["record"]), "score": in_figures(one["score"])}
            for one in records[:_SHOWN]
        ],
        "more": {
            "sets": max(0, len(sets) - _SHOWN),
            "values": max(0, len(values) - _SHOWN),
            "records": max(0, len(records) - _SHOWN),
        },
    }
