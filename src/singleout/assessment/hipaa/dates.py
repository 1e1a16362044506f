"""Identifier C: every element of a date but the year, and ages over 89."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from singleout.assessment.guess.names import counts_something, speaks_of_an_id, tokens
from singleout.assessment.guess.patterns import is_date, is_number
from singleout.assessment.hipaa.examined import Examined, Found
from singleout.assessment.hipaa.lists import (
    DATE_WORDS,
    DAY_WORDS,
    MONTH_WORDS,
    MONTHS,
    OPEN_WORDS,
    QUARTER_WORDS,
    THINGS,
)

__all__ = ["from_ages", "from_dates", "only_ninety"]

_LAST = 89  # the highest age that may be told
_LONGEST_LIFE = 125  # years; what is higher is a code for missing
_FIRST_YEAR, _LAST_YEAR = 1850, 2100
_NEARLY_ALL = 0.95
_YEAR_AND_MONTH = re.compile(
    r"(?:1[89]|20)\d\d[-/.](?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])[-/.](?:1[89]|20)\d\d"
    r"|(?:1[89]|20)\d\d[-/ ]?Q[1-4]|Q[1-4][-/ ]?(?:1[89]|20)\d\d",
    re.ASCII | re.IGNORECASE,
)
_QUARTER = re.compile(r"Q?[1-4]", re.ASCII | re.IGNORECASE)
_AGE = re.compile(r"\d{1,3}(?:\.\d+)?", re.ASCII)
_OPEN = re.compile(r"[>≥+]|[-–]\s*$")


def from_dates(column: Examined) -> Iterator[Found]:
    """Yield whether a column holds dates, months, quarters or days."""
    if column.look.dates:
        records = column.records if column.look.dated else column.having(is_date)
        yield Found("C", "pattern", "dates", records)
    elif column.share(_is_year_and_month) >= _NEARLY_ALL:
        yield Found("C", "pattern", "months", column.having(_is_year_and_month))
    elif column.share(_is_month_name) >= _NEARLY_ALL and len(column.look.texts) >= 3:
        yield Found("C", "list", "months", column.having(_is_month_name))
    if not _years(column):
        yield from _named(column)


def _named(column: Examined) -> Iterator[Found]:
    """Yield whether the name speaks of a date, and the values may be one, or a part of one."""
    words = set(column.words)
    dated = not words.isdisjoint(DATE_WORDS) or column.meaning == "birth date"
    dated = dated and not column.about_a_property
    whole = column.look.whole and not column.flags
    if dated and column.look.dates:
        yield Found("C", "name", "dates", column.records)
    elif dated and whole and not column.look.handful and max(column.look.numbers) > 31:
        yield Found("C", "name", "dates", column.records)  # days since some day
    elif not words.isdisjoint(MONTH_WORDS) and _numbered(column, 12):
        yield Found("C", "name", "months", column.records)
    elif not words.isdisjoint(DAY_WORDS) and _numbered(column, 31):
        yield Found("C", "name", "days", column.records)
    elif not words.isdisjoint(QUARTER_WORDS) and column.share(_is_quarter) == 1:
        yield Found("C", "name", "quarters", column.records)


def _numbered(column: Examined, most: int) -> bool:
    """Whether the values are whole numbers from one to at most so many."""
    look = column.look
    in_range = look.whole and all(1 <= number <= most for number in look.numbers)
    return in_range and not counts_something(column.name)


def _years(column: Examined) -> bool:
    look = column.look
    return look.whole and all(_FIRST_YEAR <= number <= _LAST_YEAR for number in look.numbers)


def _is_year_and_month(text: str) -> bool:
    return bool(_YEAR_AND_MONTH.fullmatch(text))


def _is_month_name(text: str) -> bool:
    return " ".join(tokens(text)) in MONTHS


def _is_quarter(text: str) -> bool:
    return bool(_QUARTER.fullmatch(text))


# ---- ages


def is_over_89(text: str) -> bool:
    """Whether a text is an age over 89, or a group of ages that tells more than *90 or older*.

    >>> [is_over_89(text) for text in ("89", "90", "91-95", "85 to 94", "999")]
    [False, True, True, True, False]
    >>> [is_over_89(text) for text in ("90+", "90 or older", ">89", "85+", "95+")]
    [False, False, False, False, True]
    """
    if is_number(text):
        return _LAST < float(text.replace(",", ".")) <= _LONGEST_LIFE
    ages = [float(number) for number in _AGE.findall(text)]
    if not ages or len(ages) > 2 or max(ages) > _LONGEST_LIFE:
        return False
    if len(ages) == 1 and _is_open(text):
        return ages[0] > _LAST + 1  # one category of 90 or older is allowed
    return max(ages) > _LAST


def _is_open(text: str) -> bool:
    return bool(_OPEN.search(text)) or not OPEN_WORDS.isdisjoint(tokens(text))


def only_ninety(column: Examined) -> bool:
    """Whether the only age over 89 is 90, which may stand for all that are older."""
    over = {text for text in column.texts if is_over_89(column.labels.get(text, text))}
    return over in ({"90"}, {"90.0"})


def from_ages(column: Examined, this_year: int | None = None) -> Iterator[Found]:
    """Yield whether ages are over 89, or years of birth say so."""
    if _holds_ages(column):
        records = column.having(lambda text: is_over_89(column.labels.get(text, text)))
        if records and column.meaning == "age":
            yield Found("C", "name", "age", records)
        if records:
            yield Found("C", "values", "ages", records)
    elif column.meaning in ("birth year", "birth date") and _years(column):
        last = (date.today().year if this_year is None else this_year) - _LAST - 1
        records = column.having(lambda text: is_number(text) and _year(text) <= last)
        if records:
            yield Found("C", "name", "birth_year", records)
            yield Found("C", "values", "birth_years", records)


def _year(text: str) -> float:
    return float(text.replace(",", "."))


def _holds_ages(column: Examined) -> bool:
    if counts_something(column.name) or not THINGS.isdisjoint(column.words):
        return False  # ages in days or months, or those of houses
    if column.meaning == "age":
        return True
    return not column.meaning and column.look.ages and not speaks_of_an_id(column.name)
