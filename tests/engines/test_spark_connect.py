"""Spark Connect: the same answers over a connection, in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import spark_remote
from spark_twins import HOSTILE, in_memory, joint, random_table

from availability import cannot
from services import spark as spark_service
from singleout.engines.local.counter import LocalCounter
from singleout.where.condition import parse


def test_a_client_of_spark_connect(tmp_path: Path) -> None:
    """One test: the server listens where every other one would."""
    if not spark_service.java_is_there():
        cannot("Spark needs Java; `sh scripts/services/install.sh` installs it on Debian, as root.")
    table = random_table(2)
    # Spark reads no file with columns A and a
    plain = table.rename({name: f"x{index}" for index, name in enumerate(table.columns)})
    plain.write_parquet(tmp_path / "people.parquet")
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", spark_remote.__file__, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    answers = json.loads(ended.stdout.splitlines()[-1])
    assert_counts(answers, in_memory(table))
    assert_tasks(answers, in_memory(table))
    assert_sketches(answers, in_memory(table))
    assert_errors(answers)


def assert_counts(answers: dict[str, object], local: LocalCounter) -> None:
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
    assert answers["codes"] == answers["codes in parts"]
    assert answers["codes"] == {name: local.fetch()[name].codes.tolist() for name in HOSTILE}


def assert_tasks(answers: dict[str, object], local: LocalCounter) -> None:
    assert answers["distinct"] == local.distinct_counts(HOSTILE, 3).counts.tolist()
    assert answers["tasks"] == list(range(100, 140))
    assert answers["again"] == 0  # all from the checkpoint


def assert_sketches(answers: dict[str, object], local: LocalCounter) -> None:
    # so few combinations seldom share a register, and these do not
    exact = local.distinct_counts(HOSTILE, 2).counts.tolist()
    assert answers["sketched"] == exact


def assert_errors(answers: dict[str, object]) -> None:
    assert answers["refused"] == "UnusableTable: Task 3 cannot be done; leave it out."
    assert answers["lacking"] == "MissingDependency"
    assert answers["gone"] == "UnreachableData"
