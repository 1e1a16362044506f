"""Spark Connect: the same answers over a connection, in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import spark_remote
from availability import cannot
from spark_twins import HOSTILE, in_memory, joint, random_table

from services import spark as spark_service
from singleout.core.condition import parse


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], pl.DataFrame]:
    """What a client of Spark Connect finds out about a table."""
    if not spark_service.java_is_there():
        cannot("Spark needs Java; `sh scripts/services/install.sh` installs it on Debian, as root.")
    folder: Path = tmp_path_factory.mktemp("connect")
    table = random_table(2)
    # Spark reads no file with columns A and a
    plain = table.rename({name: f"x{place}" for place, name in enumerate(table.columns)})
    plain.write_parquet(folder / "people.parquet")
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", spark_remote.__file__, str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    said = ended.stdout.splitlines()[-1]
    return json.loads(said), table


def test_counts_over_spark_connect(found: tuple[dict[str, object], pl.DataFrame]) -> None:
    answers, table = found
    local = in_memory(table)
    columns = HOSTILE[:4]
    assert answers["columns"] == list(HOSTILE)
    assert answers["rows"] == local.rows
    assert answers["missing"] == local.missing(HOSTILE)
    assert answers["profile"] == [
        profile.sizes.tolist() for profile in local.profiles([columns, HOSTILE[4:]])
    ]
    assert answers["groups"] == list(local.group_rows(["A", "a.b"]).values())
    each, of_sensitive = joint(local, ["a.b", "a"], "A", drop=False)
    assert answers["joint"] == [[[size, sizes] for size, sizes in each], of_sensitive]
    assert answers["where"] == int(parse('"a.b" > 0').mask(local.fetch()).sum())
    assert answers["codes"] == {name: local.fetch()[name].codes.tolist() for name in HOSTILE}


def test_tasks_over_spark_connect(found: tuple[dict[str, object], pl.DataFrame]) -> None:
    answers, table = found
    local = in_memory(table)
    assert answers["distinct"] == local.distinct_counts(HOSTILE, 3).counts.tolist()
    assert answers["tasks"] == list(range(100, 140))
    assert answers["again"] == 0  # all from the checkpoint


def test_sketches_over_spark_connect(found: tuple[dict[str, object], pl.DataFrame]) -> None:
    answers, table = found
    # so few combinations are counted exactly
    exact = in_memory(table).distinct_counts(HOSTILE, 2).counts.tolist()
    assert answers["sketched"] == exact


def test_errors_over_spark_connect(found: tuple[dict[str, object], pl.DataFrame]) -> None:
    answers, _ = found
    assert answers["refused"] == "UnusableTable: Task 3 cannot be done; leave it out."
    assert answers["lacking"] == "MissingDependency"
    assert answers["gone"] == "UnreachableData"
