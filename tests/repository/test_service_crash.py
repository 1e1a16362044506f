"""kill -9 in the middle of publishing: what was acknowledged is there, and the log verifies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import IO

import pytest
from service_cases import People, made, record, relaxed

from services.processes import free_port
from singleout.errors import BadChoice, UnreachableData
from singleout.repository.documents.record import Record
from singleout.repository.service.serve import serve
from singleout.repository.service.settings import ServiceSettings
from singleout.repository.store.store import Store

ROUNDS = 20
THREADS = 6
_JSON = {"Content-Type": "application/json"}

# imports once, and starts a service in a new process for each line that it reads
_NURSERY = """
import json, os, signal, sys
import singleout.repository.service.app
from singleout.repository.service.serve import serve
from singleout.repository.service.settings import ServiceSettings
if __name__ == "__main__":
    for line in sys.stdin:
        given = json.loads(line)
        pid = os.fork()
        if pid == 0:
            serve(given["target"], port=given["port"], workers=given["workers"],
                  settings=ServiceSettings.model_validate(given["settings"]))
            os._exit(0)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


@dataclass
class Service:
    """A service in a process of its own."""

    pid: int
    address: str
    output: IO[str]
    code: int | None = None

    def send(self, number: signal.Signals) -> None:
        if self.code is None:
            os.kill(self.pid, number)

    def wait(self) -> int:
        """Return how it ended."""
        if self.code is None:
            self.code = int(self.output.readline())
        return self.code


@dataclass
class Nursery:
    """Starts services quickly: what they import is there already."""

    process: subprocess.Popen[str]

    @contextmanager
    def served(self, target: str, folder: Path, workers: int = 1) -> Iterator[Service]:
        port = free_port()
        settings = relaxed(folder).model_dump(mode="json")
        given = {"target": target, "port": port, "workers": workers, "settings": settings}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(given) + "\n")
        self.process.stdin.flush()
        pid = int(self.process.stdout.readline())
        service = Service(pid, f"127.0.0.1:{port}", self.process.stdout)
        try:
            _until(lambda: _status(service.address, "/v1/health") == 200)
            yield service
        finally:
            service.send(signal.SIGTERM)
            service.wait()


