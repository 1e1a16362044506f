"""An open database, to which all statements are sent.

All data passes `Session.receive`, or `Session.receive_batches` where records are asked for. A
statement that takes longer than the timeout is stopped, and so is the running one when the user
presses Ctrl-C.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from singleout.core.arrays import I64
from singleout.engines.sql.copied import copied
from singleout.engines.sql.errors import InterruptedByTimer, answered
from singleout.errors import UnreachableData
from singleout.io.unpack import State, require_unchanged
from singleout.io.values import series_of

if TYPE_CHECKING:
    import sqlglot.expressions as sge

__all__ = ["Session"]

_LOG = logging.getLogger("singleout.engines")
_Answer = TypeVar("_Answer")

_ROWS_AT_ONCE = 50_000
_SECONDS_BETWEEN_CHECKS = 0.2
_STEPS_BETWEEN_CHECKS = 20_000  # of SQLite's virtual machine: some milliseconds


class Session:
    """A read-only connection over an ibis backend.

    ``source`` describes the database for people. ``timeout`` is in seconds, and ``kept_by_server``
    says that the server itself keeps it. ``stop`` ends the running statement from another thread;
    None if only the driver can. ``folder`` is the temporary folder of the embedded database.
    """

    def __init__(
        self,
        backend: Any,
        source: str,
        *,
        timeout: float | None = None,
        kept_by_server: bool = False,
        stop: Callable[[], None] | None = None,
        close: Callable[[], object] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.backend = backend
        self.source = source
        self.timeout = timeout
        self.folder = folder
        self.statements = 0  # sent so far
        self.watched: Mapping[Path, State] = {}  # files that must not change
        self._timed = timeout is not None and not kept_by_server
        self._stop = stop
        self._close = close
        self._closed = False

    def __repr__(self) -> str:
        return f"Session({self.source})"

    def __reduce__(self) -> Any:
        raise TypeError("an open connection to a database cannot be pickled")

    @property
    def name(self) -> str:
        """The name of the kind of database in ibis."""
        return str(self.backend.name)

    def numbers(self, statement: sge.Expression) -> list[I64]:
        """Return the columns of an answer that consists of integers."""
        frame = self.frame(statement)
        return [column.cast(pl.Int64).to_numpy() for column in frame.get_columns()]

    def frame(self, statement: sge.Expression) -> pl.DataFrame:
        """Return an answer, with its values as the database typed them."""
        text, begun = statement.sql(dialect=self.backend.dialect), time.monotonic()
        answer = self._sent(lambda: self.receive(text))
        taken = time.monotonic() - begun
        _LOG.debug("a statement of %d characters took %.3f s", len(text), taken)
        return answer

    def execute(self, text: str) -> None:
        """Send a statement that has no answer, within the same limits."""
        self._sent(lambda: self.backend.con.execute(text))

    def stream(self, statement: sge.Select, rows: int, take: Callable[[Any], bool]) -> bool:
        """Give the Arrow batches of an answer, of about so many rows, to ``take`` in order.

        It ends early where ``take`` returns false; the answer is whether all were taken.
        """
        text, width = statement.sql(dialect=self.backend.dialect), len(statement.selects)

        def taken() -> bool:
            with closing(self.receive_batches(text, width, rows)) as batches:
                return all(map(take, batches))

        return self._sent(taken)

    @property
    def streams(self) -> bool:
        """Whether answers can be received in batches."""
        return self.name in ("duckdb", "postgres")

    def _sent(self, work: Callable[[], _Answer]) -> _Answer:
        if self._closed:
            raise UnreachableData("The connection to the database is closed; count anew.")
        self.statements += 1
        try:
            return answered(lambda: self._guarded(work), self.source, timeout=self.timeout)
        finally:
            for path, state in self.watched.items():
                require_unchanged(path, state)

    def receive(self, text: str) -> pl.DataFrame:
        """Send a statement and return what comes back: the only way in for data."""
        if self.name == "duckdb":
            return pl.DataFrame(self.backend.con.sql(text).to_arrow_table())
        cursor = self.backend.raw_sql(text)
        try:
            return _frame(cursor)
        finally:
            if hasattr(cursor, "close"):  # not with every driver
                cursor.close()

    def receive_batches(self, text: str, width: int, rows: int) -> Generator[Any]:
        """Send a statement and yield what comes back as Arrow batches of about so many rows."""
        if self.name == "postgres":
            yield from copied(self.backend.con, text, width, rows)
            return
        with self.backend.con.sql(text).to_arrow_reader(rows) as batches:
            yield from batches

    def close(self) -> None:
        """Close the connection; a second time does nothing."""
        if not self._closed:
            self._closed = True
            _LOG.info("%d statements sent to %s", self.statements, self.source)
            if self._close is not None:
                self._close()

    def _guarded(self, work: Callable[[], _Answer]) -> _Answer:
        if self.name == "sqlite":
            with self._interruptible():
                return work()
        with self._on_time():
            return work() if self._stop is None else self._aside(work)

    def _aside(self, work: Callable[[], _Answer]) -> _Answer:
        """Run a statement on a thread of its own: drivers would not notice Ctrl-C while waiting."""
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(work)
            try:
                # a signal delivered to another thread is noticed only between two waits
                while not wait([running], _SECONDS_BETWEEN_CHECKS).done:
                    pass
                return running.result()
            except KeyboardInterrupt:
                self._stop_now()  # the thread ends with it
                raise

    @contextmanager
    def _on_time(self) -> Iterator[None]:
        """Stop the statement at its timeout."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._stop_now()

        timer = threading.Timer(self.timeout or 0, stop) if self._timed else None
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            yield
        except Exception:
            if late.is_set():
                raise InterruptedByTimer from None
            raise
        finally:
            if timer is not None:
                timer.cancel()

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Let SQLite, which runs in this thread, check for the timeout and Ctrl-C."""
        deadline = time.monotonic() + self.timeout if self.timeout is not None else None
        late = False

        def check() -> int:
            nonlocal late
            late = deadline is not None and time.monotonic() > deadline
            return int(late)  # Ctrl-C raises here, which ends the statement as well

        connection = self.backend.con
        connection.set_progress_handler(check, _STEPS_BETWEEN_CHECKS)
        try:
            yield
        except Exception as error:
            if late:
                raise InterruptedByTimer from None
            if str(error) == "interrupted":
                raise KeyboardInterrupt from None
            raise
        finally:
            connection.set_progress_handler(None, 0)

    def _stop_now(self) -> None:
        if self._stop is not None:
            with suppress(Exception):  # a lost server need not be stopped
                self._stop()


def _frame(cursor: Any) -> pl.DataFrame:
    """Return the rows of a DB-API cursor as a frame, fetched in batches."""
    names = [str(part[0]) for part in cursor.description]
    batches: list[list[pl.Series]] = [[] for _ in names]
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        for name, parts, values in zip(names, batches, zip(*rows, strict=True), strict=True):
            parts.append(series_of(name, values))
    return pl.DataFrame([_joined(name, parts) for name, parts in zip(names, batches, strict=True)])


def _joined(name: str, parts: Sequence[pl.Series]) -> pl.Series:
    """Return batches as one column; values are typed again if the batches differ in type."""
    if not parts:
        return pl.Series(name, [], dtype=pl.Null)
    kinds = {part.dtype for part in parts if part.dtype != pl.Null}
    if len(kinds) == 1 and pl.Object not in kinds:
        kind = kinds.pop()
        return pl.concat([part.cast(kind) for part in parts])
    if len(parts) == 1:
        return parts[0]
    return series_of(name, [value for part in parts for value in part.to_list()])
