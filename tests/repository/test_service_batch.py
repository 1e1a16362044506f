"""Several submissions in one request, each answered by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from service_cases import Client, People, client, made, record, relaxed

from singleout.repository.service.settings import RateLimit

LINES = {"Content-Type": "application/x-ndjson"}


@pytest.fixture
def people(tmp_path: Path) -> People:
    return made(tmp_path / "store.sqlite", tmp_path)


@pytest.fixture
def asks(people: People, tmp_path: Path) -> Iterator[Client]:
    del people  # they are registered
    with client(tmp_path / "store.sqlite", relaxed(tmp_path, batch=10)) as asks:
        yield asks


def _line(people: People, city: str, **changes: Any) -> bytes:
    return json.dumps(people.submission(record(people.keys["holder"], city, **changes))).encode()


def _sent(asks: Client, *lines: bytes) -> Any:
    return asks("POST", "/submissions/batch", content=b"\n".join(lines), headers=LINES)


def test_each_line_gets_its_own_answer(asks: Client, people: People, tmp_path: Path) -> None:
    deep = b'{"body":' + 50 * b"[" + 50 * b"]" + b"}"
    answer = _sent(asks, _line(people, "Urk"), b"{", b"{}", deep, _line(people, "Ede"), b"")
    assert answer.status_code == 200
    answers = answer.json()["answers"]
    assert [one["status"] for one in answers] == [201, 400, 422, 400, 201]
    first, last = answers[0]["receipt"], answers[-1]["receipt"]
    assert (first["state"], last["index"]) == ("valid", first["index"] + 1)
    assert first["head"] == last["head"]
    assert "is not JSON" in answers[1]["problem"]["detail"]
    assert asks.get(f"/records/{last['id']}").status_code == 200
    audit = (tmp_path / "audit.jsonl").read_text().splitlines()
    assert [one["id"] for one in json.loads(audit[-1])["batch"]] == [first["id"], last["id"]]


def test_a_replayed_line_is_refused(asks: Client, people: People) -> None:
    line = _line(people, "Urk")
    first, again = _sent(asks, line, line).json()["answers"]
    assert (first["status"], again["status"]) == (201, 422)
    assert "received before" in again["problem"]["detail"]


@pytest.mark.parametrize("count", [0, 11])
def test_no_line_and_too_many_are_refused(asks: Client, count: int) -> None:
    answer = _sent(asks, *(count * [b"{}"]))
    assert answer.status_code == 422
    assert "send 1 to 10 submissions" in answer.json()["detail"]


def test_a_batch_is_json_lines(asks: Client) -> None:
    assert asks.post("/submissions/batch", {}).status_code == 415


@pytest.mark.usefixtures("people")
def test_a_batch_counts_as_its_lines(tmp_path: Path) -> None:
    slow = RateLimit(burst=5, per_second=1)
    with client(tmp_path / "store.sqlite", relaxed(tmp_path, changing=slow)) as asks:
        assert _sent(asks, *(8 * [b"{}"])).status_code == 200
        answer = _sent(asks, b"{}")
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 3


def test_a_batch_needs_a_vocabulary_where_one_is_required(people: People, tmp_path: Path) -> None:
    settings = relaxed(tmp_path, require_vocabulary=True)
    with client(tmp_path / "store.sqlite", settings) as asks:
        (answer,) = _sent(asks, _line(people, "Urk")).json()["answers"]
    assert answer["status"] == 422
    assert answer["problem"]["error"] == "NotPublishable"
