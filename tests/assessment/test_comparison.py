"""Two versions of a table side by side: what is better, what it cost, how records are matched."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singleout.assessment.comparison.cells import cell_changes
from singleout.assessment.comparison.compare import compare
from singleout.assessment.comparison.result import Change, Comparison, Unit
from singleout.errors import BadChoice, UnreadableFile
from singleout.io.fingerprint import fingerprint
from singleout.io.read import read
from singleout.methods.anonymity.function import anonymity_sets
from singleout.methods.qar.function import qar

HERE = Path(__file__).parent
QUASI = ["Age", "Gender", "Country", "Admission Date", "Blood Type"]
PLAN: dict[str, Any] = {
    "columns": {
        **{name: {"role": "quasi-identifier", "exposure": "EE"} for name in QUASI[:3]},
        **{name: {"role": "quasi-identifier", "exposure": "EI"} for name in QUASI[3:]},
        "Disease": {"role": "sensitive", "moral": 4, "values": {"Colds": 1, "Flu": 1}},
    },
}
SMALL: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "disease": {"role": "sensitive", "moral": 4},
    }
}


def table(number: int) -> Path:
    return HERE / f"paper_table{number}.csv"


def measures(found: Comparison) -> dict[str, Change]:
    return {change.measure: change for change in found.changes}


@pytest.fixture(scope="module")
def published() -> Comparison:
    """The hospital table of the paper, and its k-anonymous version."""
    return compare(table(1), table(2), PLAN)


# ---- the measures


def test_the_rates_after_are_those_of_the_paper_s_k_anonymous_table(published: Comparison) -> None:
    found = measures(published)
    for measure in ("rate EE", "rate IE"):
        after = found[measure].after
        assert after is not None
        assert round(after, 3) == 0.829
        assert found[measure].effect == "better"
    # "both anonymised tables end at 4-Critical"
    assert (found["level"].before, found["level"].after) == (4, 4)
    assert found["level"].effect == "same"


def test_sets_entropy_kappa_and_qar_are_what_these_measures_say_alone(
    published: Comparison,
) -> None:
    found = measures(published)
    for number, when in ((1, "before"), (2, "after")):
        sets = anonymity_sets(table(number), QUASI)
        risk = qar(table(number), QUASI)
        assert getattr(found["k"], when) == sets.k
        assert getattr(found["unique"], when) == sets.unique
        assert getattr(found["unique_share"], when) == sets.unique_share
        assert getattr(found["entropy"], when) == pytest.approx(sets.shannon_entropy)
        assert getattr(found["kappa"], when) == pytest.approx(sets.kl_distance())
        assert getattr(found["qar"], when) == pytest.approx(risk.risk)
    assert (found["k"].before, found["k"].after, found["k"].effect) == (1, 3, "better")
    assert found["unique_share"].effect == "better"
    assert found["kappa"].effect is None  # neither more nor less of it is safer


def test_special_uniques_are_counted_before_and_after(published: Comparison) -> None:
    found = measures(published)
    assert (found["suda_records"].before, found["suda_records"].after) == (12, 0)
    assert found["suda_highest"].after == 0
    assert found["suda_highest"].effect == "better"


def test_records_and_columns_that_are_gone_are_a_cost(published: Comparison) -> None:
    found = measures(published)
    records = found["records"]
    assert (records.before, records.after, records.change) == (12, 9, -3)
    assert records.is_cost
    assert records.effect == "worse"
    assert found["columns"].effect == "same"
    assert found["changed"].after is None
    assert any("records of the two tables cannot be matched" in note for note in published.notes)


def test_what_was_changed_is_counted_where_records_can_be_matched() -> None:
    found = compare(table(1), table(3), PLAN)
    assert found.cells is not None
    assert (found.cells.suppressed, found.cells.changed, found.cells.cells) == (0, 12, 72)
    assert measures(found)["changed"].after == 12
    assert "12 values changed" in found.verdict


def test_the_verdict_says_where_the_risk_goes_and_what_it_cost() -> None:
    before = {"age": [21, 22, 33, 34], "disease": ["a", "b", "a", "b"], "x": [1, 2, 3, 4]}
    plan = {**SMALL, "matrices": {"risk": [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [4, 4, 4, 4]]}}
    plan["methods"] = {"discrimination": {"variant": "mutual-information"}}
    after = {"age": ["*"] * 4, "disease": ["a", "b", "a", "b"]}
    assert compare(before, after, plan).verdict == (
        "The risk falls from 4, Critical, to 1, Minor; records at severe or critical risk "
        "100% → 0%; unique records 100% → 0%, k 1 → 4; 1 column lost, 4 values changed."
    )
    assert compare(after, before, plan).verdict.startswith("The risk rises from 1, Minor, to 4")


def test_a_table_compared_with_itself_is_the_same_everywhere() -> None:
    found = compare(table(1), table(1), PLAN)
    assert {change.effect for change in found.changes} == {"same", None}
    assert all(change.change == 0 for change in found.changes)
    assert found.verdict.startswith("The risk stays at 4, Critical")
    assert found.verdict.endswith("k 1 → 1.")


def test_less_is_better_or_worse_by_what_is_measured() -> None:
    assert Change("x", "x", Unit.SHARE, 0.5, 0.4).effect == "better"
    assert Change("x", "x", Unit.SHARE, 0.4, 0.5).effect == "worse"
    assert Change("x", "x", Unit.COUNT, 1, 2, lower_is_better=False).effect == "better"
    assert Change("x", "x", Unit.NUMBER, 0.3, 0.1 + 0.2).effect == "same"
    assert Change("x", "x", Unit.NUMBER, None, 1).effect is None
    assert Change("x", "x", Unit.NUMBER, None, 1).change is None
    assert Change("x", "x", Unit.NUMBER, 1, 2, lower_is_better=None).effect is None


def people(*ages: int) -> dict[str, list[Any]]:
    """People with these ages, each with a disease that says nothing."""
    return {"age": list(ages), "disease": ["ab"[place % 2] for place in range(len(ages))]}


def test_deleting_records_is_not_better_where_the_share_stays() -> None:
    one = [1, 2, *[3] * 4]
    other = [11, 12, *[13] * 4]
    compared = compare(people(*one, *other), people(*one), SMALL)
    found = measures(compared)
    assert any(
        "12 records before and 6 after, so counts of records" in note for note in compared.notes
    )
    assert (found["unique"].before, found["unique"].after, found["unique"].change) == (4, 2, -2)
    assert found["unique"].effect == found["unique_share"].effect == "same"
    assert (found["at_risk"].before, found["at_risk"].after) == (12, 6)
    assert found["at_risk"].effect == found["at_risk_share"].effect == "same"
    assert (found["suda_records"].before, found["suda_records"].after) == (4, 2)
    assert found["suda_records"].effect == found["suda_share"].effect == "same"
    assert found["records"].effect == "worse"


def test_fewer_unique_records_are_worse_where_they_are_a_larger_share() -> None:
    found = measures(compare(people(1, 2, 3, *[4] * 9), people(1, 2, 4, 4), SMALL))
    assert (found["unique"].change, found["unique"].effect) == (-1, "worse")
    assert found["unique_share"].effect == "worse"


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 50), st.integers(1, 50))
def test_a_count_of_records_and_its_share_are_never_judged_differently(
    before: int, after: int, more: int, less: int
) -> None:
    of = (before + more, after + less)
    counted = Change("x", "x", Unit.COUNT, before, after, records=of)
    share = Change("x", "x", Unit.SHARE, before / of[0], after / of[1])
    assert counted.effect == share.effect
    assert counted.change == after - before


def test_a_share_of_no_records_is_not_judged() -> None:
    assert Change("x", "x", Unit.COUNT, 0, 3, records=(0, 4)).effect is None


def test_what_depends_on_the_number_of_records_is_compared_at_equal_numbers_only(
    published: Comparison,
) -> None:
    found = measures(published)
    for measure, name in (("qar", "Risk of the table by QaR (T)"), ("entropy", "Entropy")):
        change = found[measure]
        assert None not in (change.before, change.after)
        assert change.effect is None
        assert change.note.startswith(f"Not comparable: {name}")
        assert change.note.endswith("depends on the number of records, 12 before and 9 after.")
        assert change.note in published.notes
    points = published.plot().to_dict()["datasets"].values()
    assert "Risk of the table by QaR (T)" not in {row["name"] for rows in points for row in rows}
    equal = compare(table(1), table(3), PLAN)
    assert measures(equal)["qar"].effect is not None
    assert not any("comparable" in note for note in equal.notes)


def test_levels_are_compared_by_what_the_assessments_say(published: Comparison) -> None:
    found = measures(published)
    for when in ("before", "after"):
        side = getattr(published, when)
        for measure in ("level", "if_member", "highest"):
            assert getattr(found[measure], when) == getattr(side, measure)
            assert found[measure].unit == Unit.LEVEL
        share = side.shares[3] + side.shares[4]
        assert getattr(found["at_risk_share"], when) == pytest.approx(share)
        said = published.to_dict()[when]
        assert said["shares"] == {str(level): held for level, held in side.shares.items()}
        assert (said["if_member"], said["highest"]) == (side.if_member, side.highest)


def test_levels_that_columns_leave_open_are_shown_so_and_not_called_the_same() -> None:
    half = people(*[place // 50 for place in range(100)])
    found = compare({**half, "v17": [1] * 100}, {**half, "v17": list(range(100))}, SMALL)
    assert [side.range for side in (found.before, found.after)] == [(2, 2), (2, 4)]
    for measure in ("level", "if_member"):
        change = measures(found)[measure]
        assert (change.before, change.after, change.possible) == (2, 2, (2, 4))
        assert change.effect is None
    said = found.to_dict()
    for when, side in (("before", found.before), ("after", found.after)):
        assert said[when]["range"] == list(side.range)
        assert said[when]["range_if_member"] == list(side.range_if_member)


@pytest.mark.parametrize(
    ("before", "after", "possible", "effect"),
    [
        (2, 2, (2, 4), None),
        (2, 2, (4, 4), "same"),
        (3, 2, (4, 2), "better"),
        (3, 2, (3, 4), None),
        (1, 3, (2, 3), "worse"),
    ],
)
def test_a_level_is_better_only_if_it_is_so_whatever_the_open_columns_are(
    before: int, after: int, possible: tuple[int, int], effect: str | None
) -> None:
    change = Change("level", "Risk", Unit.LEVEL, before, after, possible=possible)
    assert change.effect == effect


def test_levels_with_and_without_a_population_are_not_comparable() -> None:
    ages = [place // 2 for place in range(40)]
    before = {**people(*ages), "w": [100.0] * 40}
    plan = {
        "columns": {**SMALL["columns"], "w": {"role": "weight"}},
        "population": {"weights": "w"},
    }
    for sides, only in (((before, people(*ages)), "before"), ((people(*ages), before), "after")):
        found = compare(*sides, plan)
        rows = measures(found)
        assert {rows[name].effect for name in ("level", "highest", "at_risk_share")} == {None}
        assert rows["if_member"].effect == "same"
        assert found.verdict.startswith(
            "The risk if somebody knows that a person is in the file stays at 4, Critical; unique"
        )
        assert any(
            note.startswith(f"Only the table {only} is rated for a person of the population")
            for note in found.notes
        )
    assert measures(compare(before, before, plan))["level"].effect == "same"


def test_the_verdict_says_which_share_of_the_records_is_lost() -> None:
    found = compare(people(1, 1, 2, 2, 3, 3, 4, 5), people(1, 1, 2, 2, 3, 3), SMALL)
    assert "unique records 25.0% → 0%, k 1 → 2; 2 records (25.0%) lost." in found.verdict


def test_several_sensitive_columns_have_rates_of_their_own() -> None:
    people = {"age": [1, 1, 2, 2], "a": list("xyxy"), "b": list("uuvv")}
    plan = {
        "columns": {
            "age": {"role": "quasi-identifier", "exposure": "EE"},
            "a": {"role": "sensitive", "moral": 2},
            "b": {"role": "sensitive", "moral": 3},
        },
        "methods": {"discrimination": {"variant": "mutual-information"}},
    }
    found = measures(compare(people, people, plan))
    assert found["rate EE → a"].after == pytest.approx(0)
    assert found["rate EE → b"].after == pytest.approx(1)


def test_a_removed_direct_identifier_is_a_gain_and_no_cost() -> None:
    before = {"name": list("pqrs"), "age": [1, 1, 2, 2], "disease": ["a", "b", "a", "b"]}
    after = {"age": [1, 1, 2, 2], "disease": ["a", "b", "a", "b"]}
    plan = {"columns": {**SMALL["columns"], "name": {"role": "direct-identifier"}}}
    found = compare(before, after, plan)
    row = measures(found)["direct_identifiers"]
    assert (row.name, row.before, row.after) == ("Columns that identify people directly", 1, 0)
    assert row.effect == "better"
    assert not row.is_cost
    assert "; 1 column that identifies people directly removed." in found.verdict
    assert "lost" not in found.verdict
    assert found.to_dict()["identifiers_removed"] == ["name"]
    assert any(
        "'name' identifies people directly" in note for note in compare(after, before, plan).notes
    )


# ---- different columns and records


def test_columns_that_only_one_version_has_are_fine_and_said() -> None:
    before = {"age": [1, 1, 2], "zip": [5, 6, 7], "disease": list("xyx")}
    after = {"age": [1, 1, 2], "new": [1, 2, 3], "disease": list("xyx")}
    plan = {
        "columns": {
            **SMALL["columns"],
            "zip": {"role": "weight"},
            "new": {"role": "other"},
        },
        "combinations": {"alone": ["age"]},
        "population": {"weights": "zip"},
    }
    found = compare(before, after, plan)
    assert (found.columns_lost, found.columns_added) == (("zip",), ("new",))
    said = " ".join(found.notes)
    assert "Only the table before has zip." in said
    assert "Only the table after has new." in said
    assert "The table after has no weights" in said


def test_a_combination_that_one_version_cannot_have_is_what_is_left_of_it_and_said() -> None:
    before = {"age": [1, 1, 2], "zip": [5, 6, 7], "disease": list("xyx")}
    plan = {
        "columns": {
            **SMALL["columns"],
            "zip": {"role": "quasi-identifier", "exposure": "ER"},
        },
        "combinations": {"both": ["age", "zip"], "post": ["zip"]},
    }
    after = {"age": [1, 1, 2], "disease": list("xyx")}
    found = compare(before, after, plan)
    assert (
        "The combination 'post' was left out after: the table has none of its columns."
        in found.notes
    )
    assert (
        "Of the combination 'both' the table after has only age: who knows it knows that much."
        in found.notes
    )
    assert found.before.rows["kind"].to_list().count("named") == 2
    assert found.after.rows["kind"].to_list().count("named") == 1
    assert measures(found)["rate ER"].after is None


def test_a_plan_with_a_column_that_neither_version_has_is_refused() -> None:
    people = {"age": [1, 2], "disease": ["x", "y"]}
    plan = {"columns": {**SMALL["columns"], "agee": {"role": "other"}}}
    with pytest.raises(BadChoice, match="no column 'agee'; did you mean 'age'"):
        compare(people, people, plan)


def test_a_version_without_any_quasi_identifier_is_refused() -> None:
    before = {"age": [1, 2], "disease": ["x", "y"]}
    with pytest.raises(BadChoice, match="The table after has none of the quasi-identifiers"):
        compare(before, {"disease": ["x", "y"]}, SMALL)


def test_without_a_plan_it_is_guessed_from_the_original_for_both() -> None:
    before = {"age": [21, 22, 33, 34], "sex": list("mfmf"), "diagnosis": list("abab")}
    after = {**before, "age": ["2*", "2*", "3*", "3*"]}
    found = compare(before, after)
    assert found.before.guessed
    assert found.after.guessed
    assert found.before.plan.roles == found.after.plan.roles
    assert any("was guessed" in note for note in found.notes)


# ---- how records are matched


cell = st.sampled_from(["a", "b", "c", None])
tables = st.integers(2, 8).flatmap(
    lambda rows: st.lists(st.tuples(cell, cell, cell), min_size=rows, max_size=rows)
)


def as_table(rows: list[tuple[Any, ...]], names: str = "xyz") -> Any:
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return read(pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)))


@given(tables, st.data())
def test_with_a_column_of_names_records_are_found_again_in_any_order(
    rows: list[tuple[Any, ...]], data: st.DataObject
) -> None:
    numbered = [(f"id{place}", *row) for place, row in enumerate(rows)]
    kept = data.draw(
        st.lists(st.sampled_from(range(len(rows))), min_size=1, unique=True), label="kept"
    )
    changed: Counter[str] = Counter()
    after = []
    for place in kept:
        name, *cells = numbered[place]
        new = data.draw(st.tuples(cell, cell, cell), label="new cells")
        for was, now in zip(cells, new, strict=True):
            changed["gone" if now is None and was is not None else "other"] += was != now
        after.append((name, *new))
    found = cell_changes(as_table(numbered, "nxyz"), as_table(after, "nxyz"))
    assert found is not None
    # records in the order of the files may differ in fewer cells, never in more
    assert found.suppressed + found.changed <= changed.total()
    if "which names each record" in found.how:
        assert (found.suppressed, found.changed) == (changed["gone"], changed["other"])
        assert found.cells == 4 * len(kept)


@given(tables, st.data())
def test_where_records_were_only_taken_out_nothing_else_has_changed(
    rows: list[tuple[Any, ...]], data: st.DataObject
) -> None:
    flags = st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))
    kept = data.draw(flags.filter(any), label="kept")
    after = [row for row, keep in zip(rows, kept, strict=True) if keep]
    found = cell_changes(as_table(rows), as_table(after))
    assert found is not None
    assert (found.suppressed, found.changed) == (0, 0)


def test_in_the_order_of_the_files_cells_are_compared_one_by_one() -> None:
    before = as_table([("a", "b", None), ("a", "a", "b")])
    after = as_table([("a", None, "c"), ("b", "a", "b")])
    found = cell_changes(before, after)
    assert found is not None
    assert found.how == "in the order of the files"
    assert (found.suppressed, found.changed, found.cells) == (1, 2, 6)


def test_numbers_are_the_same_in_a_text_file_and_in_one_with_types(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2.5\n2,x\n")
    typed = pl.DataFrame({"a": [1.0, 2.0], "b": ["2.5", "x"]})
    found = cell_changes(read(tmp_path / "x.csv"), read(typed))
    assert found is not None
    assert found.changed == 0


def test_tables_without_a_common_column_or_with_new_records_are_not_matched() -> None:
    assert cell_changes(as_table([("a",)], "x"), as_table([("a",)], "y")) is None
    assert cell_changes(as_table([("a",)], "x"), as_table([("a",), ("b",)], "x")) is None


@given(tables, st.randoms(use_true_random=False))
def test_records_in_another_order_have_not_changed(
    rows: list[tuple[Any, ...]], chance: Any
) -> None:
    after = list(rows)
    chance.shuffle(after)
    found = cell_changes(as_table(rows), as_table(after))
    assert found is not None
    assert (found.suppressed, found.changed) == (0, 0)


def test_among_shuffled_records_only_what_changed_counts() -> None:
    rows = [(f"a{place}", f"b{place % 3}", None) for place in range(30)] * 2
    after = rows[::-1]
    after[7] = (after[7][0], "new", None)
    found = cell_changes(as_table(rows), as_table(after))
    assert found is not None
    assert (found.suppressed, found.changed, found.cells) == (0, 1, 180)
    assert "in whatever order" in found.how
    fewer = cell_changes(as_table(rows), as_table(rows[40:10:-1]))
    assert fewer is not None
    assert (fewer.changed, fewer.cells) == (0, 90)


# ---- ways to look at it


def test_the_frame_has_a_row_for_each_measure(published: Comparison) -> None:
    frame = published.to_frame()
    assert frame.columns == [
        "measure", "name", "unit", "before", "after", "change", "effect", "is_cost",
    ]  # fmt: skip
    assert frame.height == len(published.changes)
    assert set(frame["effect"].to_list()) <= {"better", "worse", "same", None}
    assert published._repr_html_().startswith("<div")


def test_everything_fits_json_and_no_value_of_a_record_is_in_it(published: Comparison) -> None:
    text = json.dumps(published.to_dict(), allow_nan=False)
    answer = json.loads(text)
    assert answer["before"]["table"]["sha256"] == fingerprint(table(1))
    assert len(answer["measures"]) == len(published.changes)
    for value in ("Nigeria", "2019-09-21", "Cancer"):
        assert value not in text


def test_the_picture_has_the_shares_before_and_after(published: Comparison) -> None:
    drawn = published.plot().to_dict()
    points = [row for rows in drawn["datasets"].values() for row in rows]
    names = {row["name"] for row in points}
    assert "Share of unique records" in names
    assert "Records" not in names


def test_the_report_has_the_comparison_as_a_section(published: Comparison, tmp_path: Path) -> None:
    path = published.report(tmp_path / "report.html")
    page = path.read_text(encoding="utf-8")
    assert "Before and after" in page
    assert "paper_table1.csv" in page
    assert "Share of unique records" in page
    for value in ("Nigeria", "2019-09-21"):
        assert value not in page


def test_a_file_without_rights_has_no_fingerprint(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="cannot be read"):
        fingerprint(tmp_path / "none.csv")
    assert fingerprint({"a": [1]}) is None
