"""Databases for repositories: a PostgreSQL server for each process of the tests, started once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from services import postgresql as postgresql_service
from services.postgresql import DatabaseServer
from services.processes import NotInstalled


@pytest.fixture(scope="session")
def repository_server() -> Iterator[DatabaseServer]:
    """A PostgreSQL server; not to be killed, since other tests need it."""
    starting = postgresql_service.server()
    try:
        found = starting.__enter__()
    except NotInstalled as reason:
        if os.environ.get("CI"):
            pytest.fail(f"CI is set, so nothing may be skipped: {reason}", pytrace=False)
        pytest.skip(str(reason))
    try:
        yield found
    finally:
        starting.__exit__(None, None, None)


@pytest.fixture(scope="session")
def new_database(repository_server: DatabaseServer) -> Callable[[], str]:
    """Make a new, empty database, and return its URL."""
    import psycopg

    numbers = count()

    def make() -> str:
        name = f"repository_{next(numbers)}"
        with psycopg.connect(repository_server.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"{repository_server.url.rpartition('/')[0]}/{name}"

    return make
