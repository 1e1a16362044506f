"""Addresses of tables are taken apart, and never give a password away."""

import pickle
import traceback
from collections.abc import Callable
from typing import Any

import pytest

import singleout as so
from singleout.engines.sql.urls import is_database_url, read_url, table_words, without_secrets
from singleout.errors import BadChoice, SingleoutError


def test_an_address_is_taken_apart() -> None:
    found = read_url("postgresql://zoe:s3cret@db.example:5433/hospital#ward.people")
    assert (found.scheme, found.host, found.port) == ("postgresql", "db.example", 5433)
    assert (found.user, found.password, found.database) == ("zoe", "s3cret", "hospital")
    assert found.table == ("ward", "people")
    assert found.source == "table ward.people of the PostgreSQL database hospital on db.example"


@pytest.mark.parametrize(
    ("fragment", "table"),
    [
        ("people", ("people",)),
        ("a.b", ("a", "b")),
        ("a.b.c", ("a", "b", "c")),
        ('"a.b"."c;d"', ("a.b", "c;d")),
        ('"say ""hi"""', ('say "hi"',)),
        ("%22a.b%22", ("a.b",)),
        ("semi%3Bcolon", ("semi;colon",)),
        ("a%2Eb", ("a.b",)),
        ("50%25", ("50%",)),
        ('"100%"', ("100%",)),
        ("select", ("select",)),
        ("größe%20身長", ("größe 身長",)),
        ('"a#b@c"', ("a#b@c",)),
        ("", ()),
    ],
)
def test_names_of_tables_may_have_any_characters(fragment: str, table: tuple[str, ...]) -> None:
    assert read_url(f"mysql://h/d#{fragment}").table == table


def test_names_are_written_as_they_would_be_read() -> None:
    for table in (("people",), ("a.b", "c;d"), ('say "hi"',), ("größe 身長",)):
        assert read_url(f"mysql://h/d#{table_words(table)}").table == table


def test_everything_before_the_table_may_be_percent_codes() -> None:
    found = read_url("mysql://a%40b:p%23%2F%3A%3F%40@h/d%20b#t")
    assert (found.user, found.password, found.database) == ("a@b", "p#/:?@", "d b")


def test_a_password_may_be_an_option() -> None:
    found = read_url("postgresql://h/d?password=hush&user=zoe&sslmode=require#t")
    assert (found.password, found.user, dict(found.options)) == (
        "hush",
        "zoe",
        {"sslmode": "require"},
    )


def test_a_host_may_be_a_number_or_a_folder() -> None:
    assert read_url("postgresql://u@[::1]:5433/d#t").host == "::1"
    assert read_url("postgresql:///d?host=/var/run/postgresql#t").host == "/var/run/postgresql"
    assert read_url("postgresql://%2Fvar%2Frun/d#t").host == "/var/run"


def test_the_driver_in_a_scheme_does_not_matter() -> None:
    assert read_url("postgresql+psycopg://h/d#t").scheme == "postgresql"
    assert read_url("MySQL+pymysql://h/d#t").scheme == "mysql"


def test_files_are_addresses_as_well() -> None:
    found = read_url("sqlite:///data/my%20people.db#people")
    assert (found.database, found.table) == ("/data/my people.db", ("people",))
    assert found.source == "table people of the SQLite database my people.db"


def test_no_password_is_shown_or_kept() -> None:
    for text in (
        "postgresql://zoe:s3cret@db.example/hospital#people",
        "postgresql://db.example/hospital?password=s3cret#people",
        "mysql://zoe:s3cret@db.example/hospital?passwd=s3cret#people",
    ):
        found = read_url(text)
        assert found.password == "s3cret"
        assert "s3cret" not in repr(found) + str(found) + found.source + found.words
        with pytest.raises(TypeError, match="password"):
            pickle.dumps(found)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://zoe:s3#cret@h/d#t",
        "postgresql://zoe:s3/cret@h/d#t",
        "postgresql://zoe:s3?cret@h/d#t",
        "postgresql://zoe:s3@x/cret@h/d#t",
        "postgresql://zoe:s3@x#cret@h/d#t",
        "postgresql://zoe:pw@h:s3cret/d#t",
        "postgresql://zoe:s3cret@h:99999/d#t",
        "nosuchbase://zoe:s3cret@h/d#t",
        'postgresql://zoe:s3cret@h/d#a."b',
        "postgresql://zoe:s3cret@h/d#a..b",
        "postgresql://zoe:s3cret@h/d#a.b.c.d",
    ],
)
def test_an_address_that_cannot_be_read_is_not_repeated(text: str) -> None:
    with pytest.raises(BadChoice) as caught:
        read_url(text)
    message = str(caught.value)
    assert "s3" not in message
    assert "cret" not in message
    assert "zoe" not in message
    assert message.endswith((".", "table."))


