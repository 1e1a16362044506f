"""A MariaDB server of Debian's package, on this machine only, in a folder of its own."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from services.postgresql import DatabaseServer
from services.processes import (
    HOST,
    INSTALL,
    NotInstalled,
    folder,
    free_port,
    private_file,
    refuse_without_user,
    run,
    start,
    wait_until,
)

__all__ = ["running", "server"]

_UNIX_USER = "mysql"
_ROLE = "tester"
_DATABASE = "people"

# nothing here must survive a crash
_QUICK = (
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-doublewrite=0",
    "--innodb-fast-shutdown=2",
    "--innodb-buffer-pool-size=64M",
    "--innodb-log-file-size=16M",
    "--skip-log-bin",
    "--performance-schema=off",
    "--skip-name-resolve",
)


@contextmanager
def running() -> Iterator[str]:
    """Give the URL of a new server, and stop it afterwards."""
    with server() as found:
        yield found.url


@contextmanager
def server() -> Iterator[DatabaseServer]:
    """Start a server, give it, and stop it afterwards.

    Raises
    ------
    NotInstalled
        If MariaDB is not installed.
    """
    install, program = _programs()
    refuse_without_user(_UNIX_USER, "MariaDB")
    with folder("mariadb", _UNIX_USER) as home:
        data, password = home / "data", secrets.token_urlsafe(16)
        run(
            [
                *(install, "--no-defaults", f"--datadir={data}", "--skip-test-db"),
                *("--skip-name-resolve", "--innodb-log-file-size=16M", "--innodb-doublewrite=0"),
            ],
            home,
            user=_UNIX_USER,
        )
        port = free_port()
        process = start(
            [
                *(program, "--no-defaults", f"--datadir={data}", f"--socket={home / 'socket'}"),
                *(f"--bind-address={HOST}", f"--port={port}", f"--pid-file={home / 'pid'}"),
                # a server that starts deletes temporary tables of all others in the same folder
                f"--tmpdir={home}",
                f"--init-file={_first_statements(home, password)}",
                *_QUICK,
            ],
            home / "log",
            user=_UNIX_USER,
        )
        try:
            wait_until(lambda: _answers(port, password), process, "MariaDB")
            url = f"mysql://{_ROLE}:{password}@{HOST}:{port}/{_DATABASE}"
            yield DatabaseServer(url, password, process)
        finally:
            process.stop()


def _programs() -> tuple[str, str]:
    beyond = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
    install = shutil.which("mariadb-install-db", path=beyond)
    program = shutil.which("mariadbd", path=beyond)
    if install is None or program is None:
        raise NotInstalled(f"MariaDB is not installed; {INSTALL}.")
    return install, program


def _first_statements(home: Path, password: str) -> Path:
    """Write what the server runs as it starts."""
    statements = (
        f"CREATE DATABASE {_DATABASE} CHARACTER SET utf8mb4;\n"
        f"CREATE USER {_ROLE}@'{HOST}' IDENTIFIED BY '{password}';\n"
        f"GRANT ALL ON *.* TO {_ROLE}@'{HOST}' WITH GRANT OPTION;\n"
    )
    return private_file(home / "first.sql", statements, _UNIX_USER)


def _answers(port: int, password: str) -> bool:
    import pymysql

    try:
        pymysql.connect(
            host=HOST, port=port, user=_ROLE, password=password, database=_DATABASE
        ).close()
    except pymysql.err.OperationalError:
        return False
    return True
