"""Population filters: the language, its mistakes, and which records it selects."""

from __future__ import annotations

import pickle
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_condition as naive
import singleout as so
from singleout.core.table import Column, Table
from singleout.errors import BadChoice, UnknownColumns
from singleout.where.condition import Condition, parse
from singleout.where.kinds import read_number
from singleout.where.parser import MAX_DEPTH, MAX_LENGTH
from singleout.where.tree import (
    AllOf,
    AnyOf,
    Between,
    Compare,
    Membership,
    Missing,
    Not,
    NumberLiteral,
    TextLiteral,
    TruthLiteral,
)

TABLE = so.read(naive.frame())


def rows(text: str, **columns: Any) -> list[int]:
    """Return the records that a condition selects from columns of Python values."""
    table = so.read(pl.DataFrame(columns, strict=False))
    return np.flatnonzero(parse(text).mask(table)).tolist()


# ---- the language


def test_a_condition_is_read_into_its_parts() -> None:
    assert parse("a = 1 and b <> 'x' or not c >= 2.5").part == AnyOf(
        (
            AllOf((Compare("a", "=", NumberLiteral(1)), Compare("b", "!=", TextLiteral("x")))),
            Not(Compare("c", ">=", NumberLiteral(Decimal("2.5")))),
        )
    )
    assert parse("a in ('x', 2, TRUE)").part == Membership(
        "a", (TextLiteral("x"), NumberLiteral(2), TruthLiteral(True))
    )
    assert parse("a not between -1 and +1").part == Not(
        Between("a", NumberLiteral(-1), NumberLiteral(1))
    )
    assert parse("a is null").part == parse("A IS MISSING".replace("A", "a")).part == Missing("a")
    assert parse("a is not null").part == parse("not a is missing").part == Not(Missing("a"))


def test_not_binds_tighter_than_and_and_and_tighter_than_or() -> None:
    assert parse("not a = 1 and b = 2 or c = 3") == parse("((not (a = 1)) and b = 2) or c = 3")
    assert parse("a = 1 or b = 2 and c = 3") != parse("(a = 1 or b = 2) and c = 3")


def test_brackets_that_change_nothing_leave_no_trace() -> None:
    assert parse("((a = 1) and ((b = 2) and (c = 3)))") == parse("a = 1 and b = 2 and c = 3")


def test_true_is_not_one() -> None:
    assert parse("a = true") != parse("a = 1")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5", 5),
        ("-5", -5),
        ("+5", 5),
        ("05", 5),
        ("5.0", 5),
        ("5.", 5),
        ("1e3", 1000),
        ("-0.0", 0),
        (".5", Decimal("0.5")),
        ("2.50", Decimal("2.5")),
        ("-1.5e-3", Decimal("-0.0015")),
        ("9007199254740993", 2**53 + 1),
        (
            "0.1234567890123456789012345678901234567",
            Decimal("0.1234567890123456789012345678901234567"),
        ),
        ("12345678901234567890123456789012345678", 12345678901234567890123456789012345678),
    ],
)
def test_numbers_are_exact(text: str, number: int | Decimal) -> None:
    part = parse(f"a = {text}").part
    assert isinstance(part, Compare)
    assert isinstance(part.value, NumberLiteral)
    assert part.value.value == number
    assert type(part.value.value) is type(number)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("größe = 1", "größe"),
        ("年齢 = 1", "年齢"),
        ("_a1 = 1", "_a1"),
        ("missing = 1", "missing"),
        ('"home town" = 1', "home town"),
        ('"and" = 1', "and"),
        ('"a""b" = 1', 'a"b'),
        ('`a``b"c` = 1', 'a`b"c'),
        ('"2019" = 1', "2019"),
        ('"; drop table people" = 1', "; drop table people"),
        ('"" = 1', ""),
    ],
)
def test_any_name_can_be_written(text: str, name: str) -> None:
    condition = parse(text)
    assert condition.columns == (name,)
    assert parse(str(condition)) == condition


def test_a_text_holds_anything_between_its_quotes() -> None:
    part = parse("a = 'it''s; -- \"x\" \\ \n or 1 = 1'").part
    assert part == Compare("a", "=", TextLiteral('it\'s; -- "x" \\ \n or 1 = 1'))


def test_columns_come_in_order_of_appearance_each_once() -> None:
    assert parse("b = 1 and (a = 2 or not b = 3) and c is null").columns == ("b", "a", "c")


def test_a_condition_that_was_read_is_returned_as_it_is() -> None:
    condition = parse("a = 1")
    assert parse(condition) is condition
    assert pickle.loads(pickle.dumps(condition)) == condition
    assert hash(parse("a  =  1.0")) == hash(condition)


