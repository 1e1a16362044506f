"""Headers, limits of size, rate and time, metrics, and the OpenAPI document of the service."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from service_cases import FAST, Client, People, client, made, record, relaxed

from singleout.errors import UnreachableData, UnwritableOutput
from singleout.repository.service.answers import FreshNumber, KeptAnswers
from singleout.repository.service.app import create_app
from singleout.repository.service.bodies import check_depth
from singleout.repository.service.problems import Refused
from singleout.repository.service.rates import Buckets, address_key
from singleout.repository.service.settings import RateLimit, ServiceSettings
from singleout.repository.service.shield import SECURITY_HEADERS

QUESTION = {"quasi_identifier": ["age:width=5", "sex"], "population": {"City": "Urk"}}


@dataclass
class House:
    folder: Path
    people: People

    @property
    def target(self) -> Path:
        return self.folder / "store.sqlite"

    def settings(self, **changes: Any) -> ServiceSettings:
        return relaxed(self.folder, **changes)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    folder = tmp_path_factory.mktemp("house")
    return House(folder, made(folder / "store.sqlite", folder))


@pytest.fixture(scope="module")
def asks(house: House) -> Iterator[Client]:
    with client(house.target, house.settings()) as found:
        signed = house.people.submission(record(house.people.keys["holder"]))
        assert found.post("/submissions", signed).status_code == 201
        yield found


# ---- headers


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", ""),
        ("GET", "/health"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("GET", "/nothing"),
        ("GET", "/records/x"),
        ("DELETE", "/query"),
        ("OPTIONS", "/query"),
        ("POST", "/submissions"),
    ],
)
def test_every_response_has_the_security_headers(asks: Client, method: str, path: str) -> None:
    answer = asks(method, path, headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code < 500
    for name, value in SECURITY_HEADERS.items():
        assert answer.headers[name] == value
    assert "server" not in answer.headers
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answer.headers["Cache-Control"] == "no-store"
    assert re.fullmatch("[0-9a-f]{16}", answer.headers["Request-Id"])


def test_a_request_id_is_returned_if_it_is_harmless(asks: Client) -> None:
    assert asks.get("", **{"Request-Id": "abc-1.2_3"}).headers["Request-Id"] == "abc-1.2_3"
    for odd in ("a b", "x" * 65, "<script>"):
        assert asks.get("", **{"Request-Id": odd}).headers["Request-Id"] != odd


def test_a_method_that_is_not_offered_names_those_that_are(asks: Client) -> None:
    answer = asks("DELETE", "/query")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert answer.json()["detail"] == "DELETE is not offered here; use POST."


def test_an_unknown_parameter_is_refused(asks: Client) -> None:
    answer = asks.get("/log/entries?form=3")
    assert answer.status_code == 422
    assert "Did you mean 'from'?" in answer.json()["detail"]
    assert asks.get("/log/entries?from=1&from=2").status_code == 422
    assert asks.get("/health?x=1").status_code == 422
    for value in ("-1", "x", "1e3", "9" * 40, "", "%00"):
        assert asks.get(f"/log/entries?from={value}").status_code == 422


def test_there_is_no_page_that_loads_scripts(asks: Client) -> None:
    for path in ("/docs", "/redoc"):
        assert asks.get(path).status_code == 404


# ---- metrics


def test_metrics_are_numbers_without_data(asks: Client, house: House) -> None:
    asks.post("/query", QUESTION)
    asks.get("/records/sha256:" + 64 * "a", **house.people.headers("reader"))
    asks.get("/Amsterdam")
    text = asks.get("/metrics").text
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert lines
    for line in lines:
        assert re.fullmatch(
            r'singleout_\w+(\{\w+="[\w/{}.+-]*"(,\w+="[\w/{}.+-]*")*\})? [0-9.e+-]+', line
        ), line
    for word in ("Urk", "City", "age", "sex", "Amsterdam", "ed25519", "sha256", "aaaa", "so_"):
        assert word not in text
    assert re.search("singleout_tree_size [1-9]", text)
    assert re.search(r'requests_total\{route="/query",status="200"\} [1-9]', text)


# ---- limits


def test_too_many_requests_are_told_to_wait(house: House) -> None:
    slow = RateLimit(burst=3, per_second=0.5)
    with client(house.target, house.settings(reading=slow, changing=slow)) as asks:
        statuses = [asks.get("/health").status_code for _ in range(4)]
        assert statuses == [200, 200, 200, 429]
        answer = asks.get("/health")
        assert answer.headers["Retry-After"] == "2"
        assert "wait 2 s" in answer.json()["detail"]
        # a token has a bucket of its own, and so have changes
        assert asks.get("/health", **house.people.headers("reader")).status_code == 200
        assert asks.post("/submissions", {}).status_code == 422


def test_guessing_tokens_is_slowed_down(house: House) -> None:
    with client(house.target, house.settings()) as asks:
        guess = {"Authorization": f"Bearer so_{43 * 'x'}"}
        statuses = {asks.get("/health", **guess).status_code for _ in range(30)}
        assert statuses == {401, 429}
        assert asks.get("/health").status_code == 200


def test_a_bucket_refills(house: House) -> None:
    del house
    now = [0.0]
    buckets = Buckets(RateLimit(burst=2, per_second=4), clock=lambda: now[0])
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 1]
    assert buckets.take("b") == 0
    now[0] = 0.25
    assert [buckets.take("a") for _ in range(2)] == [0, 1]
    now[0] = 100.0
    assert buckets.wait("a") == 0
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 1]


def test_the_memory_of_callers_is_bounded() -> None:
    buckets = Buckets(FAST)
    for number in range(25_000):
        buckets.take(str(number))
    assert len(buckets._levels) == 20_000
    assert address_key("::ffff:192.0.2.1") == "192.0.2.1"


def test_a_body_without_a_stated_length_is_read_up_to_the_limit_only(asks: Client) -> None:
    sent = 0

    async def endless() -> Any:
        nonlocal sent
        while True:
            sent += 1
            yield b" " * 1_000

    answer = asks("POST", "/query", content=endless())  # type: ignore[arg-type]
    assert answer.status_code == 413
    assert sent < 100


def test_a_body_that_does_not_arrive_in_time_is_given_up(house: House) -> None:
    async def slow() -> Any:
        yield b"{"
        await asyncio.sleep(5)
        yield b"}"

    with client(house.target, house.settings(body_patience=0.1)) as asks:
        started = time.monotonic()
        answer = asks("POST", "/query", content=slow())  # type: ignore[arg-type]
        assert answer.status_code == 408
        assert time.monotonic() - started < 3


def test_a_request_that_takes_too_long_is_given_up(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    from singleout.repository.store.store import Store

    release = threading.Event()
    with client(house.target, house.settings(patience=0.2)) as asks:
        monkeypatch.setattr(Store, "holders", lambda *_: release.wait(10))
        try:
            answer = asks.get("/holders")
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
            assert "0.2 s" in answer.json()["detail"]
        finally:
            release.set()


def test_more_requests_than_can_be_worked_on_are_sent_away(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    with client(house.target, house.settings(in_flight=1)) as asks:
        service = asks.app.fastapi.state.service
        monkeypatch.setattr(service.metrics, "in_flight", 1)
        answer = asks.get("/health")
        assert (answer.status_code, answer.json()["error"]) == (503, "UnreachableData")


def test_a_store_that_does_not_answer_is_said_without_details(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    from singleout.repository.store.store import Store

    def fails(*_: Any) -> Any:
        raise UnreachableData("The store postgresql://secret@host/db does not answer.")

    with client(house.target, house.settings()) as asks:
        monkeypatch.setattr(Store, "head", fails)
        monkeypatch.setattr(Store, "size", property(fails))
        answer = asks.get("/health")
        assert answer.status_code == 503
        assert "secret" not in answer.text


def test_a_mistake_of_the_service_shows_nothing_of_its_inside(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from singleout.repository.store.store import Store

    def fails(*_: Any) -> Any:
        raise RuntimeError("the inside")

    with client(house.target, house.settings()) as asks:
        monkeypatch.setattr(Store, "holders", fails)
        answer = asks.get("/holders")
        assert answer.status_code == 500
        assert "inside" not in answer.text
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.headers["Request-Id"] in caplog.text


def test_an_audit_log_that_cannot_be_written_stops_the_service(house: House) -> None:
    settings = house.settings(audit=house.folder / "missing" / "audit.jsonl")
    with pytest.raises(UnwritableOutput, match="audit log"), client(house.target, settings):
        pass


def test_depth_is_counted_outside_of_strings() -> None:
    check_depth(b'{"[[[[[\\"[[[[": [1, "]]"]}', 2)
    with pytest.raises(Refused):
        check_depth(b"[[[]]]", 2)
    check_depth(b"[],[],[]", 1)


# ---- answers that are kept


def test_answers_are_kept_for_one_size_of_the_tree_and_up_to_a_size() -> None:
    kept: KeptAnswers[str] = KeptAnswers(100)
    kept.put(1, ("a",), "A", 40)
    kept.put(1, ("b",), "B", 40)
    assert (kept.get(1, ("a",)), kept.get(2, ("a",))) == ("A", None)
    kept.put(1, ("c",), "C", 40)  # makes room by forgetting what was not asked for longest
    assert (kept.get(1, ("a",)), kept.get(1, ("b",)), kept.get(1, ("c",))) == ("A", None, "C")
    kept.put(2, ("d",), "D", 40)
    assert (kept.get(1, ("a",)), kept.get(2, ("d",))) == (None, "D")
    kept.put(1, ("e",), "E", 40)  # computed from a tree that is no longer the last
    assert kept.get(1, ("e",)) is None
    kept.put(2, ("f",), "F", 101)
    assert kept.get(2, ("f",)) is None


def test_one_reading_serves_all_who_wait_and_none_that_came_after_it_began() -> None:
    async def run() -> None:
        value, readings = 0, 0
        finished = asyncio.Event()

        async def read() -> int:
            nonlocal readings
            readings += 1
            seen = value
            await finished.wait()
            return seen

        number = FreshNumber(read)
        first = asyncio.ensure_future(number.get())
        while not readings:
            await asyncio.sleep(0)
        value = 1
        later = [asyncio.ensure_future(number.get()) for _ in range(20)]
        await asyncio.sleep(0)  # all of them wait
        finished.set()
        assert await first == 0
        assert await asyncio.gather(*later) == [1] * 20
        assert readings == 2
        value = 2
        assert await number.get() == 2

    asyncio.run(run())


def test_a_question_asked_again_is_answered_from_memory(asks: Client, house: House) -> None:
    metrics = asks.app.fastapi.state.service.metrics.cache
    asks.post("/query", QUESTION)
    before = metrics["hit"]
    first, again = asks.post("/query", QUESTION), asks.post("/query", QUESTION)
    assert first.content == again.content
    assert metrics["hit"] == before + 2
    assert first.headers["Request-Id"] != again.headers["Request-Id"]
    asks.post("/query", QUESTION, headers=house.people.headers("reader"))
    assert metrics["hit"] == before + 2  # who sees more gets an answer of their own


# ---- the document


def test_the_openapi_document_in_the_manual_is_current() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "repository-openapi.json"
    document = create_app("unused.sqlite").openapi()
    assert document["openapi"].startswith("3.1")
    assert json.loads(page.read_text(encoding="utf-8")) == json.loads(json.dumps(document)), (
        "run: python scripts/make_openapi.py"
    )


def test_every_route_of_the_manual_is_in_the_document_and_the_reverse() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "repository-api.md"
    text = page.read_text(encoding="utf-8")
    named = {
        (method, path.split("?")[0])
        for method, path in re.findall(r"`(GET|POST) (/v1[^`\s]*)`", text)
    }
    document = create_app("unused.sqlite").openapi()
    served = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    assert named == served
