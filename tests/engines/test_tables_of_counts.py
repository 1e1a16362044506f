"""A table of counts is measured as the table with each row repeated would be, on every engine."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from answers import plain
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import Put

import singleout as so
from singleout.errors import BadChoice, SingleoutError
from singleout.predict.distribution.distribution import Distribution

KNOWN = ["a", "b"]


def _distribution(data: Any, **how: Any) -> dict[str, Any]:
    found = Distribution.from_counts(so.count(data, KNOWN, **how))
    return {"kl": found.kl_distance, "cells": found.cells}


def _suda(**choices: Any) -> Callable[..., dict[str, Any]]:
    def measured(data: Any, **how: Any) -> dict[str, Any]:
        found = plain(so.suda(data, ["a", "b", "x"], sampling_fraction=0.1, **choices, **how))
        for part in [found, *found.get("groups", [])]:
            part.pop("risky")  # their numbers are those of rows, not of records
        return found

    return measured


def _assessed(data: Any, **how: Any) -> dict[str, Any]:
    plan = {
        "columns": {
            "a": {"role": "quasi-identifier", "exposure": "EE"},
            "b": {"role": "quasi-identifier", "exposure": "DE"},
            "x": {"role": "sensitive", "moral": 4},
        }
    }
    found = so.assess(data, plan, advice=False, **how)
    return {"level": found.level, "shares": found.shares, "ratings": found.ratings.to_dicts()}


def _contributions(data: Any, **how: Any) -> dict[str, Any]:
    found = so.contributions(data, ["a", "b", "x"], 2, tail=0.5, **how).to_dict(top=0)
    wanted = ("risk", "records", "lowering", "unique_in_none", "in_cluster", "missing")
    return {name: found[name] for name in wanted}


def _eliminated(data: Any, **how: Any) -> dict[str, Any]:
    found = so.eliminate(
        data, 1, columns=["a", "b", "x"], size=2, tail=0.5, every=None, **how
    ).to_dict()
    return {name: found[name] for name in ("records", "share", "risk", "bound", "bound_top")}


METHODS: dict[str, Callable[..., Any]] = {
    "sets": lambda data, **how: so.anonymity_sets(data, KNOWN, **how),
    "sets by group": lambda data, **how: so.anonymity_sets(data, ["a"], by="b", **how),
    "sets, weights": lambda data, **how: so.anonymity_sets(data, ["a"], weight="w", **how),
    "sets, drop": lambda data, **how: so.anonymity_sets(
        data, KNOWN, by="x", missing="drop", weight="w", **how
    ),
    "sets, wildcard": lambda data, **how: so.anonymity_sets(
        data, KNOWN, by="x", missing="wildcard", **how
    ),
    "qar": lambda data, **how: so.qar(data, ["a", "b", "x"], size=2, tail=0.5, **how),
    "qar, drop": lambda data, **how: so.qar(
        data, ["a", "b", "x"], size=1, tail=0.5, missing="drop", **how
    ),
    "contributions": _contributions,
    "eliminate": _eliminated,
    "suda": _suda(),
    "suda, never": _suda(missing="never", by="w"),
    "suda, simulated": _suda(simulate=2, seed=5),
    "attacker risk": lambda data, **how: so.attacker_risk(data, KNOWN, 5000, **how),
    "attacker risk, weights": lambda data, **how: so.attacker_risk(
        data, KNOWN, so.Population(weights="w"), by="x", missing="wildcard", **how
    ),
    "attribute risk": lambda data, **how: so.attribute_risk(data, ["a", "b", "x"], by="x", **how),
    "diversity": lambda data, **how: so.diversity(data, KNOWN, "x", by="w", **how),
    "diversity, drop": lambda data, **how: so.diversity(data, ["a"], "x", missing="drop", **how),
    "discrimination": lambda data, **how: so.discrimination_rate(data, KNOWN, "x", by="w", **how),
    "individual risk": lambda data, **how: so.individual_risk(data, KNOWN, "w", by="x", **how),
    "population": lambda data, **how: so.population_uniqueness(
        data, KNOWN, 5000, ["zayatz", "snb"], by="x", **how
    ),
    "safe harbor": so.hipaa,
    "distribution": _distribution,
    "assess": _assessed,
}


def repeated(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the table with a row for each record; records of one row stay together."""
    return cells.select(pl.exclude("n").repeat_by("n")).explode(pl.all()).drop_nulls("w")


