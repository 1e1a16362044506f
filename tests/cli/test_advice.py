"""Messages on the command line: one mark at the end, options as they are typed, the right help."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
import typer

from run_command import refused, singleout
from singleout.cli.main import app
from singleout.cli.shared.advice import as_options, without_passwords
from singleout.engines.sql.errors import answered
from singleout.errors import UnusableColumn

DOUBLED = re.compile(r"[.?!;:,][.?;:,](?!\w)|\.\.")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("a,b\n1,2\n1,3\n")


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("setz people.csv", "Did you mean 'sets'? Try singleout --help."),
        ("sets people.csv --qii a", "Try singleout sets --help."),
        ("sets", "Missing argument 'DATA'. Try singleout sets --help."),
        ("predict pan", "Did you mean 'plan'? Try singleout predict --help."),
        ("predict plan --nosuch 1", "Try singleout predict plan --help."),
        ("sets people.csv --qi a --missing foo", "'drop'. Try singleout sets --help."),
        ("sets peple.csv --qi a", "Did you mean 'people.csv'?"),
        ("sets people.csv --qi A", "Did you mean 'a' for 'A'?"),
        ("qar people.csv --estimator plotin", "Did you mean 'plotting'?"),
    ],
)
def test_a_mistyped_command_points_to_its_own_help(words: str, end: str) -> None:
    said = refused(singleout(*words.split()))
    assert said.endswith(end)
    assert not DOUBLED.search(said)


def test_only_what_is_a_login_is_taken_out_of_a_message() -> None:
    advice = "write postgresql://user:password@host/database#table."
    assert without_passwords(advice) == advice
    secret = f"No 'postgresql://zoe:hush@db/x', mysql://zoe:hush@h//user:password@h; {advice}"
    assert without_passwords(secret) == f"No 'postgresql://db/x', mysql://h; {advice}"
    assert without_passwords("host?user=zoe&password=hush") == "host?user=zoe&password=…"
    said = refused(singleout("sets", "zoe:hush@db/hospital", "--qi", "a"))
    assert said.endswith("is written postgresql://user:password@host/database#table.")
    assert "hush" not in said


def test_advice_on_arguments_becomes_advice_on_the_options_that_the_command_has() -> None:
    command = typer.main.get_command(app)
    asked = ["sets", "people.csv"]
    given = (
        "leave it out, or give one file and engine='local'; use method='exact', or give timeout=."
    )
    assert as_options(given, command, asked) == (
        "leave it out, or give one file and --engine local; use method='exact', or give --timeout."
    )
    assert (
        as_options("'missing=x' is no condition", command, asked) == "'missing=x' is no condition"
    )


def test_text_in_sqlite_that_is_not_utf8_is_said_to_be_that() -> None:
    with sqlite3.connect("people.db") as base:
        base.execute("CREATE TABLE people (a TEXT, b INTEGER)")
        base.execute("INSERT INTO people VALUES (CAST(x'ff41' AS TEXT), 1), ('x', 2)")
    base.close()
    said = refused(singleout("suda", "sqlite:///people.db#people"))
    assert said == (
        "Table people of the SQLite database people.db holds text that is not UTF-8; correct it in "
        "the database, or leave out the column that holds it."
    )


def test_bytes_that_a_driver_cannot_decode_are_no_lost_connection() -> None:
    with pytest.raises(UnusableColumn, match=r"^The table holds text that is not UTF-8"):
        answered(b"\xff".decode, "the table")
