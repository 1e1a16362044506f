"""A client of Spark Connect, whose server it starts: one line of JSON at the end."""

import json
import os
import sys
from pathlib import Path
from typing import Any


def main(folder: Path) -> None:
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    options = {
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "OFF",
        "spark.ui.enabled": "false",
        # queries here are few and small, so compiling them well does not pay
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    session = SparkSession.builder.remote("local[2]").config(map=options).getOrCreate()
    from spark_twins import HOSTILE

    frame = session.read.parquet(str(folder / "people.parquet")).toDF(*HOSTILE)
    found = {**counts(frame, HOSTILE), **tasks(session, frame, HOSTILE, folder)}
    from singleout.engines.spark.engine import Spark

    counter = Spark().counter(frame)
    session.stop()
    found["gone"] = message(lambda: counter.rows).partition(":")[0]
    print(json.dumps(found), flush=True)


def counts(frame: Any, names: Any) -> dict[str, Any]:
    from spark_twins import joint

    from singleout.engines.spark import encode as spark_encode
    from singleout.engines.spark.engine import Spark
    from singleout.where.condition import parse

    counter = Spark().counter(frame)
    table = counter.fetch()
    spark_encode._TOGETHER = 0
    in_parts = counter.fetch()
    return {
        "columns": counter.columns,
        "rows": counter.rows,
        "missing": counter.missing(names),
        "profile": [profile.sizes.tolist() for profile in counter.profiles([names[:4], names[4:]])],
        "groups": list(counter.group_rows(["A", "a.b"]).values()),
        "joint": joint(counter, ["a.b", "a"], "A", drop=False),
        "where": Spark().counter(frame, parse('"a.b" > 0')).rows,
        "codes": {name: table[name].codes.tolist() for name in names},
        "codes in parts": {name: in_parts[name].codes.tolist() for name in names},
    }


def tasks(session: Any, frame: Any, names: Any, folder: Path) -> dict[str, Any]:
    import spark_work

    from singleout.engines.spark.engine import Spark

    spark_work.by_value()
    (folder / "marks").mkdir()
    counter = Spark(session=session, checkpoint=folder / "kept").counter(frame)

    def run(work: Any, shared: Any = None) -> list[Any]:
        return sorted(counter.run(work, shared, range(40), name="test", what="Testing"))

    first = run(spark_work.noted_add, (str(folder / "marks"), 100))
    before = len(list((folder / "marks").iterdir()))
    run(spark_work.noted_add, (str(folder / "marks"), 100))
    return {
        "tasks": first,
        "again": len(list((folder / "marks").iterdir())) - before,
        "distinct": counter.distinct_counts(names, 3).counts.tolist(),
        "sketched": Spark(approximate=0.01)
        .counter(frame)
        .distinct_counts(names, 2)
        .counts.tolist(),
        "refused": message(lambda: run(spark_work.refuse)),
        "lacking": message(lambda: run(spark_work.lack_the_package)).partition(":")[0],
    }


def message(work: Any) -> str:
    """What an error says, after its kind."""
    from singleout.errors import SingleoutError

    try:
        work()
    except SingleoutError as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
