"""A server that goes away in the middle of a question: one sentence, and no part of an answer."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import tables
from stores import connect_mariadb, put_in_mariadb, put_in_postgresql

import singleout as so
from services.postgresql import DatabaseServer
from singleout.errors import UnreachableData

# each row takes so long that no question about all of them ends before the server does
SLOW_POSTGRESQL = """
CREATE VIEW slow AS SELECT age + length(pg_sleep(0.2)::text)::bigint AS age, sex, zip FROM people
"""
SLOW_MARIADB = "CREATE VIEW slow AS SELECT age + SLEEP(0.2) AS age, sex, zip FROM people"


@dataclass(frozen=True)
class Slow:
    """A server with a slow view, and a way to see that it is being asked."""

    server: DatabaseServer
    is_asked: Callable[[], bool]

    @property
    def url(self) -> str:
        return f"{self.server.url}#slow"

    def kill_when_asked(self) -> None:
        end = time.monotonic() + 60
        while not self.is_asked():
            assert time.monotonic() < end, "the question was never asked"
            time.sleep(0.05)
        self.server.server.kill()


@pytest.fixture
def slow_postgresql(private_postgresql: DatabaseServer) -> Iterator[Slow]:
    import psycopg

    url = private_postgresql.url
    put_in_postgresql(url, tables.people(), "people")
    watching = psycopg.connect(url, autocommit=True)
    watching.execute(SLOW_POSTGRESQL)

    def is_asked() -> bool:
        found = watching.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
        ).fetchone()
        return found is not None and found[0] > 0

    yield Slow(private_postgresql, is_asked)
    watching.close()


@pytest.fixture
def slow_mariadb(private_mariadb: DatabaseServer) -> Iterator[Slow]:
    url = private_mariadb.url
    put_in_mariadb(url, tables.people(), "people")
    watching = connect_mariadb(url)
    with watching.cursor() as cursor:
        cursor.execute(SLOW_MARIADB)

    def is_asked() -> bool:
        with watching.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM information_schema.processlist WHERE state = 'User sleep'"
            )
            return bool(cursor.fetchone()[0] > 0)

    yield Slow(private_mariadb, is_asked)
    watching._force_close()


@pytest.fixture(params=["postgresql", "mariadb"])
def slow(request: pytest.FixtureRequest) -> Slow:
    """Each server in turn; the test may kill it."""
    found: Slow = request.getfixturevalue(f"slow_{request.param}")
    return found


@pytest.mark.parametrize(
    "question",
    [
        lambda url: so.anonymity_sets(url, [["age", "sex"], ["zip"]], by="sex"),
        so.read,
    ],
    ids=["sets", "read"],
)
def test_a_server_that_stops_in_the_middle_is_an_error_of_one_sentence(
    slow: Slow, question: Callable[[str], Any]
) -> None:
    killer = threading.Thread(target=slow.kill_when_asked)
    killer.start()
    began = time.monotonic()
    with pytest.raises(UnreachableData) as gone:
        question(slow.url)
    killer.join()
    assert time.monotonic() - began < 20
    assert not slow.server.server.is_running
    sentence = str(gone.value)
    assert "\n" not in sentence
    assert slow.server.password not in sentence


def test_the_command_line_says_it_in_one_sentence_and_prints_no_part_of_an_answer(
    slow_postgresql: Slow,
) -> None:
    command = [sys.executable, "-m", "singleout", "sets", slow_postgresql.url, "--qi", "age+sex"]
    with subprocess.Popen(
        [*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as asking:
        slow_postgresql.kill_when_asked()
        printed, message = asking.communicate(timeout=60)
    assert asking.returncode == 2
    assert printed == ""
    assert "Traceback" not in message
    assert len(message.strip().splitlines()) == 1
    assert slow_postgresql.server.password not in message


def test_a_server_that_is_not_there_is_an_error_of_one_sentence(
    private_postgresql: DatabaseServer,
) -> None:
    put_in_postgresql(private_postgresql.url, tables.people(), "people")
    private_postgresql.server.kill()
    with pytest.raises(UnreachableData) as gone:
        so.anonymity_sets(f"{private_postgresql.url}#people", ["age"])
    assert "\n" not in str(gone.value)
    assert private_postgresql.password not in str(gone.value)
