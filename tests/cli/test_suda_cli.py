"""`singleout suda` as a user meets it."""

from __future__ import annotations

import csv
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import typer
from typer.testing import CliRunner, Result

from run_command import working_on
from singleout import __version__
from singleout.cli import suda
from singleout.core.output_files import write_together
from singleout.errors import (
    BadChoice,
    SingleoutError,
    UndefinedMeasure,
    UnreadableFile,
    UnwritableOutput,
)
from singleout.methods.suda.function import suda as measure

app = typer.Typer()
app.command("suda")(suda.suda)

PEOPLE = """id,age,job,marital
p1,21,student,single
p2,21,student,single
p3,34,nurse,married
p4,34,nurse,married
p5,80,retired,widowed
=p6,80,student,widowed
p7,80,retired,widowed
p8,34,vet,=single
"""
NAMES = ["out.csv", "out-variables.csv", "out-values.csv", "out-sets.csv", "out-summary.json"]


def singleout(*words: object) -> Result:
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_it_says_who_stands_out_and_why(people: Path) -> None:
    said = singleout(people, "--id", "id", "--sampling-fraction", "0.05").stdout
    assert "people.csv: 8 records, sets of up to 3 of 3 columns" in said
    assert "score (M=3)" in said
    assert "Record 8: job=vet alone identifies this record" in said
    assert "age=80 with job=student alone identifies this record" in said
    assert "DIS-SUDA" in said
    assert "in 1.7% of the cases (DIS)." in said
    assert "2 of 8 records (25.0%) are unique on all columns" in said
    assert "(--missing value)" in said
    assert "job=student" in said
    assert "job=nurse" not in said  # it contributes nothing


def test_without_a_sampling_fraction_there_is_no_dis(people: Path) -> None:
    assert "DIS" not in singleout(people, "--qi", "age,job").stdout


def test_json_is_the_result_and_nothing_else(people: Path) -> None:
    done = singleout(people, "--id", "id", "--json", "--top", "1", "--max-size", "all")
    answer = json.loads(done.stdout)
    assert answer["singleout"] == __version__
    (result,) = answer["results"]
    found = measure(people, ["age", "job", "marital"], max_size=None)
    assert result["max_size"] == 3
    assert result["highest_score"] == found.score.max()
    (record,) = result["risky"]
    assert (record["id"], record["record"]) == ("p8", 8)


def test_the_three_parts_are_written_as_five_files(people: Path) -> None:
    out = people.parent / "out.csv"
    singleout(people, "--id", "id", "--sampling-fraction", "0.05", "-o", out)
    table = people.parent / "people.csv"
    found = measure(table, ["age", "job", "marital"], sampling_fraction=0.05)
    records = rows(out)
    assert [row["id"] for row in records] == [
        "p1", "p2", "p3", "p4", "p5", "'=p6", "p7", "p8",
    ]  # fmt: skip
    assert [float(row["score"]) for row in records] == found.score.tolist()
    assert {row["max_size"] for row in records} == {"3"}
    assert [float(row["dis_score"]) for row in records] == found.dis_score.tolist()
    assert [int(row["uniques_of_size_2"]) for row in records] == found.counts_by_size[:, 1].tolist()
    shares = [float(row["contribution of job"]) for row in records]
    assert shares == found.contributions[:, 1].tolist()
    variables = rows(out.with_name("out-variables.csv"))
    assert [row["variable"] for row in variables] == ["age", "job", "marital"]
    values = rows(out.with_name("out-values.csv"))
    assert [row["value"] for row in values if row["variable"] == "marital"] == [
        "'=single", "married", "single", "widowed",
    ]  # fmt: skip
    summary = json.loads(out.with_name("out-summary.json").read_text())
    assert summary["dis"] == found.dis
    assert summary["singleout"] == __version__
    assert summary["max_size"] == 3
    assert sorted(path.name for path in people.parent.iterdir()) == sorted([*NAMES, "people.csv"])


def test_names_of_columns_are_harmless_in_a_spreadsheet_and_on_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    pl.DataFrame({"=cmd": [1, 1, 2], "b\x1b[31m": ["x", "y", "\x1b]0;"]}).write_csv(path)
    out = tmp_path / "out.csv"
    done = singleout(path, "-o", out)
    assert "\x1b" not in done.stdout
    assert rows(out.with_name("out-variables.csv"))[0]["variable"] == "'=cmd"


