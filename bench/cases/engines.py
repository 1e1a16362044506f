"""Engines: the same question in memory, in a database, out of core and on a cluster.

What is compared is where the counting is done; all answers must be equal. Servers and clusters are
started for the case and stopped at its end.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

import singleout as so
from bench import data
from bench.case import AbsentError, Contender, Prepared, case
from singleout.engines.sql.here import NOT_HERE

sys.path.append(str(data.CHECKOUT / "scripts"))
from services import postgresql, spark
from services.processes import NotInstalled

PERSON = ["AAGE", "ASEX", "ARACE", "AMARITL", "AHGA", "ACLSWKR", "PENATVTY", "HHDFMX"]
CAP = 4_000_000_000  # bytes

Answer = list[Any]


# ---- PostgreSQL


@case("engines/postgresql-sets", "One quasi-identifier of 8 columns in PostgreSQL.")
def postgresql_sets(quick: bool) -> Prepared:
    return _in_postgresql(
        quick, lambda at, engine: _sets(so.anonymity_sets(at, PERSON, engine=engine))
    )


@case("engines/postgresql-risk", "Distinct counts of all 56 sets of 3 of 8 columns in PostgreSQL.")
def postgresql_qar(quick: bool) -> Prepared:
    return _in_postgresql(
        quick, lambda at, engine: list(so.qar(at, PERSON, engine=engine).distinct.tolist())
    )


def _in_postgresql(quick: bool, ask: Callable[[Any, Any], Answer]) -> Prepared:
    frame = pl.read_parquet(data.large_file(quick=True)).cast(pl.String)
    frame = frame if quick else pl.concat([frame] * 2)
    url = _kept(postgresql.running())
    _copy(url, frame)
    table = f"{url}#people"

    def copied() -> Answer:
        return ask(pl.DataFrame(_copied(url)), None)

    contenders = [
        Contender("counted in PostgreSQL", lambda: ask(table, None), ours=True),
        Contender("fetching allowed", lambda: ask(table, so.Database(fetch=True)), ours=True),
        Contender("fetched by COPY, counted here", lambda: ask(table, "local"), ours=True),
        Contender(
            "fetched row by row, as before", lambda: ask(_row_by_row(table), None), ours=True
        ),
        Contender("COPY into polars, counted here", copied, ours=True),
    ]
    return Prepared(frame.shape, contenders, lambda answer: answer, _difference)


def _row_by_row(table: str) -> so.Table:
    with so.Database().counter(table) as counter:
        fetched: so.Table = cast(Any, counter)._fetched_at_once(PERSON)
    return fetched


def _copy(url: str, frame: pl.DataFrame) -> None:
    import psycopg

    names = ", ".join(f'"{name}"' for name in frame.columns)
    with psycopg.connect(url) as connection:
        connection.execute(
            "CREATE TABLE people (" + ", ".join(f'"{n}" text' for n in frame.columns) + ")"
        )
        with connection.cursor().copy(f"COPY people ({names}) FROM STDIN (FORMAT csv)") as copy:
            copy.write(frame.write_csv(include_header=False))
        connection.commit()
        connection.execute("ANALYZE people")


def _copied(url: str) -> pl.DataFrame:
    import psycopg

    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        columns = ", ".join(f'"{name}"' for name in PERSON)
        with cursor.copy(f"COPY (SELECT {columns} FROM people) TO STDOUT (FORMAT csv)") as copy:
            text = b"".join(bytes(part) for part in copy)
    return pl.read_csv(text, has_header=False, new_columns=PERSON, infer_schema=False)


# ---- out of core


@case("engines/out-of-core", "A folder of Parquet files with at most 4 GB of memory.")
def out_of_core(quick: bool) -> Prepared:
    folder = data.large_folder(10, quick)
    rows = _rows(folder)
    contenders = [
        Contender("embedded database, 4 GB", lambda: _capped(folder, "4GB"), ours=True),
        Contender("embedded database, 1 GB", lambda: _capped(folder, "1GB"), ours=True),
        Contender("polars, streaming, no cap", lambda: _streamed(folder)),
    ]
    return Prepared((rows, len(PERSON)), contenders, lambda answer: answer["sets"], _difference)


def _capped(folder: Path, memory: str) -> dict[str, Any]:
    """Ask in a process of its own, whose memory can be told."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.cases.engines", str(folder), memory],
        capture_output=True,
        text=True,
        check=True,
        cwd=data.CHECKOUT,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    before, peak = answer["before"] / 1e9, answer["peak"] / 1e9
    print(
        f"memory {memory}: peak {peak:.2f} GB, of which {before:.2f} GB before the question",
        file=sys.stderr,
    )
    return answer


