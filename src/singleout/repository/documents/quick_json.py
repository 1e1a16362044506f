"""Canonical JSON by a compiled encoder, where it gives the bytes of RFC 8785.

The encoder of pydantic writes keys in the order of the mapping, and differs in small and in large
numbers. Keys are sorted first. Such numbers are written by the reference implementation and put in
afterwards. Keys beyond U+D7FF, whose order differs, and all values that are not plain, are left to
it altogether.

A text that came from elsewhere is mostly canonical already; to see that takes less than to write it
again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from pydantic_core import PydanticSerializationError, from_json, to_json

__all__ = ["Unusual", "alike", "has_long_integer", "plain_text", "quick_json", "read_canonical"]

_MARK = "\0"  # stands before a number that is written elsewhere
_MARKED = re.compile(rb'"\\u0000([^"]*)"')
_SAFE = 2**53 - 1
_DEEPEST = 40
_LEAST, _MOST = 1e-5, 1e15  # between which every encoder writes numbers without an exponent
_UNORDERED = re.compile(rb"[\xee-\xf4]")  # begins a character beyond U+D7FF in UTF-8

# in numbers that other encoders write in another way: 1.0 and 1e+16
_ODD = (b".0,", b".0}", b".0]", b"e+")
_SMALL = re.compile(rb"([0-9])(?:\.([0-9]+))?e-6")  # is 0.000001
_LONG = re.compile(rb"(?<![0-9.])[0-9]{16}")  # an integer that may not be safe
_DIGITS = bytes(byte not in b"0123456789" for byte in range(256))  # to find runs of digits at once
_in_order = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode

Plain = dict[str, Any] | list[Any]
Reference = Callable[[float], bytes]


class Unusual(Exception):
    """A document that the reference implementation has to write."""


def quick_json(plain: Any, reference: Reference) -> bytes:
    """Return the canonical bytes of plain values.

    Parameters
    ----------
    plain
        Mappings, lists and plain values.
    reference
        A function that writes a number as RFC 8785 does.

    Raises
    ------
    Unusual
        If another encoder has to write it, or to say what is wrong with it.
    """
    marked: list[str] = []
    try:
        text = to_json(_ordered(plain, reference, marked, 0))
    except (PydanticSerializationError, UnicodeError, TypeError):
        raise Unusual from None
    if not text.isascii() and _UNORDERED.search(text):
        raise Unusual
    if not marked:
        return text
    if text.count(b"\\u0000") != len(marked):  # also in a text of the document
        raise Unusual
    return _MARKED.sub(rb"\1", text)


def _ordered(value: Any, reference: Reference, marked: list[str], depth: int) -> Any:
    kind = type(value)
    if kind is float:
        return _number(value, reference, marked)
    if kind is dict or kind is list or kind is tuple:
        return _within(value, kind, reference, marked, depth)
    if kind is str or kind is bool or value is None or (kind is int and abs(value) <= _SAFE):
        return value
    raise Unusual


def _within(value: Any, kind: type, reference: Reference, marked: list[str], depth: int) -> Any:
    if depth == _DEEPEST:
        raise Unusual
    deeper = depth + 1
    if kind is not dict:
        return [_ordered(item, reference, marked, deeper) for item in value]
    "".join(value)  # raises TypeError for a key that is not text
    return {
        name: item if type(item) is str else _ordered(item, reference, marked, deeper)
        for name, item in sorted(value.items())
    }


def _number(value: float, reference: Reference, marked: list[str]) -> Any:
    size = abs(value)
    if size < _MOST and value.is_integer():
        return int(value)
    if _LEAST <= size < _MOST:
        return value
    if not size < float("inf"):  # NaN neither
        raise Unusual
    written = reference(value).decode()
    marked.append(written)
    return _MARK + written


def read_canonical(text: bytes) -> Any:
    """Return the values of a JSON text that is canonical; None if another reader has to decide.

    An encoder that writes them in the same way shows that it is canonical, that no key stands there
    twice, and that every number is held exactly.
    """
    if text.count(b"{") + text.count(b"[") > _DEEPEST or any(map(text.__contains__, _ODD)):
        return None
    if has_long_integer(text) or not (text.isascii() or _UNORDERED.search(text) is None):
        return None
    try:
        plain = from_json(text, allow_inf_nan=False)
        written = to_json(plain)
    except ValueError:  # not JSON, or a text that cannot be encoded
        return None
    if b"e-6" in written:
        written = _SMALL.sub(_small, written)  # in a text as well, which then differs
    return plain if written == text and _is_ordered(plain) else None


def _is_ordered(value: Any) -> bool:
    """Return whether the keys of all mappings stand in their order."""
    if type(value) is list:
        items: Any = value
    elif type(value) is dict:
        items = value.values()
        names = list(value)
        if names != sorted(names):
            return False
    else:
        return True
    for item in items:
        kind = type(item)
        if (kind is dict or kind is list) and not _is_ordered(item):
            return False
    return True


def _small(found: re.Match[bytes]) -> bytes:
    first, others = found.groups()
    return b"0.00000%b%b" % (first, others or b"")


def plain_text(plain: Any) -> bytes | None:
    """Return the canonical bytes of plain values whose keys are texts.

    None if another encoder has to write them.
    """
    text = _in_order(plain).encode()
    if not text.isascii() or has_long_integer(text) or b"e-" in text:
        return None
    return None if any(map(text.__contains__, _ODD)) else text


def has_long_integer(text: bytes) -> bool:
    """Return whether a JSON text has an integer, or digits in a text, of 16 digits or more."""
    return bytes(16) in text.translate(_DIGITS) and _LONG.search(text) is not None


def alike(one: Plain, other: Plain) -> bool:
    """Return whether mappings or lists of plain values have the same canonical bytes.

    >>> alike({"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0}), alike({"a": 1}, {"a": True})
    (True, False)
    """
    return bool(one == other) and _same_kinds(one, other)


def _same_kinds(one: Any, other: Any) -> bool:
    """Return whether equal values are true and false in the same places: to Python, True is 1."""
    for name in one if type(one) is dict else range(len(one)):
        item = one[name]
        kind = type(item)
        if kind is dict or kind is list:
            if not _same_kinds(item, other[name]):
                return False
        elif (kind is bool) != (type(other[name]) is bool):
            return False
    return True
