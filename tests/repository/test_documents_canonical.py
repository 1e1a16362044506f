"""Canonical JSON: the examples of RFC 8785, and documents that are equal whatever their writing."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singleout.errors import BadSubmission
from singleout.repository.documents.canonical import canonical, content_hash, read_json

# RFC 8785, appendix B
NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}


@pytest.mark.parametrize(("bits", "text"), NUMBERS.items())
def test_numbers_are_written_as_in_appendix_b(bits: str, text: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical({"n": number}) == f'{{"n":{text}}}'.encode()
    read = read_json(f'{{"n": {text}}}')
    assert canonical(read) == canonical({"n": number})


def test_the_sample_of_section_3_2_2_is_written_as_there() -> None:
    given_ = r"""{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }"""
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    assert canonical(read_json(given_)).decode() == expected


def test_keys_are_sorted_by_utf_16_as_in_section_3_2_3() -> None:
    given_ = r"""{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }"""
    assert list(json.loads(canonical(read_json(given_))).values()) == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]


PLAIN = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**53) + 1, 2**53 - 1),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), inner),
    ),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), PLAIN)


def shuffled(value: Any, random: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: shuffled(value[key], random) for key in random.sample(sorted(value), len(value))
        }
    return [shuffled(item, random) for item in value] if isinstance(value, list) else value


@settings(deadline=None)
@given(DOCUMENTS, st.randoms(), st.booleans())
def test_the_hash_does_not_depend_on_order_or_writing(
    document: dict[str, Any], random: Any, ascii_: bool
) -> None:
    text = json.dumps(shuffled(document, random), ensure_ascii=ascii_, indent=2)
    assert content_hash(read_json(text)) == content_hash(document)
    assert canonical(read_json(canonical(document))) == canonical(document)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "not JSON: line 1, column 1"),
        ("{", "not JSON"),
        (b"\xff{}", "UTF-8"),
        ('{"a": 1, "a": 2}', "'a' stands there twice"),
        ('{"a": {"b": 1, "b": 1}}', "'b' stands there twice"),
        ('{"a": NaN}', "not a finite number"),
        ('{"a": -Infinity}', "not a finite number"),
        ('{"a": 1e999}', "not a finite number"),
        ('{"a": 9007199254740993}', "too large to be held exactly"),
        (f'{{"a": {"9" * 5000}}}', "too large to be held exactly"),
        (r'{"a": "\ud800"}', "half of a character"),
        (r'{"\udc00": 1}', "half of a character"),
        ("[" * 100_000, "nested too deeply"),
        ("[" * 50 + "]" * 50, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        (" " * 4_000_001, "at most 4,000,000"),
    ],
)  # fmt: skip
def test_hostile_json_gets_a_sentence(text: str | bytes, sentence: str) -> None:
    with pytest.raises(BadSubmission, match=sentence) as error:
        read_json(text)
    assert len(str(error.value)) < 300


def deep(levels: int) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for _ in range(levels):
        document = {"a": document}
    return document


@pytest.mark.parametrize(
    "document",
    [
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": 2**53},
        {"a": 10**5000},
        {"a": "\ud800"},
        {"\ud800": 1},
        {1: "a"},
        {"a": {1, 2}},
        {"a": b"x"},
        deep(50_000),
    ],
)
def test_what_canonical_json_cannot_hold_gets_a_sentence(document: Any) -> None:
    with pytest.raises(BadSubmission) as error:
        canonical(document)
    assert len(str(error.value)) < 300
