"""A slow twin of population filters: one record at a time, in three-valued logic.

Conditions are nested tuples here, written down as text by `written`, so that neither the parser
nor the parts of a condition are used. The table has in each column what engines disagree about.
"""

from __future__ import annotations

import operator
import random
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from math import isnan
from typing import Any

import polars as pl
from hypothesis import strategies as st

NUMBER, DOUBLE, PRICE, TEXT, FLAG, DAY, MOMENT, INSTANT = (
    "order",
    "double%s",
    "price `net`",
    'wo"rd; drop table people; --',
    "flag",
    "Geburtstag",
    "moment",
    "in'stant",
)
KINDS = {
    NUMBER: "number",
    DOUBLE: "number",
    PRICE: "number",
    TEXT: "text",
    FLAG: "flag",
    DAY: "moment",
    MOMENT: "moment",
    INSTANT: "instant",
}

VALUES: dict[str, list[Any]] = {
    NUMBER: [None, -(2**63), -5, -1, 0, 1, 5, 2**53, 2**53 + 1, 2**63 - 2, 2**63 - 1],
    DOUBLE: [None, float("nan"), -1.5, -0.0, 0.0, 0.1, 0.1 + 0.2, 2.0**53, 5.0, 1e300],
    PRICE: [None, *map(Decimal, ("-0.0001", "0", "0.1", "5", "5.25", "9999999999999999.9999"))],
    TEXT: [
        *(None, "", "a", "A", "a ", " a", "B", "b", "é", "É", "e", "ß", "ss", "豈", "𝒳", "\\", "%"),
        *("5", "05", "5 ", " 5", "+5", "-5", "5.", "5.0", ".5", "5e0", "50e-1", "1e2", "1e999"),
        *("5\n", "\t5", "1,5", "5,", "0x5", "NaN", "inf", "NA", "five", "--5", "1e", "."),
        *("9007199254740992", "9007199254740993", "9007199254740993.0", "9223372036854775807"),
        *("1" * 30, "1" * 38, "1" * 39, "0" * 50 + "5", "-0", "٥", "5" * 120),
        *("true", "True", "TRUE", "tRUE", "false", "False", "'; drop table people; --", "it's"),
        *("2001-12-31", "line\nbreak", 'double"quote', "ab", "a\u0300", "à"),
    ],
    FLAG: [None, True, False],
    DAY: [None, date(1, 1, 1), date(1969, 12, 31), date(2001, 12, 31), date(2024, 2, 29)],
    MOMENT: [
        None,
        datetime(1969, 12, 31, 23, 59, 59, 999999),
        datetime(2001, 12, 31),
        datetime(2001, 12, 31, 23, 59),
        datetime(2024, 2, 29, 12, 0, 2, 3),
        datetime(2024, 2, 29, 12, 0, 2, 500000),
    ],
    INSTANT: [
        None,
        datetime(2001, 12, 31, tzinfo=UTC),
        datetime(2001, 12, 31, 23, 59, tzinfo=UTC),
        datetime(2024, 2, 29, 12, 0, 2, 3, tzinfo=UTC),
    ],
}
TYPES = {
    NUMBER: pl.Int64,
    DOUBLE: pl.Float64,
    PRICE: pl.Decimal(20, 4),
    TEXT: pl.String,
    FLAG: pl.Boolean,
    DAY: pl.Date,
    MOMENT: pl.Datetime("us"),
    INSTANT: pl.Datetime("us", "UTC"),
}


def _records() -> list[dict[str, Any]]:
    draw = random.Random(7)
    count = 3 * max(map(len, VALUES.values()))
    columns = {name: draw.sample(values * count, count) for name, values in VALUES.items()}
    for name, values in VALUES.items():
        columns[name][: len(values)] = values  # each of them occurs
    return [{name: columns[name][row] for name in columns} for row in range(count)]


RECORDS = _records()


