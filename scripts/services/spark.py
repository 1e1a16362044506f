"""A Spark standalone cluster of the pip package: one master, some workers, this machine only."""

from __future__ import annotations

import json
import os
import shutil
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from services.processes import (
    HOST,
    INSTALL,
    NotInstalled,
    Server,
    folder,
    free_port,
    start,
    wait_until,
)

__all__ = ["Cluster", "cluster", "java_is_there", "running"]

_MASTER = "org.apache.spark.deploy.master.Master"
_WORKER = "org.apache.spark.deploy.worker.Worker"


@dataclass(frozen=True)
class Cluster:
    """A cluster that runs.

    A process can have one Spark session: drive the cluster from a process of its own where another
    session may be open. An executor gets at most ``memory`` of a worker, which is less than Spark's
    default: ask for it with ``spark.executor.memory``.

    Parameters
    ----------
    url
        The address of the master, for ``SparkSession.builder.master``.
    cores, memory
        What each worker offers.
    """

    url: str
    cores: int
    memory: str
    _page: str
    _home: Path
    _processes: list[Server] = field(default_factory=list)

    @property
    def workers(self) -> tuple[int, ...]:
        """The process ids of the workers that have not ended."""
        return tuple(process.pid for process in self._processes if process.is_running)

    @property
    def registered(self) -> frozenset[str]:
        """The names of the workers that the master takes to be alive."""
        known = _state(self._page)["workers"]
        return frozenset(worker["id"] for worker in known if worker["state"] == "ALIVE")

    def start_worker(self) -> int:
        """Start one more worker, wait until the master knows it, and return its process id."""
        (pid,) = self.start_workers(1)
        return pid

    def start_workers(self, number: int) -> tuple[int, ...]:
        """Start more workers at once, wait until the master knows them, and return their ids."""
        before = self.registered
        first = len(self._processes)
        for place in range(first, first + number):
            self._processes.append(
                start(
                    [
                        *(_program(), _WORKER, "--host", HOST, "--port", "0", "--webui-port", "0"),
                        *("--cores", str(self.cores), "--memory", self.memory),
                        *("--work-dir", self._home / f"work-{place}", self.url),
                    ],
                    self._home / f"worker-{place}.log",
                    environment=_environment(self._home),
                )
            )
        new = self._processes[first:]
        for process in new:
            wait_until(lambda: len(self.registered - before) >= number, process, "A Spark worker")
        return tuple(process.pid for process in new)

    def kill_worker(self, pid: int | None = None) -> int:
        """Kill a worker and its executors, the first if none is named; return its process id."""
        process = next(p for p in self._processes if p.is_running and pid in (None, p.pid))
        process.kill()
        return process.pid

    def stop(self) -> None:
        """End all workers."""
        # the executors are in the groups of their workers, which nothing here needs any more
        for process in self._processes:
            process.kill()


@contextmanager
def running(workers: int = 2, cores: int = 1, memory: str = "1g") -> Iterator[str]:
    """Give the address of the master of a new cluster, and stop it afterwards."""
    with cluster(workers, cores, memory) as found:
        yield found.url


@contextmanager
def cluster(workers: int = 2, cores: int = 1, memory: str = "1g") -> Iterator[Cluster]:
    """Start a cluster, give it, and stop it afterwards.

    Parameters
    ----------
    workers
        How many workers there are.
    cores, memory
        What each worker offers; memory as Spark writes it, ``1g`` or ``512m``.

    Raises
    ------
    NotInstalled
        If Spark or Java is not installed.
    """
    program = _program()
    with folder("spark") as home:
        port, page = free_port(), free_port()
        master = start(
            [program, _MASTER, "--host", HOST, "--port", str(port), "--webui-port", str(page)],
            home / "master.log",
            environment=_environment(home),
        )
        found = Cluster(
            f"spark://{HOST}:{port}", cores, memory, f"http://{HOST}:{page}/json/", home
        )
        try:
            wait_until(lambda: _is_alive(found), master, "The master of the Spark cluster")
            found.start_workers(workers)
            yield found
        finally:
            found.stop()
            master.kill()


def java_is_there() -> bool:
    """Whether Spark would find Java."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java") is not None or bool(home and (Path(home) / "bin/java").exists())


def _program() -> Path:
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise NotInstalled("Spark is not installed; `pip install pyspark` installs it.")
    if not java_is_there():
        raise NotInstalled(f"Spark needs Java, which is not installed; {INSTALL}.")
    return Path(spec.origin).parent / "bin" / "spark-class"


def _environment(home: Path) -> dict[str, str]:
    return {
        "SPARK_HOME": str(_program().parents[1]),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_DAEMON_MEMORY": "256m",
        # they do little, so compiling them well does not pay
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "SPARK_LAUNCHER_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        # otherwise anybody on this machine could have programs run, at a port that is known
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
        "SPARK_LOCAL_DIRS": str(home),
        # otherwise the workers miss the packages of this environment
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }


def _is_alive(found: Cluster) -> bool:
    try:
        return bool(_state(found._page)["status"] == "ALIVE")
    except OSError:
        return False


def _state(page: str) -> dict[str, Any]:
    # never through a proxy: the page is on this machine
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with ask.open(page, timeout=10) as answer:
        state: dict[str, Any] = json.load(answer)
        return state
