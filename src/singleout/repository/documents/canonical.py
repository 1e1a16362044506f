"""One way to write a document: canonical JSON (RFC 8785), whose hash is the document's identity.

JSON that comes from outside is read with bounds: no duplicate keys, no numbers that a double cannot
hold exactly, no half characters, no endless nesting. What is read and written again has the same
canonical bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pydantic import BaseModel
from pydantic_core import from_json, to_json

from singleout.core.text import whole_characters
from singleout.errors import BadSubmission
from singleout.repository.documents.quick_json import Unusual, has_long_integer, quick_json
from singleout.repository.extra import extra

__all__ = [
    "DEEPEST",
    "LARGEST",
    "SAFE",
    "canonical",
    "content_hash",
    "hash_of",
    "plain_document",
    "read_json",
    "short",
]

LARGEST = 4_000_000  # bytes of a document
DEEPEST = 40  # levels of lists and mappings
SAFE = 2**53 - 1  # the largest integer up to which doubles hold all


def plain_document(document: Mapping[str, Any] | BaseModel) -> Any:
    """Return a document as plain values; what a model leaves open is left out."""
    if isinstance(document, BaseModel):
        return document.model_dump(mode="json", by_alias=True, exclude_none=True)
    return document


def canonical(document: Mapping[str, Any] | BaseModel) -> bytes:
    """Return the canonical bytes of a document (RFC 8785).

    Examples
    --------
    >>> canonical({"b": 1.0, "a": [True, None, "é"]}).decode()
    '{"a":[true,null,"é"],"b":1}'
    """
    plain = plain_document(document)
    try:
        return quick_json(plain, _reference)
    except Unusual:
        pass
    try:
        return _reference(plain)
    except RecursionError:
        raise BadSubmission(
            f"This document is nested too deeply; at most {DEEPEST} levels can be read."
        ) from None
    except ValueError:  # its message may hold the value, however large it is
        _check(plain)
        raise BadSubmission(
            "This document has a value that JSON cannot hold; give text, numbers, lists and "
            "mappings with text for keys."
        ) from None


def _reference(plain: Any) -> bytes:
    return bytes(extra("rfc8785").dumps(plain))


def content_hash(document: Mapping[str, Any] | BaseModel) -> str:
    """Return the identity of a document: ``sha256:`` and the hash of its canonical bytes."""
    return hash_of(canonical(document))


def hash_of(data: bytes | memoryview) -> str:
    """Return ``sha256:`` and the hash of bytes that are canonical already."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def read_json(text: str | bytes, what: str = "document", *, largest: int = LARGEST) -> Any:
    """Return the plain values of a JSON text from outside, or refuse it with a sentence."""
    if len(text) > largest:
        raise BadSubmission(
            f"This {what} has {len(text):,} bytes; at most {largest:,} can be taken."
        )
    if isinstance(text, bytes) and (quick := _read_quickly(text)) is not None:
        return quick
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        answer = json.loads(
            text,
            object_pairs_hook=_pairs,
            parse_int=_whole,
            parse_float=_number,
            parse_constant=_number,
        )
    except UnicodeDecodeError:
        raise BadSubmission(f"This {what} is not text in UTF-8.") from None
    except json.JSONDecodeError as error:
        raise BadSubmission(
            f"This {what} is not JSON: line {error.lineno}, column {error.colno}: {error.msg}."
        ) from None
    except RecursionError:
        raise BadSubmission(
            f"This {what} is nested too deeply; at most {DEEPEST} levels can be read."
        ) from None
    _check(answer)
    return answer


def _read_quickly(text: bytes) -> Any:
    """Return the plain values of a text that one of two encoders writes in the same way.

    Then no key stands there twice and every number is held exactly. None if another reader has to
    decide.
    """
    if text.count(b"{") + text.count(b"[") > DEEPEST:
        return None
    if has_long_integer(text):
        return None
    try:
        plain = from_json(text, allow_inf_nan=False)
    except ValueError:
        return None
    return plain if to_json(plain) == text or json.dumps(plain).encode() == text else None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise BadSubmission(f"The key {short(twice)} stands there twice; give it once.")
    return values


def _whole(text: str) -> int | float:
    """Return an integer; one that only a double can hold as a double, as it was written."""
    if len(text) < 400:
        number = int(text)
        if abs(number) <= SAFE:
            return number
        double = _number(text)
        if format(Decimal(repr(double)), "f").removesuffix(".0") == text:
            return double
    raise BadSubmission(
        f"The number {short(text)} is too large to be held exactly; write it as text."
    )


def _number(text: str) -> float:
    number = float(text)
    if math.isfinite(number):
        return number
    raise BadSubmission(f"{short(text)} is not a finite number; give one that is.")


def _check(value: Any, depth: int = 0) -> None:
    """Refuse plain values that canonical JSON cannot hold."""
    if depth > DEEPEST:
        raise BadSubmission(
            f"This document is nested too deeply; at most {DEEPEST} levels can be read."
        )
    if isinstance(value, Mapping):
        for key, item in value.items():
            _check_text(key)
            _check(item, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _check(item, depth + 1)
    elif isinstance(value, str):
        _check_text(value)
    elif isinstance(value, int | float):
        _check_number(value)


def _check_number(value: float) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise BadSubmission(f"{value} is not a finite number; give one that is.")
    if isinstance(value, int) and abs(value) > SAFE:
        raise BadSubmission("A number is too large to be held exactly; write it as text.")


def _check_text(text: Any) -> None:
    if isinstance(text, str) and whole_characters(text) != text:
        raise BadSubmission(f"{short(text)} holds half of a character; write the character itself.")


def short(text: str, longest: int = 60) -> str:
    """Return the start of a text in quotes, for a message; what cannot be printed is escaped."""
    shown = ascii(text[: longest + 1])
    return shown if len(text) <= longest else f"{text[:longest]!a}…"
