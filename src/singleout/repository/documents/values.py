"""Sets of the values of one attribute: values and ranges, or everything but these.

They are closed under union, intersection and complement, exactly. A value is a number, a date or
something else (text, yes or no), and these three never equal each other. ``"1056"`` and ``1056``
are the same value: text that is exactly how a number is written is that number, and so for dates.
Numbers are ordered, without gaps unless an attribute is of whole numbers; dates are whole days.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from singleout.core.text import whole_characters
from singleout.errors import BadChoice
from singleout.repository.documents.canonical import SAFE, short
from singleout.repository.documents.spans import Span, Spans

__all__ = ["EVERYTHING", "LONGEST_TEXT", "MOST_ITEMS", "Scalar", "ValueSet", "scalar", "text_of"]

Scalar = str | int | float | bool

MOST_ITEMS = 20_000  # values and ranges of one set
LONGEST_TEXT = 200
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?(e-[0-9]+)?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ENDS = ("from", "above", "to", "below")
_DAYS = Span(date.min.toordinal(), date.max.toordinal())


def scalar(given: Any, what: str = "A value") -> Scalar:
    """Return a value as it is written in canonical JSON.

    >>> scalar("1056"), scalar("01056"), scalar(2.0), scalar(True), scalar("true")
    (1056, '01056', 2, True, True)
    """
    if hasattr(given, "item") and not isinstance(given, str | bytes):  # a number of numpy
        given = given.item()
    if isinstance(given, bool):
        return given
    if isinstance(given, int | float):
        return _numeric(given, what)
    if isinstance(given, date):
        return given.isoformat()[:10] if type(given) is date else given.isoformat()
    if isinstance(given, str):
        return _textual(given, what)
    raise BadChoice(f"{what} is {_kind(given)}; give text, a number, a date, or true or false.")


def _numeric(given: float, what: str) -> int | float:
    if isinstance(given, float):
        if not math.isfinite(given):
            raise BadChoice(f"{what} is {given}; give a finite number.")
        if not given.is_integer():
            return given
    if abs(given) > SAFE:
        raise BadChoice(f"{what} is a number of more than 15 digits; write it as text.")
    return int(given)


def _textual(given: str, what: str) -> Scalar:
    if len(given) > LONGEST_TEXT:
        raise BadChoice(
            f"{what} is a text of {len(given):,} characters; at most {LONGEST_TEXT} can be given."
        )
    if whole_characters(given) != given or not given.isprintable():
        raise BadChoice(
            f"{what} is {short(given)}, with a character that cannot be printed; leave it out."
        )
    if given in ("true", "false"):
        return given == "true"
    if _NUMBER.fullmatch(given):
        number = float(given)
        if abs(number) <= SAFE and text_of(_numeric(number, what)) == given:
            return _numeric(number, what)
    return given


def text_of(value: Scalar) -> str:
    """Return a value as text: two values are the same if their texts are.

    >>> text_of(1056), text_of(1.5), text_of(True), text_of("N")
    ('1056', '1.5', 'true', 'N')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return str(value)
    if abs(value) >= 1e-6:
        return format(Decimal(repr(value)), "f")  # as RFC 8785 writes it
    digits, _, exponent = repr(value).partition("e")
    return f"{digits}e{int(exponent)}"


def _day(value: Any) -> int | None:
    """Return the number of the day of a date, or None for anything else."""
    if isinstance(value, str) and _DAY.fullmatch(value):
        try:
            return date.fromisoformat(value).toordinal()
        except ValueError:
            return None
    return None


def _kind(given: Any) -> str:
    return "nothing" if given is None else f"a {type(given).__name__}"


