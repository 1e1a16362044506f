"""No output ever takes the place of something that is read, whatever it is called and forced."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from run_command import refused, singleout
from singleout.io.demo import demo_files

FRAME = pl.DataFrame({"a": [1, 1, 2, 3], "b": ["x", "y", "x", "y"], "c": [5, 6, 7, 8]})
ITSELF = "is the data itself, or another file that is read here"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def sqlite(folder: Path) -> Path:
    file = folder / "people.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE people (a INTEGER, b TEXT, c INTEGER)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", FRAME.rows())
    connection.close()
    return file


@pytest.fixture
def duck(folder: Path) -> Path:
    import duckdb

    file = folder / "people.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE people AS SELECT * FROM range(4) AS t(a)")
    return file


@pytest.fixture
def claims(folder: Path) -> Path:
    for part in ("part-0.parquet", "year=2020/part-1.parquet"):
        file = folder / "claims" / part
        file.parent.mkdir(parents=True, exist_ok=True)
        FRAME.write_parquet(file)
    return folder / "claims"


@pytest.fixture
def people(folder: Path) -> Path:
    file = folder / "people.csv"
    FRAME.write_csv(file)
    return file


def kept(file: Path, *words: object) -> None:
    """Check that a command refuses to write over a file, and leaves it as it is."""
    before = file.read_bytes()
    assert ITSELF in refused(singleout(*words, "--force"))
    assert file.read_bytes() == before


# ---- databases


@pytest.mark.parametrize("data", ["sqlite:///people.db#people", "sqlite://people.db#people"])
def test_the_file_of_a_database_with_a_relative_path_is_never_overwritten(
    sqlite: Path, data: str
) -> None:
    kept(sqlite, "columns", data, "--csv", "people.db")
    kept(sqlite, "columns", data, "--csv", sqlite)


def test_a_duckdb_database_with_a_relative_path_is_never_overwritten(duck: Path) -> None:
    kept(duck, "columns", "duckdb:///people.duckdb#people", "--csv", "people.duckdb")


@pytest.mark.parametrize(
    "words",
    [
        ["sets", "DATA", "--qi", "a", "--csv"],
        ["sets", "DATA", "--qi", "a", "--records"],
        ["sets", "DATA", "--qi", "a", "--plot"],
        ["qar", "DATA", "--csv"],
        ["qar", "DATA", "--plot"],
        ["records", "DATA", "--csv"],
        ["records", "DATA", "--plot"],
        ["suda", "DATA", "--plot"],
        ["plan", "DATA", "--output"],
        ["assess", "DATA", "--pia"],
        ["assess", "DATA", "--report-json"],
        ["assess", "DATA", "--plot"],
        ["compare", "DATA", "other.csv", "--csv"],
        ["compare", "other.csv", "DATA", "--csv"],
        ["eliminate", "DATA", "--records", "1", "--csv"],
        ["eliminate", "DATA", "--records", "1", "--out"],
        ["predict", "--data", "DATA", "--qi", "a", "--people", "3", "--csv"],
    ],
    ids=lambda words: " ".join(words).replace(" DATA", ""),
)
def test_no_output_of_any_command_overwrites_the_database(sqlite: Path, words: list[str]) -> None:
    data = "sqlite:///people.svg#people"
    file = sqlite.rename("people.svg")  # a name that a picture may have
    kept(file, *(data if word == "DATA" else word for word in words), "people.svg")


@pytest.mark.parametrize("ending", ["-wal", "-journal", "-shm"])
def test_what_sqlite_keeps_beside_a_database_belongs_to_it(sqlite: Path, ending: str) -> None:
    beside = sqlite.with_name(f"people.db{ending}")
    done = singleout("columns", "sqlite:///people.db#people", "--csv", beside)
    assert ITSELF in refused(done)
    assert not beside.exists()


def test_what_duckdb_keeps_beside_a_database_belongs_to_it(duck: Path) -> None:
    done = singleout("columns", "duckdb:///people.duckdb#people", "--csv", f"{duck}.wal")
    assert ITSELF in refused(done)


# ---- files, folders and patterns


def test_a_file_inside_the_folder_that_is_read_is_never_overwritten(claims: Path) -> None:
    for part in claims.rglob("*.parquet"):
        kept(part, "columns", "claims", "--csv", part)
        kept(part, "columns", claims / ".." / "claims", "--csv", part)
    kept(part, "eliminate", "claims", "--records", "1", "--out", part)


def test_other_files_in_the_folder_that_is_read_can_be_replaced(claims: Path) -> None:
    for words in ([], ["--force"]):
        done = singleout("columns", "claims", "--csv", claims / "columns.csv", *words)
        assert done.returncode == 0, done.stderr


def test_every_file_in_a_folder_is_data_to_spark(claims: Path) -> None:
    odd = claims / "part-2"
    odd.write_bytes(b"PAR1")
    kept(odd, "columns", "claims", "--engine", "spark", "--csv", odd)
    for given in ("file:///{}", "file:{}", "{}"):
        address = given.format(claims)
        kept(odd, "columns", address, "--engine", "spark", "--csv", odd)


@pytest.mark.parametrize("pattern", ["data/*.csv", "data/**/*.csv", "da*", "data/{one,two}.csv"])
def test_a_file_that_a_pattern_stands_for_is_never_overwritten(people: Path, pattern: str) -> None:
    file = people.parent / "data" / "one.csv"
    file.parent.mkdir()
    people.rename(file)
    engine = ["--engine", "spark"] if pattern in ("da*", "data/{one,two}.csv") else []
    kept(file, "columns", pattern, *engine, "--csv", "data/one.csv")


def test_an_output_that_would_become_a_part_of_the_data_is_refused(claims: Path) -> None:
    (claims / "people.csv").write_text("a\n1\n")
    for data, out in (
        ("claims", "claims/new.parquet"),
        ("claims", "claims/year=2021/../new.pq"),
        ("claims/*.csv", "claims/new.csv"),
        (f"{claims}/*.csv", "claims/new.csv"),
        ("**/*.csv", "new.csv"),
    ):
        (claims / "year=2021").mkdir(exist_ok=True)
        done = singleout("eliminate", data, "--records", "1", "--out", out)
        assert "would be a part of the data the next time" in refused(done)
        assert not Path(out).exists()


@pytest.mark.parametrize("linked", [os.symlink, os.link], ids=["symlink", "hard link"])
def test_a_link_to_what_is_read_is_never_written_to(
    people: Path, sqlite: Path, linked: Callable[..., None]
) -> None:
    linked(people, "out.csv")
    kept(people, "columns", "people.csv", "--csv", "out.csv")
    kept(people, "columns", "out.csv", "--csv", people)
    linked(sqlite, "link.db")
    kept(sqlite, "columns", "sqlite:///people.db#people", "--csv", "link.db")
    kept(sqlite, "columns", "sqlite:///link.db#people", "--csv", "people.db")


# ---- what else is read


def test_plans_policies_and_questionnaires_are_never_overwritten(people: Path) -> None:
    plan, policy = Path("plan.json"), Path("policy.json")
    plan.write_text("columns: {a: {role: quasi-identifier}}\n")
    policy.write_text("k: 2\n")
    both = ["assess", people, "--plan", plan, "--policy", policy]
    for option in ("--pia", "--report-json", "--plot"):
        kept(plan, *both, option, plan)
        kept(policy, *both, option, policy)
    kept(plan, "compare", people, people, "--plan", plan, "--csv", plan)
    os.link(plan, "same.json")
    kept(plan, *both, "--pia", "same.json")
    asked = Path("asked.json")
    (sample,) = [file for file in demo_files() if file.name == "questionnaire.yaml"]
    asked.write_bytes(sample.read_bytes())
    for option in ("--csv", "--plot", "--save"):
        kept(asked, "funnel", asked, option, asked)
    for option in ("--csv", "--plot"):
        kept(asked, "predict", "plan", asked, "--unique", "0.1", option, asked)


def test_the_files_of_the_demo_are_never_overwritten() -> None:
    files = {file.name: file for file in demo_files()}
    for option in ("--save", "--save-plan", "--csv"):
        kept(files["ma2019.csv"], "demo", option, files["ma2019.csv"])
    kept(files["questionnaire.yaml"], "funnel", "--save", files["questionnaire.yaml"])


def test_a_plan_is_not_written_over_the_data_it_is_for(people: Path) -> None:
    import singleout as so
    from singleout.errors import BadChoice

    before = people.read_bytes()
    plan = so.Plan.of({"data": "people.csv"})
    with pytest.raises(BadChoice, match="is the data that the plan is for"):
        plan.write(people)
    assert people.read_bytes() == before
    plan.write("plan.yaml")
    plan.write("plan.yaml")  # its own file it may replace


def test_a_report_is_not_written_over_the_data(people: Path) -> None:
    import singleout as so
    from singleout.errors import BadChoice

    before = people.read_bytes()
    Path("report.html").symlink_to(people)
    with pytest.raises(BadChoice, match="is the data itself"):
        so.assess("people.csv").report("report.html")
    with pytest.raises(BadChoice, match="is the data itself"):
        so.compare("people.csv", FRAME.head(3)).report("report.html")
    assert people.read_bytes() == before
