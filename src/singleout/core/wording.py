"""Numbers in words, one way everywhere: counts, shares, and numbers of any size."""

from __future__ import annotations

import math
import re

__all__ = ["count", "in_figures", "percent", "stated_percent"]

_POWER = re.compile(r"e([+-])0*(\d+)$")
_MOST_DECIMALS = 12
_TINY = 1e-6


def count(number: int) -> str:
    """Return a number with its thousands apart.

    >>> count(299285)
    '299,285'
    """
    return f"{number:,}"


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
    if share in (0, 1):
        return f"{share:.0%}"
    if 0 < share < _TINY and beside is None:
        return f"{in_figures(100 * share, 2)}%"
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


def stated_percent(share: float) -> str:
    """Return a share that somebody stated, with the digits that they gave it.

    >>> stated_percent(0.01), stated_percent(0.006689), stated_percent(1.0)
    ('1%', '0.6689%', '100%')
    """
    return f"{in_figures(100 * share, 6)}%"


def in_figures(value: float, digits: int = 4, *, sign: str = "") -> str:
    """Return a number as people read it, very large and very small ones as a power of ten.

    ``digits`` are those that matter of a number with decimals; ``sign`` is ``+`` to have it shown.

    >>> in_figures(40320.0), in_figures(2.75), in_figures(3.4e49), in_figures(-0.0000312)
    ('40,320', '2.75', '3.4 × 10^49', '-3.12 × 10^-5')
    """
    size = abs(value)
    if size >= 1e12 or 0 < size < 1e-4:
        text = f"{value:{sign}.{digits}g}"
        return _POWER.sub(lambda found: f" × 10^{found[1].strip('+')}{found[2]}", text)
    if size >= 10**digits or size == round(size):
        return f"{value:{sign},.0f}"
    return f"{value:{sign},.{digits}g}"