@dataclass(frozen=True)
class ValueSet:
    """A set of values: these numbers, days and others, or everything but them."""

    numbers: Spans = field(default_factory=Spans)
    days: Spans = field(default_factory=Spans)
    others: frozenset[str | bool] = field(default_factory=frozenset)
    negated: bool = False

    # ---- from and to JSON

    @classmethod
    def of(cls, given: Any, what: str = "A value") -> ValueSet:
        """Return the set of a term: a value, a range, a list, or a mapping with ``in``."""
        if isinstance(given, Mapping):
            return cls._of_mapping(given, what)
        if isinstance(given, range):
            return cls._of_range(given, what)
        if isinstance(given, list | tuple | set | frozenset):
            return cls._of_items(given, what)
        if type(given) is str:
            return _of_text(given, what)
        return cls._of_scalar(scalar(given, what))

    @classmethod
    def _of_mapping(cls, given: Mapping[Any, Any], what: str) -> ValueSet:
        keys = set(given)
        if keys in ({"in"}, {"not_in"}):
            (key,) = keys
            items = given[key]
            if isinstance(items, str) or not isinstance(items, Iterable):
                raise BadChoice(f"{what}: {key!r} must be a list of values, not {_kind(items)}.")
            inside = cls._of_items(items, what)
            return inside if key == "in" else inside.complement()
        if keys and keys <= set(_ENDS):
            return cls._of_ends(given, what)
        raise BadChoice(
            f"{what} has the keys {short(', '.join(map(str, keys)))}; give a value, a range "
            'such as {"from": 18, "to": 64}, or {"in": [...]}.'
        )

    @classmethod
    def _of_range(cls, given: range, what: str) -> ValueSet:
        if abs(given.step) != 1:
            if len(given) > MOST_ITEMS:
                raise BadChoice(f"{what} has {len(given):,} values; give at most {MOST_ITEMS:,}.")
            return cls._of_items(list(given), what)
        if not given:
            raise BadChoice(f"{what} is empty: nobody has a value in it; give at least one value.")
        return cls._of_ends(
            {"from": min(given[0], given[-1]), "to": max(given[0], given[-1])}, what
        )

    @classmethod
    def _of_items(cls, items: Iterable[Any], what: str) -> ValueSet:
        numbers, days, others = list[Span](), list[Span](), set[str | bool]()
        for index, item in enumerate(items):
            if index >= MOST_ITEMS:
                raise BadChoice(f"{what} has too many values; give at most {MOST_ITEMS:,}.")
            if isinstance(item, Mapping) and set(item) <= set(_ENDS):
                one = cls._of_ends(item, what)
            elif isinstance(item, Mapping | list | tuple | set | frozenset):
                raise BadChoice(f"{what} has a list within a list; give values and ranges.")
            else:
                one = cls._of_scalar(scalar(item, what))
            numbers += one.numbers.spans
            days += one.days.spans
            others |= one.others
        if not (numbers or days or others):
            raise BadChoice(f"{what} is empty: nobody has a value in it; give at least one value.")
        return cls(Spans.of(numbers), Spans.of(days, discrete=True), frozenset(others))

    @classmethod
    def _of_scalar(cls, value: Scalar) -> ValueSet:
        if isinstance(value, str):
            day = _day(value)
            if day is not None:
                return cls(days=Spans((Span(day, day),)))
        if isinstance(value, str | bool):
            return cls(others=frozenset([value]))
        return cls(numbers=Spans((Span(value, value),)))

    @classmethod
    def _of_ends(cls, given: Mapping[str, Any], what: str) -> ValueSet:
        ends = {key: scalar(value, f"{what}, {key!r},") for key, value in given.items()}
        if {"from", "above"} <= set(ends) or {"to", "below"} <= set(ends) or not ends:
            raise BadChoice(
                f"{what} is a range with {short(', '.join(ends) or 'no end')}; give 'from' or "
                "'above', 'to' or 'below'."
            )
        days = {key: _day(value) for key, value in ends.items()}
        of_days = all(day is not None for day in days.values())
        of_numbers = not any(isinstance(value, str | bool) for value in ends.values())
        if not (of_days or of_numbers):
            raise BadChoice(
                f"{what} is a range with the ends "
                f"{' and '.join(short(text_of(value)) for value in ends.values())}; both must be "
                "numbers, or both dates such as 2021-12-31."
            )
        bounds: Mapping[str, Any] = days if of_days else ends
        span = Span(
            bounds.get("from", bounds.get("above", -math.inf)),
            bounds.get("to", bounds.get("below", math.inf)),
            "above" in bounds,
            "below" in bounds,
        )
        spans = Spans.of([span], discrete=of_days)
        if of_days:
            spans = spans & Spans((_DAYS,))
        if not spans.spans:
            raise BadChoice(
                f"{what} is a range with the ends "
                f"{' and '.join(short(text_of(value)) for value in ends.values())}, which is "
                "empty; give the smaller end first."
            )
        return cls(days=spans) if of_days else cls(numbers=spans)

    @classmethod
    def of_many(cls, values: Iterable[Any]) -> ValueSet:
        """Return the set of some values, however many; it may be empty."""
        numbers, days, others = list[Span](), list[Span](), set[str | bool]()
        for value in values:
            one = cls._of_scalar(scalar(value))
            numbers += one.numbers.spans
            days += one.days.spans
            others |= one.others
        return cls(Spans.of(numbers), Spans.of(days, discrete=True), frozenset(others))

    @classmethod
    def union(cls, sets: Iterable[ValueSet]) -> ValueSet:
        """Return the union of sets, none of which is the complement of one."""
        found = list(sets)
        numbers = [span for one in found for span in one.numbers.spans]
        days = [span for one in found for span in one.days.spans]
        others = frozenset[str | bool]().union(*(one.others for one in found))
        return cls(Spans.of(numbers), Spans.of(days, discrete=True), others)

    def term(self) -> Any:
        """Return the normal form as JSON: a value, a range, ``{"in": …}`` or ``{"not_in": …}``."""
        items: list[Any] = [part for span in self.numbers.spans for part in _number_items(span)]
        items += [_item(span, _iso) for span in self.days.spans]
        items += sorted(self.others, key=text_of)
        if self.negated:
            return {"not_in": items}
        return items[0] if len(items) == 1 else {"in": items}

    # ---- algebra

    def complement(self) -> ValueSet:
        """Return all other values."""
        return ValueSet(self.numbers, self.days, self.others, not self.negated)

    def __and__(self, other: ValueSet) -> ValueSet:
        if self.negated and other.negated:
            return self._positive()._or(other._positive()).complement()
        if other.negated:
            return self._minus(other)
        if self.negated:
            return other._minus(self)
        return ValueSet(
            self.numbers & other.numbers, self.days & other.days, self.others & other.others
        )

    def __or__(self, other: ValueSet) -> ValueSet:
        return (self.complement() & other.complement()).complement()

    def __sub__(self, other: ValueSet) -> ValueSet:
        return self & other.complement()

    def _positive(self) -> ValueSet:
        return ValueSet(self.numbers, self.days, self.others)

    def _or(self, other: ValueSet) -> ValueSet:
        return ValueSet(
            self.numbers | other.numbers,
            (self.days | other.days).discrete(),
            self.others | other.others,
        )

    def _minus(self, other: ValueSet) -> ValueSet:
        return ValueSet(
            self.numbers - other.numbers,
            (self.days - other.days).discrete(),
            self.others - other.others,
        )

    def discrete(self) -> ValueSet:
        """Return the set with whole numbers only."""
        if not self.numbers.spans:
            return self
        return ValueSet(self.numbers.discrete(), self.days, self.others, self.negated)

    # ---- questions

    @property
    def is_empty(self) -> bool:
        """Whether no value is in it."""
        return not self.negated and not (self.numbers.spans or self.days.spans or self.others)

    @property
    def size(self) -> int | None:
        """How many values there are, the numbers being whole; None if they cannot be counted."""
        if self.negated:
            return None
        points = [span for span in self.numbers.spans if span.low == span.high]
        ranges = [span for span in self.numbers.spans if span.low != span.high]
        spans = (*Spans.of(ranges, discrete=True).spans, *self.days.spans)
        if any(math.isinf(span.low) or math.isinf(span.high) for span in spans):
            return None
        return (
            len(points)
            + len(self.others)
            + sum(int(span.high) - int(span.low) + 1 for span in spans)
        )

    @property
    def is_finite(self) -> bool:
        """Whether it is a list of values: no range of numbers is in it."""
        return not self.negated and all(span.low == span.high for span in self.numbers.spans)

    def each(self) -> Iterator[Scalar]:
        """Yield the values one by one, the numbers being whole where they are a range."""
        for span in self.numbers.spans:
            if span.low == span.high:
                yield span.low
            else:
                yield from range(int(span.low), int(span.high) + 1)
        for span in self.days.spans:
            yield from map(_iso, range(int(span.low), int(span.high) + 1))
        yield from self.others

    @property
    def is_everything(self) -> bool:
        """Whether all values are in it."""
        return self.negated and not (self.numbers.spans or self.days.spans or self.others)

    @property
    def is_whole(self) -> bool:
        """Whether all numbers that it is written with are whole, and all ends closed."""
        return self.numbers.is_whole

    def __contains__(self, value: object) -> bool:
        return self.meets(ValueSet._of_scalar(scalar(value)))

    def meets(self, other: ValueSet) -> bool:
        """Whether a value of another set, which is no complement, is in this one."""
        parts = ((other.numbers, self.numbers), (other.days, self.days))
        if self.negated:
            return not (other.others <= self.others and all(a.is_within(b) for a, b in parts))
        return not other.others.isdisjoint(self.others) or any(a.meets(b) for a, b in parts)


EVERYTHING: Final = ValueSet(negated=True)


def _iso(day: float) -> str:
    return date.fromordinal(int(day)).isoformat()


@lru_cache(maxsize=10_000)
def _of_text(text: str, what: str) -> ValueSet:
    """Return the set of one text; the same cities are spoken of again and again."""
    return ValueSet._of_scalar(scalar(text, what))


def _number_items(span: Span) -> list[Any]:
    if span.low == -math.inf and span.high == math.inf:
        return [{"to": 0}, {"from": 0}]  # all numbers: a range has at least one end
    return [_item(span, lambda end: end)]


def _item(span: Span, written: Any) -> Any:
    if span.low == span.high:
        return written(span.low)
    limits = (-math.inf, math.inf) if written is not _iso else (_DAYS.low, math.inf)
    item: dict[str, Any] = {}
    if span.low != limits[0] or (written is _iso and span.high == _DAYS.high):
        item["above" if span.low_open else "from"] = written(span.low)
    if span.high != math.inf and not (written is _iso and span.high == _DAYS.high):
        item["below" if span.high_open else "to"] = written(span.high)
    return item
