"""Ask a Spark cluster, in a process of its own: a process can have one Spark session.

``python -m bench.spark_driver MASTER CORES FOLDER`` reads the table once; then each line of its
input names a question, and it answers with one line of JSON.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

MEMORY = "3g"  # of each executor


def main(master: str, cores: str, folder: str) -> None:
    """Answer questions until the input ends."""
    import singleout as so

    session = _session(master, cores)
    frame = session.read.parquet(str(Path(folder)))
    questions = _questions(so, frame)
    # what others print must not come between the answers
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(questions[line.strip()]()), file=answers, flush=True)
    session.stop()


def _session(master: str, cores: str) -> Any:
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

    def sketched() -> list[int]:
        return list(so.qar(frame, engine=so.Spark(approximate=0.02)).distinct.tolist())

    def empty() -> int:
        counter = so.Spark().counter(frame)
        tasks = list(range(EMPTY_TASKS))
        return sum(counter.run(_nothing, 0, tasks, name="nothing", what="Doing nothing"))

    return {"sets": sets, "qar": risk, "sketched": sketched, "empty": empty}


EMPTY_TASKS = 400


def _nothing(shared: int, task: int) -> int:
    return shared + task


if __name__ == "__main__":
    main(*sys.argv[1:])
