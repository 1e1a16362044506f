"""Addresses of tables are taken apart, and never give a password away."""

import pickle

import pytest

from singleout.engines.urls import is_database_url, read_url, table_words
from singleout.errors import BadChoice


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
    said = str(caught.value)
    assert "s3" not in said
    assert "cret" not in said
    assert "zoe" not in said
    assert said.endswith((".", "table."))


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
        (None, False),
    ],
)
def test_what_is_meant_as_a_database_is_told_from_files(text: object, is_one: bool) -> None:
    assert is_database_url(text) is is_one
