"""What comes before a body, and after it, is bounded, whichever parser is installed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from service_cases import client, record, relaxed
from uvicorn.server import ServerState

from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.submission import Submission
from singleout.repository.service import readable
from singleout.repository.service.serve import server_options
from singleout.repository.service.settings import HEAD_BYTES
from singleout.repository.store.store import Store

START = b"POST / HTTP/1.1\r\nHost: here\r\n"


async def _app(_: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body", False):
        pass
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]}
    )
    await send({"type": "http.response.body", "body": b""})


def _answer(parser: str, *parts: bytes) -> bytes:
    """Return what a server sends back until it closes the connection, or is silent."""
    options = server_options(None)
    if parser == "h11":
        options["http"] = "h11"
    else:
        pytest.importorskip("httptools")
    config = uvicorn.Config(_app, **{**options, "lifespan": "off"})
    config.load()

    async def run() -> bytes:
        state = ServerState()
        server = await asyncio.get_running_loop().create_server(
            lambda: config.http_protocol_class(  # type: ignore[operator]
                config=config, server_state=state, app_state={}
            ),
            "127.0.0.1",
            0,
        )
        async with server:
            port = server.sockets[0].getsockname()[1]
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            came = asyncio.ensure_future(reader.read())
            for part in parts:
                if writer.is_closing() or came.done():
                    break
                writer.write(part)
                await asyncio.sleep(0.01)
            if not came.done():
                writer.write_eof()
            answer = await asyncio.wait_for(came, 10)
            writer.close()
        return answer

    try:
        return asyncio.run(run())
    except ConnectionError:
        return b""  # closed while more was sent


@pytest.mark.parametrize("parser", ["httptools", "h11"])
def test_a_request_with_a_head_of_the_usual_length_is_answered(parser: str) -> None:
    head = START + b"X-Long: " + b"a" * (HEAD_BYTES // 2) + b"\r\nContent-Length: 2\r\n"
    request = head + b"Connection: close\r\n\r\n{}"
    assert _answer(parser, request).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("parser", ["httptools", "h11"])
@pytest.mark.parametrize(
    "head",
    [
        [b"X-Long: ", *[b"a" * 8_000] * 6, b"\r\nContent-Length: 0\r\n\r\n"],
        [*[b"X-Many: " + b"a" * 500 + b"\r\n"] * 100, b"Content-Length: 0\r\n\r\n"],
        [b"X-Endless: ", *[b"a" * 8_000] * 20],
    ],
    ids=["long", "many", "endless"],
)
def test_a_request_whose_head_is_too_long_is_refused(parser: str, head: list[bytes]) -> None:
    answer = _answer(parser, START, *head)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("parser", ["httptools", "h11"])
def test_what_follows_a_body_is_bounded_too(parser: str) -> None:
    chunked = START + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Endless: "
    answer = _answer(parser, chunked, *[b"a" * 8_000] * 20)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")


# ---- questions that are answered while others wait


KEY = HolderKey(bytes(range(32)))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A personal repository with several records that contain the same people."""
    folder = tmp_path_factory.mktemp("many")
    target, file = folder / "many.sqlite", folder / "repository.key"
    with Store.create(target, name="many", key_file=file, owner=KEY) as store:
        records = [record(KEY, reference_date=f"20{year}-01-01") for year in range(20, 24)]
        answers = store.append_all([Submission.sign(one, KEY) for one in records])
    assert [getattr(one, "state", str(one)) for one in answers] == ["valid"] * 4
    return target


def test_a_question_that_needs_many_rows_is_answered_alike(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = record(KEY).to_dict()
    names = [f"{one['attribute']}:{one['coding']}" for one in asked["quasi_identifier"]]
    question = {"quasi_identifier": names, "population": asked["population"]}
    narrower = {**question, "population": {**asked["population"], "household": "h"}}
    answers = []
    for few in (50, 3, 0):  # rows that are read while others wait
        monkeypatch.setattr(readable, "_FEW", few)
        with client(many, relaxed(many.parent)) as ask:
            both = [ask.post("/query", one) for one in (question, narrower)]
        assert [one.status_code for one in both] == [200, 200]
        answers.append([one.json() for one in both])
    assert answers[0] == answers[1] == answers[2]
    assert [one["exact"] for one in answers[0]] == [True, False]


def test_only_a_few_rows_are_read_while_others_wait(many: Path) -> None:
    one = record(KEY)
    with Store.open(many, key_file=many.parent / "repository.key") as store:
        every = store.records_for(one.qid_key, one.population)
        assert len(every) == 4
        assert store.few_records_for(one.qid_key, one.population, 4) == every
        assert store.few_records_for(one.qid_key, one.population, 3) is None
