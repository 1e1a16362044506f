"""Every store test runs on an SQLite file and on a PostgreSQL server."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest
from store_cases import Place

from availability import cannot
from services import postgresql as postgresql_service
from services.postgresql import DatabaseServer
from services.processes import NotInstalled

_numbers = count()


def _started() -> Iterator[DatabaseServer]:
    starting = postgresql_service.server()
    try:
        found = starting.__enter__()
    except NotInstalled as reason:
        cannot(str(reason))
    try:
        yield found
    finally:
        starting.__exit__(None, None, None)


@pytest.fixture(scope="session")
def store_server() -> Iterator[DatabaseServer]:
    """A PostgreSQL server for stores; not to be killed, since other tests need it."""
    yield from _started()


@pytest.fixture
def private_server() -> Iterator[DatabaseServer]:
    """A PostgreSQL server for one test, which may kill it."""
    yield from _started()


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Heads that tests see are remembered elsewhere than the user's."""
    folder = tmp_path / "state"
    monkeypatch.setenv("SINGLEOUT_STATE", str(folder))
    return folder


def new_schema(server: DatabaseServer) -> str:
    """Return the URL of an empty schema on a server."""
    name = f"store{next(_numbers)}"
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
    return f"{server.url}?options=-csearch_path%3D{name}"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Where a store can be made: a file, then a database."""
    if request.param == "sqlite":
        made = Place(tmp_path / "repository.sqlite", tmp_path)
    else:
        made = Place(new_schema(request.getfixturevalue("store_server")), tmp_path)
    yield made
    made.close()


@pytest.fixture
def file_place(tmp_path: Path) -> Iterator[Place]:
    """Where a store can be made as a file."""
    made = Place(tmp_path / "repository.sqlite", tmp_path)
    yield made
    made.close()
