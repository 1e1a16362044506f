"""`treat`: what is published, written and compared; files of every format round trip."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest

import singleout as so
from singleout.assessment.treated.treat import treat
from singleout.assessment.treated.treated import Treated
from singleout.core.table import Table
from singleout.errors import BadChoice
from singleout.io.write.table import write_table

STEPS = [
    {"recode": "age", "width": 10, "top": 60},
    {"recode": "seen", "date": "quarter"},
    {"suppress": "records", "k": 3, "columns": ["age", "sex", "zip"]},
    {"recode": "income", "top": 4000},
    {"drop": ["name"]},
]
KNOWN = ("age", "sex", "zip")
PLAN: dict[str, Any] = {
    "columns": {
        "name": {"role": "direct-identifier"},
        **{name: {"role": "quasi-identifier", "exposure": "EE"} for name in KNOWN},
        "illness": {"role": "sensitive", "moral": 4},
    }
}


def people(size: int = 240) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": [f"Person {i}" for i in range(size)],
            "age": [20 + 7 * i % 53 for i in range(size)],
            "sex": [1.0 + i % 2 for i in range(size)],
            "zip": [["0100", "0101", "2000"][i * i % 3] for i in range(size)],
            "seen": [date(2020, 1 + i % 12, 1 + i % 28) for i in range(size)],
            "income": [1000.5 + 37 * i % 4500 for i in range(size)],
            "illness": [["flu", "cold", None][i % 3] for i in range(size)],
        }
    )


@pytest.fixture
def original(tmp_path: Path) -> dict[str, Path]:
    """The same people as a file of each format."""
    files = {}
    for extension in ("csv", "tsv", "parquet", "arrow", "jsonl", "xlsx"):
        files[extension] = tmp_path / f"people.{extension}"
        write_table(so.read(people()), files[extension])
    files["sav"], files["dta"] = tmp_path / "people.sav", tmp_path / "people.dta"
    filled = people().with_columns(pl.col("illness").fill_null(""))
    about = {
        "column_labels": {"age": "Age in years", "sex": "Sex of the person"},
        "variable_value_labels": {"sex": {1.0: "female", 2.0: "male"}},
    }
    pyreadstat.write_sav(filled, files["sav"], **about)
    pyreadstat.write_dta(filled, files["dta"], **about)
    return files


def values(table: Table) -> dict[str, list[Any]]:
    return {column.name: [column.value(code) for code in column.codes.tolist()] for column in table}


def measures(found: Any) -> dict[str, tuple[Any, Any]]:
    return {change.measure: (change.before, change.after) for change in found.changes}


# ---- what is published


def test_the_published_frame_has_the_types_of_the_data() -> None:
    treated = treat(people(), STEPS)
    assert isinstance(treated, Treated)
    frame = treated.to_frame()
    assert frame.columns == ["age", "sex", "zip", "seen", "income", "illness"]
    assert frame.schema["age"] == pl.String
    assert frame.schema["income"] == pl.Float64
    assert frame["income"].max() == 4000
    assert frame["illness"].to_list() == people()["illness"].to_list()
    assert frame["seen"][0] == "2020-Q1"
    assert frame.height == 240
    assert treated.columns_lost == ("name",)
    assert treated.removed == 0


def test_the_data_that_is_given_stays_as_it_is() -> None:
    frame = people()
    treat(frame, STEPS)
    assert frame.equals(people())


def test_it_says_what_it_did() -> None:
    treated = treat(people(), STEPS)
    assert isinstance(treated, Treated)
    assert treated.sentences[0] == "age becomes intervals of 10 (open from 60)."
    assert str(treated).endswith(": 5 steps, 240 records of 7 columns became 240 of 6")
    assert repr(treated).count("\n") == 0
    assert treated.summary["step"].to_list() == [1, 2, 3, 4, 5]
    assert treated.summary["records"][0] == 240
    assert "<table" in treated._repr_html_()
    plain = json.loads(treated.to_json())
    assert plain["records"] == {"before": 240, "after": 240}
    assert plain["steps"][0] == {"recode": "age", "width": 10, "top": 60}
    assert "Person 1" not in treated.to_json()


def test_hostile_names_are_escaped_in_notebooks() -> None:
    name = "<script>alert(1)</script>"
    treated = treat({name: [1, 2, 3]}, [{"recode": name, "width": 2}])
    assert "<script>" not in treated._repr_html_()


def test_a_condition_selects_who_is_treated() -> None:
    treated = treat(people(), [{"recode": "age", "width": 10}], where="sex = 1")
    assert isinstance(treated, Treated)
    assert treated.table.rows == 120
    assert set(treated.to_frame()["sex"]) == {1.0}


# ---- files


@pytest.mark.parametrize(
    "extension", ["csv", "tsv", "parquet", "arrow", "jsonl", "xlsx", "sav", "dta"]
)
def test_measuring_the_written_file_gives_the_numbers_of_the_comparison(
    original: dict[str, Path], tmp_path: Path, extension: str
) -> None:
    treated = treat(original[extension], STEPS, plan=PLAN)
    assert isinstance(treated, Treated)
    out = treated.write(tmp_path / f"out.{extension}")
    assert values(so.read(out)) == values(treated.table)
    compared = measures(treated.compare())
    again = measures(so.compare(original[extension], out, PLAN))
    for measure, pair in again.items():
        assert compared[measure] == pytest.approx(pair), measure
    sets = so.anonymity_sets(so.read(out), list(KNOWN))
    assert compared["k"] == (1, sets.k)
    assert sets.k >= 3
    assert compared["unique"][1] == 0
    assert {"level", "unique_share", "at_risk"} <= set(compared)


def test_a_text_file_keeps_its_delimiter(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    source.write_text('age;name\n21;"a;b"\n35;"c ""d"""\n;é\n')
    treated = treat(source, [{"recode": "age", "width": 10}])
    out = treated.write(tmp_path / "out.csv")
    assert out.read_text(encoding="utf-8") == 'age;name\n20-29;"a;b"\n30-39;"c ""d"""\n;é\n'
    assert treated.write(tmp_path / "out.tsv").read_text().startswith("age\tname\n")


