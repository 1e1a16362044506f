"""Noise that a secret key and the data decide, and the grids that blurred numbers are rounded to.

The same data give the same noise, under any name, so that nobody can average it away; one person
more or less gives other noise. The tier is in it, or two tiers could be solved for the noise.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import TypeAlias

from singleout.errors import BadChoice
from singleout.repository.gate.numbers import CellNumbers

__all__ = [
    "Noise",
    "cap_above",
    "cap_below",
    "grid_above",
    "grid_below",
    "keyed_noise",
    "on_grid",
    "two_digits",
]

Noise: TypeAlias = Callable[[str], float]

_KEY_BYTES = 16
_CAPS = (1, 1.5, 2, 3, 5, 7, 10)
_FIELDS = {"people": "n", "support": "M", "largest": "C", "small": "u10"}
_NORMAL = NormalDist()


def keyed_noise(key: bytes, numbers: CellNumbers, tier: str, price: float | None = None) -> Noise:
    """Return a function from the name of a number to its standard normal deviate."""
    if not isinstance(key, bytes) or len(key) < _KEY_BYTES:
        raise BadChoice(
            f"The key of the noise must be {_KEY_BYTES} secret bytes or more; leave it out to use "
            "the holder's own."
        )
    data = [list(pair) for pair in numbers.cells_by_size]
    of_cells, of_people = (
        json.dumps(["gate/1", tier, price, what], separators=(",", ":")).encode()
        for what in (data, numbers.people)
    )

    def deviate(number: str) -> float:
        field = _FIELDS.get(number, number)
        text = (of_people if number == "people" else of_cells) + b"|" + field.encode()
        digest = hmac.new(key, text, hashlib.sha256).digest()
        return _NORMAL.inv_cdf((int.from_bytes(digest[:8], "big") + 0.5) / 2**64)

    return deviate


def cap_above(value: float) -> int:
    """Return the next of 1, 1.5, 2, 3, 5 and 7 times a power of ten.

    >>> cap_above(23), cap_above(30), cap_above(31), cap_above(12)
    (30, 30, 50, 15)
    """
    return int(_next(value, _CAPS))


def cap_below(cap: float) -> int:
    """Return the largest such number below.

    >>> cap_below(30), cap_below(10), cap_below(1200)
    (20, 7, 1000)
    """
    power = _power(cap) / 10
    return max(int(step * tens) for tens in (power, 10 * power) for step in _CAPS
               if step * tens < cap)  # fmt: skip


def grid_above(value: float) -> float:
    """Return the smallest 1, 2 or 5 times a power of ten that is not below.

    >>> grid_above(40), grid_above(51), grid_above(0.2)
    (50.0, 100.0, 0.2)
    """
    return _next(value, (1, 2, 5, 10))


def grid_below(value: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that is not above.

    >>> grid_below(40), grid_below(0.00021)
    (20.0, 0.0002)
    """
    power = _power(value)
    return max(step for step in (1, 2, 5) if step * power <= value * (1 + 1e-9)) * power


def on_grid(value: float, grid: float) -> float:
    """Return the nearest multiple of a grid, without the digits that floats add."""
    nearest = round(value / grid) * grid
    if grid >= 1:
        return float(round(nearest))
    return round(nearest, max(0, -math.floor(math.log10(grid) + 1e-12)))


def two_digits(value: float) -> float:
    """Return a number with two significant digits.

    >>> two_digits(63.245), two_digits(0.00020449)
    (63.0, 0.0002)
    """
    return float(f"{value:.2g}")


def _next(value: float, steps: Sequence[float]) -> float:
    power = _power(value)
    return next(step * power for step in steps if step * power >= value * (1 - 1e-9))


def _power(value: float) -> float:
    return float(10.0 ** math.floor(math.log10(value) + 1e-12))
