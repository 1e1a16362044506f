"""Unions of intervals of numbers, each end open or closed: exact under "and", "or" and "not"."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Span", "Spans"]


class Span(NamedTuple):
    """All numbers between two; infinite ends are open whatever is said."""

    low: float
    high: float
    low_open: bool = False
    high_open: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no number is in it."""
        if self.low == self.high:
            return self.low_open or self.high_open or math.isinf(self.low)
        return self.low > self.high

    def whole(self) -> Span:
        """Return the closed span of the whole numbers in it."""
        low, high = self.low, self.high
        if math.isfinite(low):
            low = math.floor(low) + 1 if self.low_open else math.ceil(low)
        if math.isfinite(high):
            high = math.ceil(high) - 1 if self.high_open else math.floor(high)
        return Span(low, high)


@dataclass(frozen=True)
class Spans:
    """Disjoint spans in order, none of which touches the next."""

    spans: tuple[Span, ...] = ()

    @classmethod
    def of(cls, given: Iterable[Span], *, discrete: bool = False) -> Spans:
        """Return the union of any spans; of the whole numbers in them if ``discrete``."""
        kept = [span.whole() if discrete else span for span in given]
        merged: list[Span] = []
        for span in sorted((one for one in kept if not one.is_empty), key=_start_order):
            if merged and _joins(merged[-1], span, 1 if discrete else 0):
                merged[-1] = _joined(merged[-1], span)
            else:
                merged.append(span)
        return cls(tuple(merged))

    def discrete(self) -> Spans:
        """Return the whole numbers."""
        return Spans.of(self.spans, discrete=True)

    @property
    def is_whole(self) -> bool:
        """Whether all ends are whole numbers, and closed."""
        return all(
            not (span.low_open or span.high_open) and _whole(span.low) and _whole(span.high)
            for span in self.spans
        )

    def __or__(self, other: Spans) -> Spans:
        return Spans.of((*self.spans, *other.spans))

    def __and__(self, other: Spans) -> Spans:
        return Spans(tuple(_common(self.spans, other.spans)))

    def __sub__(self, other: Spans) -> Spans:
        return self & other.complement()

    def __contains__(self, number: float) -> bool:
        place = bisect_right(self.spans, number, key=_low) - 1  # the last that begins before it
        if place < 0:
            return False
        span = self.spans[place]
        if number == span.low and span.low_open:
            return False
        return number < span.high or (number == span.high and not span.high_open)

    def meets(self, other: Spans) -> bool:
        """Whether a number is in both; fast for single numbers against many spans."""
        return any(
            span.low in other if span.low == span.high else bool((Spans((span,)) & other).spans)
            for span in self.spans
        )

    def is_within(self, other: Spans) -> bool:
        """Whether all its numbers are in another; fast for single numbers against many spans."""
        return all(
            span.low in other if span.low == span.high else not (Spans((span,)) - other).spans
            for span in self.spans
        )

    def complement(self) -> Spans:
        """Return all other numbers."""
        gaps = []
        low, low_open = -math.inf, False
        for span in self.spans:
            gaps.append(Span(low, span.low, low_open, not span.low_open))
            low, low_open = span.high, not span.high_open
        gaps.append(Span(low, math.inf, low_open, False))
        return Spans(tuple(gap for gap in gaps if not gap.is_empty))


def _low(span: Span) -> float:
    return span.low


def _whole(end: float) -> bool:
    return math.isinf(end) or float(end).is_integer()


def _start_order(span: Span) -> tuple[float, bool, float]:
    return span.low, span.low_open, span.high


def _joins(left: Span, right: Span, gap: int) -> bool:
    """Whether the union of two spans, in the order of their starts, is a span."""
    if right.low < left.high + gap:
        return True
    return right.low == left.high + gap and not (left.high_open and right.low_open)


def _joined(left: Span, right: Span) -> Span:
    if right.high > left.high:
        return Span(left.low, right.high, left.low_open, right.high_open)
    if right.high == left.high:
        return left._replace(high_open=left.high_open and right.high_open)
    return left


def _common(left: tuple[Span, ...], right: tuple[Span, ...]) -> Iterator[Span]:
    i = j = 0
    while i < len(left) and j < len(right):
        one, two = left[i], right[j]
        low, low_open = max((one.low, one.low_open), (two.low, two.low_open))
        high, high_closed = min((one.high, not one.high_open), (two.high, not two.high_open))
        both = Span(low, high, low_open, not high_closed)
        if not both.is_empty:
            yield both
        if (one.high, not one.high_open) <= (two.high, not two.high_open):
            i += 1
        else:
            j += 1