def test_the_text_of_a_condition_is_canonical() -> None:
    text = "NOT(A<>'x' Or `b c` Is Missing)AND d NOT IN(1,2.50) and not not e = 1 and not (f>2)"
    wanted = (
        "not (A != 'x' or \"b c\" is null) and d not in (1, 2.5) and not not e = 1 and not f > 2"
    )
    assert str(parse(text)) == wanted


@given(naive.conditions())
def test_the_text_of_a_condition_gives_the_same_condition(condition: Any) -> None:
    parsed = parse(naive.written(condition))
    assert parse(str(parsed)) == parsed
    assert str(parse(str(parsed))) == str(parsed)


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_name_and_any_text_survive_being_written(name: str, text: str) -> None:
    def quoted(words: str, mark: str) -> str:
        return mark + words.replace(mark, mark * 2) + mark

    given_text = quoted(name, '"') + " = " + quoted(text, "'")
    if "\0" in given_text or any("\ud800" <= char <= "\udfff" for char in given_text):
        return
    condition = parse(given_text)
    assert condition.part == Compare(name, "=", TextLiteral(text))
    assert parse(str(condition)) == condition


@given(st.text(alphabet="ab1.'\"`()=<>!, -\n;", max_size=25))
@settings(max_examples=300)
def test_nonsense_gives_a_sentence_and_nothing_else(text: str) -> None:
    try:
        condition = parse(text)
    except BadChoice as mistake:
        sentence = str(mistake)
    else:
        sentence = "."
        assert parse(str(condition)) == condition
    assert sentence.endswith(".")
    assert "\n" not in sentence


# ---- mistakes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "The condition is empty"),
        (" \n", "The condition is empty"),
        ("age", "at its end: after a column name comes ="),
        ("age =", "at its end: a value is a number, a text in single quotes, true or false"),
        ("sex = F", "at character 7 (F): a value is a number, a text in single quotes"),
        ("sex = F", "if this is a text, write 'F'"),
        ('sex = "F"', "if this is a text, write 'F'"),
        ("age == 5", "at character 5 (== 5): write = for equal"),
        ("age = null", "write is null or is not null"),
        ("age = 5 and", "at its end: here a test should start, such as age >= 18"),
        ("5 < age", "a test starts with a column name"),
        ("18 <= age <= 65", "a test starts with a column name"),
        ("age >= 18 <= 65", "write between 18 and 65"),
        ("2019 = 5", "goes in double quotes"),
        ("age = 5 sex = 'F'", "join tests with and or or"),
        ("(age = 5", "the bracket of character 1 is not closed here"),
        ("age = 5)", "this bracket was never opened"),
        ("age in 5", "in takes a list in brackets, such as in ('a', 'b')"),
        ("age in ()", "a value is a number"),
        ("age in (1 2)", "in takes a list in brackets"),
        ("age is 5", "write is null or is not null, or = for a value"),
        ("name like 'x'", "after a column name comes ="),
        ("home town = 'x'", "a name with blanks goes in double quotes"),
        ("home-town = 'x'", "a name in double quotes"),
        ("home.town = 'x'", "a name in double quotes"),
        ("null = 5", 'a column of this name is "null"'),
        ("age = 5; drop table x", "without a semicolon"),
        ("age = 5 -- all", "a condition has no comments"),
        ("age = 5 /* all */", "a condition has no comments"),
        ("name = 'x", "has no closing quote"),
        ('"name = 5', "has no closing quote"),
        ("age = 5abc", "this is no number"),
        ("age = 1.2.3", "this is no number"),
        ("age = 1_000", "this is no number"),
        ("age = - 5", "this is no number"),
        ("age > true", "true and false have no order"),
        ("age between true and false", "true and false have no order"),
        ("age between 1", "between takes two values"),
        ("age not = 5", "not is followed by in or between"),
        ("age = 5 && sex = 'F'", "write and"),
        ("age = 5 || sex = 'F'", "write or"),
        ("!age = 5", "write not"),
        ("sex = ‘F’", "in straight single quotes"),
        ("sex = “F”", "straight"),
        ("count(*) > 5", "at character 7 (*) > 5)"),
        ("age = (select 1)", "a value is a number"),
        ("age = 1 or \x1b[31m", "at character 12 (\\x1b[31m)"),
        ("age = 'a\0'", "this character is no text that a database can hold"),
        ("age = '\ud800'", "this character is no text that a database can hold"),
        ("age = " + "9" * 39, "at most 38 digits"),
        ("age = 1e400", "at most 38 digits"),
        ("age = 1e-40", "at most 38 digits"),
        ("(" * 10_000, f"can be {MAX_DEPTH} deep, no deeper"),
        ("not " * 10_000 + "a = 1", f"can be {MAX_DEPTH} deep, no deeper"),
        ("a" * (MAX_LENGTH + 1), "at most 100,000 can be read"),
    ],
)
def test_a_mistake_gives_a_sentence_that_says_where_and_what_works(
    text: str, expected: str
) -> None:
    with pytest.raises(BadChoice) as mistake:
        parse(text)
    sentence = str(mistake.value)
    assert expected in sentence
    assert sentence.startswith("The condition ")
    assert len(sentence) < 250


