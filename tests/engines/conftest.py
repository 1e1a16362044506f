"""Every index where data can be: servers that are started for the tests, files, and Spark.

Each process of the tests starts what its tests need, once: a database takes a second.
"""

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import polars as pl
import pytest
import stores
from stores import Put

from availability import cannot
from services import mariadb as mariadb_service
from services import postgresql as postgresql_service
from services import spark as spark_service
from services.postgresql import DatabaseServer
from services.processes import NotInstalled
from services.spark import Cluster

ENGINES = ("local", "ibis", "duckdb", "sqlite", "postgresql", "mariadb", "spark")

_Service = TypeVar("_Service")


def _started(service: Callable[[], AbstractContextManager[_Service]]) -> Iterator[_Service]:
    starting = service()
    try:
        found = starting.__enter__()
    except NotInstalled as reason:
        cannot(str(reason))
    try:
        yield found
    finally:
        starting.__exit__(None, None, None)


# ---- servers


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[DatabaseServer]:
    """A PostgreSQL server; not to be killed, since other tests need it."""
    yield from _started(postgresql_service.server)


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[DatabaseServer]:
    """A MariaDB server; not to be killed, since other tests need it."""
    yield from _started(mariadb_service.server)


@pytest.fixture(scope="session")
def postgresql(postgresql_server: DatabaseServer) -> str:
    """The URL of a PostgreSQL database where tests may create tables."""
    return postgresql_server.url


@pytest.fixture(scope="session")
def mariadb(mariadb_server: DatabaseServer) -> str:
    """The URL of a MariaDB database where tests may create tables."""
    return mariadb_server.url


@pytest.fixture
def private_postgresql() -> Iterator[DatabaseServer]:
    """A PostgreSQL server for one test, which may kill it."""
    yield from _started(postgresql_service.server)


@pytest.fixture
def private_mariadb() -> Iterator[DatabaseServer]:
    """A MariaDB server for one test, which may kill it."""
    yield from _started(mariadb_service.server)


@pytest.fixture
def sqlite(tmp_path: Path) -> Path:
    """The path of an SQLite file that is not there yet."""
    return tmp_path / "people.sqlite"


@pytest.fixture
def duckdb_file(tmp_path: Path) -> Path:
    """The path of a DuckDB file that is not there yet."""
    return tmp_path / "people.duckdb"


# ---- Spark


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Spark session within this process, on two threads."""
    if not spark_service.java_is_there():
        cannot("Spark needs Java; `sh scripts/services/install.sh` installs it on Debian, as root.")
    folder = tmp_path_factory.mktemp("spark")
    # otherwise its workers miss the packages of this environment
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        # queries here are many and small
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.log.level": "ERROR",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyspark warns of versions of pandas
        from pyspark.sql import SparkSession

        session = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def _cluster() -> Iterator[Cluster]:
    yield from _started(spark_service.cluster)


@pytest.fixture
def spark_cluster(_cluster: Cluster) -> Cluster:
    """A Spark cluster of one master and two workers with one core and 1 GB each.

    A process has one Spark session, and `spark` may be open in this one: drive the cluster from a
    process of its own, with ``spark.executor.memory`` at most 1 GB. A test may kill workers.
    """
    lost = 2 - len(_cluster.workers)
    if lost:
        _cluster.start_workers(lost)
    end = time.monotonic() + 60
    while len(_cluster.registered) != 2:  # the master learns of a loss by itself
        assert time.monotonic() < end, "the cluster does not have its two workers"
        time.sleep(0.05)
    return _cluster


# ---- all of them


def _stores(
    engine: str, request: pytest.FixtureRequest, folder: Path
) -> Callable[[pl.DataFrame, str], Any]:
    """Return the function that stores a frame; every file is a new one, since engines hold them."""
    numbers = count()
    if engine == "local":
        return lambda frame, _: frame
    if engine == "ibis":
        import ibis

        connection = ibis.duckdb.connect()
        return lambda frame, name: stores.put_in_ibis(connection, frame, name)
    if engine in ("postgresql", "mariadb"):
        url = request.getfixturevalue(engine)
        put = stores.put_in_postgresql if engine == "postgresql" else stores.put_in_mariadb
        return lambda frame, name: put(url, frame, name)
    if engine == "spark":
        session = request.getfixturevalue("spark")
        return lambda frame, name: stores.put_in_spark(
            session, folder / f"{next(numbers)}.parquet", frame, name
        )
    into = stores.put_in_sqlite if engine == "sqlite" else stores.put_in_duckdb
    return lambda frame, name: into(folder / f"{next(numbers)}.{engine}", frame, name)


@pytest.fixture(scope="session")
def _puts() -> dict[str, Put]:
    return {}


@pytest.fixture(params=ENGINES)
def there(
    request: pytest.FixtureRequest,
    _puts: dict[str, Put],
    tmp_path_factory: pytest.TempPathFactory,
) -> Put:
    """Every engine in turn: store a frame there, and get what a user would pass as data."""
    engine = request.param
    if engine not in _puts:
        folder = tmp_path_factory.mktemp(engine)
        _puts[engine] = Put(engine, _stores(engine, request, folder))
    return _puts[engine]
