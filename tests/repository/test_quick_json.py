"""The quick encoder beside the reference implementation of RFC 8785."""

from __future__ import annotations

from typing import Any

import pytest
import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from singleout.repository.documents.canonical import canonical
from singleout.repository.documents.quick_json import Unusual, quick_json

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
