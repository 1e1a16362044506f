"""Coverage: which published rows may be a person's, whatever tool made them."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_covered
from singleout.engines.local.counting import match_totals, set_totals
from singleout.engines.reading import read
from singleout.errors import BadChoice, UnknownColumns
from singleout.treatment.covered.chart import cover_bands
from singleout.treatment.covered.function import covered
from singleout.treatment.covered.labels import Values
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.hierarchies.intervals import parse_interval


def test_a_blank_cell_that_looks_like_a_pair_gives_its_record_away() -> None:
    original = {"a": [1, 1], "b": [1, 2]}
    found = covered(original, {"a": [1, 1], "b": ["*", "2"]}, k=2)
    assert found.counts.tolist() == [1, 2]  # (1, 2) cannot be A, but (1, *) may be B
    assert (found.below, found.single) == (1, 1)
    assert found.safe == 0
    assert found.unsafe == 2


def test_rows_that_are_blank_for_everyone_cover_everyone_but_make_nobody_safe() -> None:
    original = {"a": [1, 2, 3, 4], "b": [5, 6, 7, 8]}
    treated = {"a": [1, 2, None, None], "b": [5, 6, None, None]}
    found = covered(original, treated, k=3)
    assert found.counts.tolist() == [3, 3, 2, 2]
    assert covered(original, treated, k=2).safe == 2  # only the blanked are two alike


def test_what_meets_k_with_blanks_as_a_value_of_their_own_is_safe() -> None:
    original = {"a": [1, 1, 2, 2], "b": ["x", "y", "x", "x"]}
    found = covered(original, {"a": [1, 1, 2, 2], "b": ["*", "*", "x", "x"]}, k=2)
    assert found.unsafe == 0
    assert found.below == 0


@pytest.mark.parametrize(
    ("label", "members"),
    [
        ("20-29", [20, 25, 29]),
        ("20–29", [20, 25, 29]),
        ("20 to 29", [20, 25, 29]),
        ("20 to <29", [20, 25]),
        ("[20, 30[", [20, 25, 29]),
        ("]20, 30]", [25, 29, 30]),
        ("[20,30)", [20, 25, 29]),
        ("(20;30)", [25, 29]),
        ("<25", [3, 20]),
        ("<=25", [3, 20, 25]),
        ("≥30", [30, 65, 70]),
        (">65", [70]),
        ("65+", [65, 70]),
        ("65 and over", [65, 70]),
        ("under 20", [3]),
        ("{20, 65}", [20, 65]),
        ("20 or 65", [20, 65]),
        ("3, 20 or 65", [3, 20, 65]),
        ("2*", [20, 25, 29]),
        ("25", [25]),
        ("90-99", []),
    ],
)
@pytest.mark.parametrize("kind", [int, float, str])
def test_labels_are_read_by_their_spelling(label: str, members: list[int], kind: type) -> None:
    ages = [3, 20, 25, 29, 30, 65, 70]
    codes = Values([kind(age) for age in ages]).under(label)
    assert codes is not None
    assert sorted(ages[code] for code in codes) == members


@pytest.mark.parametrize("label", ["nurse", "20 or so", "30-20", "a or b", "(20", "", "??"])
def test_other_labels_are_not_read(label: str) -> None:
    assert Values([20, 30]).under(label) is None
    assert parse_interval(label) is None


def test_stars_stand_for_characters() -> None:
    values = Values(["1234", "1299", "12345", "1300"])
    assert values.under("12**").tolist() == [0, 1]
    assert values.under("12*").tolist() == [0, 1, 2]


def test_months_and_years_stand_for_their_days() -> None:
    values = Values(["2024-05-01", "2024-06-01", "2023-05-01"])
    assert values.under("2024").tolist() == [0, 1]
    assert values.under("2024-05").tolist() == [0]
    assert Values(["a"]).under("2024") is None


def test_rows_show_what_a_label_that_cannot_be_read_stands_for() -> None:
    original = {"job": ["nurse", "cook", "monk", "nurse"]}
    found = covered(original, {"job": ["care", "food", "food", "care"]}, k=2)
    assert found.aligned
    assert found.counts.tolist() == [2, 2, 2, 2]
    assert found.notes == ()


def test_hierarchies_say_it_where_rows_do_not() -> None:
    original = {"job": ["nurse", "cook", "monk", "nurse", "cook"]}
    treated = {"job": ["food", "care", "food"]}
    unknown = covered(original, treated, k=2)
    assert unknown.counts.tolist() == [0] * 5
    assert "it is not known what 2 published values stand for" in " ".join(unknown.notes)
    tree = Hierarchy.of_rows(
        "job", [["cook", "food", "*"], ["monk", "food", "*"], ["nurse", "care", "*"]]
    )
    found = covered(original, treated, k=2, hierarchies={"job": tree})
    assert found.counts.tolist() == [1, 2, 2, 1, 2]
    assert found.single == 2
    assert not found.aligned
    assert found.classes.tolist() == [1, 2, 2, 1, 2]


def test_a_value_merged_into_another_is_covered_by_it() -> None:
    original = {"race": ["White"] * 8 + ["Inuit", "Other"]}
    found = covered(original, {"race": ["White"] * 8 + ["Other", "Other"]}, k=2)
    assert found.aligned
    assert found.counts.tolist() == [8] * 8 + [2, 2]


def test_rows_in_another_order_are_noticed() -> None:
    rng = np.random.default_rng(1)
    ages = rng.integers(0, 50, 200)
    jobs = rng.integers(0, 9, 200)
    order = rng.permutation(200)
    found = covered({"a": ages, "b": jobs}, {"a": ages[order], "b": jobs[order]}, k=2)
    assert not found.aligned
    pairs = Counter(zip(ages.tolist(), jobs.tolist(), strict=True))
    expected = [pairs[pair] for pair in zip(ages.tolist(), jobs.tolist(), strict=True)]
    assert found.counts.tolist() == expected
    assert "contradict" in found.notes[0]


def test_a_missing_value_that_stays_missing_is_a_value_of_its_own() -> None:
    table = {"a": [1, 1, None, None, 2]}
    assert covered(table, table, k=2).counts.tolist() == [2, 2, 2, 2, 1]


def test_removed_records_are_covered_by_what_is_left() -> None:
    found = covered({"a": [1, 1, 2, 3]}, {"a": [1, 1, 2]}, k=2)
    assert found.counts.tolist() == [2, 2, 1, 0]
    assert (found.below, found.single, found.uncovered) == (2, 1, 1)
    assert "No published row covers 1 record" in found.notes[-1]


def test_results_say_the_same_in_every_form() -> None:
    found = covered({"a": [1, 1, 2]}, {"a": [1, 1, 2]}, ["a"], k=2)
    assert str(found) == (
        "1 of 3 records is covered by fewer than 2 published rows; 1 by exactly one; 1 not safe."
    )
    assert found.to_frame()["covered_by"].to_list() == [2, 2, 1]
    plain = json.loads(found.to_json())
    assert (plain["below"], plain["single"], plain["unsafe"]) == (1, 1, 1)
    assert plain["covered_by"] == [{"rows": 1, "records": 1}, {"rows": 2, "records": 2}]
    with pytest.raises(ValueError, match="read-only"):
        found.counts[0] = 7


def test_the_picture_has_an_edge_at_k() -> None:
    bars = cover_bands(np.array([0, 1, 5, 7, 8, 2000]), 7)
    assert [(bar["rows"], bar["records"], bar["enough"]) for bar in bars] == [
        ("0", 1, False),
        ("1", 1, False),
        ("5–6", 1, False),
        ("7–9", 2, True),
        ("1,000+", 1, True),
    ]


def test_hostile_names_stay_text_in_the_picture() -> None:
    name = "<script>alert(1)</script>\x1b[31m"
    chart = covered({name: [1, 1, 2]}, {name: [1, 1, 2]}, k=2).plot()
    assert "\x1b" not in json.dumps(chart.to_dict(), ensure_ascii=False)


def test_bad_questions_are_refused() -> None:
    with pytest.raises(BadChoice, match="k must be a whole number of rows"):
        covered({"a": [1]}, {"a": [1]}, k=0)
    with pytest.raises(UnknownColumns):
        covered({"a": [1]}, {"a": [1]}, ["b"])
    with pytest.raises(UnknownColumns):
        covered({"a": [1], "b": [1]}, {"a": [1]}, ["b"])
    with pytest.raises(BadChoice, match="no column in common"):
        covered({"a": [1]}, {"b": [1]})


LEVELS = [lambda v: v, lambda v: f"{v // 2 * 2}-{v // 2 * 2 + 1}", lambda v: None]  # noqa: ARG005


@given(st.lists(st.tuples(*[st.integers(0, 3), st.integers(0, 2)] * 2), min_size=1, max_size=25))
def test_counts_follow_the_definition(rows: list[tuple[int, int, int, int]]) -> None:
    original = {"a": [row[0] for row in rows], "b": [row[2] for row in rows]}
    treated: dict[str, list[Any]] = {
        "a": [LEVELS[row[1]](row[0]) for row in rows],
        "b": [LEVELS[row[3]](row[2]) for row in rows],
    }
    shown = {name: [None if v is None else str(v) for v in treated[name]] for name in treated}
    people = list(zip(original["a"], original["b"], strict=True))
    meant: dict[str | None, set[int] | None] = {None: None, "0-1": {0, 1}, "2-3": {2, 3}}
    meant |= {str(value): {value} for value in range(4)}
    found = covered(original, pl.DataFrame(shown, schema=dict.fromkeys(shown, pl.String)), k=3)
    published = list(zip(shown["a"], shown["b"], strict=True))
    expected = naive_covered.covering(people, published, [meant, meant])  # type: ignore[arg-type]
    assert found.counts.tolist() == expected
    classes = Counter(published)
    safe = [c >= 3 and classes[row] >= 3 for c, row in zip(expected, published, strict=True)]
    assert found.is_safe.tolist() == safe
    assert (found.counts >= 1).all()


def test_adult_takes_seconds(real_data: Path) -> None:
    original = read(real_data / "adult.csv")
    columns = [name for name in original.columns if name != "salary-class"]
    rng = np.random.default_rng(7)
    frame = {}
    for name in columns:
        column = original[name]
        cells = [column.values[code] for code in column.codes]
        blanks = rng.random(len(cells)) < 0.05
        if name == "age":
            cells = [f"{int(v) // 5 * 5}-{int(v) // 5 * 5 + 4}" for v in cells]
        frame[name] = [None if b else v for v, b in zip(cells, blanks, strict=True)]
    treated = read(frame)
    covered(original.select(columns[:1]), treated, columns[:1])  # compiles
    began = time.perf_counter()
    found = covered(original, treated, columns, k=5)
    assert time.perf_counter() - began < 10
    assert found.aligned
    assert found.counts.min() >= 1
    some = rng.choice(original.rows, 40, replace=False)
    people = {
        name: [original[name].values[original[name].codes[i]] for i in some] for name in columns
    }
    for at, person in enumerate(some):
        fits = np.ones(original.rows, dtype=bool)
        for name in columns:
            value = people[name][at]
            label = f"{int(value) // 5 * 5}-{int(value) // 5 * 5 + 4}" if name == "age" else value
            fits &= np.array([cell is None or cell == label for cell in frame[name]])
        assert found.counts[person] == fits.sum()


def test_a_few_blank_rows_satisfy_a_count_with_wildcards_and_protect_nobody(
    real_data: Path,
) -> None:
    original = read(real_data / "adult.csv")
    frame = {}
    for name in original.columns:
        cells: list[Any] = [original[name].values[code] for code in original[name].codes]
        cells[:4] = [None] * 4  # 36 cells
        frame[name] = cells
    treated = read(frame)
    assert match_totals(treated, treated.columns).min() == 5  # k = 5, as sdcMicro counts
    found = covered(original, treated, k=5)
    rows = set_totals(original, original.columns)[4:]
    assert (found.counts[4:] >= 5).all()
    assert found.unsafe == (rows < 5).sum() + 4
    assert found.unsafe > 0.7 * original.rows