@pytest.mark.parametrize("name", NAMES)
def test_no_file_is_written_over_unless_forced_and_none_is_written_then(
    people: Path, name: str
) -> None:
    (people.parent / name).write_text("mine")
    out = people.parent / "out.csv"
    with pytest.raises(BadChoice, match="exists already"):
        singleout(people, "-o", out)
    assert sorted(path.name for path in people.parent.iterdir()) == sorted({name, "people.csv"})
    singleout(people, "-o", out, "--force")
    assert (people.parent / name).read_text() != "mine"


def test_the_data_is_never_written_over(tmp_path: Path) -> None:
    data = tmp_path / "out-values.csv"
    data.write_text(PEOPLE)
    with pytest.raises(BadChoice, match="is the data itself"):
        singleout(data, "-o", tmp_path / "out.csv", "--force")
    with pytest.raises(BadChoice, match="is the data itself"):
        singleout(data, "--plot", data, "--force")
    assert data.read_text() == PEOPLE


def test_whether_outputs_are_free_is_checked_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "out-summary.json").write_text("mine")
    with pytest.raises(BadChoice, match=r"out-summary\.json"):
        singleout(tmp_path / "absent.csv", "-o", tmp_path / "out.csv")
    with pytest.raises(UnreadableFile, match="There is no folder"):
        singleout(tmp_path / "absent.csv", "-o", tmp_path / "nowhere" / "out.csv")


def test_a_picture_is_written(people: Path) -> None:
    picture = people.parent / "out.svg"
    singleout(people, "--plot", picture)
    assert "<svg" in picture.read_text()


def test_missing_values_and_scoring_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b,c\n1,5,0\n1,5,0\nNA,6,0\n2,6,0\n")
    never = singleout(path, "--na", "NA", "--missing", "never", "--json").stdout
    (result,) = json.loads(never)["results"]
    assert result["records_with_uniques"] == 1
    assert result["missing"] == "never"
    drop = singleout(path, "--na", "NA", "--missing", "drop").stdout
    assert "1 of 4 records lack a value in one of the columns and were left out." in drop
    ihsn = singleout(path, "--scoring", "ihsn", "--json").stdout
    assert json.loads(ihsn)["results"][0]["weights"] == pytest.approx([1, 1 / 3, 0])
    with pytest.raises(UndefinedMeasure, match="records do not fall into groups"):
        singleout(path, "--na", "NA", "--missing", "wildcard")


def test_none_of_the_records_need_be_shown(people: Path) -> None:
    said = singleout(people, "--qi", "age,job", "--top", "0", "--max-size", "3").stdout
    assert "Records that stand out" not in said
    assert "Values that" not in said
    assert "max_size is 3, larger than the number of columns, 2" in said


def test_kinds_sets_intervals_and_a_threshold_are_shown(people: Path) -> None:
    words = [people, "--id", "id", "--sampling-fraction", "0.05", "--threshold", "0.02"]
    said = singleout(*words).stdout
    assert "special: unique on fewer columns than all" in said
    assert "age x job" in said
    assert "(0, 0.1]" in said
    assert "1 of 8 records has a DIS-SUDA above 0.02." in said
    answer = json.loads(singleout(*words, "--json").stdout)["results"][0]
    assert answer["above_threshold"] == 1
    assert answer["set_contributions"][0]["columns"] == ["job"]
    assert answer["dis_intervals"]["0"] == 6


def test_one_record_is_shown_as_in_the_paper_by_number_or_name(people: Path) -> None:
    by_name = singleout(people, "--id", "id", "--record", "=p6", "--record", "p8").stdout
    assert "Record 6: minimal uniques that hold each column (=p6)" in by_name
    assert "of size 2" in by_name
    assert "100.00" in by_name
    assert "Record 8 has 2 minimal uniques of up to 3 columns, and the score 4." in by_name
    assert "What each column contributes" not in by_name
    columns = ["--qi", "age,job,marital"]
    by_number = singleout(people, *columns, "--record", "6").stdout
    assert "(=p6)" not in by_number
    (one,) = json.loads(singleout(people, *columns, "--record", "6", "--json").stdout)["results"]
    assert one["one_record"][0]["uniques"] == [["age", "job"], ["job", "marital"]]
    for words, sentence in [
        (["--record", "p6"], "is no number of a record"),
        (["--id", "id", "--record", "p9"], "no record has this value of 'id'"),
        (["--id", "job", "--record", "student"], "3 records has this value"),
    ]:
        with pytest.raises(BadChoice, match=sentence):
            singleout(people, *words)


def test_every_minimal_unique_is_written_harmless_in_a_spreadsheet(people: Path) -> None:
    out = people.parent / "uniques.csv"
    singleout(people, "--id", "id", "--uniques", out)
    listed = [(row["id"], row["columns"], row["values"]) for row in rows(out)]
    assert sorted(listed) == [
        ("'=p6", "age x job", "80 x student"),
        ("'=p6", "job x marital", "student x widowed"),
        ("p8", "job", "vet"),
        ("p8", "marital", "'=single"),
    ]
    assert out.stat().st_mode & 0o777 == 0o600


