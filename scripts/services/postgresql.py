"""A PostgreSQL server of Debian's package, on this machine only, in a folder of its own."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from services.processes import (
    HOST,
    INSTALL,
    NotInstalled,
    Server,
    children,
    folder,
    free_port,
    private_file,
    refuse_without_user,
    run,
    start,
    wait_until,
)

__all__ = ["DatabaseServer", "running", "server"]

_UNIX_USER = "postgres"
_ROLE = "tester"
_DATABASE = "postgres"

# nothing here must survive a crash
_QUICK = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "shared_buffers": "64MB",
    "max_connections": "60",
}


@dataclass(frozen=True)
class DatabaseServer:
    """A database server that runs.

    Parameters
    ----------
    url
        How to connect, with user, password and database, without a table.
    password
        The password in the URL.
    server
        The process.
    start
        Starts the server once more with the same data, if it can be.
    """

    url: str
    password: str
    server: Server
    start: Callable[[], Server] | None = None

    def restarted(self) -> DatabaseServer:
        """Kill the server as if the machine had lost its power, and start it with its data."""
        assert self.start is not None
        # each connection has a process of its own, in a group of its own: let no new one begin
        os.kill(self.server.pid, signal.SIGSTOP)
        own = children(self.server.pid)
        for process in own:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.server.kill()
        while any(Path(f"/proc/{process}").exists() for process in own):
            time.sleep(0.005)  # they hold the memory that the next server wants
        return replace(self, server=self.start())


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
        If PostgreSQL is not installed.
    """
    programs = _programs()
    refuse_without_user(_UNIX_USER, "PostgreSQL")
    with folder("postgresql", _UNIX_USER) as home:
        password = secrets.token_urlsafe(16)
        _make_cluster(programs, home, password)
        port = free_port()
        options = {
            "listen_addresses": HOST,
            "port": str(port),
            "unix_socket_directories": "",
            **_QUICK,
        }
        url = f"postgresql://{_ROLE}:{password}@{HOST}:{port}/{_DATABASE}"
        processes = []

        def started() -> Server:
            process = start(
                [
                    programs / "postgres",
                    *("-D", home / "data"),
                    *(word for pair in options.items() for word in ("-c", "=".join(pair))),
                ],
                home / "log",
                user=_UNIX_USER,
            )
            processes.append(process)
            wait_until(lambda: _answers(url), process, "PostgreSQL")
            return process

        try:
            yield DatabaseServer(url, password, started(), started)
        finally:
            for process in processes:
                # without waiting for clients to leave
                process.stop(signal.SIGQUIT)


def _programs() -> Path:
    """Return the folder of the newest PostgreSQL: Debian does not put it on the path."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/postgres"),
        key=lambda path: int(path.parts[-3]) if path.parts[-3].isdecimal() else 0,
    )
    elsewhere = shutil.which("postgres")
    if found:
        return found[-1].parent
    if elsewhere is None:
        raise NotInstalled(f"PostgreSQL is not installed; {INSTALL}.")
    return Path(elsewhere).resolve().parent


def _make_cluster(programs: Path, home: Path, password: str) -> None:
    secret = private_file(home / "password", password + "\n", _UNIX_USER)
    run(
        [
            *(programs / "initdb", "-D", home / "data", "-U", _ROLE, "--auth=scram-sha-256"),
            f"--pwfile={secret}",
            # the order of a language, as most servers have it: it is not the order of bytes
            *("--encoding=UTF8", "--locale=C.UTF-8"),
            *("--locale-provider=icu", "--icu-locale=en-US"),
            *("--no-sync", "--no-instructions"),
        ],
        home,
        user=_UNIX_USER,
    )


def _answers(url: str) -> bool:
    import psycopg

    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True