def frame() -> pl.DataFrame:
    columns = [
        pl.Series(name, [record[name] for record in RECORDS], dtype=dtype)
        for name, dtype in TYPES.items()
    ]
    return pl.DataFrame([pl.Series("record", range(len(RECORDS)), dtype=pl.Int64), *columns])


# ---- conditions as nested tuples

_NUMBERS = [
    *("0", "-0.0", "5", "5.0", "+5", "2.5", "-1.5", "0.1", "0.30000000000000004", ".25", "5.25"),
    *("5.2500001", "-0.0001", "1e2", "9007199254740992", "9007199254740993", "9223372036854775807"),
    *("-9223372036854775808", "9223372036854775806.5", "9223372036854775808", "99999999999999999"),
    *("9999999999999999.9999", "-99999999999999999999", "1" * 30, "1" * 38, "1e37"),
]
_TEXTS = [text for text in VALUES[TEXT] if text is not None]
_MOMENTS = [
    *("2001-12-31", "2001-12-31 00:00", "2001-12-31T23:59:00", "2024-02-29 12:00:02.000003"),
    *("1969-12-31 23:59:59.999999", "2024-02-29 12:00:02.5", "0001-01-01", "9999-12-31"),
]
_INSTANTS = [*_MOMENTS[:4], "2001-12-31T01:00:00+01:00", "2001-12-31 23:59:00Z"]


def _values(name: str) -> st.SearchStrategy[Any]:
    numbers = st.sampled_from(_NUMBERS).map(lambda text: ("number", text))
    texts = st.sampled_from(_TEXTS).map(lambda text: ("text", text))
    truths = st.booleans().map(lambda truth: ("truth", truth))
    return {
        "number": numbers,
        "text": st.one_of(numbers, texts, truths),
        "flag": truths,
        "moment": st.sampled_from(_MOMENTS).map(lambda text: ("text", text)),
        "instant": st.sampled_from(_INSTANTS).map(lambda text: ("text", text)),
    }[KINDS[name]]


@st.composite
def tests(draw: st.DrawFn, names: tuple[str, ...]) -> Any:
    name = draw(st.sampled_from(names))
    form = draw(st.sampled_from(["compare", "compare", "in", "between", "missing"]))
    if form == "missing":
        return form, name
    if form == "in":
        return form, name, tuple(draw(st.lists(_values(name), min_size=1, max_size=4)))
    ordered = _values(name).filter(lambda value: value[0] != "truth")
    if form == "between" and KINDS[name] != "flag":
        return form, name, draw(ordered), draw(ordered)
    value = draw(_values(name))
    signs = ["=", "!="] if value[0] == "truth" else ["=", "!=", "<", "<=", ">", ">="]
    return "compare", name, draw(st.sampled_from(signs)), value


def conditions(names: tuple[str, ...] = tuple(KINDS)) -> st.SearchStrategy[Any]:
    return st.recursive(
        tests(names),
        lambda inner: st.one_of(
            st.tuples(st.just("not"), inner),
            st.tuples(
                st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3).map(tuple)
            ),
        ),
        max_leaves=5,
    )


def every_comparison(name: str) -> list[Any]:
    """Return the comparisons of a column with every value that it can be compared with.

    Equality and one order are enough: the others are made of them.
    """
    numbers = [("number", text) for text in _NUMBERS]
    truths = [("truth", True), ("truth", False)]
    values: list[tuple[str, Any]] = {
        "number": numbers,
        "text": [*numbers, *truths, *(("text", text) for text in _TEXTS)],
        "flag": truths,
        "moment": [("text", text) for text in _MOMENTS],
        "instant": [("text", text) for text in _INSTANTS],
    }[KINDS[name]]
    ordered = [value for value in values if value[0] != "truth"]
    return [
        ("missing", name),
        ("in", name, tuple(values)),
        *(("compare", name, "=", value) for value in values),
        *(("compare", name, "<", value) for value in ordered),
    ]


