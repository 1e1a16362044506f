"""Each kind of step by hand, on small tables."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import singleout as so
from singleout.core.table import Table
from singleout.errors import BadChoice
from singleout.treatment.steps.apply import Applied, apply_steps
from singleout.treatment.steps.steps import Steps

PEOPLE = {
    "age": [21, 24, 35, 38, 95, None],
    "born": [date(2001, 1, 2), date(1998, 12, 31), date(1987, 5, 3)] * 2,
    "zip": ["48103", "48104", "48201", "48201", None, "49001"],
    "job": ["nurse", "doctor", "clerk", "clerk", "nurse", "nurse"],
    "income": [1.5, 2.5, 3.25, 4.0, 5.0, 60.0],
    "name": ["Ann", "Bob", "Cy", "Di", "Ed", "Flo"],
}


def applied(*steps: dict[str, Any], data: Any = PEOPLE, **options: Any) -> Applied:
    table = data if isinstance(data, Table) else so.read(data)
    return apply_steps(table, Steps.of({"steps": list(steps), **options}))


def values(table: Table, name: str) -> list[Any]:
    column = table[name]
    return [column.value(code) for code in column.codes.tolist()]


# ---- recode


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            {"recode": "age", "width": 5},
            ["20-24", "20-24", "35-39", "35-39", "95-99", None],
        ),
        (
            {"recode": "age", "width": 10, "offset": 5},
            ["15-24", "15-24", "35-44", "35-44", "95-104", None],
        ),
        (
            {"recode": "age", "width": 10, "bottom": 25, "top": 90},
            ["<25", "<25", "30-39", "30-39", "90+", None],
        ),
        (
            {"recode": "age", "width": 10, "bottom": 35, "top": 38},
            ["<35", "<35", "35-37", "38+", "38+", None],
        ),
        (
            {"recode": "age", "cuts": [18, 30, 45]},
            ["18-29", "18-29", "30-44", "30-44", "45+", None],
        ),
        ({"recode": "age", "top": 90, "bottom": 22}, [22, 24, 35, 38, 90, None]),
        ({"recode": "age", "round": 10}, [20, 20, 40, 40, 100, None]),
        (
            {"recode": "income", "width": 2},
            ["0 to <2", "2 to <4", "2 to <4", "4 to <6", "4 to <6", "60 to <62"],
        ),
        ({"recode": "income", "cuts": [2.5]}, ["<2.5", *["2.5+"] * 5]),
        ({"recode": "income", "top": 5}, [1.5, 2.5, 3.25, 4.0, 5.0, 5.0]),
        ({"recode": "income", "round": 0.5}, [1.5, 2.5, 3.5, 4.0, 5.0, 60.0]),
        ({"recode": "zip", "prefix": 3}, ["481", "481", "482", "482", None, "490"]),
        ({"recode": "age", "prefix": 1}, ["2", "2", "3", "3", "9", None]),
        ({"recode": "born", "date": "month"}, ["2001-01", "1998-12", "1987-05"] * 2),
        ({"recode": "born", "date": "quarter"}, ["2001-Q1", "1998-Q4", "1987-Q2"] * 2),
        ({"recode": "born", "date": "year"}, [2001, 1998, 1987] * 2),
        ({"recode": "born", "date": "decade"}, ["2000s", "1990s", "1980s"] * 2),
        (
            {"recode": "job", "groups": {"care": ["nurse", "doctor"]}},
            ["care", "care", "clerk", "clerk", "care", "care"],
        ),
        (
            {"recode": "job", "groups": {"care": ["nurse"]}, "other": "else"},
            ["care", "else", "else", "else", "care", "care"],
        ),
        (
            {"recode": "job", "rare": 2},
            ["nurse", "other", "clerk", "clerk", "nurse", "nurse"],
        ),
        (
            {"recode": "job", "rare": 3, "other": "rare"},
            ["nurse", "rare", "rare", "rare", "nurse", "nurse"],
        ),
        (
            {
                "recode": "job",
                "hierarchy": [
                    ["nurse", "care", "*"],
                    ["doctor", "care", "*"],
                    ["clerk", "office", "*"],
                ],
                "level": 1,
            },
            ["care", "care", "office", "office", "care", "care"],
        ),
    ],
)
def test_a_recode_publishes(step: dict[str, Any], expected: list[Any]) -> None:
    found = applied(step)
    assert values(found.table, step["recode"]) == expected
    assert [type(v) for v in values(found.table, step["recode"])] == [type(v) for v in expected]


def test_numbers_written_as_text_are_recoded_as_numbers_and_stay_text() -> None:
    data = {"age": ["9", "21", "095", None]}
    assert values(applied({"recode": "age", "width": 10}, data=data).table, "age") == [
        "0-9",
        "20-29",
        "90-99",
        None,
    ]
    assert values(applied({"recode": "age", "top": 90}, data=data).table, "age") == [
        "9",
        "21",
        "90",
        None,
    ]


def test_negative_numbers_and_decimals_have_readable_intervals() -> None:
    data = {"t": [-15, -5, 5], "x": [Decimal("0.1"), Decimal("0.25"), Decimal("0.3")]}
    assert values(applied({"recode": "t", "width": 10}, data=data).table, "t") == [
        "-20 to -11",
        "-10 to -1",
        "0-9",
    ]
    assert values(applied({"recode": "x", "width": 0.1}, data=data).table, "x") == [
        "0.1 to <0.2",
        "0.2 to <0.3",
        "0.3 to <0.4",
    ]
    assert values(applied({"recode": "x", "top": 0.25}, data=data).table, "x") == [
        Decimal("0.1"),
        Decimal("0.25"),
        Decimal("0.25"),
    ]


def test_dates_stay_dates_where_they_are_dates() -> None:
    data = {"seen": [datetime(2001, 1, 2, 3, 4), datetime(2001, 1, 2, 5)], "d": ["31.12.2001"] * 2}
    assert values(applied({"recode": "seen", "date": "day"}, data=data).table, "seen") == [
        date(2001, 1, 2),
        date(2001, 1, 2),
    ]
    assert values(applied({"recode": "d", "date": "year"}, data=data).table, "d") == ["2001"] * 2


def test_codebooks_are_in_the_order_that_reading_gives() -> None:
    found = applied({"recode": "age", "width": 5}, data={"age": [100, 5, 20]})
    assert list(found.table["age"].values) == ["100-104", "20-24", "5-9"]
    assert list(applied({"recode": "age", "round": 5}).table["age"].values) == [20, 25, 35, 40, 95]


def test_labels_are_kept_for_values_that_still_occur() -> None:
    table = so.read({"q": [1.0, 2.0, 3.0, 3.0]}).with_descriptions(
        {"q": "How often?"}, {"q": {1.0: "never", 2.0: "seldom", 3.0: "often"}}
    )
    top = applied({"recode": "q", "top": 2}, data=table).table["q"]
    assert top.labels == {1.0: "never", 2.0: "seldom"}
    assert top.description == "How often?"
    merged = applied({"recode": "q", "groups": {"at times": ["seldom", "often"]}}, data=table)
    assert values(merged.table, "q") == ["never", "at times", "at times", "at times"]


# ---- what values cover


def test_shares_say_how_many_original_values_a_published_one_covers() -> None:
    found = applied({"recode": "age", "width": 20}, {"recode": "job", "rare": 3})
    assert found.values["age"] == 6  # missing is a value of its own
    book = dict(zip([*found.table["age"].values, None], found.shares["age"], strict=True))
    assert book == {"20-39": 4 / 6, "80-99": 1 / 6, None: 1 / 6}
    assert found.shares["job"].tolist() == [1 / 3, 2 / 3]
    assert found.shares["name"].tolist() == [1 / 6] * 6


def test_shares_add_up_over_steps_and_a_blank_covers_all() -> None:
    found = applied(
        {"recode": "age", "width": 10},
        {"recode": "age", "groups": {"young": ["20-29", "30-39"]}},
        {"suppress": "cells", "columns": ["age"], "where": "job = 'doctor'"},
    )
    book = dict(zip([*found.table["age"].values, None], found.shares["age"], strict=True))
    assert book == {"young": 4 / 6, "90-99": 1 / 6, None: 1.0}


def test_shares_of_a_hierarchy_count_its_leaves() -> None:
    rows = [[str(n), "low" if n < 5 else "high", "*"] for n in range(10)]
    step = {"recode": "n", "hierarchy": rows, "level": 1}
    found = applied(step, data={"n": [1, 2, 7]})
    assert found.values["n"] == 10
    assert found.shares["n"].tolist() == [0.5, 0.5]
    assert applied({**step, "level": 2}, data={"n": [1, 2, 7]}).shares["n"].tolist() == [1.0]


# ---- drop and suppress


def test_dropped_columns_are_gone_and_the_others_are_the_same_objects() -> None:
    table = so.read(PEOPLE)
    found = applied({"drop": ["name", "zip"]}, data=table)
    assert found.table.columns == ("age", "born", "job", "income")
    assert found.table["age"] is table["age"]
    assert found.log.rows() == [(1, "name", None, None, 6), (1, "zip", None, None, 6)]


def test_records_of_small_classes_are_blanked_or_removed() -> None:
    found = applied({"suppress": "records", "k": 2, "columns": ["job"]})
    assert values(found.table, "job") == ["nurse", None, "clerk", "clerk", "nurse", "nurse"]
    assert found.table["job"].values == ["clerk", "nurse"]
    assert found.kept is None
    removed = applied({"suppress": "records", "k": 2, "columns": ["job"], "rows": "remove"})
    assert removed.kept is not None
    assert removed.kept.tolist() == [True, False, True, True, True, True]
    assert removed.table["name"].values == ["Ann", "Cy", "Di", "Ed", "Flo"]
    assert removed.log.rows() == [(1, None, None, None, 1)]
    assert removed.rows.tolist() == [0, 2, 3, 4, 5]


def test_records_that_meet_a_condition_are_blanked_or_removed() -> None:
    by = {"suppress": "records", "where": "age > 30 and job != 'clerk'"}
    assert values(applied({**by, "columns": ["zip", "age"]}).table, "age")[4] is None
    removed = applied({**by, "rows": "remove"})
    assert removed.table.rows == 5
    # a comparison with a missing age is unknown, so the record stays
    assert values(removed.table, "name") == ["Ann", "Bob", "Cy", "Di", "Flo"]


def test_cells_are_blanked_where_a_condition_holds() -> None:
    step = {"suppress": "cells", "columns": ["income", "zip"], "where": "income > 10"}
    found = applied(step)
    assert values(found.table, "income") == [1.5, 2.5, 3.25, 4.0, 5.0, None]
    assert values(found.table, "zip")[5] is None
    assert found.log.rows() == [(1, "income", "60", None, 1), (1, "zip", "49001", None, 1)]


def test_removing_everybody_is_refused() -> None:
    with pytest.raises(BadChoice, match="every record would be removed"):
        applied({"suppress": "records", "where": "income > 0", "rows": "remove"})


# ---- perturbing steps


def test_a_shuffle_moves_columns_together_and_changes_no_marginal() -> None:
    step = {"shuffle": ["job", "income"], "seed": 3}
    found = applied(step, perturb=True)
    before = sorted(zip(PEOPLE["job"], PEOPLE["income"], strict=True))
    after = list(zip(values(found.table, "job"), values(found.table, "income"), strict=True))
    assert sorted(after) == before
    assert after != list(zip(PEOPLE["job"], PEOPLE["income"], strict=True))
    assert values(found.table, "name") == PEOPLE["name"]
    assert found.order is None
    again = applied(step, perturb=True)
    assert values(again.table, "income") == values(found.table, "income")


def test_records_are_shuffled_on_purpose_only_and_their_order_is_known() -> None:
    found = applied({"shuffle": "records", "seed": 5}, perturb=True)
    assert found.order is not None
    assert values(found.table, "name") == [PEOPLE["name"][row] for row in found.order.tolist()]
    assert values(found.table, "job") == [PEOPLE["job"][row] for row in found.order.tolist()]
    assert found.log["records"].to_list() == [int((found.order != np.arange(6)).sum())]


def test_without_a_seed_a_shuffle_is_different_each_time() -> None:
    data = {"x": list(range(200))}
    one, other = (applied({"shuffle": ["x"]}, data=data, perturb=True) for _ in range(2))
    assert values(one.table, "x") != values(other.table, "x")


def test_microaggregation_publishes_means_of_groups() -> None:
    found = applied({"microaggregate": ["income"], "k": 3}, perturb=True)
    assert values(found.table, "income") == [7.25 / 3] * 3 + [23.0] * 3


def test_missing_numbers_stay_missing_in_microaggregation_with_a_note() -> None:
    found = applied({"microaggregate": ["age"], "k": 2}, perturb=True)
    assert values(found.table, "age")[5] is None
    assert sum(value for value in values(found.table, "age")[:5]) == pytest.approx(
        21 + 24 + 35 + 38 + 95
    )
    assert found.notes == (
        "age is missing in 1 of the records; these were left out of the groups, and stay missing.",
    )
    with pytest.raises(BadChoice, match="groups of 6 cannot be made of 5 records"):
        applied({"microaggregate": ["age"], "k": 6}, perturb=True)
    with pytest.raises(BadChoice, match="must hold numbers"):
        applied({"microaggregate": ["job"]}, perturb=True)


# ---- the log


def test_the_log_has_every_change_by_column_and_value() -> None:
    found = applied(
        {"recode": "age", "width": 20}, {"recode": "job", "groups": {"care": ["nurse", "doctor"]}}
    )
    assert found.log.columns == ["step", "column", "from", "to", "records"]
    rows = found.log.rows()
    assert (1, "age", "21", "20-39", 1) in rows
    assert (2, "job", "nurse", "care", 3) in rows
    assert (2, "job", "doctor", "care", 1) in rows
    assert not any(row[2] == "clerk" for row in rows)
    assert len(rows) == 5 + 2


def test_the_log_never_shows_values_of_direct_identifiers() -> None:
    table = so.read(PEOPLE, roles={"name": "direct-identifier"})
    found = applied(
        {"recode": "name", "prefix": 1},
        {"suppress": "cells", "columns": ["name"], "where": "age > 90"},
        {"drop": ["name"]},
        data=table,
    )
    assert found.log.select("from", "to").null_count().row(0) == (3, 3)
    assert found.log["records"].to_list() == [6, 1, 6]


def test_a_long_log_is_cut_and_says_so() -> None:
    found = applied({"recode": "x", "width": 2}, data={"x": list(range(3000))})
    assert found.log.height == 1001
    assert found.log["from"][-1] == "(2,000 more changes)"
    assert found.log["records"].sum() == 3000


# ---- what cannot work


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ({"recode": "agee", "width": 5}, "no column 'agee'; did you mean 'age'?"),
        ({"recode": "job", "width": 5}, "width needs numbers, and 'job' holds 'clerk'"),
        ({"recode": "job", "top": 5}, "top and bottom needs numbers"),
        ({"recode": "born", "round": 5}, "round needs numbers"),
        ({"recode": "zip", "prefix": 5}, "no value of 'zip' has more than 5 characters"),
        ({"recode": "income", "prefix": 1}, "prefix needs codes"),
        ({"recode": "job", "date": "year"}, "date needs dates"),
        ({"recode": "job", "groups": {"a": ["nurs"]}}, "did you mean 'nurse'?"),
        (
            {"recode": "job", "hierarchy": [["nurse", "*"], ["clerk", "*"]], "level": 1},
            "lacks the value 'doctor'",
        ),
        (
            {
                "recode": "job",
                "hierarchy": [["nurse", "*"], ["clerk", "*"], ["doctor", "*"]],
                "level": 2,
            },
            "level is 2, but the hierarchy of 'job' has levels from 0 to 1",
        ),
        (
            {"recode": "job", "hierarchy": [["nurse", "a"], ["clerk", "b"]], "level": 1},
            "must have one for all values",
        ),
        ({"suppress": "records", "where": "agee > 3", "rows": "remove"}, "did you mean 'age'?"),
        (
            {"suppress": "records", "where": "job > 3", "rows": "blank", "columns": ["names"]},
            "did you mean 'name'?",
        ),
        ({"drop": list(PEOPLE)}, "no column would be left"),
    ],
)
def test_what_cannot_work_is_refused_in_one_sentence(step: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadChoice) as refused:
        applied(step)
    assert sentence in str(refused.value)
    assert str(refused.value).startswith("In the steps, steps[0]")


def test_a_step_that_does_not_fit_the_table_is_refused_with_its_line() -> None:
    steps = Steps.parse("steps:\n  - drop: name\n  - recode: job\n    width: 5\n")
    with pytest.raises(BadChoice, match=r"steps\.yaml, line 3: width needs numbers"):
        apply_steps(so.read(PEOPLE), steps)


def test_the_input_is_never_touched() -> None:
    table = so.read(PEOPLE)
    before = {column.name: (column.codes.copy(), list(column.values)) for column in table}
    applied(
        {"recode": "age", "width": 5},
        {"suppress": "records", "k": 2, "columns": ["job"]},
        {"drop": ["name"]},
        {"shuffle": "records", "seed": 1},
        data=table,
        perturb=True,
    )
    assert table.columns == tuple(PEOPLE)
    for column in table:
        assert (column.codes == before[column.name][0]).all()
        assert list(column.values) == before[column.name][1]


def test_a_missing_hierarchy_file_is_looked_for_beside_the_steps(tmp_path: Path) -> None:
    path = tmp_path / "steps.yaml"
    path.write_text("steps:\n  - recode: job\n    hierarchy: job.csv\n    level: 1\n")
    assert Steps.read(path).file("job.csv") == tmp_path / "job.csv"


# ---- what a step could not keep


ONE_ALONE = {"a": [1, 1, 1, 2, 2, 2, 3], "b": list("xxxyyyz")}
FEW = (
    "One record is blank, fewer than the 3 that are to share every combination of a, b; "
    "'rows: remove' removes it instead."
)


def test_records_that_highest_levels_leave_without_a_class_are_noted() -> None:
    step = {"generalise": ["a", "b"], "k": 3, "highest": {"a": 0, "b": 0}}
    more, few = applied(step, data=ONE_ALONE).notes
    assert more.startswith("One record is suppressed, where max_suppressed accepts 0: ")
    assert few == FEW
    assert applied({**step, "max_suppressed": 0.2}, data=ONE_ALONE).notes == (FEW,)
    assert applied({**step, "rows": "remove"}, data=ONE_ALONE).notes == (more,)
    assert applied({"generalise": ["a", "b"], "k": 3}, data=ONE_ALONE).notes == ()


def test_fewer_blank_records_than_k_are_noted() -> None:
    step = {"suppress": "records", "k": 3, "columns": ["a", "b"]}
    assert applied(step, data=ONE_ALONE).notes == (FEW,)
    assert applied({**step, "rows": "remove"}, data=ONE_ALONE).notes == ()
    three = {"a": [1, 1, 1, 2, 3, 4], "b": list("xxxyyy")}
    assert applied(step, data=three).notes == ()


def test_intervals_too_narrow_to_have_two_ends_are_refused() -> None:
    data = {"a": [1.0, 2.0, 3.0]}
    for width in (1e-320, 1e-28):
        with pytest.raises(BadChoice, match="too narrow for numbers such as 3; give 3e-25 or more"):
            applied({"recode": "a", "width": width}, data=data)
    narrow = applied({"recode": "a", "width": 1e-20}, data=data).table
    assert values(narrow, "a")[0] == "1 to <1.00000000000000000001"
