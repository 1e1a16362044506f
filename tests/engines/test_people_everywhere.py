"""People who have several records each are the same people wherever the data is."""

from typing import Any

import polars as pl
import pytest
import tables
from stores import Put

import singleout as so

PLAN = {
    "unit": "who",
    "columns": {
        "who": {"role": "other"},
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "sex": {"role": "quasi-identifier", "exposure": "EE"},
        "illness": {"role": "sensitive", "moral": 4},
    },
}


def visits() -> pl.DataFrame:
    """Return people with one to four records each."""
    frame = tables.people()
    return frame.with_columns(
        who=pl.int_range(pl.len()) // 3 + pl.int_range(pl.len()) % 2 * 7,
        share=pl.lit(2.0),
    )


def test_people_are_the_same(there: Put) -> None:
    frame = visits()
    data = there(frame, "visits")
    for measure in (
        lambda one: so.attacker_risk(one, ["age", "sex"], 5000, unit="who"),
        lambda one: so.attacker_risk(one, ["age"], so.Population(weights="share"), unit="who"),
        lambda one: so.diversity(one, ["age", "sex"], ["illness"], unit="who", by="region"),
    ):
        assert numbers(measure(data)) == _close(numbers(measure(frame)))


def test_people_are_rated_the_same(there: Put) -> None:
    frame = visits()
    found, expected = (
        so.assess(one, PLAN, advice=False) for one in (there(frame, "visits"), frame)
    )
    assert found.record_risks.by_level == expected.record_risks.by_level
    assert (found.level, found.anonymity.k) == (expected.level, expected.anonymity.k)
    assert found.rows.to_dicts() == _close(expected.rows.to_dicts())


def numbers(result: Any) -> Any:
    plain = result.to_dict()
    for part in (plain, *plain.get("groups", [])):
        part.pop("notes")
    return plain


def _close(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {key: _close(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [_close(value) for value in answer]
    return pytest.approx(answer, rel=1e-12) if isinstance(answer, float) else answer
