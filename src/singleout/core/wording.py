"""Numbers in words, one way everywhere: counts, shares, and numbers of any size.

Each is written as the language that is spoken writes it: ``1,234.5%`` or ``1 234,5 %``. Such a text
knows how to be written again, so that JSON is the same whatever language a run speaks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import Any

from singleout.core.language import speaking, spoken

__all__ = [
    "Worded",
    "capital",
    "composed",
    "count",
    "day",
    "figure",
    "in_english",
    "in_figures",
    "number_marks",
    "percent",
    "reworded",
    "span",
    "stated_percent",
]

_POWER = re.compile(r"e([+-])0*(\d+)$")
_MOST_DECIMALS = 12
_TINY = 1e-6
_NARROW = "\N{NARROW NO-BREAK SPACE}"
# how a language writes what Python writes in a number
_MARKS = {"fr": str.maketrans({",": _NARROW, ".": ",", "%": f"{_NARROW}%"})}
_MONTHS = {
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
}


class Worded(str):
    """A text in the language of a run that can be written again in another one."""

    __slots__ = ("again",)
    again: Callable[[], str]

    @classmethod
    def of(cls, text: str, again: Callable[[], str]) -> str:
        """Return the text; in the first language there is nothing to write again."""
        if spoken() == "en":
            return text
        worded = cls(text)
        worded.again = again
        return worded

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (str(self), self.again)


def _restored(text: str, again: Callable[[], str]) -> Worded:
    worded = Worded(text)
    worded.again = again
    return worded


_AS_THEY_ARE = {str, int, float, bool, type(None)}  # most of what answers are made of


def reworded(value: Any) -> Any:
    """Return plain values with every text that can be written again in the language spoken now."""
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, Worded):
        return value.again()
    if type(value) is list:
        return [item if type(item) in _AS_THEY_ARE else reworded(item) for item in value]
    if type(value) is dict or isinstance(value, Mapping):
        return {
            key if type(key) is str else reworded(key): item
            if type(item) in _AS_THEY_ARE
            else reworded(item)
            for key, item in value.items()
        }
    if type(value) is tuple:
        return tuple(reworded(item) for item in value)
    return value


def composed(function: Callable[..., str], *parts: Any) -> str:
    """Return the text that a function makes of texts; it can be written again as they can.

    >>> composed(", ".join, [count(1000), percent(0.5)])
    '1,000, 50.0%'
    """
    return Worded.of(function(*parts), partial(_composed_again, function, parts))


def _composed_again(function: Callable[..., str], parts: tuple[Any, ...]) -> str:
    return composed(function, *reworded(parts))


def capital(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return composed(_capital, text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def in_english(value: Any) -> Any:
    """Return plain values as programs read them, whatever language the run speaks."""
    with speaking("en"):
        return reworded(value)


def _written(text: str, again: Callable[[], str]) -> str:
    marks = _MARKS.get(spoken())
    return text if marks is None else Worded.of(text.translate(marks), again)


def number_marks() -> dict[str, Any]:
    """Return the marks in the numbers of a chart, as d3 has them; nothing in English."""
    marks = _MARKS.get(spoken())
    if marks is None:
        return {}
    names = {"decimal": ".", "thousands": ",", "percent": "%"}
    written = {name: mark.translate(marks) for name, mark in names.items()}
    return {**written, "grouping": [3], "currency": ["", ""]}


def span(low: int, above: int | None) -> str:
    """Return the whole numbers from ``low`` to below ``above``; all from there on without one.

    >>> span(4, 5), span(1000, 2000), span(20, None)
    ('4', '1,000–1,999', '20+')
    """
    if not above:
        return f"{figure(low)}+"
    return figure(low) if above == low + 1 else f"{figure(low)}–{figure(above - 1)}"


def figure(value: float, form: str = ",") -> str:
    """Return a number in a format of Python, with the marks of the language that is spoken.

    >>> figure(1234.5, ",.2f"), figure(0.25, ".1%")
    ('1,234.50', '25.0%')
    """
    return _written(format(value, form), partial(figure, value, form))


def day(when: date) -> str:
    """Return a date as the language that is spoken writes it.

    >>> day(date(2026, 3, 1))
    '2026-03-01'
    """
    months = _MONTHS.get(spoken())
    if months is None:
        return when.strftime("%Y-%m-%d")
    number = "1er" if when.day == 1 else str(when.day)
    text = f"{number} {months.split()[when.month - 1]} {when.year}"
    return Worded.of(text, partial(day, when))


def count(number: int) -> str:
    """Return a number with its thousands apart.

    >>> count(299285)
    '299,285'
    """
    return figure(number)


def percent(share: float, *, beside: float | None = None) -> str:
    """Return a measured share in percent: one decimal, below 1% two significant digits.

    More decimals where these would round something to nothing or almost everything to everything,
    or would not tell it from the limit that it stands beside. A share of less than a millionth has
    a power of ten.

    >>> percent(0.25), percent(0.0084), percent(0.00031), percent(0.99996)
    ('25.0%', '0.84%', '0.031%', '99.996%')
    >>> percent(0.0), percent(1.0)
    ('0%', '100%')
    >>> percent(2e-9), percent(1 - 1e-15)
    ('2 × 10^-7%', '>99.9999999%')
    >>> percent(0.0104, beside=0.01), percent(0.01, beside=0.01)
    ('1.04%', '1.0%')
    """
    return _written(_percent(share, beside), partial(percent, share, beside=beside))


def _percent(share: float, beside: float | None) -> str:
    if share in (0, 1):
        return f"{share:.0%}"
    if 0 < share < _TINY and beside is None:
        return f"{_in_figures(100 * share, 2)}%"
    if 1 - _TINY**2 < share < 1 and beside is None:
        return ">99.9999999%"
    others = [value for value in (0.0, 1.0, beside) if value is not None and value != share]
    for decimals in range(_decimals(share), _MOST_DECIMALS):
        text = f"{share:.{decimals}%}"
        if all(float(text[:-1]) != round(100 * value, decimals) for value in others):
            break
    return text


def _decimals(share: float) -> int:
    """Return how many decimals of a percentage matter, if no more are needed to tell it apart."""
    size = float(f"{100 * abs(share):.2g}")
    return 1 if size >= 1 or not size else min(1 - math.floor(math.log10(size)), _MOST_DECIMALS - 1)


def stated_percent(share: float, digits: int = 6) -> str:
    """Return a share that somebody stated, with the digits that they gave it.

    >>> stated_percent(0.01), stated_percent(0.006689), stated_percent(1.0)
    ('1%', '0.6689%', '100%')
    """
    return _written(f"{_in_figures(100 * share, digits)}%", partial(stated_percent, share, digits))


def in_figures(value: float, digits: int = 4, *, sign: str = "") -> str:
    """Return a number as people read it, very large and very small ones as a power of ten.

    ``digits`` are those that matter of a number with decimals; ``sign`` is ``+`` to have it shown.

    >>> in_figures(40320.0), in_figures(2.75), in_figures(3.4e49), in_figures(-0.0000312)
    ('40,320', '2.75', '3.4 × 10^49', '-3.12 × 10^-5')
    """
    return _written(_in_figures(value, digits, sign), partial(in_figures, value, digits, sign=sign))


def _in_figures(value: float, digits: int = 4, sign: str = "") -> str:
    size = abs(value)
    if size >= 1e12 or 0 < size < 1e-4:
        text = f"{value:{sign}.{digits}g}"
        return _POWER.sub(lambda found: f" × 10^{found[1].strip('+')}{found[2]}", text)
    if size >= 10**digits or size == round(size):
        return f"{value:{sign},.0f}"
    return f"{value:{sign},.{digits}g}"
