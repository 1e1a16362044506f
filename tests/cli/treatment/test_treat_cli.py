"""`singleout treat`: what it writes, what it shows, and what it never writes over."""

import csv
import json
import stat
from pathlib import Path

import polars as pl
import pytest

import singleout as so
from run_command import refused, singleout


def test_it_writes_the_treated_file_and_the_log_of_every_change(survey: Path, steps: Path) -> None:
    out = survey.parent / "out.csv"
    done = singleout("treat", survey, steps, "-o", out)
    assert done.returncode == 0, done.stderr
    expected = so.treat(survey, steps)
    assert so.read(out).columns == ("age", "sex", "region", "income")
    assert pl.read_csv(out)["age"].to_list() == expected.to_frame()["age"].to_list()
    with (survey.parent / "out.log.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(expected.log)
    assert rows[0]["what"] == "Column left out: name."
    recoded = [row for row in rows if row["column"] == "age"]
    assert sum(int(row["records"]) for row in recoded) == 240
    assert all(row["to"] == f"{row['from'][0]}0-{row['from'][0]}9" for row in recoded)


def test_what_holds_records_is_for_its_owner_only(survey: Path, steps: Path) -> None:
    singleout("treat", survey, steps, "-o", survey.parent / "out.csv")
    for name in ("out.csv", "out.log.csv"):
        assert stat.S_IMODE((survey.parent / name).stat().st_mode) == 0o600


def test_it_says_what_each_step_changed_and_k_before_and_after(survey: Path, steps: Path) -> None:
    plan = survey.parent / "plan.yaml"
    plan.write_text(
        "columns:\n  age: {role: quasi-identifier}\n  sex: {role: quasi-identifier}\n"
        "  income: {role: sensitive}\n"
    )
    words = singleout("treat", survey, steps, "--plan", plan).stdout
    treated = so.treat(survey, steps, plan=plan)
    before, after = treated.anonymity
    assert before is not None
    assert after is not None
    assert " 1. Column left out: name. (240 cells)" in words
    assert " 2. age becomes intervals of 10. (240 cells)" in words
    lines = {
        line.rsplit(None, 2)[0].strip(): line.split()[-2:]
        for line in words.splitlines()
        if line.strip()
    }
    assert lines["k: smallest set of equal records"] == [str(before.k), str(after.k)]
    assert lines["unique records"] == [str(before.unique), str(after.unique)]
    assert lines["columns"] == ["5", "4"]
    assert "Nothing was written: add -o OUT" in words
    assert not (survey.parent / "out.csv").exists()


def test_without_a_plan_it_says_which_columns_the_numbers_are_of(survey: Path, steps: Path) -> None:
    words = singleout("treat", survey, steps).stdout
    assert "those of the columns that the steps change (name, age); --plan says" in words


def test_nothing_is_written_over_without_force_and_an_input_never(
    survey: Path, steps: Path
) -> None:
    out = survey.parent / "out.csv"
    log = survey.parent / "out.log.csv"
    log.write_text("precious")
    assert "'" + str(log) + "' exists already" in refused(
        singleout("treat", survey, steps, "-o", out)
    )
    assert not out.exists()
    assert log.read_text() == "precious"
    assert singleout("treat", survey, steps, "-o", out, "--force").returncode == 0
    assert log.read_text() != "precious"
    before = survey.read_bytes()
    for path in (survey, steps):
        assert "choose another name" in refused(
            singleout("treat", survey, steps, "-o", out, "--log", path, "--force")
        )
    assert "is the data itself" in refused(
        singleout("treat", survey, steps, "-o", survey, "--force")
    )
    assert survey.read_bytes() == before


def test_a_hierarchy_that_is_read_is_not_written_over(survey: Path, steps: Path) -> None:
    hierarchy = survey.parent / "sex.csv"
    hierarchy.write_text("f;*\nm;*\n")
    steps.write_text("steps:\n  - recode: sex\n    hierarchy: sex.csv\n    level: 1\n")
    out = survey.parent / "out.csv"
    done = singleout("treat", survey, steps, "-o", out, "--log", hierarchy, "--force")
    assert "is the data itself, or another file that is read here" in refused(done)
    assert hierarchy.read_text() == "f;*\nm;*\n"


def test_mistakes_in_steps_are_one_sentence_with_a_line(survey: Path, steps: Path) -> None:
    steps.write_text("steps:\n  - recode: agee\n    width: 10\n")
    said = refused(singleout("treat", survey, steps, "-o", survey.parent / "out.csv"))
    assert said == "steps.yaml, line 2: the table has no column 'agee'; did you mean 'age'?"
    steps.write_text("steps:\n  - recode: sex\n    hierarchy: sex.csv\n    level: 1\n")
    (survey.parent / "sex.csv").write_text("f;*\n")
    said = refused(singleout("treat", survey, steps))
    assert said.startswith("steps.yaml, line 2: ")
    assert "lacks the value 'm'" in said


def test_json_has_steps_loss_and_k(survey: Path, steps: Path) -> None:
    found = json.loads(singleout("treat", survey, steps, "--json").stdout)
    treated = so.treat(survey, steps)
    assert found["steps"] == [{"drop": ["name"]}, {"recode": "age", "width": 10}]
    assert found["loss"]["loss"] == treated.loss.loss
    before, after = treated.anonymity
    assert before is not None
    assert after is not None
    assert found["anonymity"] == {
        "before": {"k": before.k, "unique": before.unique},
        "after": {"k": after.k, "unique": after.unique},
    }


def test_the_picture_is_written(survey: Path, steps: Path) -> None:
    picture = survey.parent / "picture.svg"
    assert singleout("treat", survey, steps, "--plot", picture).returncode == 0
    assert "<svg" in picture.read_text()


def test_the_options_that_a_file_is_read_with_hold_for_the_file_that_is_written(
    tmp_path: Path,
) -> None:
    data, steps, out = (tmp_path / name for name in ("odd.csv", "steps.yaml", "out.csv"))
    # a comma would be detected, and the text is no UTF-8
    data.write_bytes("age~town, place\n31~Zürich, old\n34~Genève, new\n".encode("latin-1"))
    steps.write_text("steps:\n  - recode: age\n    width: 10\n")
    options = ["--delimiter", "~", "--encoding", "latin-1"]
    done = singleout("treat", data, steps, "-o", out, *options)
    assert done.returncode == 0, done.stderr
    assert out.read_text("utf-8") == ("age~town, place\n30-39~Zürich, old\n30-39~Genève, new\n")


def test_a_condition_limits_what_is_published(survey: Path, steps: Path) -> None:
    out = survey.parent / "out.parquet"
    singleout("treat", survey, steps, "-o", out, "--where", "region = 'north'")
    found = pl.read_parquet(out)
    source = pl.read_csv(survey).filter(pl.col("region") == "north")
    assert found["income"].cast(int).to_list() == source["income"].to_list()


@pytest.fixture
def folder(survey: Path) -> Path:
    """Return a folder of Parquet files with the survey."""
    path = survey.parent / "parts"
    path.mkdir()
    frame = pl.read_csv(survey)
    frame[:100].write_parquet(path / "a.parquet")
    frame[100:].write_parquet(path / "b.parquet")
    return path


def test_files_in_a_folder_are_streamed_with_a_log(folder: Path, survey: Path, steps: Path) -> None:
    out = survey.parent / "out.parquet"
    done = singleout("treat", folder, steps, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "(240 cells)" in done.stdout
    expected = so.treat(survey, steps).to_frame()["age"].sort().to_list()
    assert pl.read_parquet(out)["age"].sort().to_list() == expected
    assert (survey.parent / "out.log.csv").read_text().startswith("step,what,column,from,to")
    inside = folder / "new.parquet"
    assert "would be a part of the data" in refused(singleout("treat", folder, steps, "-o", inside))


def test_direct_identifiers_of_the_plan_are_not_in_the_log_of_data_elsewhere(
    folder: Path, steps: Path
) -> None:
    steps.write_text("steps:\n  - recode: name\n    prefix: 1\n")
    plan = folder.parent / "plan.yaml"
    plan.write_text("columns: {name: {role: direct-identifier}, age: {role: quasi-identifier}}\n")
    out = folder.parent / "out.parquet"
    done = singleout("treat", folder, steps, "--plan", plan, "-o", out)
    assert done.returncode == 0, done.stderr
    log = pl.read_csv(folder.parent / "out.log.csv")
    assert log["from"].null_count() == len(log) > 0
    assert log["records"].sum() == 240
    plan.write_text("columns: {nam3: {role: direct-identifier}}\n")
    assert "no column 'nam3'" in refused(singleout("treat", folder, steps, "--plan", plan))


def test_sql_is_printed_in_the_dialect_that_is_asked_for(folder: Path, steps: Path) -> None:
    text = singleout("treat", folder, steps, "--print-sql").stdout
    assert text.startswith("SELECT")
    assert "THEN '20-29'" in text
    assert '"name"' not in text
    other = singleout("treat", folder, steps, "--print-sql", "--dialect", "mysql").stdout
    assert "`age`" in other
    assert "--print-sql is for data that is treated where it is" in refused(
        singleout("treat", folder / "a.parquet", steps, "--print-sql")
    )


def test_steps_that_need_memory_are_refused_with_the_option_that_helps(
    folder: Path, steps: Path
) -> None:
    steps.write_text("steps:\n  - generalise: [age, sex]\n    k: 3\n")
    said = refused(singleout("treat", folder, steps))
    assert "generalise needs all records in memory" in said
    assert "give --engine local to fetch it" in said
    assert singleout("treat", folder, steps, "--engine", "local").returncode == 0