def test_only_a_text_is_a_condition() -> None:
    with pytest.raises(BadChoice, match="not a int"):
        parse(5)  # type: ignore[arg-type]


def test_as_deep_as_it_may_be_is_read_and_a_thousand_tests_too() -> None:
    deep = "(" * MAX_DEPTH + "a = 1" + ")" * MAX_DEPTH
    assert parse(deep) == parse("a = 1")
    many = parse(" or ".join(f"a = {number}" for number in range(5000)))
    assert parse(str(many)) == many


# ---- which records


@given(naive.conditions())
@settings(max_examples=300)
def test_the_records_are_those_that_the_naive_twin_selects(condition: Any) -> None:
    mask = parse(naive.written(condition)).mask(TABLE)
    assert np.flatnonzero(mask).tolist() == naive.selected(condition)


def test_a_missing_value_is_neither_selected_nor_selected_by_the_contrary() -> None:
    ages = [10, None, 3]
    assert rows("age > 5", age=ages) == [0]
    assert rows("not age > 5", age=ages) == [2]
    assert rows("not (age > 5)", age=ages) == rows("age <= 5", age=ages)
    assert rows("age != 10", age=ages) == [2]
    assert rows("age not in (10)", age=ages) == [2]
    assert rows("age not between 5 and 20", age=ages) == [2]
    assert rows("age is missing", age=ages) == [1]
    assert rows("age is not null", age=ages) == [0, 2]


def test_unknown_or_true_is_true_and_unknown_and_false_is_false() -> None:
    columns = {"a": [None, None, None], "b": [1, 2, None]}
    columns_typed = {"a": pl.Series([None] * 3, dtype=pl.Int64), "b": columns["b"]}
    assert rows("a = 1 or b = 1", **columns_typed) == [0]
    assert rows("not (a = 1 and b = 1)", **columns_typed) == [1]
    assert rows("not (a = 1 or b = 1)", **columns_typed) == []


def test_nan_is_missing() -> None:
    values = [1.0, float("nan"), None]
    assert rows("x is null", x=values) == [1, 2]
    assert rows("not x = 1", x=values) == []
    # also where a table was not made by reading
    column = Column("x", np.array([0, 1], dtype=np.uint8), [1.0, float("nan")])
    assert parse("x != 1").mask(Table([column])).tolist() == [False, False]


def test_large_whole_numbers_are_compared_exactly() -> None:
    numbers = [2**53, 2**53 + 1, 2**63 - 1]
    assert rows("n = 9007199254740993", n=numbers) == [1]
    assert rows("n > 9007199254740992.5", n=numbers) == [1, 2]
    assert rows("n in (9007199254740993, 9223372036854775807)", n=numbers) == [1, 2]
    assert rows("n < 9223372036854775808", n=numbers) == [0, 1, 2]


def test_a_column_of_doubles_is_compared_with_the_nearest_double() -> None:
    assert rows("x = 0.1", x=[0.1, 0.2]) == [0]
    assert rows("x = 9007199254740993", x=[2.0**53]) == [0]


def test_decimals_are_compared_exactly() -> None:
    prices = [Decimal("0.10"), Decimal("0.30")]
    assert rows("p = 0.1", p=prices) == [0]
    assert rows("p in (0.3, 7)", p=prices) == [1]
    assert rows("p > 0.1000000000000000000000001", p=prices) == [1]


def test_text_that_reads_as_a_number_is_compared_as_a_number() -> None:
    codes = ["5", "05", " 5.0 ", "5e0", "50", "five", "", "5\n", None]
    assert rows("code = 5", code=codes) == [0, 1, 2, 3]
    assert rows("code > 10", code=codes) == [4]
    assert rows("not code = 5", code=codes) == [4]  # what is no number is unknown
    assert rows("code = '5'", code=codes) == [0]
    assert rows("code in ('05', 50)", code=codes) == [1, 4]
    assert rows("id = 9007199254740993", id=["9007199254740992", "9007199254740993"]) == [1]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1e99", 1e99),
        ("1e100", None),
        ("9" * 38, int("9" * 38)),
        ("9" * 39, 1e39),
        ("9" * 99, None),
        (".", None),
        ("", None),
        (" ", None),
        ("٥", None),
        ("1 000", None),
        ("infinity", None),
    ],
)
def test_which_texts_read_as_numbers(text: str, number: int | float | None) -> None:
    assert read_number(text) == number


