"""Commands on data in databases, in several files and with conditions, as a user meets them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from run_command import refused, singleout

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("ibis")

# ibis asks DuckDB in a way that DuckDB calls old
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:ibis.*")

ROWS = 60
SECRET = "s3cr3t"


def people() -> pl.DataFrame:
    numbers = range(ROWS)
    return pl.DataFrame(
        {
            "id": [f"p{n}" for n in numbers],
            "age": [None if n % 17 == 0 else 20 + n * 7 % 13 for n in numbers],
            "zip": [str(n * 5 % 8) for n in numbers],
            "sex": ["fm"[n % 2] for n in numbers],
            "ill": [("flu", "colds", "none")[n * n % 3] for n in numbers],
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same table as a file, in two databases, in parts and in a folder."""
    folder = tmp_path_factory.mktemp("remote")
    table = people()
    table.write_parquet(folder / "people.parquet")
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.register("frame", table)
        connection.execute("create table people as select * from frame")
    with sqlite3.connect(folder / "people.sqlite") as lite:
        lite.execute("create table people (id text, age integer, zip text, sex text, ill text)")
        lite.executemany("insert into people values (?, ?, ?, ?, ?)", table.rows())
    lite.close()
    parts = folder / "parts"
    parts.mkdir()
    for place in range(3):
        table[20 * place : 20 * place + 20].write_parquet(parts / f"part{place}.parquet")
        table[20 * place : 20 * place + 20].write_csv(parts / f"part{place}.csv")
    return folder


PLACES: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: f"sqlite://{folder / 'people.sqlite'}#people",
    "duckdb": lambda folder: f"duckdb://{folder / 'people.duckdb'}#people",
    "folder": lambda folder: str(folder / "parts"),
    "glob": lambda folder: str(folder / "parts" / "*.parquet"),
}


@pytest.fixture(params=list(PLACES))
def place(request: pytest.FixtureRequest, folder: Path) -> str:
    return PLACES[request.param](folder)


def answer(*words: object) -> dict:
    done = singleout(*words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def same_but_for_the_source(one: dict, other: dict) -> None:
    assert one.pop("data") != other.pop("data")
    assert one == other


# ---- the same answers


@pytest.mark.parametrize(
    "words",
    [
        ["sets", "--qi", "age+sex", "--qi", "zip", "--by", "sex"],
        ["sets", "--qi", "age+zip", "--missing", "drop", "--where", "zip != '3'"],
        ["sets", "--qi", "age+zip", "--missing", "wildcard", "--by", "ill"],
        ["sets", "--qi", "zip", "--weights", "age", "--where", "age is not null"],
        ["qar", "--qi", "age,zip,sex,ill", "--size", "2", "--tail", "0.5", "--alpha", "0.2"],
        ["qar", "--qi", "age,zip,sex,ill", "--size", "2", "--missing", "drop"],
        ["columns"],
    ],
)
def test_counts_from_elsewhere_are_those_of_the_file(place, folder, words):
    command, *options = words
    here = answer(command, folder / "people.parquet", *options)
    same_but_for_the_source(answer(command, place, *options), here)


@pytest.mark.parametrize("where", [[], ["--where", "age > 25 or sex = 'f'"]])
@pytest.mark.parametrize(
    "words",
    [
        ["suda", "--qi", "age,zip,sex,ill", "--id", "id", "--max-size", "2"],
        ["records", "--qi", "age,zip,sex,ill", "--size", "2", "--tail", "0.5", "--id", "id"],
        ["eliminate", "--qi", "age,zip,sex", "--size", "2", "--tail", "0.5", "--records", "4"],
    ],
)
def test_what_needs_every_record_is_fetched(folder, words, where):
    command, *options = words
    here = answer(command, folder / "people.parquet", *options, *where)
    for place in ("duckdb", "sqlite"):
        there = answer(command, PLACES[place](folder), *options, *where)
        same_but_for_the_source(there, json.loads(json.dumps(here)))


def test_an_assessment_and_a_comparison_of_tables_in_a_database(folder, tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "columns:\n  age: {role: quasi-identifier, exposure: EE}\n"
        "  zip: {role: quasi-identifier, exposure: EE}\n  ill: {role: sensitive, moral: 3}\n"
    )
    url, file = PLACES["sqlite"](folder), folder / "people.parquet"
    report = tmp_path / "report.html"
    options = ["--plan", plan, "--where", "sex = 'f'"]
    here = answer("assess", file, *options)
    there = answer("assess", url, *options, "-o", report)
    assert there["records"] == here["records"]
    assert there["level"] == here["level"]
    text = report.read_text()
    assert "people.sqlite" in text
    assert "sex = &#39;f&#39;" in text or "sex = 'f'" in text
    found = answer("compare", url, file, "--plan", plan)
    assert found["before"]["table"]["sha256"] is None
    assert found["after"]["table"]["sha256"]


def test_a_plan_for_a_database_does_not_name_its_address(folder, tmp_path):
    out = tmp_path / "plan.yaml"
    done = singleout("plan", PLACES["sqlite"](folder), "-o", out)
    assert done.returncode == 0
    assert "sqlite://" not in out.read_text()
    assert "\ndata:" not in out.read_text()
    named = tmp_path / "named.yaml"
    named.write_text(f"data: postgresql://me:{SECRET}@host/db#people\n" + out.read_text())
    sentence = refused(singleout("assess", "--plan", named))
    assert "a plan names files only" in sentence
    assert SECRET not in sentence


def test_several_csv_files_are_one_table(folder):
    found = answer("sets", folder / "parts" / "*.csv", "--qi", "zip+sex")
    assert (
        found["results"] == answer("sets", folder / "people.parquet", "--qi", "zip+sex")["results"]
    )


# ---- engines and their options


def test_a_file_can_be_counted_by_the_database(folder):
    file = folder / "people.parquet"
    options = ["--qi", "age+sex", "--engine", "database", "--memory", "100MB", "--timeout", "60"]
    found = answer("sets", file, *options)
    assert found["results"] == answer("sets", file, "--qi", "age+sex")["results"]
    local = answer("sets", file, "--qi", "age+sex", "--engine", "local")
    assert local["results"] == found["results"]


def test_local_fetches_so_that_records_can_be_written(folder, tmp_path):
    url, out = PLACES["duckdb"](folder), tmp_path / "sizes.csv"
    words = ["sets", url, "--qi", "zip+sex", "--records", out]
    assert "add --engine local" in refused(singleout(*words))
    assert not out.exists()
    assert singleout(*words, "--engine", "local").returncode == 0
    assert pl.read_csv(out).height == ROWS


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--memory", "4GB"], "--memory has a meaning for the database engine only"),
        (["--timeout", "3"], "add --engine database, or leave --timeout out"),
        (["--engine", "local", "--memory", "4GB"], "goes to the local engine"),
        (["--engine", "sparc"], "Did you mean 'spark'"),
        (["--engine", "database", "--memory", "much"], "such as '4GB'"),
        (["--engine", "database", "--timeout", "0"], "above 0"),
        (["--where", "age >"], "The condition cannot be read at its end"),
        (["--where", "agee > 3"], "Did you mean 'age'"),
        (["--where", "age > 1000"], "No record of people.parquet meets the condition age > 1000"),
    ],
)
def test_options_that_have_no_meaning_are_refused(folder, options, said):
    sentence = refused(singleout("sets", folder / "people.parquet", "--qi", "age", *options))
    assert said in sentence