def test_types_of_a_parquet_file_are_kept(tmp_path: Path) -> None:
    source = tmp_path / "people.parquet"
    frame = pl.DataFrame(
        {
            "a": pl.Series([1, 2, 300], dtype=pl.Int16),
            "b": pl.Series(["x", "y", "x"], dtype=pl.Categorical),
            "c": pl.Series([1.5, 2.5, None], dtype=pl.Float32),
            "d": pl.Series([1, 2, 3], dtype=pl.UInt8),
        }
    )
    frame.write_parquet(source)
    treated = treat(source, [{"recode": "a", "top": 100}, {"recode": "d", "width": 2}])
    out = pl.read_parquet(treated.write(tmp_path / "out.parquet"))
    assert out.schema["a"] == pl.Int16
    assert out["a"].to_list() == [1, 2, 100]
    assert out.schema["b"] == frame.schema["b"]
    assert out.schema["c"] == pl.Float32
    assert out.schema["d"] == pl.String
    assert treated.to_frame().schema["c"] == pl.Float32


@pytest.mark.parametrize("extension", ["parquet", "arrow"])
def test_missing_values_that_were_counted_as_one_are_written_as_one(
    tmp_path: Path, extension: str
) -> None:
    source = tmp_path / f"people.{extension}"
    nan = float("nan")
    frame = pl.DataFrame(
        {"a": [None, None, None, "x", "x", "x"], "f": [nan, None, nan, 1.0, 1.0, 1.0]}
    )
    (frame.write_parquet if extension == "parquet" else frame.write_ipc)(source)
    found = so.suggest(source, quasi_identifiers=["a", "f"], k=3)
    treated = found.apply()
    out = treated.write(tmp_path / f"out.{extension}")
    written = pl.read_parquet(out) if extension == "parquet" else pl.read_ipc(out)
    for published in (written, treated.to_frame()):
        assert published.rows() == [(None, None)] * 3 + [("x", 1.0)] * 3
    assert found.after.k == 3


