"""A driver of a Spark cluster in a process of its own, which a test may kill.

Says ``answer`` for each task that is done here, and ``result`` with all of them at the end.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np


def main(master: str, question: str, data: str, marks: str, kept: str) -> None:
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    # otherwise the workers miss the packages of this environment
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.log.level": "OFF",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    session = SparkSession.builder.master(master).config(map=options).getOrCreate()
    import spark_work

    from singleout.engines.spark.engine import Spark

    spark_work.by_value()
    counter = Spark(session=session, checkpoint=kept or None).counter(data)
    table = counter.fetch()
    result = suda(counter, table, marks) if question == "suda" else qar(counter, table, marks)
    print("result", json.dumps(result), flush=True)
    session.stop()


def suda(counter: Any, table: Any, marks: str) -> list[Any]:
    """How many minimal uniques each record has, by size."""
    from spark_work import noted_search

    from singleout.kernels.uniques.search import tasks
    from singleout.methods.suda.tasks import Search

    search = Search([c.codes for c in table], [c.levels for c in table], 3, None)
    parts = tasks(search.levels, 3, 24)
    total = None
    for answer in answers(counter, noted_search, (marks, search), parts):
        total = answer if total is None else total.merge(answer)
    found: list[Any] = total.by_size.tolist()
    return found


def qar(counter: Any, table: Any, marks: str) -> list[Any]:
    """How many distinct combinations each set of four columns has."""
    from spark_work import noted_block

    from singleout.engines.spark.distinct import EncodedTable, in_order, tasks_of

    encoded = EncodedTable.of(table)
    blocks = dict(answers(counter, noted_block, (marks, encoded), tasks_of(encoded, 4)))
    counts: list[Any] = in_order(encoded, 4, [blocks[index] for index in sorted(blocks)]).tolist()
    return counts


def answers(counter: Any, work: Any, shared: Any, tasks: Any) -> Any:
    print("tasks", len(tasks), flush=True)
    for answer in counter.run(work, shared, tasks, name="test", what="Testing"):
        print("answer", flush=True)
        yield answer


def write_people(path: Path) -> None:
    """Write the table that is asked about."""
    import polars as pl

    rng = np.random.default_rng(11)
    levels = (40, 30, 20, 12, 7, 5, 3, 2)
    columns = {f"q{i}": rng.integers(0, n, 400) for i, n in enumerate(levels)}
    pl.DataFrame(columns).write_parquet(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