def test_text_is_compared_by_code_points() -> None:
    words = ["a", "B", "é", "豈", "𝒳", "a "]
    assert rows("w = 'a'", w=words) == [0]
    assert rows("w < 'a'", w=words) == [1]
    assert rows("w > 'z'", w=words) == [2, 3, 4]
    assert rows("w > '豈'", w=words) == [4]


def test_truths() -> None:
    assert rows("f = true", f=[True, False, None]) == [0]
    assert rows("f != true", f=[True, False, None]) == [1]
    assert rows("f in (true, false)", f=[True, False, None]) == [0, 1]
    assert rows("f = false", f=["true", "False", "FALSE", "no", "0"]) == [1, 2]
    assert rows("not f = false", f=["true", "False", "FALSE", "no", "0"]) == [0]


def test_dates_are_written_as_text() -> None:
    days = [date(2001, 12, 31), date(2002, 1, 1), None]
    assert rows("d >= '2002-01-01'", d=days) == [1]
    assert rows("d > '2001-12-31 12:00'", d=days) == [1]
    assert rows("d = '2001-12-31 12:00'", d=days) == []
    timestamps = [datetime(2001, 12, 31), datetime(2001, 12, 31, 12)]
    assert rows("m = '2001-12-31'", m=timestamps) == [0]
    assert rows("m in ('2001-12-31T12:00:00.000000')", m=timestamps) == [1]
    instants = pl.Series([datetime(2001, 12, 31, tzinfo=UTC)] * 2)
    assert rows("i = '2001-12-31'", i=instants) == [0, 1]
    assert rows("i = '2001-12-31 01:00+01:00'", i=instants) == [0, 1]
    assert rows("d >= '2002-01-01'", d=["2001-12-31", "2002-01-01"]) == [1]


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("x > 'b'", [1, 2], "Column 'x' holds numbers, and the condition compares it with 'b'"),
        ("x in (1, 'b')", [1, 2], "a number is written without quotes, as in x > 18"),
        ("x = true", [1, 0], "Column 'x' holds numbers"),
        ("x = 1", [True, False], "write x = true or x = false"),
        ("x = 'true'", [True, False], "write x = true or x = false"),
        ("x > 2001", [date(2001, 1, 1)], "a date is written in quotes, as in x >= '2001-12-31'"),
        ("x > 'May'", [date(2001, 1, 1)], "'May' is no date; write '2001-12-31'"),
        ("x > '2001-02-30'", [date(2001, 1, 1)], "is no date"),
        ("x > '20010203'", [date(2001, 1, 1)], "is no date"),
        ("x > '2001-02-03 01:00Z'", [datetime(2001, 1, 1)], "leave the time zone Z out"),
        ("x > '2001-02-03 01:00+01:00'", [date(2001, 1, 1)], "leave the time zone +01:00 out"),
        ("x = '12:00'", [time(12)], "only x is null and x is not null can be asked"),
        ("x = 'a'", [b"a"], "only x is null and x is not null can be asked"),
    ],
)
def test_what_cannot_be_compared_gives_a_sentence(
    text: str, values: list[Any], expected: str
) -> None:
    with pytest.raises(BadChoice) as mistake:
        rows(text, x=values)
    assert expected in str(mistake.value)


def test_a_column_of_mixed_values_is_compared_where_it_can_be() -> None:
    column = Column(
        "x",
        np.arange(8, dtype=np.uint8),
        [1, "1", 2.5, Decimal("3"), True, datetime(2001, 1, 1, tzinfo=UTC), datetime(2001, 1, 1)],
        has_missing=True,
    )
    table = Table([column])
    assert np.flatnonzero(parse("x >= 1").mask(table)).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(parse("not x >= 2").mask(table)).tolist() == [0, 1]
    assert np.flatnonzero(parse("x = true").mask(table)).tolist() == [4]


def test_a_column_without_values_is_unknown_to_every_comparison() -> None:
    nothing = pl.Series([None, None], dtype=pl.String)
    assert rows("x = 1 or x = 'a' or not x = true", x=nothing) == []
    assert rows("x is null", x=nothing) == [0, 1]


def test_columns_that_the_table_lacks_are_named() -> None:
    with pytest.raises(UnknownColumns, match=r"\['Age', 'zip'\].*Did you mean 'age'"):
        rows("Age > 5 and zip = 1 and sex = 'F'", age=[1], sex=["F"])


def test_long_codebooks_are_looked_at_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singleout.where.mask._AT_ONCE", 7)
    numbers = list(range(5000))
    assert rows("n between 20 and 4000", n=numbers) == list(range(20, 4001))
    assert rows("n > 4990", n=[str(number) for number in numbers]) == list(range(4991, 5000))
    assert isinstance(parse("n > 1"), Condition)