@pytest.mark.parametrize("extension", ["parquet", "arrow"])
def test_values_of_removed_records_are_nowhere_in_the_file(tmp_path: Path, extension: str) -> None:
    source = tmp_path / f"people.{extension}"
    names = pl.Enum(["unused", "ok", "SECRETNAME", "fine"])
    notes = pl.Series(["ok", "fine", None, "SECRETNAME"], dtype=names)
    frame = pl.DataFrame({"a": [1, 1, 1, 99], "note": notes, "city": notes.cast(pl.Categorical)})
    (frame.write_parquet if extension == "parquet" else frame.write_ipc)(source)
    treated = treat(source, [{"suppress": "records", "where": "a = 99", "rows": "remove"}])
    out = treated.write(tmp_path / f"out.{extension}")
    assert b"SECRETNAME" in source.read_bytes()
    assert b"SECRETNAME" not in out.read_bytes()
    written = pl.read_parquet(out) if extension == "parquet" else pl.read_ipc(out)
    assert written["note"].to_list() == ["ok", "fine", None]
    assert written["note"].dtype == pl.Enum(["ok", "fine"])
    assert written["city"].to_list() == ["ok", "fine", None]


def test_metadata_of_an_spss_file_is_kept(tmp_path: Path) -> None:
    source = tmp_path / "survey.sav"
    frame = pl.DataFrame(
        {
            "q1": [1.0, 2.0, 3.0, -9.0],
            "q2": [1.0, 2.0, -9.0, -9.0],
            "age": [20.0, 33.0, 95.0, -9.0],
            "day": [date(2020, 1, 1), date(2020, 2, 2), None, date(2020, 3, 3)],
        }
    )
    pyreadstat.write_sav(
        frame,
        source,
        file_label="A survey",
        column_labels={"q1": "First", "q2": "Second", "age": "Age"},
        variable_value_labels={
            "q1": {1.0: "yes", 2.0: "no", 3.0: "perhaps", -9.0: "refused"},
            "q2": {1.0: "yes", 2.0: "no", -9.0: "refused"},
        },
        missing_ranges={"q1": [-9.0], "q2": [-9.0], "age": [-9.0]},
        variable_measure={"q1": "nominal", "q2": "nominal", "age": "scale"},
    )
    steps = [
        {"recode": "q1", "top": 2},
        {"recode": "age", "top": 90},
        {"suppress": "cells", "columns": ["day"], "where": "age < 30"},
    ]
    out = treat(source, steps).write(tmp_path / "out.sav")
    stored, about = pyreadstat.read_sav(out, user_missing=True, output_format="polars")
    assert stored["q1"].to_list() == [1.0, 2.0, 2.0, None]
    assert stored["q2"].to_list() == [1.0, 2.0, -9.0, -9.0]  # no step names it
    assert stored["age"].to_list() == [20.0, 33.0, 90.0, None]
    assert stored["day"].to_list() == [None, date(2020, 2, 2), None, date(2020, 3, 3)]
    assert about.file_label == "A survey"
    assert about.column_names_to_labels["q1"] == "First"
    assert about.variable_value_labels["q1"] == {1.0: "yes", 2.0: "no", -9.0: "refused"}
    assert about.variable_value_labels["q2"] == {1.0: "yes", 2.0: "no", -9.0: "refused"}
    assert set(about.missing_ranges) == {"q1", "q2", "age"}
    assert about.variable_measure["q1"] == "nominal"
    assert so.read(out)["q1"].labels[1.0] == "yes"


