"""Records leave a database for the sake of speed only where a user allows it."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import stores
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import singleout as so
from singleout.engines.local.counter import LocalCounter
from singleout.engines.sql import here
from singleout.engines.sql.counter import DatabaseCounter
from singleout.engines.sql.engine import Database
from singleout.engines.sql.here import Here
from singleout.engines.sql.session import Session
from singleout.errors import BadChoice

# what CSV quotes, what PostgreSQL writes in its own way, and what looks missing
CELLS = st.none() | st.sampled_from(["", " ", '"', 'a"b', "a,b", "a\nb", "\r\n", "\\N", "\\.", "é"])
NUMBERS = st.none() | st.sampled_from([0.0, -0.0, 0.1, 1e300, float("inf"), float("nan")])


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(CELLS, NUMBERS, st.none() | st.booleans()), min_size=1, max_size=12))
def test_what_copy_brings_is_what_was_stored(
    postgresql: str, rows: list[tuple[str | None, float | None, bool | None]]
) -> None:
    schema = {"text": pl.String, "real": pl.Float64, "flag": pl.Boolean}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    data = stores.put_in_postgresql(postgresql, frame, "copied")
    for names in (["text"], frame.columns):
        found, expected = so.read(data, columns=names), so.read(frame.select(names))
        for one, other in zip(found, expected, strict=True):
            assert list(one.values) == list(other.values)
            assert one.codes.tolist() == other.codes.tolist()


def people(rows: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    return pl.DataFrame({f"c{n}": rng.integers(0, 3 + n, rows) for n in range(8)})


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the batches of records that came in."""
    sizes: list[int] = []
    receive = Session.receive_batches

    def watched(self: Session, *asked: Any) -> Iterator[Any]:
        for batch in receive(self, *asked):
            sizes.append(batch.num_rows)
            yield batch

    monkeypatch.setattr(Session, "receive_batches", watched)
    return sizes


@pytest.mark.parametrize("fetch", [False, True])
@pytest.mark.parametrize("size", [3, 8])
def test_many_sets_are_fetched_if_that_is_allowed_and_one_set_never(
    postgresql: str, received: list[int], fetch: bool, size: int
) -> None:
    frame = people()
    data = stores.put_in_postgresql(postgresql, frame, "fetched")
    found = so.qar(data, frame.columns, size=size, engine=so.Database(fetch=fetch)).distinct
    assert found.tolist() == so.qar(frame, size=size).distinct.tolist()
    assert sum(received) == (600 if fetch and size == 3 else 0)


def test_fetching_that_turns_out_slow_is_given_up(
    postgresql: str, received: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Here(a_set=200.0, a_cell=0.001, measured=True)
    monkeypatch.setattr(Here, "patience", lambda *_: 1.0)  # a nanosecond for a record
    monkeypatch.setitem(here._DATABASES, "postgres", slow)
    monkeypatch.setattr("singleout.engines.sql.encoded._ROWS", 50)
    frame = people()
    data = stores.put_in_postgresql(postgresql, frame, "slow")
    with Database(fetch=True).counter(data) as counter:
        found = counter.distinct_counts(frame.columns, 3).counts.tolist()
        assert (
            found == LocalCounter(so.read(frame)).distinct_counts(frame.columns, 3).counts.tolist()
        )
        assert received == [50]  # the first batch told
        assert counter.rows == 600  # and the connection is free again


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_other_databases_are_fetched_as_well(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[int] = []
    keep = DatabaseCounter._encoded

    def watched(self: DatabaseCounter, names: Any, *others: Any) -> Any:
        fetched.append(len(names))
        return keep(self, names, *others)

    monkeypatch.setattr(DatabaseCounter, "_encoded", watched)
    frame = people()
    data = getattr(stores, f"put_in_{kind}")(tmp_path / "p", frame, "people")
    expected = so.qar(frame).distinct.tolist()
    for fetch in (False, True):
        found = so.qar(data, frame.columns, engine=so.Database(fetch=fetch)).distinct.tolist()
        assert found == expected
        assert fetched == [8] * fetch


def test_fetch_is_yes_or_no() -> None:
    with pytest.raises(BadChoice, match="fetch is True or False, not 'yes'"):
        so.Database(fetch="yes")  # type: ignore[arg-type]


def test_the_sets_decide() -> None:
    pays = [
        next(islice((n for n in range(1, 10_000) if each.is_sooner(8, n)), 1))
        for each in (here.fetched_from("postgres"), here.fetched_from("mysql"), here.OF_FILES)
    ]
    assert pays == [11, 29, 26]
    assert not here.NOT_HERE.is_sooner(8, 10_000)