def test_an_unknown_scheme_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadChoice, match=r"nosuchbase:// is no database .*postgresql"):
        read_url("nosuchbase://h/d#t")


def test_options_of_a_file_are_refused() -> None:
    with pytest.raises(BadChoice, match="%3F"):
        read_url("sqlite:///a.db?mode=rw#t")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("postgresql://h/d#t", True),
        ("mongodb://u:p@h/d", True),
        ("sqlite:///a.db#t", True),
        ("people.csv", False),
        ("C:\\people.csv", False),
        ("https://example.org/people.csv", False),
        ("s3://bucket/people.parquet", False),
        ("dbfs:/people.parquet", False),
        ("C:/people.csv", False),
        ("postgresql:/h/d#t", True),
        (" jdbc:postgresql://h/d", True),
        (None, False),
    ],
)
def test_what_is_meant_as_a_database_is_told_from_files(text: object, is_one: bool) -> None:
    assert is_database_url(text) is is_one


# ---- addresses with a mistake, which may be taken for something else

MISTYPED = [
    " postgresql://u:S3CRET@127.0.0.1:9/db#t",
    "postgresql:/u:S3CRET@h/db#t",
    "postgresql//u:S3CRET@h/db#t",
    "postgresql:u:S3CRET@h/db#t",
    "jdbc:postgresql://h/db?user=x&password=S3CRET",
    "post_gres://u:S3CRET@h/db",
    "u:S3CRET@host/db",
    "u:S3CRET:/host/db",
    "u:S3CRET@host/*.csv",
    "u:S3/CRET@host/db",
    "host=h user=u password=S3CRET dbname=db",
    "sqlite://user:S3CRET@x.db#t",
    "sqlite:/user:S3CRET@x.db#t",
    "sqlite://x.db;password=S3CRET#t",
    "https:/u:S3CRET@host/people.csv",
    "postgresql://h/db&user=u&password=S3CRET#t",
    "postgresql://h/db#t?password=S3CRET",
    "postgresql://h/db#t&password=S3CRET",
    "postgresql://h;password=S3CRET/db#t",
    "postgresql://h/db;password=S3CRET#t",
    "postgresql:///db?host=h?password=S3CRET#t",
    "postgresql:///db?host=h;password=S3CRET#t",
]


@pytest.mark.parametrize(
    "ask",
    [
        so.read,
        lambda text: so.read(text, engine="local"),
        lambda text: so.read(text, engine="database"),
        lambda text: so.Database().counter(text),
        lambda text: so.read("people.csv", engine=text),
    ],
    ids=["read", "local", "database", "counter", "engine"],
)
@pytest.mark.parametrize("text", MISTYPED)
def test_a_mistyped_address_is_repeated_nowhere(ask: Callable[[str], Any], text: str) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("ibis")
    with pytest.raises(SingleoutError) as caught:
        ask(text)
    error: BaseException | None = caught.value
    while error is not None:
        shown = "".join(traceback.format_exception_only(error)) + repr(vars(error))
        assert "S3CRET" not in shown.replace("S3/CRET", "S3CRET")
        error = error.__context__


def test_blanks_around_an_address_do_not_matter() -> None:
    assert read_url("  postgresql://zoe:s3cret@h/d#t\n").password == "s3cret"


def test_options_where_there_are_none_are_refused_with_advice() -> None:
    for text in ("mysql://h/d&user=u#t", "mysql://h/d#t;u", "mysql://h=x/d#t", "mysql://h/d#t?x"):
        with pytest.raises(BadChoice, match="after one question mark and are joined by &"):
            read_url(text)
    assert read_url("mysql://h/d%26e#t").database == "d&e"
    for fragment in ('"a=b"."c?d&e;f"', "%22a=b%22.%22c?d&e;f%22"):
        assert read_url(f"mysql://h/d#{fragment}").table == ("a=b", "c?d&e;f")


def test_ordinary_names_of_files_are_no_secret() -> None:
    for name in ("people.csv", "C:\\zoe@work\\a.csv", "D:/a@b.csv", "a@b.csv", "year=2020/a.pq"):
        assert without_secrets(name) == name
    assert read_url("sqlite:///year=2020/a@b.db#t").database == "/year=2020/a@b.db"
