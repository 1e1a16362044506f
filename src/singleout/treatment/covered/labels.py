"""Labels that any tool may have published: intervals, open ends, sets, prefixes with stars.

A label is read by its spelling: ``20-29``, ``[20, 30[``, ``<50``, ``>=50``, ``65+``, ``12**``,
``{a, b}``, ``nurse or teacher``, ``2024-05`` for the days of a month.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.treatment.hierarchies.hierarchy import spelling
from singleout.treatment.hierarchies.intervals import Interval, parse_interval
from singleout.treatment.hierarchies.levels import EMPTY, MISSING

__all__ = ["Values"]

_STARS = re.compile(r"([^*]+)(\*+)")
_MONTH = re.compile(r"\d{4}(-\d{2})?")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(T.*)?")
_BRACES = re.compile(r"\{(.*)\}", re.DOTALL)
_OR = re.compile(r", | or ")


class Values:
    """The original values of a column, and which of them a label stands for.

    Parameters
    ----------
    values
        The value of each code; None for missing.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.texts = [spelling(value) for value in values]
        self.code_of = {text: code for code, text in enumerate(self.texts)}
        self._listed: dict[str, list[int]] = {}  # an empty text and a missing value are one
        for code, text in enumerate(self.texts):
            self._listed.setdefault(text, []).append(code)
        for word in (MISSING, EMPTY):
            self._listed.setdefault(word, self._listed.get("", []))

    @cached_property
    def _sorted(self) -> tuple[F64, I64]:
        """The values that are numbers, from low to high, and their codes."""
        numbers = np.array([_number(text) for text in self.texts])
        order = np.argsort(numbers, kind="stable")[: int(np.isfinite(numbers).sum())]
        return numbers[order], order.astype(np.int64)

    @cached_property
    def _days(self) -> bool:
        """Whether all values are dates."""
        known = [text for text in self.texts if text]
        return bool(known) and all(_DAY.fullmatch(text) for text in known)

    def under(self, label: Any) -> I64 | None:
        """Return the codes of the values that a label stands for; None if it cannot be read."""
        text = spelling(label)
        if text in self.code_of:
            return np.array([self.code_of[text]], dtype=np.int64)
        interval = parse_interval(text)
        if interval is not None and len(self._sorted[0]):
            return self._between(interval)
        ways: tuple[Callable[[str], I64 | None], ...] = (self._of_set, self._starred, self._dated)
        return next((codes for way in ways if (codes := way(text)) is not None), None)

    def _between(self, interval: Interval) -> I64:
        numbers, codes = self._sorted
        begin = np.searchsorted(numbers, interval.low, "left" if interval.low_closed else "right")
        end = np.searchsorted(numbers, interval.high, "right" if interval.high_closed else "left")
        return codes[begin:end]

    def _starred(self, text: str) -> I64 | None:
        """Return the values that begin alike; several stars stand for a character each."""
        found = _STARS.fullmatch(text)
        if found is None:
            return None
        length = None if len(found[2]) == 1 else len(text)
        return self._where(
            lambda one: one.startswith(found[1]) and (length is None or len(one) == length)
        )

    def _of_set(self, text: str) -> I64 | None:
        """Return the values that a label lists; one that is not known is part of no list of or."""
        braces = _BRACES.fullmatch(text)
        parts = re.split(r",\s*", braces[1]) if braces else _OR.split(text)
        codes = [self._listed.get(part) or self._listed.get(part.strip()) for part in parts]
        known = [found for found in codes if found]
        if not known or (not braces and (len(known) < len(codes) or len(codes) < 2)):
            return None
        return np.unique(np.concatenate(known)).astype(np.int64)

    def _dated(self, text: str) -> I64 | None:
        """Return the days of a year or a month."""
        if _MONTH.fullmatch(text) is None or not self._days:
            return None
        return self._where(lambda one: one.startswith(f"{text}-"))

    def _where(self, fits: Callable[[str], bool]) -> I64:
        return np.array([c for c, text in enumerate(self.texts) if fits(text)], dtype=np.int64)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