@pytest.fixture(scope="module")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    script = tmp_path_factory.mktemp("nursery") / "nursery.py"
    script.write_text(_NURSERY)
    command = [sys.executable, str(script)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Nursery(process)
        assert process.stdin is not None
        process.stdin.close()


def _status(address: str, path: str) -> int:
    connection = HTTPConnection(address, timeout=20)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (HTTPException, OSError):
        return 0
    finally:
        connection.close()


@dataclass
class Publishers:
    """Threads that publish records as fast as they can, and note which were acknowledged."""

    address: str
    bodies: list[tuple[str, bytes]]
    acknowledged: list[tuple[str, int]] = field(default_factory=list)
    others: list[int] = field(default_factory=list)
    enough: threading.Event = field(default_factory=threading.Event)

    def run(self, lane: int) -> None:
        connection = HTTPConnection(self.address, timeout=20)
        for name, body in self.bodies[lane::THREADS]:
            if self.enough.is_set():
                break
            try:
                connection.request("POST", "/v1/submissions", body, _JSON)
                answer = connection.getresponse()
                document = json.loads(answer.read())
            except (HTTPException, OSError):  # not acknowledged: it may be there or not
                connection.close()
                self.enough.wait(0.02)
                continue
            if answer.status == 201:
                self.acknowledged.append((name, document["index"]))
            else:
                self.others.append(answer.status)
        connection.close()

    @contextmanager
    def publishing(self) -> Iterator[None]:
        threads = [threading.Thread(target=self.run, args=(lane,)) for lane in range(THREADS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.enough.set()
            for thread in threads:
                thread.join()


def bodies(people: People, number: int, label: str) -> list[tuple[str, bytes]]:
    """Signed records, prepared before, so that publishing is all that happens."""
    key = people.keys["holder"]
    template = record(key, "X").to_dict()
    made_of = []
    for index in range(number):
        one = Record.of({**template, "population": {"City": f"{label} {index}"}})
        made_of.append((one.id, json.dumps(people.submission(one)).encode()))
    return made_of


def check(target: str, folder: Path, acknowledged: list[tuple[str, int]]) -> int:
    """Check that all that was acknowledged is there, whole, and that the log verifies."""
    with Store.open(target, key_file=folder / "repository.key") as store:
        head = store.verify()
        for name, index in acknowledged:
            found = store.record(name)
            assert (found.index, found.state) == (index, "valid")
            assert found.record is not None
            assert found.record.id == name
    return head.size


def test_what_was_acknowledged_survives_a_kill_in_the_middle_of_publishing(
    tmp_path: Path, nursery: Nursery
) -> None:
    target = str(tmp_path / "store.sqlite")
    people = made(target, tmp_path)
    acknowledged: list[tuple[str, int]] = []
    supply = bodies(people, ROUNDS * 40, "Round")
    for number in range(ROUNDS):
        with nursery.served(target, tmp_path) as service:
            mine = supply[number * 40 : (number + 1) * 40]
            publishers = Publishers(service.address, mine)
            with publishers.publishing():
                end = time.monotonic() + 10
                while len(publishers.acknowledged) < 3 + number and time.monotonic() < end:
                    time.sleep(0.002)
                service.send(signal.SIGKILL)
                assert service.wait() == -signal.SIGKILL
        assert len(publishers.acknowledged) >= 3
        assert publishers.others == []
        acknowledged += publishers.acknowledged
    assert check(target, tmp_path, acknowledged) >= len(acknowledged)


def _workers(of: int) -> list[int]:
    """Return the processes that answer: children that are not helpers of multiprocessing."""
    found = []
    for child in Path(f"/proc/{of}/task/{of}/children").read_text().split():
        command = Path(f"/proc/{child}/cmdline").read_bytes()
        if b"spawn_main" in command:
            found.append(int(child))
    return found


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds workers by /proc")
def test_two_workers_go_on_when_a_third_is_killed(
    tmp_path: Path, new_database: Callable[[], str], nursery: Nursery
) -> None:
    target = new_database()
    people = made(target, tmp_path)
    supply = bodies(people, 400, "Worker")
    with nursery.served(target, tmp_path, workers=3) as service:
        publishers = Publishers(service.address, supply)
        with publishers.publishing():
            _until(lambda: len(publishers.acknowledged) >= 20)
            workers = _workers(service.pid)
            assert len(workers) == 3
            os.kill(workers[0], signal.SIGKILL)
            at_kill = len(publishers.acknowledged)
            _until(lambda: len(publishers.acknowledged) >= at_kill + 60)
        assert publishers.others == []
        # every worker sees what the others have published
        name, _ = publishers.acknowledged[-1]
        for _ in range(6):
            assert _status(service.address, f"/v1/records/{name}") == 200
        _until(lambda: len(set(_workers(service.pid)) - {workers[0]}) == 3)  # it is replaced
    assert service.code == 0
    check(target, tmp_path, publishers.acknowledged)


def _until(met: Callable[[], bool]) -> None:
    end = time.monotonic() + 180  # the machine may be busy
    while not met():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.005)


def test_a_service_that_is_told_to_stop_answers_what_it_has_begun(
    tmp_path: Path, nursery: Nursery
) -> None:
    target = str(tmp_path / "store.sqlite")
    people = made(target, tmp_path)
    with nursery.served(target, tmp_path) as service:
        publishers = Publishers(service.address, bodies(people, 60, "Stop"))
        with publishers.publishing():
            _until(lambda: len(publishers.acknowledged) >= 5)
            service.send(signal.SIGTERM)
            assert service.wait() == 0
    size = check(target, tmp_path, publishers.acknowledged)
    # nothing was stored without being answered: 12 entries were there before
    assert size - 12 == len(publishers.acknowledged)


def test_a_service_that_cannot_start_says_so_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no repository"):
        serve(tmp_path / "nothing.sqlite")
    made(tmp_path / "store.sqlite", tmp_path)
    settings = ServiceSettings(key_file=tmp_path / "repository.key")
    with pytest.raises(UnreachableData, match=r"Cannot listen on 192\.0\.2\.1"):
        serve(tmp_path / "store.sqlite", host="192.0.2.1", settings=settings)
    with Store.create(tmp_path / "mine.sqlite", name="mine"):
        pass
    with pytest.raises(BadChoice, match="personal"):
        serve(tmp_path / "mine.sqlite", host="0.0.0.0")
