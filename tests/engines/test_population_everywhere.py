"""`so.population_uniqueness` gives the same numbers wherever the data is."""

from functools import cache
from typing import Any

import polars as pl
import pytest
import tables
from stores import Put

import singleout as so

KNOWN = ["age", "zip", "sex"]
QUESTIONS: list[dict[str, Any]] = [
    {"population": 50_000},
    {"population": 50_000, "estimator": ["zayatz", "pitman", "snb", "dankar", "predicted"]},
    {"population": so.Population(weights="weight"), "missing": "wildcard"},
    {"population": so.Population(weights="weight"), "missing": "drop", "by": "region"},
    {
        "population": so.Population(weights="weight"),
        "missing": "drop",
        "by": "region",
        "estimator": "zayatz",
    },
]


def numbers(found: so.PopulationUniqueness) -> Any:
    plain = found.to_dict()
    plain.pop("notes")
    for group in plain.get("groups", []):
        group.pop("notes")
    return plain


@cache
def sampled() -> pl.DataFrame:
    return tables.people().with_columns(
        pl.when(pl.col("age") % 9 > 0).then("age"),
        pl.when(pl.col("children") > 0).then("zip"),
        weight=pl.col("weight") * 3 + 10,
    )


@cache
def in_memory() -> list[Any]:
    return [numbers(so.population_uniqueness(sampled(), KNOWN, **one)) for one in QUESTIONS]


def test_numbers_are_the_same(there: Put) -> None:
    data = there(sampled(), "sampled")
    for question, expected in zip(QUESTIONS, in_memory(), strict=True):
        found = so.population_uniqueness(data, KNOWN, **question)
        assert numbers(found) == _close(expected), question


def _close(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {key: _close(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [_close(value) for value in answer]
    return pytest.approx(answer, rel=1e-6, abs=1e-12) if isinstance(answer, float) else answer