@pytest.mark.parametrize("option", ["na", "delimiter", "quote", "encoding", "sheet", "name"])
@pytest.mark.parametrize("command", ["sets --qi age", "suda", "records", "columns"])
def test_options_of_files_have_no_meaning_for_a_database(folder, option, command):
    name, *words = command.split()
    done = singleout(name, PLACES["sqlite"](folder), *words, f"--{option}", "x")
    assert "has no meaning for table people of the SQLite database people.sqlite" in refused(done)


def test_options_of_files_are_refused_for_a_text_file_in_the_database(folder):
    words = ["sets", folder / "parts" / "*.csv", "--qi", "zip", "--na", "3"]
    sentence = refused(singleout(*words))
    assert "--na has no meaning for 3 files of" in sentence
    assert "it is for files that are read here" in sentence
    assert "types" not in sentence


def test_options_of_a_cluster_have_no_meaning_for_a_file(folder):
    file = folder / "people.parquet"
    for option, value in (("--checkpoint", "there"), ("--approximate", "0.01")):
        sentence = refused(singleout("qar", file, option, value))
        assert f"{option} has a meaning for the spark engine only" in sentence


def test_a_condition_that_nobody_meets_is_explained(folder):
    done = singleout("sets", PLACES["sqlite"](folder), "--qi", "age", "--where", "age > 1000")
    assert "meets the condition age > 1000: there is nobody to single out" in refused(done)


# ---- writing


def test_the_reduced_table_of_a_database_is_written_with_all_columns(folder, tmp_path):
    out = tmp_path / "left.csv"
    words = ["--qi", "age,zip,sex", "--size", "2", "--tail", "0.5", "--records", "4"]
    done = singleout("eliminate", PLACES["sqlite"](folder), *words, "-o", out)
    assert done.returncode == 0
    assert f"Written: {out}, {ROWS - 4} records" in done.stdout
    here = tmp_path / "here.csv"
    assert singleout("eliminate", folder / "people.parquet", *words, "-o", here).returncode == 0
    assert pl.read_csv(out).equals(pl.read_csv(here))
    assert "end the name in one of" in refused(
        singleout("eliminate", PLACES["sqlite"](folder), *words, "-o", tmp_path / "left")
    )


