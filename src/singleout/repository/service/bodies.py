"""Read the body of a request: not more of it than allowed, in time, and only then parse it."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from starlette.requests import ClientDisconnect, Request

from singleout.errors import BadSubmission
from singleout.repository.documents.canonical import read_json
from singleout.repository.service.problems import Refused
from singleout.repository.service.settings import BodyLimits, ServiceSettings

__all__ = ["check_depth", "check_type", "parse", "read_body", "read_document", "read_lines"]

_JSON = "application/json"
_LINES = "application/x-ndjson"
# strings are skipped whole, so that a bracket within one does not count
_NESTING = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)


async def read_lines(request: Request, most: int, settings: ServiceSettings) -> list[bytes]:
    """Return the lines of a body of JSON lines, at most so many."""
    check_type(request, _LINES)
    largest = settings.limits.vocabulary
    body = await read_body(request, largest, settings.body_patience)
    lines = [line for line in body.split(b"\n") if line.strip()]
    if not 1 <= len(lines) <= most:
        raise Refused(422, f"The body has {len(lines):,} lines; send 1 to {most:,} submissions.")
    return lines


async def read_document(request: Request, largest: int, settings: ServiceSettings) -> Any:
    """Return the plain values of a JSON body."""
    check_type(request)
    body = await read_body(request, largest, settings.body_patience)
    return parse(body, largest, settings.limits)


def parse(body: bytes, largest: int, limits: BodyLimits) -> Any:
    """Return the plain values of JSON bytes."""
    check_depth(body, limits.depth)
    try:
        return read_json(body, "body", largest=largest)
    except BadSubmission as error:
        raise Refused(400, str(error)) from None


def check_type(request: Request, wanted: str = _JSON) -> None:
    """Refuse a body that does not say it is JSON in UTF-8."""
    given = request.headers.get("content-type", "")
    kind, _, rest = given.partition(";")
    charset = rest.strip().lower().removeprefix("charset=").strip('"')
    if kind.strip().lower() != wanted or charset not in ("", "utf-8"):
        raise Refused(415, f"The body must be {wanted} in UTF-8; say so in Content-Type.")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused(415, "The body must not be compressed; send it as it is.")


async def read_body(request: Request, largest: int, patience: float) -> bytes:
    """Return a body of at most so many bytes, that arrives within so many seconds."""
    stated = request.headers.get("content-length", "0")
    if not (stated.isascii() and stated.isdigit()):
        raise Refused(400, "The header Content-Length must be a number of bytes.")
    if len(stated) > 15 or int(stated) > largest:
        raise _too_large(largest)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(patience):
            async for part in request.stream():
                size += len(part)
                if size > largest:
                    raise _too_large(largest)
                parts.append(part)
    except TimeoutError:
        raise Refused(
            408, f"The body did not arrive within {patience:g} s; send it again."
        ) from None
    except ClientDisconnect:
        raise Refused(400, "The connection ended before the body was complete.") from None
    return b"".join(parts)


def _too_large(largest: int) -> Refused:
    return Refused(
        413, f"The body is larger than {largest:,} bytes, which is the most that is read."
    )


def check_depth(body: bytes, deepest: int) -> None:
    """Refuse JSON that is nested too deeply, before it is parsed.

    >>> check_depth(b'{"a": ["[[[[[["]}', 2)
    """
    if body.count(b"[") + body.count(b"{") <= deepest:
        return
    depth = 0
    for found in _NESTING.finditer(body):
        mark = found[0]
        if mark in b"[{":
            depth += 1
            if depth > deepest:
                raise Refused(400, f"The body is nested more than {deepest} levels deep.")
        elif mark in b"]}":
            depth -= 1
