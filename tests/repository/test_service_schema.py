"""schemathesis against the OpenAPI document: no 5xx, and answers as documented."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from service_cases import made, record, relaxed

from services.processes import free_port
from singleout.repository.service.app import create_app
from singleout.repository.service.serve import server_options

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)


@schemathesis.serializer("application/x-ndjson")
def lines(_: Any, value: Any) -> bytes:
    """Send whatever is drawn for a body of JSON lines."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "replace")


schema = schemathesis.openapi.from_dict(create_app("unused.sqlite").openapi())


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service on this machine."""
    folder = tmp_path_factory.mktemp("schema")
    people = made(folder / "store.sqlite", folder)
    port = free_port()
    app = create_app(folder / "store.sqlite", relaxed(folder))
    config = uvicorn.Config(app, host="127.0.0.1", port=port, **server_options(None))
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    import httpx

    where = f"http://127.0.0.1:{port}"
    signed = people.submission(record(people.keys["holder"]))
    assert httpx.post(f"{where}/v1/submissions", json=signed).status_code == 201
    yield where
    server.should_exit = True
    thread.join()


@schema.parametrize()
@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_whatever_is_sent_is_answered_as_documented(case: schemathesis.Case, address: str) -> None:
    response = case.call(base_url=address)
    case.validate_response(response, checks=CHECKS)