def test_a_file_is_copied_as_it_is_but_for_those_who_are_left_out(tmp_path):
    file, out = tmp_path / "people.csv", tmp_path / "left.csv"
    rows = [f'{n};"{n % 7}";{n % 3}' for n in range(30)]
    file.write_text("\n".join(["n;a;b", *rows]) + "\n")
    words = ["--qi", "a,b", "--size", "1", "--tail", "0.5", "--alpha", "0.4", "--records", "3"]
    done = singleout("eliminate", file, *words, "--where", "b = '1'", "-o", out)
    assert done.returncode == 0
    left = out.read_text().splitlines()
    assert left[0] == "n;a;b"
    assert len(left) == 1 + 10 - 3
    assert set(left[1:]) <= {row for row in rows if row.endswith(";1")}


def test_not_even_force_writes_over_the_files_of_the_data(folder):
    for place, out in (
        (PLACES["sqlite"](folder), folder / "people.sqlite"),
        (str(folder / "parts" / "*.csv"), folder / "parts" / "part1.csv"),
    ):
        done = singleout("columns", place, "--csv", out, "--force")
        assert "is the data itself" in refused(done)


# ---- passwords


@pytest.mark.parametrize(
    "words",
    [
        ["sets", f"postgresql://me:{SECRET}@127.0.0.1:9/db#people", "--qi", "age"],
        ["assess", f"postgresql://me:{SECRET}@127.0.0.1:9/db#people"],
        ["assess", "people.csv", f"postgresql://me:{SECRET}@127.0.0.1:9/db#people"],
        [
            "sets",
            f"postgresql://me:{SECRET}@127.0.0.1:9/db#people",
            "--qi",
            "age",
            "--engine",
            "spark",
        ],
        ["sets", f"nosuch://me:{SECRET}@host/db#people", "--qi", "age"],
        ["sets", f"https://me:{SECRET}@host/people.csv", "--qi", "age"],
        ["sets", f"https://host/people.csv?password={SECRET}", "--qi", "age"],
        ["columns", f"postgresql://me:{SECRET}@127.0.0.1:9/db?password={SECRET}#people"],
        [f"postgresql://me:{SECRET}@host/db"],
        ["sets", "--engine", f"postgresql://me:{SECRET}@host/db", "x.csv", "--qi", "a"],
    ],
)
def test_no_message_repeats_a_password(words):
    done = singleout(*words)
    assert done.returncode == 2
    assert SECRET not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "data",
    [
        f" postgresql://me:{SECRET}@127.0.0.1:9/db#people",
        f"postgresql:/me:{SECRET}@host/db#people",
        f"jdbc:postgresql://host/db?user=me&password={SECRET}",
        f"post_gres://me:{SECRET}@host/db",
        f"me:{SECRET}@host/db",
        f"sqlite://me:{SECRET}@people.db#people",
        f"postgresql://127.0.0.1:9/db&user=me&password={SECRET}#people",
        f"postgresql://127.0.0.1:9/db#people?password={SECRET}",
    ],
)
def test_no_message_repeats_a_mistyped_address(data):
    for words in (["columns", data], ["columns", data, "--engine", "database"], [data]):
        assert SECRET not in refused(singleout(*words))


def test_no_result_repeats_where_a_file_is_beyond_its_name(folder):
    found = answer("sets", PLACES["sqlite"](folder), "--qi", "age")
    assert found["data"] == "table people of the SQLite database people.sqlite"


def test_help_names_the_options_in_one_order():
    for command in ("sets", "qar", "suda", "records", "eliminate", "assess", "compare", "plan"):
        text = singleout(command, "--help").stdout
        places = [text.index(f"--{name}") for name in ("na", "delimiter", "where", "engine")]
        assert places == sorted(places)
        assert ("--checkpoint" in text) == (command in ("qar", "suda"))
        assert ("--approximate" in text) == (command == "qar")


# ---- signals


@pytest.mark.skipif(os.name == "nt", reason="Windows ends processes without telling them")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_no_copy_of_the_data_is_left_when_the_command_is_ended(tmp_path, name):
    number = signal.Signals[name]
    wide, temporary = tmp_path / "wide.csv", tmp_path / "temporary"
    temporary.mkdir()
    rows = [",".join(str(row * (place + 3) % 997) for place in range(40)) for row in range(20_000)]
    wide.write_text("\n".join([",".join(f"c{place}" for place in range(40)), *rows]) + "\n")
    start = (
        "import signal; signal.signal(signal.{0}, signal.SIG_DFL); import singleout.cli.main as m"
    )
    command = [sys.executable, "-c", start.format(name) + "; m.run()"]
    with subprocess.Popen(
        [*command, "qar", str(wide), "--size", "3", "--engine", "database"],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        end = time.monotonic() + 60
        while not list(temporary.rglob("copy.duckdb")):
            assert running.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert out == ""
    assert err.strip().splitlines()[-1] == "Interrupted: what was not finished was not written."
    assert list(temporary.iterdir()) == []