def _peak() -> int:
    """Return the most memory that this process has had, in bytes (on Linux).

    Not from getrusage, which begins with what the process that started this one had.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def _streamed(folder: Path) -> dict[str, Any]:
    sizes = pl.scan_parquet(folder / "*.parquet").group_by(PERSON).agg(pl.len().alias("size"))
    found = sizes.group_by("size").agg(pl.len().alias("sets")).sort("size")
    frame = found.collect(engine="streaming")
    return {"sets": [frame["size"].to_list(), frame["sets"].to_list()]}


@case("engines/folder-risk", "All 364 sets of 3 of 14 columns of a folder of Parquet files.")
def folder_risk(quick: bool) -> Prepared:
    folder = data.large_folder(1, quick)
    (file,) = folder.glob("*.parquet")

    def ask(at: Any, engine: str | None = None) -> Answer:
        return list(so.qar(at, engine=engine).distinct.tolist())

    contenders = [
        Contender("encoded in batches, counted here", lambda: ask(folder), ours=True),
        Contender("by statements, as before", lambda: ask(_by_statements(folder)), ours=True),
        Contender("one file, read into memory", lambda: ask(file, "local"), ours=True),
    ]
    return Prepared((_rows(folder), 14), contenders, lambda answer: answer, _difference)


@case("engines/folder-special", "Special uniques of up to 3 of 14 columns of a folder.")
def folder_special(quick: bool) -> Prepared:
    folder = data.large_folder(1, quick)
    (file,) = folder.glob("*.parquet")

    def ask(at: Any, engine: str | None = None) -> Answer:
        found = so.suda(at, max_size=3, engine=engine)
        return list(found.counts_by_size.sum(axis=0).tolist())

    contenders = [
        Contender("folder, encoded in batches", lambda: ask(folder), ours=True),
        Contender("one file, read into memory", lambda: ask(file, "local"), ours=True),
    ]
    return Prepared((_rows(folder), 14), contenders, lambda answer: answer, _difference)


def _by_statements(at: Any) -> Any:
    """Return a counter that sends a statement for every few sets, whatever that costs."""
    counter: Any = so.Database().counter(at)
    counter._here = NOT_HERE
    return counter


# ---- Spark


@case("engines/spark-risk", "Distinct counts of all 364 sets of 3 of 14 columns on Spark.")
def spark_qar(quick: bool) -> Prepared:
    return _on_spark(quick, "qar", _local_qar)


@case("engines/spark-sets", "One quasi-identifier of 8 columns by Spark SQL.")
def spark_sets(quick: bool) -> Prepared:
    return _on_spark(quick, "sets", lambda folder: _sets(so.anonymity_sets(_local(folder), PERSON)))


@case("engines/spark-sketched", "The 364 sets by sketches, relative error 2 %.")
def spark_sketched(quick: bool) -> Prepared:
    return _on_spark(quick, "sketched", _local_qar, near=0.1)


@case("engines/spark-statements", "20 sets of 3 of 6 columns by Spark SQL, as for large tables.")
def spark_statements(quick: bool) -> Prepared:
    def here(folder: Path) -> Answer:
        return list(so.qar(_local(folder), PERSON[:6]).distinct.tolist())

    return _on_spark(quick, "statements", here)


@case("engines/spark-empty", "What a task costs: 400 tasks that do nothing.")
def spark_empty(quick: bool) -> Prepared:
    from bench.spark_driver import EMPTY_TASKS

    return _on_spark(quick, "empty", lambda _: sum(range(EMPTY_TASKS)))


def _on_spark(
    quick: bool, question: str, here: Callable[[Path], Any], near: float = 0.0
) -> Prepared:
    folder = data.large_folder(4, quick)
    two, one = (_driver(folder, workers) for workers in (2, 1))
    contenders = [
        Contender("Spark, 2 workers of 1 core", lambda: two.ask(question), ours=True),
        Contender("Spark, 1 worker of 1 core", lambda: one.ask(question), ours=True),
        Contender("this process, 2 threads", lambda: here(folder), ours=True),
    ]
    difference = _difference if not near else _within(near)
    return Prepared((_rows(folder), 14), contenders, lambda answer: answer, difference)


@dataclass(frozen=True)
class _Driver:
    """A process that drives a cluster."""

    process: subprocess.Popen[str]

    def ask(self, question: str) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{question}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("The driver of the Spark cluster ended; its words are above.")
        return json.loads(answer)


@cache
def _driver(folder: Path, workers: int) -> _Driver:
    master = _kept(spark.running(workers=workers, cores=1, memory="4g"))
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.spark_driver", master, str(workers), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=data.CHECKOUT,
    )
    _open.callback(process.terminate)
    assert process.stdout is not None
    if process.stdout.readline() != "ready\n":
        raise RuntimeError("The driver of the Spark cluster did not start; its words are above.")
    return _Driver(process)


_read: dict[Path, Any] = {}


def _local(folder: Path) -> Any:
    """Return the table in memory: what is timed is counting, as on a cluster that has the frame."""
    if folder not in _read:
        files = sorted(folder.glob("*.parquet"))
        _read.clear()
        _read[folder] = so.read(pl.read_parquet(files))
    return _read[folder]


def _local_qar(folder: Path) -> Answer:
    return list(so.qar(_local(folder)).distinct.tolist())


# ---- what they share

_open = ExitStack()
atexit.register(_open.close)


def _kept(service: Any) -> str:
    """Start a service that is stopped when the benchmark ends."""
    try:
        return str(_open.enter_context(service))
    except NotInstalled as reason:
        raise AbsentError(str(reason)) from None


def _rows(folder: Path) -> int:
    return int(pl.scan_parquet(folder / "*.parquet").select(pl.len()).collect().item())


def _sets(found: Any) -> Answer:
    return [found.profile.sizes.tolist(), found.profile.sets.tolist()]


def _difference(answer: Any, ours: Any) -> str:
    return "" if answer == ours else "another answer"


def _within(near: float) -> Callable[[Any, Any], str]:
    def difference(answer: Any, ours: Any) -> str:
        error = np.abs(np.array(ours) / np.array(answer) - 1).max()
        return "" if error <= near else f"sketches up to {error:.1%} away"

    return difference


if __name__ == "__main__":
    at, memory = sys.argv[1:]
    before = _peak()
    answer = _sets(so.anonymity_sets(at, PERSON, engine=so.Database(memory=memory)))
    print(json.dumps({"sets": answer, "before": before, "peak": _peak()}))
