"""An open database: statements go out, answers come in, both in one place only.

Whatever is received passes `Session.receive`. A statement that takes longer than the timeout is
stopped, and so is the running one when the user presses Ctrl-C.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from singleout.core.arrays import I64
from singleout.engines.sql.errors import InterruptedByTimer, answered
from singleout.errors import UnreachableData
from singleout.io.unpack import State, require_unchanged
from singleout.io.values import series_of

if TYPE_CHECKING:
    import sqlglot.expressions as sge

__all__ = ["Session"]

_Answer = TypeVar("_Answer")

_ROWS_AT_ONCE = 50_000
_SECONDS_BETWEEN_LOOKS = 0.2
_STEPS_BETWEEN_LOOKS = 20_000  # of SQLite's machine: some milliseconds


class Session:
    """A connection that is only read from.

    Parameters
    ----------
    backend
        The connection, as ibis has it.
    source
        What is asked, in words for people.
    timeout
        After how many seconds a statement is given up.
    kept_by_server
        Whether the server itself keeps to the timeout.
    stop
        Ends the statement that is running, from another thread or after Ctrl-C; None if only the
        driver can.
    close
        Gives back what is held.
    folder
        The temporary folder of the embedded database.
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
        self.watched: Mapping[Path, State] = {}  # files that must stay what they are
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
        """The kind of the database, by its name in ibis."""
        return str(self.backend.name)

    def numbers(self, statement: sge.Expression) -> list[I64]:
        """Return the columns of an answer that consists of whole numbers."""
        frame = self.frame(statement)
        return [column.cast(pl.Int64).to_numpy() for column in frame.get_columns()]

    def frame(self, statement: sge.Expression) -> pl.DataFrame:
        """Return an answer, with its values as the database typed them."""
        text = statement.sql(dialect=self.backend.dialect)
        return self._sent(lambda: self.receive(text))

    def execute(self, text: str) -> None:
        """Send a statement that has no answer, within the same limits."""
        self._sent(lambda: self.backend.con.execute(text))

    def _sent(self, work: Callable[[], _Answer]) -> _Answer:
        if self._closed:
            raise UnreachableData("The connection to the database is closed; count anew.")
        try:
            return answered(lambda: self._guarded(work), self.source, timeout=self.timeout)
        finally:
            for path, state in self.watched.items():
                require_unchanged(path, state)

    def receive(self, text: str) -> pl.DataFrame:
        """Send a statement and return what comes back: the only way in for data."""
        if self.name == "duckdb":
            answer = self.backend.con.sql(text).to_arrow_table()
            return pl.DataFrame(answer)
        cursor = self.backend.raw_sql(text)
        try:
            return _frame(cursor)
        finally:
            if hasattr(cursor, "close"):
                cursor.close()

    def close(self) -> None:
        """Give the connection back; a second time does nothing."""
        if not self._closed:
            self._closed = True
            if self._close is not None:
                self._close()

    def _guarded(self, work: Callable[[], _Answer]) -> _Answer:
        if self.name == "sqlite":
            with self._looking_up():
                return work()
        with self._on_time():
            return work() if self._stop is None else self._aside(work)

    def _aside(self, work: Callable[[], _Answer]) -> _Answer:
        """Run a statement on a thread of its own: drivers would not notice Ctrl-C while waiting."""
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(work)
            try:
                # a signal that another thread was given is noticed between two waits only
                while not wait([running], _SECONDS_BETWEEN_LOOKS).done:
                    pass
                return running.result()
            except KeyboardInterrupt:
                self._stop_now()  # the thread ends with it
                raise

    @contextmanager
    def _on_time(self) -> Iterator[None]:
        """Stop the statement when its time is over."""
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
    def _looking_up(self) -> Iterator[None]:
        """Let SQLite, which runs in this thread, look up now and then."""
        deadline = time.monotonic() + self.timeout if self.timeout is not None else None
        late = False

        def look() -> int:
            nonlocal late
            late = deadline is not None and time.monotonic() > deadline
            return int(late)  # and Ctrl-C is noticed here, which ends the statement as well

        connection = self.backend.con
        connection.set_progress_handler(look, _STEPS_BETWEEN_LOOKS)
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
            with suppress(Exception):  # a server that is gone need not be stopped
                self._stop()


def _frame(cursor: Any) -> pl.DataFrame:
    """Return the rows of a cursor of Python's database interface as columns, batch by batch."""
    names = [str(part[0]) for part in cursor.description]
    batches: list[list[pl.Series]] = [[] for _ in names]
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        for place, values in enumerate(zip(*rows, strict=True)):
            batches[place].append(series_of(names[place], values))
    return pl.DataFrame([_joined(name, parts) for name, parts in zip(names, batches, strict=True)])


def _joined(name: str, parts: Sequence[pl.Series]) -> pl.Series:
    """Return batches as one column; typed anew if they were typed differently."""
    if not parts:
        return pl.Series(name, [], dtype=pl.Null)
    kinds = {part.dtype for part in parts if part.dtype != pl.Null}
    if len(kinds) == 1 and pl.Object not in kinds:
        kind = kinds.pop()
        return pl.concat([part.cast(kind) for part in parts])
    if len(parts) == 1:
        return parts[0]
    return series_of(name, [value for part in parts for value in part.to_list()])
