"""The discrimination rate against its slow twin, the paper's numbers, and at its edges."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_assess
from singleout.errors import BadChoice, UndefinedMeasure, UnknownColumns, UnusableTable
from singleout.io.read import read
from singleout.methods.discrimination.function import discrimination_rate

HERE = Path(__file__).parent
VARIANTS = ("paper", "mutual-information", "worst-value")

tables = st.lists(
    st.tuples(*(st.sampled_from([None, "a", "b", "c"]) for _ in range(3))), min_size=1, max_size=40
)


def columns(records: list[tuple[Any, ...]]) -> pl.DataFrame:
    return pl.DataFrame(
        records, schema={"age": pl.String, "zip": pl.String, "ill": pl.String}, orient="row"
    )


@pytest.mark.parametrize("variant", VARIANTS)
@given(records=tables)
def test_rates_are_those_of_the_definition(variant: str, records: list[tuple[Any, ...]]) -> None:
    known = [record[:2] for record in records]
    secret = [record[2] for record in records]
    found = discrimination_rate(columns(records), ["age", "zip"], "ill", variant=variant)
    assert found.entropy == pytest.approx(naive_assess.entropy(secret))
    assert found.rate == pytest.approx(naive_assess.rate(known, secret, variant))
    by_value = {y: naive_assess.value_rate(known, secret, y, variant) for y in set(known)}
    assert found.per_record == pytest.approx([by_value[y] for y in known])
    rows = found.values.rows()
    missing = [tuple("(missing)" if v is None else v for v in y) for y in by_value]
    assert sorted(row[:2] for row in rows) == sorted(missing)


@given(records=tables)
def test_values_come_worst_first_and_their_shares_add_up(records: list[tuple[Any, ...]]) -> None:
    found = discrimination_rate(columns(records), ["age", "zip"], "ill")
    assert found.values["share"].sum() == pytest.approx(1)
    assert found.values["records"].sum() == len(records)
    rows = found.values.select("rate", "records").rows()
    assert all(one >= other for one, other in pairwise(rows))


@given(records=tables)
def test_the_papers_rate_is_never_below_one_less_one_over_the_number_of_values(
    records: list[tuple[Any, ...]],
) -> None:
    found = discrimination_rate(columns(records), ["age", "zip"], "ill")
    shared = discrimination_rate(columns(records), ["age", "zip"], "ill", "mutual-information")
    values = found.values.height
    assert found.rate >= 1 - 1 / values - 1e-12
    assert found.rate == pytest.approx(1 - (1 - shared.rate) / values)


@given(records=tables)
def test_who_knows_more_infers_no_less(records: list[tuple[Any, ...]]) -> None:
    for variant in VARIANTS:
        one = discrimination_rate(columns(records), "age", "ill", variant=variant)
        both = discrimination_rate(columns(records), ["age", "zip"], "ill", variant=variant)
        assert both.rate >= one.rate - 1e-12


@given(records=tables)
def test_rates_lie_within_0_and_1(records: list[tuple[Any, ...]]) -> None:
    for variant in VARIANTS:
        assert 0 <= discrimination_rate(columns(records), "age", "ill", variant=variant).rate <= 1
    paper = discrimination_rate(columns(records), "age", "ill").per_record
    assert paper.min() >= 0
    assert paper.max() <= 1


SPEC = {
    2: (0.829, 0.635, 0.829, 0.829, 0.669, 0.829, 0.829),
    3: (0.992, 0.599, 0.982, 0.913, 0.940, 1.000, 0.992),
}
ENTROPY = {2: 2.058813890, 3: 2.054585169}
LEVELS = {2: (4, 3, 4, 4, 3, 4, 4), 3: (4, 3, 4, 4, 4, 4, 4)}
KNOWN: list[list[str]] = [
    ["Age"],
    ["Gender"],
    ["Country"],
    ["Admission Date"],
    ["Blood Type"],
    ["Age", "Gender", "Country"],
    ["Admission Date", "Blood Type"],
]


@pytest.mark.parametrize("table", [2, 3])
@pytest.mark.parametrize("place", range(7))
def test_the_rates_of_tables_2_and_3_give_the_levels_of_tables_8_to_11(
    table: int, place: int
) -> None:
    found = discrimination_rate(HERE / f"paper_table{table}.csv", KNOWN[place], "Disease")
    assert round(found.rate, 3) == SPEC[table][place]
    assert found.level == LEVELS[table][place]
    assert found.entropy == pytest.approx(ENTROPY[table], abs=1e-9)


def test_group_1_of_table_2_gives_its_disease_away() -> None:
    found = discrimination_rate(HERE / "paper_table2.csv", "Age", "Disease")
    worst = found.values.row(0, named=True)
    assert worst["Age"] == "2*"
    assert (worst["records"], worst["rate"], worst["level"]) == (3, 1.0, 4)
    assert found.per_record[:3].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_constant_sensitive_attribute_is_known_already(variant: str) -> None:
    people = {"age": [1, 2, 2], "ill": ["flu", "flu", "flu"]}
    found = discrimination_rate(people, "age", "ill", variant=variant)
    assert (found.rate, found.level, found.entropy) == (1.0, 4, 0.0)
    assert found.per_record.tolist() == [1.0, 1.0, 1.0]
    assert "1 by definition" in found.notes[0]


def test_attributes_that_tell_nothing_take_nothing_away() -> None:
    people = {"age": [1, 1, 2, 2], "ill": ["flu", "hiv", "flu", "hiv"]}
    assert discrimination_rate(people, "age", "ill", "mutual-information").rate == 0
    assert discrimination_rate(people, "age", "ill", "worst-value").rate == 0
    # by the paper's reading the number of values counts as well
    assert discrimination_rate(people, "age", "ill").rate == 0.5


def test_a_value_can_be_harder_to_guess_than_the_whole() -> None:
    people = {"age": [1] * 8 + [2, 2], "ill": ["flu"] * 8 + ["flu", "hiv"]}
    found = discrimination_rate(people, "age", "ill", "mutual-information")
    assert found.values["rate"].min() < 0
    assert found.rate > 0


# ---- missing values and bad input


def test_missing_is_a_value_or_leaves_the_record_out() -> None:
    people = {"age": [1, 1, 2, None, 2], "ill": ["flu", "hiv", None, "flu", "flu"]}
    kept = discrimination_rate(people, "age", "ill")
    assert kept.records == 5
    assert "(missing)" in kept.values["age"].to_list()
    dropped = discrimination_rate(people, "age", "ill", missing="drop")
    assert (dropped.records, dropped.dropped) == (3, 2)
    assert np.isnan(dropped.per_record).tolist() == [False, False, True, True, False]
    assert "2 of 5 records" in dropped.notes[0]


def test_wildcards_have_no_rate_unless_nothing_is_missing() -> None:
    people = {"age": [1, None], "ill": ["flu", "hiv"]}
    with pytest.raises(UndefinedMeasure, match="there is no discrimination rate"):
        discrimination_rate(people, "age", "ill", missing="wildcard")
    whole = {"age": [1, 2], "ill": ["flu", "hiv"]}
    assert discrimination_rate(whole, "age", "ill", missing="wildcard").rate == 1


def test_roles_of_the_table_are_used_where_nothing_is_named() -> None:
    people = {"age": [1, 1, 2], "ill": ["flu", "hiv", "flu"], "id": [1, 2, 3]}
    table = read(people, roles={"age": "quasi-identifier", "ill": "sensitive"})
    found = discrimination_rate(table)
    assert (found.quasi_identifiers, found.sensitive) == (("age",), "ill")


PEOPLE = {"age": [1, 2], "ill": ["flu", None], "name": ["Ann", "Bob"]}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"quasi_identifiers": [], "sensitive": "ill"}, "No quasi-identifiers were given"),
        ({"quasi_identifiers": "age"}, "Name the sensitive column: of columns .* has none"),
        ({"quasi_identifiers": ["ill"], "sensitive": "ill"}, "nothing left to guess"),
        ({"quasi_identifiers": "name", "sensitive": "ill"}, "identifies people directly"),
        ({"quasi_identifiers": "age", "sensitive": "name"}, "identifies people directly"),
        ({"quasi_identifiers": "age", "sensitive": "ill", "variant": "papre"}, "'paper'"),
        ({"quasi_identifiers": "age", "sensitive": "ill", "missing": "x"}, "choose one of"),
    ],
)
def test_a_question_without_meaning_is_refused(arguments: dict[str, Any], sentence: str) -> None:
    table = read(PEOPLE, roles={"name": "direct-identifier"})
    with pytest.raises(BadChoice, match=sentence):
        discrimination_rate(table, **arguments)


def test_unknown_columns_are_named() -> None:
    with pytest.raises(UnknownColumns, match="agee"):
        discrimination_rate(PEOPLE, "agee", "ill")


def test_a_table_that_loses_every_record_is_refused() -> None:
    with pytest.raises(UnusableTable, match="none is left to count"):
        discrimination_rate({"a": [None, 1], "b": [1, None]}, "a", "b", missing="drop")


# ---- ways to look at it


def test_results_can_be_written_as_json_and_drawn() -> None:
    found = discrimination_rate(HERE / "paper_table3.csv", ["Country"], "Disease")
    answer = json.loads(json.dumps(found.to_dict(top=2)))
    assert answer["rates"]["paper"] == answer["rate"] == found.rate
    assert len(answer["values"]) == 2
    assert "0.982" in json.dumps(found.plot().to_dict())
    assert "Country tells Disease: rate 0.982" in str(found)
    with pytest.raises(BadChoice, match="top must be"):
        found.to_dict(top=-1)
    with pytest.raises(BadChoice, match="top must be"):
        found.plot(top=0)


def test_a_column_may_be_called_like_a_measure() -> None:
    people = {"rate": [1, 2], "records": [1, 1], "ill": ["flu", "hiv"]}
    found = discrimination_rate(people, ["rate", "records"], "ill")
    assert found.values.columns[:2] == ["rate (value)", "records (value)"]
    assert found.values["rate"].to_list() == [1.0, 1.0]


def test_results_cannot_be_changed() -> None:
    found = discrimination_rate(HERE / "paper_table3.csv", ["Country"], "Disease")
    with pytest.raises(ValueError, match="read-only"):
        found.per_record[0] = 0
