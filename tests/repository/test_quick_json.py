"""The quick encoder beside the reference implementation of RFC 8785."""

from __future__ import annotations

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from singleout.repository.documents.canonical import canonical, read_json
from singleout.repository.documents.quick_json import (
    Unusual,
    alike,
    plain_text,
    quick_json,
    read_canonical,
)
from singleout.repository.store.kept.entries import BudgetCharge, EntryOutcome, StateChange

SAFE = 2**53 - 1
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-SAFE, SAFE)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
    max_leaves=10,
)


@settings(max_examples=100)
@given(st.dictionaries(st.text(), plain))
@example({"a": -0.0, "b": 1e-7, "c": 1.5e-6, "d": 1e21, "e": 1e16, "f": 123456789012345680.0})
@example({"\U0001f600": 1, "\ufb33": 2, "é": "\x00\x1f\x7f\u2028"})
@example({"mark": "\ue0001", "\ue000": 1e-9})
def test_every_document_is_written_as_the_reference_does(document: dict[str, Any]) -> None:
    assert canonical(document) == rfc8785.dumps(document)
    try:
        quick = quick_json(document, rfc8785.dumps)
    except Unusual:
        return
    assert quick == rfc8785.dumps(document)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**53, "\ud800", {1: 2}, {"\U0001f600": 1}, b"", 1 + 2j]
)
def test_what_is_unusual_is_left_to_the_reference(value: Any) -> None:
    with pytest.raises(Unusual):
        quick_json({"a": value}, rfc8785.dumps)


@settings(max_examples=200)
@given(st.dictionaries(st.text(), plain))
@example({"b": 1, "a": 2})
@example({"a": 1.0, "b": 1e-05, "c": 1e16, "d": 0.1234567890123456})
@example({"\U0001f600": 1, "\ufb33": 2, "é": "\x00\x1f\x7f\u2028"})
@example({"a": "1e-6", "b": "0.000001", "c": 1e-06, "d": 1.5e-06, "e": 1e-07})
@example({"software": "tool 1.0", "hash": "12e-3", "long": "1234567890123456"})
def test_what_is_taken_for_canonical_is_so(document: dict[str, Any]) -> None:
    texts = [
        rfc8785.dumps(document),
        json.dumps(document, separators=(",", ":")).encode(),
        json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(errors="replace"),
    ]
    for text in texts:
        read = read_canonical(text)
        assert read is None or (text == rfc8785.dumps(read) and alike(read, json.loads(text)))


def test_a_plain_canonical_text_is_recognised() -> None:
    document = {"a": 0.25, "b": {"software": "tool 1.0.0"}, "c": [True, None, "é", 12]}
    assert read_canonical(rfc8785.dumps(document)) == document
    small = {"a": 1.5e-05, "b": 9.99e-06, "c": 1e-06, "d": -2e-06, "e": 9e-07, "f": 1.5e-12}
    assert read_canonical(rfc8785.dumps(small)) == small
    for other in (b'{"a":[{"d":1,"c":2}]}', b'{"a":"1e-6","b":1e-6}', b'{"a":0.0000010}'):
        assert read_canonical(other) is None
    for other in (b'{"b":1,"a":2}', b'{"a": 1}', b'{"a":1,"a":1}', b'{"a":1e-07}', b"{", b"\xff"):
        assert read_canonical(other) is None


@settings(max_examples=50)
@given(st.dictionaries(st.text(), plain))
@example({"b": 1, "a": {"d": 0.25, "c": [True, None, 'q"\\\n\x7f']}})
@example({"a": 1e-05, "b": 1e16, "c": 2.0, "d": SAFE})
def test_what_is_written_at_once_is_canonical(document: dict[str, Any]) -> None:
    assert plain_text(document) in (None, rfc8785.dumps(document))
    assert plain_text({"b": [0.25, "x"], "a": None}) == b'{"a":null,"b":[0.25,"x"]}'


@pytest.mark.parametrize("people", [20_000, 0.5, 1e-7, 1e16, 2.0**60])
def test_an_outcome_is_written_as_the_model_says(people: float) -> None:
    population = {"City": "Sud\u00e9", "age": {"from": 1, "to": 2.5}}
    charge = BudgetCharge(tier="public", cost=0.25, people=people, sd=10, population=population)
    change = StateChange(record="sha256:0", state="disputed", reasons=("e-1",))
    for outcome in (
        EntryOutcome(),
        EntryOutcome(state="valid", record="sha256:1", charge=charge, reasons=("a", "é")),
        EntryOutcome(state="disputed", record="sha256:1", charge=charge, changes=(change,)),
    ):
        assert outcome.to_bytes() == canonical(outcome)


@settings(max_examples=200)
@given(st.dictionaries(st.text(), plain), st.dictionaries(st.text(), plain))
@example({"a": True}, {"a": 1})
@example({"a": [1, {"b": 0}]}, {"a": [1.0, {"b": False}]})
@example({"a": [1, {"b": 0}]}, {"a": [1.0, {"b": -0.0}]})
def test_values_are_alike_if_they_are_written_alike(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert alike(one, other) == (rfc8785.dumps(one) == rfc8785.dumps(other))
    assert alike(one, read_json(rfc8785.dumps(one)))