def written(condition: Any) -> str:
    """Return the text of a condition, with more brackets than it needs."""
    form = condition[0]
    if form == "not":
        return f"NOT ({written(condition[1])})"
    if form in ("and", "or"):
        return f" {form} ".join(f"({written(inner)})" for inner in condition[1])
    name = '"' + condition[1].replace('"', '""') + '"'
    if form == "missing":
        return f"{name} is missing"
    if form == "in":
        return f"{name} in ({', '.join(map(_literal, condition[2]))})"
    if form == "between":
        return f"{name} between {_literal(condition[2])} and {_literal(condition[3])}"
    return f"{name} {condition[2]} {_literal(condition[3])}"


def _literal(value: tuple[str, Any]) -> str:
    kind, given = value
    if kind == "text":
        return "'" + given.replace("'", "''") + "'"
    return str(given).upper() if kind == "truth" else given


# ---- what a condition says about one record: True, False, or None for unknown

_SIGNS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def selected(condition: Any, records: list[dict[str, Any]] | None = None) -> list[int]:
    """Return the numbers of the records for which the condition is true."""
    rows = RECORDS if records is None else records
    return [row for row, record in enumerate(rows) if _holds(condition, record) is True]


def answers(condition: Any) -> list[bool | None]:
    """Return for each record whether the condition is true, false or unknown."""
    return [_holds(condition, record) for record in RECORDS]


def _holds(condition: Any, record: dict[str, Any]) -> bool | None:
    form = condition[0]
    if form == "not":
        inner = _holds(condition[1], record)
        return None if inner is None else not inner
    if form in ("and", "or"):
        joined = _all if form == "and" else _any
        return joined([_holds(inner, record) for inner in condition[1]])
    value = record[condition[1]]
    if isinstance(value, float) and isnan(value):
        value = None
    if form == "missing":
        return value is None
    if form == "in":
        return _any([_compare(value, "=", wanted) for wanted in condition[2]])
    if form == "between":
        return _all([_compare(value, ">=", condition[2]), _compare(value, "<=", condition[3])])
    return _compare(value, condition[2], condition[3])


def _all(answers: list[bool | None]) -> bool | None:
    if False in answers:
        return False
    return None if None in answers else True


def _any(answers: list[bool | None]) -> bool | None:
    if True in answers:
        return True
    return None if None in answers else False


def _compare(value: Any, sign: str, wanted: tuple[str, Any]) -> bool | None:
    kind, given = wanted
    if value is None:
        return None
    if kind == "number":
        number = _number(value) if isinstance(value, str) else value
        if number is None:
            return None
        other = float(given) if isinstance(number, float) else Decimal(given)
        return bool(_SIGNS[sign](number, other))
    if kind == "truth":
        if isinstance(value, str):
            value = {"true": True, "false": False}.get(value.lower() if value in _SPELLED else "")
        return None if value is None else bool(_SIGNS[sign](value, given))
    if isinstance(value, str):
        return bool(_SIGNS[sign](value.encode(), given.encode()))
    return bool(_SIGNS[sign](_as_moment(value), _as_moment(datetime.fromisoformat(given))))


_SPELLED = {"true", "True", "TRUE", "false", "False", "FALSE"}


def _number(text: str) -> int | float | None:
    bare = text.strip(" ")
    if not bare or set(bare) - set("0123456789+-.eE"):
        return None
    mantissa, _, exponent = bare.lower().partition("e")
    if len(exponent.lstrip("+-")) > 2 or len(mantissa) > 100:
        return None
    try:
        number = Decimal(bare)
    except InvalidOperation:
        return None
    digits = bare.lstrip("+-")
    if digits.isdecimal() and len(digits.lstrip("0")) <= 38:
        return int(number)
    return float(bare)


def _as_moment(value: date | datetime) -> datetime:
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    return value if value.tzinfo else value.replace(tzinfo=UTC)
