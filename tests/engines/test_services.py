"""The servers of the tests: they hold what was put there, and they end with the tests."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import polars as pl
import pytest
import tables
from answers import rows_as_text
from stores import Put, connect_mariadb, quoted

from availability import cannot
from services.postgresql import DatabaseServer
from services.processes import NotInstalled, folder, free_port
from services.spark import Cluster

SERVICES = Path(__file__).resolve().parents[2] / "scripts" / "services"


@pytest.mark.parametrize(
    "table", [tables.hostile_names, tables.texts, tables.kinds, tables.large_integers, tables.nulls]
)
def test_what_was_put_there_is_there(there: Put, table: Callable[[], pl.DataFrame]) -> None:
    frame = table()
    data = there(frame, f'"stored"; {table.__name__} %s')
    columns, rows = _everything(there.engine, data, f'"stored"; {table.__name__} %s')
    assert columns == frame.columns
    assert rows_as_text(rows) == rows_as_text(frame.iter_rows())


def test_a_frame_is_stored_once_and_another_of_the_same_name_replaces_it(there: Put) -> None:
    first, second = pl.DataFrame({"x": [1]}), pl.DataFrame({"y": [2, 3]})
    data = there(first, "replaced")
    assert there(first, "replaced") is data
    columns, rows = _everything(there.engine, there(second, "replaced"), "replaced")
    assert (columns, sorted(rows)) == (["y"], [(2,), (3,)])


def _everything(engine: str, data: Any, name: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    if engine == "local":
        return data.columns, data.rows()
    if engine == "ibis":
        found = data.to_polars()
        return found.columns, found.rows()
    if engine == "spark":
        return data.columns, [tuple(row) for row in data.collect()]
    with _connected(engine, data) as connection, _closing(connection.cursor()) as cursor:
        cursor.execute(f"SELECT * FROM {quoted(name, '`' if engine == 'mariadb' else chr(34))}")
        return [column[0] for column in cursor.description], list(cursor.fetchall())


def _connected(engine: str, data: str) -> Any:
    from contextlib import closing

    import duckdb
    import psycopg

    url = data.partition("#")[0]
    path = urlsplit(url).path
    if engine == "mariadb":
        return connect_mariadb(url)
    if engine == "postgresql":
        return psycopg.connect(url)
    return closing(sqlite3.connect(path) if engine == "sqlite" else duckdb.connect(path))


def _closing(cursor: Any) -> Any:
    from contextlib import closing

    return closing(cursor)


# ---- servers


def test_servers_listen_on_this_machine_only(postgresql: str, mariadb: str) -> None:
    for url in (postgresql, mariadb):
        parts = urlsplit(url)
        assert parts.hostname == "127.0.0.1"
        assert parts.password
        with pytest.raises(OSError, match=r"refused|unreachable"):
            socket.create_connection(("127.0.0.2", parts.port or 0), timeout=2).close()


def test_a_server_that_was_killed_is_gone(private_postgresql: DatabaseServer) -> None:
    import psycopg

    psycopg.connect(private_postgresql.url).close()
    private_postgresql.server.kill()
    assert not private_postgresql.server.is_running
    with pytest.raises(psycopg.OperationalError, match="refused"):
        psycopg.connect(private_postgresql.url)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["asked", "killed"])
def test_a_server_ends_with_the_process_that_started_it(
    postgresql: str, how: signal.Signals
) -> None:
    del postgresql  # skips where it is not installed
    command = [sys.executable, SERVICES, "postgresql"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        url = started.stdout.readline().strip()
        port = urlsplit(url).port
        assert port is not None
        assert _listens(port)
        started.send_signal(how)
        started.wait(10)
    end = time.monotonic() + 10
    while _listens(port):
        assert time.monotonic() < end, "the server outlives the process that started it"
        time.sleep(0.05)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
    except OSError:
        return False
    return True


def test_folders_of_processes_that_were_killed_are_removed_and_others_are_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = tmp_path / "singleout-service-left"
    left.mkdir()
    (left / "lock").touch()
    os.utime(left / "lock", (0, 0))
    with folder("first") as first:
        assert not left.exists()
        os.utime(first / "lock", (0, 0))
        with folder("second"):
            assert first.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_free_can_be_had() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", free_port()))


def test_a_worker_of_the_cluster_can_be_killed_and_another_be_started(
    spark_cluster: Cluster,
) -> None:
    first, second = spark_cluster.workers
    assert len(spark_cluster.registered) == 2
    assert spark_cluster.kill_worker(first) == first
    assert spark_cluster.workers == (second,)
    third = spark_cluster.start_worker()
    assert spark_cluster.workers == (second, third)
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


# ---- where there is nothing to start


def test_what_is_not_installed_is_said_with_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from services import mariadb as service

    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(NotInstalled, match=r"MariaDB is not installed; `sh .*install.sh`"):
        service.server().__enter__()


def test_a_test_that_cannot_run_is_skipped_and_fails_where_every_test_must_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no server"):
        cannot("no server")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="nothing may be skipped: no server"):
        cannot("no server")


def test_installing_what_is_there_does_nothing(postgresql: str, mariadb: str) -> None:
    del postgresql, mariadb
    # a program of this name would be found first, and fail
    done = subprocess.run(
        ["sh", SERVICES / "install.sh"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
