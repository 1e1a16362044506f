"""`so.attacker_risk` gives the same numbers wherever the data is."""

from typing import Any

import polars as pl
import pytest
import tables
from stores import Put

import singleout as so

KNOWN = ["age", "zip", "sex"]


def numbers(risk: so.AttackerRisk) -> Any:
    plain = risk.to_dict()
    plain.pop("notes")
    for group in plain.get("groups", []):
        group.pop("notes")
    return plain


def questions(frame: pl.DataFrame) -> list[dict[str, Any]]:
    by_weight = so.Population(weights="weight")
    counted = frame.group_by(*KNOWN, "region").agg((3 * pl.len()).alias("n"))
    return [
        {"population": 5000},
        {"population": by_weight, "missing": "wildcard"},
        {"population": by_weight, "missing": "drop", "by": "region"},
        {"population": so.Population(table=counted.drop("region").unique(KNOWN))},
        {"population": so.Population(table=counted), "by": "region"},
    ]


def test_numbers_are_the_same(there: Put) -> None:
    frame = tables.people().with_columns(
        pl.when(pl.col("age") % 9 > 0).then("age"), pl.when(pl.col("children") > 0).then("zip")
    )
    data = there(frame, "people")
    for question in questions(frame):
        found = so.attacker_risk(data, KNOWN, threshold=0.3, **question)
        expected = so.attacker_risk(frame, KNOWN, threshold=0.3, **question)
        assert numbers(found) == _close(numbers(expected)), question


def _close(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {key: _close(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [_close(value) for value in answer]
    return pytest.approx(answer, rel=1e-12) if isinstance(answer, float) else answer