def close(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {key: close(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [close(value) for value in answer]
    return pytest.approx(answer, rel=1e-9, abs=1e-12) if isinstance(answer, float) else answer


def answer(method: Callable[..., Any], data: Any, **how: Any) -> Any:
    """Return what a method finds, or that it refuses, in which words it does not matter."""
    try:
        found = method(data, **how)
    except SingleoutError as error:
        return type(error)
    return found if isinstance(found, dict) else plain(found)


rows = st.tuples(
    st.sampled_from(["p", "q", None]),
    st.sampled_from([1, 2, 3, None]),
    st.sampled_from(["u", "v"]),
    st.sampled_from([1.5, 2.0]),
    st.integers(0, 4),
)
tables = st.lists(rows, min_size=1, max_size=9).filter(lambda each: any(row[-1] for row in each))


def frame_of(cells: list[tuple[Any, ...]]) -> pl.DataFrame:
    kinds = {"a": pl.String, "b": pl.Int64, "x": pl.String, "w": pl.Float64, "n": pl.Int64}
    return pl.DataFrame(cells, schema=kinds, orient="row")


@pytest.mark.parametrize("name", METHODS)
@settings(max_examples=12, deadline=None)
@given(cells=tables)
def test_a_table_of_counts_is_measured_as_if_each_row_were_repeated(
    name: str, cells: list[tuple[Any, ...]]
) -> None:
    frame = frame_of(cells)
    expected = answer(METHODS[name], repeated(frame))
    assert answer(METHODS[name], frame, count="n") == close(expected)


TABLE = frame_of(
    [
        ("p", 1, "u", 1.5, 2), ("p", 2, "v", 2.0, 1), ("q", 1, "u", 2.0, 3), ("q", 2, "u", 1.5, 0),
        (None, 1, "v", 2.0, 1), ("p", None, "u", 2.0, 2), ("p", 1, "u", 1.5, 4),
        ("q", 3, "v", 2.0, 1), ("q", 3, "u", 1.5, 1), ("p", 3, "u", 1.5, 1),
    ]
)  # fmt: skip


def test_every_engine_counts_a_table_of_counts_alike(there: Put) -> None:
    data, expected = there(TABLE, "counted"), repeated(TABLE)
    for name, method in METHODS.items():
        if name == "safe harbor" or (there.engine == "spark" and "," in name):
            continue  # kinds of values differ between databases; a statement of Spark is slow
        assert answer(method, data, count="n") == close(answer(method, expected)), name


def test_a_count_of_whole_numbers_written_as_text_is_one(there: Put) -> None:
    data = there(TABLE.with_columns(pl.format(" {}.0", "n").alias("n")), "as_text")
    assert so.anonymity_sets(data, KNOWN, count="n").records == 16


@pytest.mark.parametrize(
    ("numbers", "what"),
    [
        ([1, None, 3], "1 row has no value there"),
        ([1, -2, -3], "2 rows have a negative number there"),
        ([1.5, 2.0, 3.0], "1 row has a fraction or no number there"),
        (["1", "many", "-3"], "1 row has a negative number there and 1 row has a fraction or no"),
        ([0, 0, 0], "is 0 in every row, so there is nobody to single out"),
        ([2**53, 2**53, 1], "counts more than 9,007,199,254,740,992 people"),
    ],
)
def test_a_column_that_counts_nobody_is_refused_in_a_sentence(
    there: Put, numbers: list[Any], what: str
) -> None:
    if there.engine == "spark" and what[0] not in "12":
        pytest.skip("the same statement, which takes long there")
    data = there(pl.DataFrame({"a": ["p", "q", "r"], "n": numbers}, strict=False), "odd")
    with pytest.raises(SingleoutError, match=r"olumn .n.") as refused:
        so.anonymity_sets(data, ["a"], count="n")
    assert what in str(refused.value)


def test_notes_say_how_many_people_rows_stand_for() -> None:
    found = so.anonymity_sets(TABLE, ["a"], count="n")
    assert found.notes == (
        "9 rows stand for 16 people, as 'n' says.",
        "1 row stands for nobody ('n' is 0) and was left out: it is an empty cell.",
        "Some rows are alike in a; what they count was added up: 9 rows make 3 cells.",
    )
    wide = TABLE.filter(pl.col("n") > 0).unique(["a", "b", "x"], keep="first")
    assert len(so.anonymity_sets(wide, ["a", "b", "x"], count="n").notes) == 1


def test_a_database_gives_the_same_notes(tmp_path: Any) -> None:
    TABLE.write_parquet(tmp_path / "t.parquet")
    expected = so.anonymity_sets(TABLE, ["a"], count="n").notes
    found = so.anonymity_sets(tmp_path / "t.parquet", ["a"], count="n", engine="database")
    assert found.notes == expected


def test_the_column_of_counts_is_none_to_combine() -> None:
    with pytest.raises(BadChoice, match="so it cannot be combined with others"):
        so.anonymity_sets(TABLE, ["a", "n"], count="n")
    with pytest.raises(BadChoice, match="no column beside 'n'"):
        so.attribute_risk(TABLE.select("n"), count="n")
    assert "n" not in so.attribute_risk(TABLE, count="n").to_dict()["columns"]


def test_a_condition_may_speak_of_the_count(there: Put) -> None:
    if there.engine == "spark":
        pytest.skip("conditions on Spark have tests of their own")
    found = so.anonymity_sets(there(TABLE, "conditioned"), ["a"], count="n", where="n >= 2")
    assert found.records == 11


def test_millions_of_people_are_not_laid_out() -> None:
    cells = pl.DataFrame({"a": ["p", "q", "r"], "b": [1, 2, 3], "n": [10**12, 1, 2]})
    assert so.anonymity_sets(cells, ["a"], count="n").records == 10**12 + 3
    found = so.suda(cells, KNOWN, sampling_fraction=0.5, count="n")
    assert (found.records, found.unique, found.in_pairs) == (10**12 + 3, 1, 2)
    assert found.to_frame()["people"].to_list() == [10**12, 1, 2]
    assert found.to_frame().filter(pl.col("unique"))["record"].to_list() == [2]


def test_what_needs_records_says_that_a_table_of_counts_has_none() -> None:
    from singleout.engines.open import open_data

    with (
        open_data(TABLE, count="n") as counter,
        pytest.raises(BadChoice, match="a table of counts has none"),
    ):
        counter.records(["a", "b", "x"])


def test_a_column_may_have_the_role_of_the_count() -> None:
    table = so.read(TABLE, roles={"n": "count"})
    assert so.anonymity_sets(table, KNOWN).records == 16
    assert so.qar(table, size=2, tail=0.5).columns == ("a", "b", "x", "w")
    assert so.read(table, missing="drop").rows == TABLE.height
    assert so.read(table).with_role("count") == ("n",)


SUSPECTED = pl.DataFrame(
    {
        "town": ["north"] * 4 + ["south"] * 4,
        "age": ["young", "young", "old", "old"] * 2,
        "sex": ["f", "m"] * 4,
        "people": [12, 1, 31, 30, 4, 2, 9, 5],
    }
)


@pytest.mark.parametrize("columns", [["town", "age"], "town"])
def test_a_function_notes_a_table_that_looks_like_one_of_counts(
    columns: Any, tmp_path: Any
) -> None:
    SUSPECTED.write_csv(tmp_path / "t.csv")
    note = "Say --count people (count='people' in Python) to count people."
    for data in (SUSPECTED, so.read(SUSPECTED), tmp_path / "t.csv"):
        found = so.anonymity_sets(data, columns)
        assert [text for text in found.notes if note in text], type(data)
        assert not [
            text for text in so.anonymity_sets(data, columns, count="people").notes if note in text
        ]
    found = so.anonymity_sets(tmp_path / "t.csv", columns, engine="database")
    assert [text for text in found.notes if note in text]
    stated = so.read(SUSPECTED, roles={"people": "sensitive"})
    assert so.anonymity_sets(stated, columns).notes == ()
    assert so.anonymity_sets(SUSPECTED, ["town", "people"]).notes == ()


def test_an_assessment_that_is_told_what_a_number_is_warns_no_more() -> None:
    roles = {"town": "quasi-identifier", "age": "quasi-identifier", "people": "other"}
    plan = {"columns": {name: {"role": role} for name, role in roles.items()}}
    found = so.assess(SUSPECTED, plan, advice=False)
    assert not [text for text in (*found.notes, *found.warnings) if "table of counts" in text]


def test_counts_of_spark_are_not_approximate(there: Put) -> None:
    if there.engine != "spark":
        pytest.skip("only Spark estimates counts")
    data = there(TABLE, "estimated")
    with pytest.raises(BadChoice, match="counted exactly; leave --approximate out"):
        so.qar(data, KNOWN, size=1, count="n", engine=so.Spark(approximate=0.05))


def test_tables_of_counts_are_compared_as_if_each_row_were_repeated() -> None:
    plan = {"columns": {"a": {"role": "quasi-identifier"}, "n": {"role": "count"}}}
    coarser = TABLE.with_columns(pl.col("a").fill_null("q"))
    found = so.compare(TABLE, coarser, plan)
    del plan["columns"]["n"]
    expected = so.compare(repeated(TABLE), repeated(coarser), plan)
    cells = ["suppressed", "changed"]
    unmatched = found.to_frame().filter(~pl.col("measure").str.contains("|".join(cells)))
    assert unmatched.to_dicts() == close(
        expected.to_frame().filter(~pl.col("measure").str.contains("|".join(cells))).to_dicts()
    )
    assert found.cells is None