def test_contributions_are_written_as_percentages_if_asked_for(people: Path) -> None:
    out = people.parent / "out.csv"
    singleout(people, "--id", "id", "-o", out, "--percent")
    assert float(rows(out)[5]["contribution of job"]) == 100
    variables = rows(out.with_name("out-variables.csv"))
    assert {row["variable"]: float(row["percent"]) for row in variables}["job"] > 50
    sets = rows(out.with_name("out-sets.csv"))
    assert sum(float(row["percent"]) for row in sets) == pytest.approx(100)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--max-size", "two"], "--max-size is 'two'"),
        (["--max-size", "0"], "max_size must be a whole number"),
        (["--sampling-fraction", "2"], "sampling_fraction must lie above 0"),
        (["--scoring", "best"], "'best' is not a known scoring"),
        (["--missing", "maybe"], "'maybe' is not a way to treat missing values"),
        (["--qi", "age,,job"], "has an empty column name"),
        (["--qi", "age,zip"], "Columns not found: ['zip']"),
        (["--id", "name"], "Columns not found: ['name']"),
        (["-o", "out.txt"], "end the name 'out.txt' in .csv"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_a_sentence(
    people: Path, words: list[str], sentence: str
) -> None:
    with pytest.raises(SingleoutError) as refusal:
        singleout(people, *words)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


# ---- all files or none


def writer(text: str) -> Callable[[Path], None]:
    return lambda part: (part.write_text(text), None)[1]


def interrupted(part: Path) -> None:
    part.write_text("half")
    raise KeyboardInterrupt


def test_an_interrupt_while_writing_leaves_nothing(tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    with pytest.raises(KeyboardInterrupt):
        write_together({one: writer("1"), two: interrupted}, force=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("at", [0, 1, 2])
def test_an_interrupt_while_files_get_their_names_brings_everything_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    names = [tmp_path / name for name in ("one.csv", "two.csv", "three.csv")]
    names[0].write_text("old")
    names[2].write_text("older")
    real, calls = Path.replace, iter(range(9))

    def replace(self: Path, target: Path) -> Path:
        if self.name.startswith(".singleout-") and next(calls) == at:
            raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        write_together({name: writer("new") for name in names}, force=True)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "one.csv": "old",
        "three.csv": "older",
    }


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    def full(part: Path) -> None:
        raise OSError(28, "No space left on device", str(part))

    with pytest.raises(UnwritableOutput, match=r"'.*two\.csv' cannot be written: No space left"):
        write_together({tmp_path / "one.csv": writer("1"), tmp_path / "two.csv": full}, force=False)
    assert list(tmp_path.iterdir()) == []


def test_files_are_as_readable_as_others(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_together({tmp_path / "one.csv": writer("1")}, force=False)
    finally:
        os.umask(before)
    assert (tmp_path / "one.csv").stat().st_mode & 0o777 == 0o644


def test_a_real_interrupt_leaves_nothing_half_written(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    data, out = tmp_path / "wide.parquet", tmp_path / "out.csv"
    columns = {f"c{place}": rng.integers(0, 6, 20_000) for place in range(18)}
    pl.DataFrame(columns).write_parquet(data)
    asked = ["suda", data, "--max-size", "all", "-o", out]
    with working_on("Searching", *asked, cwd=tmp_path) as process:
        time.sleep(0.3)  # until it is within the step, which takes much longer
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=100)
    assert process.returncode == 130, said
    assert "Interrupted" in said
    assert [path.name for path in tmp_path.iterdir()] == ["wide.parquet"]


def test_a_page_with_the_picture_runs_no_script_from_a_name(tmp_path: Path) -> None:
    hostile = "</script><script>alert(1)</script>"
    data = tmp_path / "people.csv"
    data.write_text(f"{hostile},b\n1,a\n1,b\n2,b\n", encoding="utf-8")
    page = tmp_path / "page.html"
    singleout(data, "--plot", str(page))
    assert hostile not in page.read_text(encoding="utf-8")
    assert "\\u003c/script>" in page.read_text(encoding="utf-8")


def test_a_picture_that_cannot_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    data = tmp_path / "people.csv"
    data.write_text("a,b\n1,2\n", encoding="utf-8")
    out = tmp_path / "out.csv"
    with pytest.raises(BadChoice, match=r"cannot be written as 'p\.bmp'"):
        singleout(data, "-o", out, "--plot", tmp_path / "p.bmp")
    assert not out.exists()
