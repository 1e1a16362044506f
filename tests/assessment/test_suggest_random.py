"""Suggestions for data that nobody prepared: random mixed frames with hostile names and values."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import singleout as so

NAMES = [
    "age",
    "a b",
    "<b>x</b>",
    "=1+1",
    "é",
    "x;y",
    "'q'",
    "k",
    "*",
    "Select",
    "a\nb",
    "{0}",
    "^a.*$",
]
TEXTS = ["1", "1.0", " 1", "", "a", "A", "*", "b or c", "{a, b}", "1-2", "≥5", "<2", "None", "nan"]
VALUES = {
    pl.Int64: st.integers(-5, 120),
    pl.Float64: st.one_of(st.integers(0, 9).map(float), st.floats(-1e6, 1e6, width=32)),
    pl.String: st.one_of(st.sampled_from(TEXTS), st.text(max_size=3)),
    pl.Date: st.dates(date(1900, 1, 1), date(2030, 1, 1)),
    pl.Boolean: st.booleans(),
}


@st.composite
def frames(draw: st.DrawFn) -> tuple[pl.DataFrame, list[str]]:
    """Some columns that others know, and one that they do not."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True))
    rows = draw(st.integers(3, 30))
    columns = []
    for name in names:
        kind: Any = draw(st.sampled_from(list(VALUES)))
        few = draw(st.lists(VALUES[kind], min_size=1, max_size=6))
        cell = st.sampled_from([*few, None] if draw(st.booleans()) else few)
        values = draw(st.lists(cell, min_size=rows, max_size=rows))
        columns.append(pl.Series(name, values, dtype=kind))
    return pl.DataFrame(columns), names[:-1]


def unchanged(frame: pl.DataFrame, treated: so.Treated, names: list[str]) -> bool:
    table, rows = so.read(frame), treated.applied.rows.tolist()
    for name in names:
        old, new = table[name], treated.table[name]
        was = [old.value(int(old.codes[row])) for row in rows]
        if was != [new.value(code) for code in new.codes.tolist()]:
            return False
    return True


@settings(max_examples=60)
@given(case=frames(), k=st.integers(2, 3), method=st.sampled_from(["local", "full-domain"]))
def test_any_table_reaches_k(case: tuple[pl.DataFrame, list[str]], k: int, method: str) -> None:
    frame, known = case
    found = so.suggest(frame, quasi_identifiers=known, k=k, method=method)
    assert found.reached
    assert found.suppressed == 0
    treated = found.apply()
    assert treated.table.rows == frame.height
    assert unchanged(frame, treated, [name for name in frame.columns if name not in known])
    assert so.anonymity_sets(treated.table, known).k == found.after.k >= k
    assert -1e-12 <= found.loss <= 1
    covered = so.covered(frame, treated.table, known, k=k)
    assert covered.below == 0
    if so.anonymity_sets(frame, known).k >= k:
        assert found.loss == 0
        assert len(found.steps) == 0


@settings(max_examples=40)
@given(case=frames(), k=st.integers(2, 3), data=st.data())
def test_fixed_columns_stay_and_nobody_is_suppressed_without_need(
    case: tuple[pl.DataFrame, list[str]], k: int, data: st.DataObject
) -> None:
    frame, known = case
    fixed = data.draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    found = so.suggest(frame, quasi_identifiers=known, k=k, fixed=fixed)
    table = so.read(frame)
    assert found.reached == (so.anonymity_sets(table, fixed).k >= k)
    treated = found.apply()
    others = [name for name in frame.columns if name not in known or name in fixed]
    blank = treated.to_frame()[known].height and found.loss == 1
    assert blank or unchanged(frame, treated, others)
    if found.reached:
        assert so.anonymity_sets(treated.table, known).k == found.after.k >= k
        assert so.covered(frame, treated.table, known, k=k).below == 0


@settings(max_examples=30)
@given(case=frames(), share=st.sampled_from([0.1, 0.5, 1.0]))
def test_suppressed_records_stay_within_the_limit(
    case: tuple[pl.DataFrame, list[str]], share: float
) -> None:
    frame, known = case
    found = so.suggest(
        frame, quasi_identifiers=known, k=2, method="full-domain", max_suppressed=share
    )
    assert found.reached
    assert found.suppressed <= share * frame.height
    treated = found.apply()
    assert treated.removed <= found.suppressed
    assert so.anonymity_sets(treated.table, known).k == found.after.k >= 2


@settings(max_examples=30)
@given(case=frames(), distinct=st.integers(1, 3))
def test_sensitive_values_are_diverse_or_it_says_why_not(
    case: tuple[pl.DataFrame, list[str]], distinct: int
) -> None:
    frame, known = case
    secret = frame.columns[-1]
    found = so.suggest(frame, quasi_identifiers=known, sensitive=secret, k=2, distinct_l=distinct)
    most = so.diversity(frame.with_columns(pl.lit(1).alias(known[0])), known[:1], secret).distinct_l
    assert found.reached == (most >= distinct)
    if found.reached:
        assert so.diversity(found.apply().table, known, secret).distinct_l >= distinct
    else:
        assert any(repr(secret) in sentence for sentence in found.blocked)


@pytest.mark.parametrize(
    ("ages", "k"), [([0, None, None], 2), ([None, 0, None], 2), ([0, 1, 2, None, None], 3)]
)
def test_a_fixed_column_is_not_blanked_where_others_are_blank_already(
    ages: list[int | None], k: int
) -> None:
    frame = pl.DataFrame({"age": ages}, schema={"age": pl.Int64})
    found = so.suggest(frame, quasi_identifiers=["age"], k=k, fixed=["age"])
    assert not found.reached
    left = found.apply().to_frame()["age"].to_list()
    assert left in (ages, [age for age in ages if age is None])
