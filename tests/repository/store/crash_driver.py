"""Publish under load in a process that is killed again and again; print what was acknowledged.

A process of its own, which forks: the packages are loaded once. Each line is a JSON object: the
acknowledged records of a round, or what was found to be wrong with the store.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

sys.path.insert(0, str(Path(__file__).parent))

from store_cases import ALICE, record

from singleout.repository.documents.submission import Submission
from singleout.repository.store.store import Store

_THREADS = 4


def publish(target: str, key_file: str, acknowledge: int, start: int) -> NoReturn:
    """Publish from several threads, and write each id once it is acknowledged."""
    store = Store.open(target, key_file=key_file)
    numbers = count(start)

    def work(_: int) -> None:
        while True:
            sent = record({"City": f"c{next(numbers)}"})
            receipt = store.append(Submission.sign(sent, ALICE))
            os.write(acknowledge, f"{receipt.index} {sent.id}\n".encode())

    with ThreadPoolExecutor(_THREADS) as threads:
        list(threads.map(work, range(_THREADS)))
    raise AssertionError("publishing never ends by itself")


def round_of(target: str, key_file: str, start: int, rng: random.Random) -> list[tuple[int, str]]:
    """Let a process publish for a while, kill it, and return what it acknowledged."""
    mine, its = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(mine)
            publish(target, key_file, its, start)
        finally:
            os._exit(1)
    os.close(its)
    with os.fdopen(mine) as reading:
        lines = [reading.readline() for _ in range(rng.randint(1, 25))]
        time.sleep(rng.uniform(0, 0.01))
        os.kill(child, signal.SIGKILL)
        lines += reading.readlines()
    os.waitpid(child, 0)
    whole = [line.split() for line in lines if line.endswith("\n")]
    return [(int(index), identity) for index, identity in whole]


def found_wrong(target: str, acknowledged: list[tuple[int, str]], head: Any) -> str:
    with Store.open(target, key_file="/nonexistent") as store:
        store.verify(head)
        for index, identity in acknowledged:
            found = store.record(identity)
            if found.index != index or found.record is None or found.record.id != identity:
                return f"{identity} is not entry {index} as acknowledged"
    return ""


def main(target: str, key_file: str, rounds: str, seed: str) -> None:
    rng = random.Random(int(seed))
    head, everything = None, list[tuple[int, str]]()
    for number in range(int(rounds)):
        acknowledged = round_of(target, key_file, 1_000_000 * number, rng)
        everything += acknowledged
        wrong = found_wrong(target, everything, head)
        with Store.open(target, key_file="/nonexistent") as store:
            head = store.head()
        print(json.dumps({"acknowledged": len(acknowledged), "wrong": wrong}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