def test_kinds_of_missing_that_were_counted_as_one_are_written_as_one(tmp_path: Path) -> None:
    source = tmp_path / "survey.sav"
    frame = pl.DataFrame(
        {
            "age": [30.0, 30.0, 30.0, -8.0, -8.0, -8.0, -8.0, -9.0],
            "sex": [1.0] * 8,
            "q": [1.0, -8.0, -9.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        }
    )
    pyreadstat.write_sav(frame, source, missing_ranges={"age": [-8, -9], "q": [-8, -9]})
    found = so.suggest(source, quasi_identifiers=["age", "sex"], k=3)
    out = found.apply().write(tmp_path / "out.sav")
    stored, _ = pyreadstat.read_sav(out, user_missing=True, output_format="polars")
    assert found.after.k == stored.group_by("age", "sex").len()["len"].min() == 3
    assert stored["q"].to_list() == frame["q"].to_list()


def test_a_blanked_cell_has_no_declared_code(tmp_path: Path) -> None:
    source = tmp_path / "survey.sav"
    ages = [30.0, 30.0, 30.0, -8.0, 41.0, 42.0, 43.0]
    pyreadstat.write_sav(
        pl.DataFrame({"age": ages, "sex": [1.0] * 7}), source, missing_ranges={"age": [-8, -9]}
    )
    treated = treat(source, [{"suppress": "records", "k": 3, "columns": ["age", "sex"]}])
    out = treated.write(tmp_path / "out.sav")
    stored, _ = pyreadstat.read_sav(out, user_missing=True, output_format="polars")
    assert stored["age"].to_list() == [30.0, 30.0, 30.0, None, None, None, None]
    assert stored["sex"].to_list() == [1.0, 1.0, 1.0, None, None, None, None]


@pytest.mark.parametrize("steps", [[], [{"suppress": "cells", "columns": ["age"], "k": 3}]])
def test_kinds_of_missing_of_stata_are_written_as_one(
    tmp_path: Path, steps: list[dict[str, Any]]
) -> None:
    source = tmp_path / "survey.dta"
    kinds = [30.5, 30.5, 30.5, "a", "a", "a", "b", None]
    frame = pl.DataFrame({name: pl.Series(kinds, dtype=pl.Object) for name in ("age", "other")})
    pyreadstat.write_dta(
        frame,
        source,
        missing_user_values={"age": ["a", "b"], "other": ["a", "b"]},
        variable_value_labels={"age": {31: "older", "a": "refused"}, "other": {"b": "unknown"}},
    )
    plan = {"columns": {"age": {"role": "quasi-identifier"}}}
    out = treat(source, steps, plan=plan).write(tmp_path / "out.dta")
    stored, about = pyreadstat.read_dta(out, user_missing=True, output_format="dict")
    assert about.variable_value_labels == {"age": {31: "older"}, "other": {"b": "unknown"}}
    assert pl.Series(stored["age"], nan_to_null=True).to_list() == [30.5] * 3 + [None] * 5
    assert list(stored["other"])[3:7] == ["a", "a", "a", "b"]


def test_removed_and_shuffled_records_take_their_metadata_with_them(tmp_path: Path) -> None:
    source = tmp_path / "survey.dta"
    frame = pl.DataFrame(
        {"n": [float(i) for i in range(20)], "x": [float(i % 3) for i in range(20)]}
    )
    pyreadstat.write_dta(frame, source, variable_value_labels={"x": {0.0: "a", 1.0: "b", 2.0: "c"}})
    steps = {
        "perturb": True,
        "steps": [
            {"suppress": "records", "where": "n < 5", "rows": "remove"},
            {"shuffle": "records", "seed": 1},
        ],
    }
    treated = treat(source, steps)
    assert isinstance(treated, Treated)
    stored, about = pyreadstat.read_dta(treated.write(tmp_path / "out.dta"), output_format="polars")
    assert sorted(stored["n"].to_list()) == [float(i) for i in range(5, 20)]
    assert stored["n"].to_list() == [float(row) for row in treated.applied.rows]
    assert [n % 3 for n in stored["n"].to_list()] == stored["x"].to_list()
    assert about.variable_value_labels["x"] == {0: "a", 1: "b", 2: "c"}


def test_where_and_removed_records_together_write_the_right_rows(tmp_path: Path) -> None:
    source = tmp_path / "people.parquet"
    people().write_parquet(source)
    treated = treat(
        source,
        [{"suppress": "records", "where": "age < 40", "rows": "remove"}],
        where="sex = 1",
    )
    out = pl.read_parquet(treated.write(tmp_path / "out.parquet"))
    assert out.equals(people().filter((pl.col("sex") == 1) & (pl.col("age") >= 40)))


def test_nothing_is_overwritten_and_never_the_input(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    source.write_text("age\n21\n35\n")
    treated = treat(source, [{"recode": "age", "width": 10}])
    with pytest.raises(BadChoice, match="is the file that was read"):
        treated.write(source, force=True)
    out = treated.write(tmp_path / "out.csv")
    with pytest.raises(BadChoice, match="exists already"):
        treated.write(out)
    treated.write(out, force=True)
    with pytest.raises(BadChoice, match="cannot be written"):
        treated.write(tmp_path / "out.doc")
    assert source.read_text() == "age\n21\n35\n"


@pytest.mark.parametrize("engine", ["database", "local"])
@pytest.mark.parametrize("given", ["many", "many/*.parquet"])
def test_nothing_is_written_among_the_files_that_are_read(
    tmp_path: Path, engine: str, given: str
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    people().write_parquet(folder / "a.parquet")
    treated = so.treat(tmp_path / given, {"drop": ["name"]}, engine=engine)
    with pytest.raises(BadChoice, match="would be a part of the data the next time it is read"):
        treated.write(folder / "out.parquet")
    with pytest.raises(BadChoice, match="is the file that was read"):
        treated.write(folder / "a.parquet", force=True)
    assert [file.name for file in folder.iterdir()] == ["a.parquet"]
    assert so.read(treated.write(tmp_path / "out.parquet")).rows == 240


@pytest.mark.parametrize("engine", [None, "database", "local"])
def test_a_log_is_never_written_over_the_data(tmp_path: Path, engine: str | None) -> None:
    source = tmp_path / "people.parquet"
    people().write_parquet(source)
    before = source.read_bytes()
    treated = so.treat(source, {"recode": "age", "width": 10}, engine=engine)
    with pytest.raises(BadChoice, match="is the file that was read"):
        treated.write_log(source, force=True)
    assert source.read_bytes() == before


def test_the_log_is_written_with_sentences_and_without_formulas(tmp_path: Path) -> None:
    treated = treat({"x": ["=1+1", "b", "c"]}, [{"recode": "x", "groups": {"z": ["=1+1", "b"]}}])
    log = treated.write_log(tmp_path / "out.log.csv").read_text()
    assert log.startswith("step,what,column,from,to,records\n1,Values of x are taken together as z")
    assert "'=1+1,z,1" in log


# ---- before and after


def test_a_comparison_has_every_measure() -> None:
    treated = treat(people(), STEPS, plan=PLAN)
    assert isinstance(treated, Treated)
    compared = treated.compare()
    found = measures(compared)
    for measure in ("level", "highest", "at_risk", "k", "unique", "unique_share", "suppressed"):
        assert measure in found
    assert found["direct_identifiers"] == (1, 0)
    assert found["k"][0] == 1
    assert found["k"][1] >= 3
    assert compared.cells is not None
    assert compared.cells.cells == 240 * 6
    assert compared.before.qar is not None
    assert "{" not in compared.verdict


def test_roles_of_the_table_are_the_plan_where_none_is_given() -> None:
    table = so.read(people(), roles={"age": "quasi-identifier", "sex": "quasi-identifier"})
    compared = treat(table, [{"recode": "age", "width": 20}]).compare()
    assert compared.before.plan.quasi_identifiers == ("age", "sex")
    assert compared.before.guessed is False


def test_without_a_plan_and_roles_it_is_guessed() -> None:
    treated = treat(people(), [{"recode": "age", "width": 20}])
    assert treated.compare().before.guessed is True
    assert treated.compare(PLAN).before.guessed is False


def test_values_of_direct_identifiers_of_the_plan_are_not_in_the_log() -> None:
    treated = treat(people(), [{"recode": "name", "prefix": 6}], plan=PLAN)
    assert treated.log.rows() == [(1, "name", None, None, 240)]


def test_shares_are_those_of_the_records_and_missing_stays_as_telling_as_it_was() -> None:
    treated = treat(
        {"x": ["a", "b", "c", None], "y": [1, 2, 3, 4]},
        [{"suppress": "cells", "columns": ["x"], "where": "y = 1"}],
    )
    assert isinstance(treated, Treated)
    assert treated.shares("x").tolist() == [1.0, 0.25, 0.25, 0.25]


def test_the_picture_has_bars_before_and_after() -> None:
    chart = treat(people(), STEPS, plan=PLAN).plot().to_dict()
    rows = chart["data"]["values"] if "values" in chart["data"] else chart["datasets"]
    flat = rows if isinstance(rows, list) else next(iter(rows.values()))
    whens = {row["when"] for row in flat}
    assert len(whens) == 2
    for when in whens:
        assert sum(row["share"] for row in flat if row["when"] == when) == pytest.approx(1)


def test_what_json_holds_has_no_value_of_a_hierarchy() -> None:
    rows = [["0100", "01", "*"], ["0101", "01", "*"], ["2000", "20", "*"]]
    treated = treat(people(), [{"recode": "zip", "hierarchy": rows, "level": 1}])
    assert treated.to_dict()["steps"][0]["hierarchy"] == {"values": 3, "levels": 3}
    assert "0101" not in treated.to_json()
    found = so.suggest(
        people(), quasi_identifiers=KNOWN, k=30, method="full-domain", hierarchies={"zip": rows}
    )
    assert "0101" not in found.to_json()
