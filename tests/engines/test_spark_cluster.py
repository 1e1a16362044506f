"""A real cluster that loses a worker, and a driver that dies: the answer is the same."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import spark_driver
from services.spark import Cluster
from singleout.io.read import read
from singleout.kernels.distinct.count import distinct_counts
from singleout.kernels.uniques.search import minimal_uniques


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "people.parquet"
    spark_driver.write_people(path)
    return path


class Driver:
    """A driver that tells how far it is."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process, self.log = process, log

    def until(self, word: str, times: int = 1) -> str:
        """Read on until a word came so often, and return its line."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(word):
                times -= 1
                if times == 0:
                    return line.removeprefix(word).strip()
        raise AssertionError(f"the driver ended without {word!r}: {self.log.read_text()[-2000:]}")

    def result(self) -> Any:
        found = json.loads(self.until("result"))
        assert self.process.wait(60) == 0
        return found


@contextmanager
def driver(
    cluster: Cluster, question: str, people: Path, marks: Path, kept: Path | None = None
) -> Iterator[Driver]:
    marks.mkdir(exist_ok=True)
    log = marks.with_suffix(".log")
    with log.open("w") as errors:
        process = subprocess.Popen(
            [
                *(sys.executable, "-W", "ignore", spark_driver.__file__),
                *(cluster.url, question, str(people), str(marks), str(kept or "")),
            ],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        yield Driver(process, log)
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def done(marks: Path) -> list[str]:
    """The tasks that were done, some of them twice where a worker was lost."""
    return [mark.name.partition(" ")[0] for mark in marks.iterdir()]


def test_a_search_for_special_uniques_survives_the_loss_of_a_worker(
    spark_cluster: Cluster, people: Path, tmp_path: Path
) -> None:
    with driver(spark_cluster, "suda", people, tmp_path / "marks") as running:
        total = int(running.until("tasks"))
        running.until("answer", 4)
        spark_cluster.kill_worker()
        found = running.result()
    table = read(people)
    expected = minimal_uniques([c.codes for c in table], [c.levels for c in table], 3)
    assert found == expected.by_size.tolist()
    assert len(set(done(tmp_path / "marks"))) == total > 20


def test_distinct_counts_survive_the_death_of_the_driver_and_of_a_worker(
    spark_cluster: Cluster, people: Path, tmp_path: Path
) -> None:
    kept, marks = tmp_path / "kept", tmp_path / "marks"
    with driver(spark_cluster, "qar", people, marks, kept) as running:
        total = int(running.until("tasks"))
        running.until("answer", 5)
        running.process.kill()
        running.process.wait()
    answered = len(list(kept.rglob("*.npz")))
    assert 5 <= answered < total
    with driver(spark_cluster, "qar", people, marks, kept) as running:
        running.until("tasks")
        before = set(marks.iterdir())  # the last tasks of the dead driver ended long ago
        running.until("answer", answered + 2)
        spark_cluster.kill_worker()
        found = running.result()
    table = read(people)
    expected = distinct_counts([c.codes for c in table], [c.levels for c in table], 4)
    assert found == expected.tolist()
    again = {mark.name.partition(" ")[0] for mark in set(marks.iterdir()) - before}
    assert len(again) == total - answered  # only what was missing was done
