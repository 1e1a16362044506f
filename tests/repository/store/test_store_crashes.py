"""Nothing that was acknowledged is ever lost, whoever is killed, and nothing is left half."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

from store_cases import ALICE, Place, record

from conftest import new_schema
from services.postgresql import DatabaseServer
from singleout.errors import UnreachableData
from singleout.repository.documents.submission import Submission
from singleout.repository.store.store import Store

ROUNDS = 20
DRIVER = Path(__file__).with_name("crash_driver.py")


def test_a_killed_publisher_loses_nothing_that_it_acknowledged(file_place: Place) -> None:
    file_place.create().close()
    done = subprocess.run(
        [
            *(sys.executable, DRIVER, file_place.target, file_place.key_file),
            *(str(ROUNDS), str(random.randrange(10**6))),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["wrong"] for one in rounds] == [""] * ROUNDS
    assert all(one["acknowledged"] for one in rounds)


def test_a_killed_server_loses_nothing_that_was_acknowledged(
    private_server: DatabaseServer, tmp_path: Path
) -> None:
    server = private_server
    place = Place(new_schema(server), tmp_path)
    store = place.create()
    numbers = count()
    acknowledged: dict[str, int] = {}

    def publish_until_it_breaks(_: int) -> None:
        while True:
            sent = record({"City": f"c{next(numbers)}"})
            try:
                receipt = store.append(Submission.sign(sent, ALICE))
            except UnreachableData:
                return
            acknowledged[sent.id] = receipt.index

    try:
        for _ in range(ROUNDS):
            before, seen = len(acknowledged), store.head()
            with ThreadPoolExecutor(3) as threads:
                running = [threads.submit(publish_until_it_breaks, one) for one in range(3)]
                enough = before + random.randint(1, 15)
                while len(acknowledged) < enough:
                    time.sleep(0.002)
                server = server.restarted()
                for one in running:
                    one.result()
            assert len(acknowledged) > before
            _check(store, acknowledged)
            assert store.consistency(seen.size)
        store.verify()
    finally:
        place.close()


def _check(store: Store, acknowledged: dict[str, int]) -> None:
    """All acknowledged ones are there, and the entries are those of the signed head."""
    entries = {json.loads(one.leaf).get("record"): one.index for one in store.entries()}
    assert {identity: entries.get(identity) for identity in acknowledged} == acknowledged
    assert len(list(store.entries())) == store.size
