"""Canonical JSON by the standard library's encoder, where it gives the bytes of RFC 8785.

It differs in numbers that it writes with an exponent, and in the order of keys beyond U+D7FF. Such
numbers are written by the reference implementation and put in afterwards; such keys, and all values
that are not plain, are left to it altogether.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

__all__ = ["Unusual", "quick_json"]

_MARK = "\ue000"  # stands before a number that is written elsewhere
_MARKED = re.compile(f'"{_MARK}([^"]*)"')
_SAFE = 2**53 - 1
_DEEPEST = 40
_FIRST_UNORDERED = "\ud800"
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


class Unusual(Exception):
    """A document that the reference implementation has to write."""


def quick_json(plain: Any, reference: Any) -> bytes:
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
    marked: list[bool] = []
    prepared = _prepared(plain, reference, marked, 0)
    text = _encode(prepared)
    if marked:
        text = _MARKED.sub(r"\1", text)
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Unusual from None


def _prepared(value: Any, reference: Any, marked: list[bool], depth: int) -> Any:
    kind = type(value)
    if kind is not dict and kind is not list and kind is not tuple:
        return _leaf(value, kind, reference, marked)
    if depth == _DEEPEST:
        raise Unusual
    if kind is dict:
        return {
            _name(name): _prepared(item, reference, marked, depth + 1)
            for name, item in value.items()
        }
    return [_prepared(item, reference, marked, depth + 1) for item in value]


def _leaf(value: Any, kind: type, reference: Any, marked: list[bool]) -> Any:
    if kind is str:
        usual = _MARK not in value
    elif kind is float:
        return _number(value, reference, marked)
    elif kind is int:
        usual = -_SAFE <= value <= _SAFE
    else:
        usual = kind is bool or value is None
    if usual:
        return value
    raise Unusual


def _name(name: Any) -> str:
    if type(name) is str and (name.isascii() or max(name) < _FIRST_UNORDERED):
        return name
    raise Unusual


def _number(value: float, reference: Any, marked: list[bool]) -> Any:
    if not math.isfinite(value):
        raise Unusual
    if value.is_integer():
        if abs(value) <= _SAFE:
            return int(value)
    elif "e" not in repr(value):
        return value
    marked.append(True)
    return _MARK + reference(value).decode()
