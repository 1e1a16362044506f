"""Ask a Spark cluster, in a process of its own: a process can have one Spark session.

``python -m bench.spark_driver MASTER CORES FOLDER`` reads the table once; then each line of its
input names a question, and it answers with one line of JSON. What an answer took of the cluster is
taken from Spark's own log of events, and told on stderr.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MEMORY = "3g"  # of each executor


def main(master: str, cores: str, folder: str) -> None:
    """Answer questions until the input ends."""
    import singleout as so

    events = Path(tempfile.mkdtemp(prefix="events-"))
    session = _session(master, cores, events)
    frame = session.read.parquet(str(Path(folder)))
    questions = _questions(so, frame)
    # what others print must not come between the answers
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        before = _costs(events)
        answer = questions[line.strip()]()
        print(json.dumps(answer), file=answers, flush=True)
        cost = _costs(events) - before
        print(
            f"{line.strip()}, {cores} workers: read {cost[0] / 1e6:,.0f} MB, shuffled "
            f"{cost[1] / 1e6:,.0f} MB, {cost[2] / 1e3:,.1f} core-seconds",
            file=sys.stderr,
        )
    session.stop()


def _costs(events: Path) -> NDArray[np.int64]:
    """Return bytes read, bytes shuffled and milliseconds of cores, of all tasks so far."""
    total = np.zeros(3, dtype=np.int64)
    for log in events.iterdir():
        for line in log.read_text(encoding="utf-8").splitlines():
            if '"SparkListenerTaskEnd"' in line:
                of_task = json.loads(line).get("Task Metrics") or {}
                total += (
                    of_task.get("Input Metrics", {}).get("Bytes Read", 0),
                    of_task.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0),
                    of_task.get("Executor Run Time", 0),
                )
    return total


def _session(master: str, cores: str, events: Path) -> Any:
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    # one thread for a task: Spark gives a task a core
    os.environ["SINGLEOUT_THREADS"] = "1"
    warnings.simplefilter("ignore")  # pyspark warns of versions of pandas
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master(master)
        .config("spark.executor.memory", MEMORY)
        .config("spark.executorEnv.SINGLEOUT_THREADS", "1")
        .config("spark.driver.memory", MEMORY)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", str(4 * int(cores)))
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.dir", events.as_uri())
        .config("spark.eventLog.compress", "false")
        .config("spark.eventLog.rolling.enabled", "false")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )


def _questions(so: Any, frame: Any) -> dict[str, Callable[[], Any]]:
    """Return what can be asked, by name."""
    from bench.cases.engines import PERSON

    def sets() -> list[list[int]]:
        profile = so.anonymity_sets(frame, PERSON).profile
        return [profile.sizes.tolist(), profile.sets.tolist()]

    def risk() -> list[int]:
        return list(so.qar(frame).distinct.tolist())

    def statements() -> list[int]:
        by_sql = so.Spark(largest_broadcast=0)
        return list(so.qar(frame, PERSON[:6], engine=by_sql).distinct.tolist())

    def sketched() -> list[int]:
        return list(so.qar(frame, engine=so.Spark(approximate=0.02)).distinct.tolist())

    def empty() -> int:
        counter = so.Spark().counter(frame)
        tasks = list(range(EMPTY_TASKS))
        return sum(counter.run(_nothing, 0, tasks, name="nothing", what="Doing nothing"))

    return {
        "sets": sets,
        "qar": risk,
        "statements": statements,
        "sketched": sketched,
        "empty": empty,
    }


EMPTY_TASKS = 400


def _nothing(shared: int, task: int) -> int:
    return shared + task


if __name__ == "__main__":
    main(*sys.argv[1:])
