"""Threads and processes that append at once: one order, no gaps, nothing lost."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from store_cases import ALICE, Place, record

from singleout.errors import BadSubmission, SingleoutError, UnreachableData
from singleout.repository.documents.submission import Submission
from singleout.repository.log.merkle import is_included, leaf_hash
from singleout.repository.store.kept.group_commit import GroupCommit, Job

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from store_cases import ALICE, record
from singleout.repository.documents.submission import Submission
from singleout.repository.store.store import Store
store = Store.open(sys.argv[2], key_file=sys.argv[3])
for number in range(int(sys.argv[5])):
    sent = record({"City": f"{sys.argv[4]}-{number}"})
    print(store.append(Submission.sign(sent, ALICE)).index, sent.id, flush=True)
"""


def test_threads_share_commits_and_each_gets_its_own_receipt(place: Place) -> None:
    store = place.create()
    signed = [Submission.sign(record({"City": f"c{n}"}), ALICE) for n in range(40)]
    with ThreadPoolExecutor(8) as threads:
        receipts = list(threads.map(store.append, signed))
    assert sorted(receipt.index for receipt in receipts) == list(range(5, 45))
    assert [receipt.id for receipt in receipts] == [one.document.id for one in signed]
    assert len({receipt.head.size for receipt in receipts}) < 40  # commits were shared
    for receipt in receipts:
        root = bytes.fromhex(receipt.head.root)
        leaf = leaf_hash(receipt.leaf)
        assert is_included(leaf, receipt.index, receipt.head.size, receipt.proof, root)
    store.verify()


def test_one_of_two_that_exclude_each_other_is_taken(place: Place) -> None:
    store = place.create()
    barrier = Barrier(6)
    signed = [Submission.sign(record({"City": "Urk"}, software=str(n)), ALICE) for n in range(6)]

    def append(one: Submission) -> str:
        barrier.wait()
        try:
            return store.append(one).state
        except BadSubmission:
            return "refused"

    with ThreadPoolExecutor(6) as threads:
        states = sorted(threads.map(append, signed))
    assert states == ["refused"] * 5 + ["valid"]
    store.verify()


def test_processes_append_to_one_store(place: Place) -> None:
    store = place.create()
    store.close()
    processes = [
        subprocess.Popen(
            [
                *(sys.executable, "-c", SCRIPT, Path(__file__).parent, place.target),
                *(place.key_file, f"p{number}", "10"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    lines: list[str] = []
    for process in processes:
        out, error = process.communicate()
        assert process.returncode == 0, error[-2000:]
        lines += out.splitlines()
    again = place.open()
    indices = {int(line.split()[0]): line.split()[1] for line in lines}
    assert sorted(indices) == list(range(5, 25))
    for index, identity in indices.items():
        assert again.record(identity).index == index
    again.verify()


# ---- the group commit by itself


def test_a_group_that_fails_is_tried_one_by_one() -> None:
    sizes = []

    def commit(jobs: list[Job[int, int]]) -> list[int]:
        sizes.append(len(jobs))
        if any(job.asked == 3 for job in jobs):
            raise UnreachableData("three breaks it")
        return [job.asked * 10 for job in jobs]

    group = GroupCommit(commit)
    jobs = [Job[int, int](number) for number in range(5)]
    group._waiting = jobs
    group._lead()
    assert sizes == [5, 1, 1, 1, 1, 1]
    assert [job.answer for job in jobs] == [0, 10, 20, None, 40]
    with pytest.raises(UnreachableData, match="three breaks it"):
        jobs[3].result()


def test_a_refused_job_does_not_disturb_the_others() -> None:
    def commit(jobs: list[Job[int, int]]) -> list[int]:
        for job in jobs:
            if job.asked % 2:
                job.error = BadSubmission("odd")
        return [job.asked for job in jobs if job.error is None]

    group = GroupCommit(commit)
    with ThreadPoolExecutor(8) as threads:
        futures = [threads.submit(group.do, number) for number in range(30)]
    for number, future in enumerate(futures):
        if number % 2:
            assert isinstance(future.exception(), SingleoutError)
        else:
            assert future.result() == number


def test_a_fault_reaches_everybody_who_waited() -> None:
    def commit(jobs: list[Job[int, int]]) -> list[int]:
        raise ZeroDivisionError(len(jobs))

    group = GroupCommit(commit)
    with pytest.raises(ZeroDivisionError):
        group.do(1)
    waiting = [Job[int, int](1), Job[int, int](2)]
    group._waiting = waiting
    with pytest.raises(ZeroDivisionError):
        group._lead()
    assert all(isinstance(job.error, ZeroDivisionError) for job in waiting)
