"""Databases are only read, questions end in time, and what goes wrong is one sentence."""

import os
import pickle
import signal
import sqlite3
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
import stores
import tables

from services.postgresql import DatabaseServer
from singleout.engines.sql.connect import DatabaseLimits, open_url
from singleout.engines.sql.engine import Database
from singleout.engines.sql.urls import read_url
from singleout.errors import (
    BadChoice,
    MissingDependency,
    SingleoutError,
    UnreachableData,
    UnreadableFile,
)

FOREVER = {
    "postgresql": "SELECT 1 AS a FROM pg_sleep(30)",
    "mariadb": "SELECT SLEEP(30) AS a",
    "sqlite": (
        "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 1000000000) "
        "SELECT a FROM n"
    ),
    "duckdb": "SELECT x.range * y.range % 7 AS a FROM range(1000000) x, range(300000) y",
}


@pytest.fixture(params=list(FOREVER))
def forever(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a view that takes forever."""
    kind = request.param
    view = f"CREATE VIEW forever AS {FOREVER[kind]}"
    if kind == "sqlite":
        connection = sqlite3.connect(tmp_path / "f.sqlite")
        connection.execute(view)
        connection.close()
        return f"sqlite:///{tmp_path}/f.sqlite#forever"
    if kind == "duckdb":
        import duckdb

        with duckdb.connect(tmp_path / "f.duckdb") as duck:
            duck.execute(view)
        return f"duckdb:///{tmp_path}/f.duckdb#forever"
    url = request.getfixturevalue(kind)
    if kind == "postgresql":
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(view.replace("CREATE", "CREATE OR REPLACE"))
    else:
        with stores.connect_mariadb(url) as server, server.cursor() as cursor:
            cursor.execute(view.replace("CREATE", "CREATE OR REPLACE"))
    return f"{url}#forever"


def message_of(work: Callable[[], object], *secrets: str) -> str:
    """Return the one sentence that comes of something, and that it gives no secret away."""
    with pytest.raises(SingleoutError) as caught:
        work()
    error = caught.value
    # without the lines of this file, which hold the secrets of the tests
    whole = "".join(traceback.TracebackException.from_exception(error).format_exception_only())
    pickled = pickle.dumps(error)
    assert error.__cause__ is None
    assert error.__context__ is None
    for secret in secrets:
        assert secret not in str(error) + repr(error) + whole
        assert secret.encode() not in pickled
    assert "\n" not in str(error)
    return str(error)


def password_of(url: str) -> str:
    password = read_url(url).password
    assert password
    return password


# ---- time


def test_a_question_that_takes_too_long_is_given_up(forever: str) -> None:
    counter = Database(timeout=0.4).counter(forever)
    begin = time.monotonic()
    sentence = message_of(lambda: counter.profiles([["a"]]), *_secrets(forever))
    assert time.monotonic() - begin < 20
    assert "did not answer within 0.4 seconds" in sentence
    assert "give a longer timeout, --timeout 4 or in Python Database(timeout=4)" in sentence
    counter.close()


def test_ctrl_c_stops_the_statement_itself(forever: str) -> None:
    counter = Database().counter(forever)
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        counter.profiles([["a"]])
    assert time.monotonic() - begin < 20
    counter.close()
    url = forever.partition("#")[0]
    if url.startswith("postgresql"):
        query = "SELECT count(*) FROM pg_stat_activity WHERE query ~ 'forever' AND state = 'active'"
        with psycopg.connect(url) as server:
            assert server.execute(query + " AND pid <> pg_backend_pid()").fetchone() == (0,)
    if url.startswith("m"):
        with stores.connect_mariadb(url) as other, other.cursor() as cursor:
            time.sleep(0.2)
            cursor.execute("SHOW PROCESSLIST")
            assert not [row for row in cursor.fetchall() if "forever" in str(row[7])]


def test_the_connection_can_be_used_after_a_timeout(tmp_path: Path) -> None:
    path = tmp_path / "p.sqlite"
    url = stores.put_in_sqlite(path, tables.people(), "people")
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE VIEW forever AS {FOREVER['sqlite']}")
    connection.close()
    slow = Database(timeout=0.2).counter(f"sqlite:///{path}#forever")
    with pytest.raises(UnreachableData):
        slow.profiles([["a"]])
    with pytest.raises(UnreachableData):
        slow.profiles([["a"]])
    slow.close()
    quick = Database(timeout=30).counter(url)
    assert quick.rows == 200
    quick.close()


# ---- only to be read


def test_nothing_can_be_written(postgresql: str, mariadb: str, tmp_path: Path) -> None:
    frame = tables.people()
    for url in (
        stores.put_in_postgresql(postgresql, frame, "read_only"),
        stores.put_in_mariadb(mariadb, frame, "read_only"),
        stores.put_in_sqlite(tmp_path / "r.sqlite", frame, "read_only"),
        stores.put_in_duckdb(tmp_path / "r.duckdb", frame, "read_only"),
    ):
        session, _ = open_url(read_url(url), DatabaseLimits())
        for statement in ("DELETE FROM read_only", "CREATE TABLE other (a INT)"):
            with pytest.raises(Exception, match=r"(?i)read.?only"):
                session.backend.raw_sql(statement)
        session.close()
        counter = Database().counter(url)
        assert counter.rows == 200
        counter.close()


def test_an_option_of_the_address_cannot_make_it_writable(postgresql: str) -> None:
    url = stores.put_in_postgresql(postgresql, tables.people(), "read_only")
    server, _, table = url.partition("#")
    options = "?options=-c%20default_transaction_read_only%3Doff"
    session, _ = open_url(read_url(f"{server}{options}#{table}"), DatabaseLimits())
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        session.backend.raw_sql("DELETE FROM read_only")
    session.close()


# ---- what is not there


@pytest.mark.parametrize("kind", ["postgresql", "mariadb", "sqlite", "duckdb"])
def test_a_table_that_is_not_there_is_answered_with_those_that_are(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    frame = tables.people()
    put = getattr(stores, f"put_in_{kind}")
    if kind in ("postgresql", "mariadb"):
        # a server of its own: only the first tables of a shared one are listed
        url = request.getfixturevalue(f"private_{kind}").url
        put(url, frame, "patients")
    else:
        url = put(tmp_path / "t", frame, "patients").partition("#")[0]
    for fragment in ("", "#"):
        sentence = message_of(lambda f=fragment: Database().counter(url + f), *_secrets(url))
        assert "names no table" in sentence
        assert "patients" in sentence
    sentence = message_of(lambda: Database().counter(f"{url}#patient"), *_secrets(url))
    assert "no table patient in the" in sentence
    assert "Did you mean patients?" in sentence
    sentence = message_of(lambda: Database().counter(f"{url}#nowhere.patients"), *_secrets(url))
    assert "no table nowhere.patients" in sentence


def test_the_list_of_tables_is_limited(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "many.sqlite") as connection:
        for index in range(40):
            connection.execute(f"CREATE TABLE t{index:02} (a)")
    connection.close()
    sentence = message_of(lambda: Database().counter(f"sqlite:///{tmp_path}/many.sqlite"))
    assert "t29 and 10 more." in sentence
    assert "t30" not in sentence


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_servers_that_refuse_or_are_not_there(kind: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(kind)
    found = read_url(url)
    netloc = f"{found.host}:{found.port}"
    start = f"{kind}://{found.user}"

    def sentence(address: str) -> str:
        return message_of(
            lambda: Database().counter(f"{address}#people"), "hush-hush", found.password
        )

    assert "refused the login" in sentence(f"{start}:hush-hush@{netloc}/{found.database}")
    assert "refused the login" in sentence(f"{start}:@{netloc}/{found.database}")
    assert "nosuch on" in sentence(f"{start}:{found.password}@{netloc}/nosuch")
    assert "does not exist" in sentence(f"{start}:{found.password}@{netloc}/nosuch")
    assert "nothing answers" in sentence(f"{start}:hush-hush@127.0.0.1:1/d")
    assert "no host of that name" in sentence(f"{start}:hush-hush@no.such.host.invalid/d")
    wrong = sentence(f"{start}:hush-hush@{netloc}/{found.database}?password2=hush-hush")
    assert "'password2'" in wrong


def test_a_table_that_may_not_be_read_is_said_so(postgresql: str) -> None:
    stores.put_in_postgresql(postgresql, tables.people(), "secret_people")
    with psycopg.connect(postgresql, autocommit=True) as server:
        server.execute("DROP ROLE IF EXISTS nobody")
        server.execute("CREATE ROLE nobody LOGIN PASSWORD 'hush-hush'")
    found = read_url(postgresql)
    url = f"postgresql://nobody:hush-hush@{found.host}:{found.port}/{found.database}"
    counter = Database().counter(f"{url}#secret_people")
    assert "may not be read by this user" in message_of(lambda: counter.rows, "hush-hush")
    counter.close()


def test_files_that_are_not_databases_are_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_bytes(b"some text " * 1000)
    for kind in ("sqlite", "duckdb"):
        with pytest.raises(UnreadableFile, match="no database file"):
            Database().counter(f"{kind}:///{tmp_path}/text.db#t")
        with pytest.raises(UnreadableFile, match="No file"):
            Database().counter(f"{kind}:///{tmp_path}/none.db#t")
        assert not (tmp_path / "none.db").exists()
        with pytest.raises(BadChoice, match="names no file"):
            Database().counter(f"{kind}://#t")


def test_a_path_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stores.put_in_sqlite(tmp_path / "r.sqlite", tables.people(), "people")
    monkeypatch.chdir(tmp_path)
    for url in ("sqlite:///r.sqlite#people", "sqlite://r.sqlite#people"):
        counter = Database().counter(url)
        assert counter.rows == 200
        counter.close()


# ---- servers that go away


def test_a_server_that_goes_away_gives_one_sentence_and_no_result(
    private_postgresql: DatabaseServer,
) -> None:
    url = stores.put_in_postgresql(private_postgresql.url, tables.people(), "people")
    with psycopg.connect(private_postgresql.url, autocommit=True) as server:
        server.execute("CREATE VIEW slow AS SELECT p.* FROM people p, pg_sleep(30)")
    counter = Database().counter(url.replace("#people", "#slow"))
    stopping = threading.Timer(0.7, private_postgresql.server.stop, (signal.SIGQUIT,))
    stopping.start()
    try:
        sentence = message_of(
            lambda: counter.profiles([["age"], ["sex", "zip"]]), private_postgresql.password
        )
    finally:
        stopping.join()
    assert "no longer answers" in sentence
    assert "there is no result" in sentence
    assert "no longer answers" in message_of(lambda: counter.rows, private_postgresql.password)
    counter.close()


def test_a_server_that_is_killed_says_the_same(mariadb: str) -> None:
    url = stores.put_in_mariadb(mariadb, tables.people(), "people")
    counter = Database().counter(url)
    assert counter.rows == 200
    with stores.connect_mariadb(mariadb) as other, other.cursor() as cursor:
        thread: Any = counter
        cursor.execute(f"KILL CONNECTION {thread._session.backend.con.thread_id()}")
    sentence = message_of(lambda: counter.profiles([["age"]]), password_of(mariadb))
    assert "no longer answers" in sentence
    counter.close()


# ---- secrets


def test_no_password_is_in_anything_that_can_be_shown(postgresql: str, mariadb: str) -> None:
    for put, url in (
        (stores.put_in_postgresql, postgresql),
        (stores.put_in_mariadb, mariadb),
    ):
        counter = Database().counter(put(url, tables.people(), "people"))
        shown = repr(counter) + str(counter) + counter.source + repr(counter.fetch(["age"]))
        shown += repr(vars(counter)) + repr(vars(counter)["_session"]) + repr(counter.notes)
        assert password_of(url) not in shown
        assert counter.source.startswith("table people of the ")
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(counter)
        counter.close()


def test_a_closed_counter_says_so(tmp_path: Path) -> None:
    counter = Database().counter(
        stores.put_in_sqlite(tmp_path / "p.sqlite", tables.people(), "people")
    )
    counter.close()
    counter.close()
    with pytest.raises(UnreachableData, match="is closed"):
        counter.profiles([["age"]])


# ---- options


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"timeout": 0}, "timeout"),
        ({"timeout": -1}, "timeout"),
        ({"timeout": "10"}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"memory": "much"}, "memory"),
        ({"memory": 12.5}, "memory"),
        ({"memory": "1MB"}, "50 MB"),
        ({"folder": "/no/such/folder"}, "folder"),
    ],
)
def test_options_without_a_meaning_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadChoice, match=words):
        Database(**options)


def test_memory_has_no_meaning_for_a_server() -> None:
    with pytest.raises(BadChoice, match="memory has no meaning for PostgreSQL"):
        Database(memory="1GB").counter("postgresql://h/d#t")


def test_what_is_in_no_database_is_refused() -> None:
    with pytest.raises(BadChoice, match="A dict is in no database"):
        Database().counter({"a": [1]})


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ibis", None)
    with pytest.raises(MissingDependency, match=r'pip install "singleout\[database\]"'):
        Database().counter("postgresql://h/d#t")


def test_importing_the_engine_imports_no_database() -> None:
    import subprocess
    import sys

    code = (
        "import sys, singleout.engines.sql.engine, singleout.engines.sql.urls;"
        "found = {'ibis', 'sqlglot', 'duckdb', 'psycopg', 'pymysql'} & set(sys.modules);"
        "sys.exit(', '.join(found) or 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def _secrets(url: str) -> tuple[str, ...]:
    password = read_url(url).password
    return (password,) if password else ()
