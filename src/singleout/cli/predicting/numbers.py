"""Numbers on the command line: lists such as 20,40 and ranges such as 5:80:5."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from singleout.core.arguments import from_percent
from singleout.errors import BadChoice

__all__ = ["MOST_PEOPLE", "listed_numbers", "numbers_of_people", "wholes"]

MOST_PEOPLE = 10**12
_MOST_NUMBERS = 2000


def listed_numbers(text: str, option: str, example: str = "0.5,0.3,0.2") -> list[float]:
    """Return the numbers of ``0.5,0.3``."""
    try:
        return [float(from_percent(part)) for part in text.split(",")]
    except ValueError:
        raise BadChoice(
            f"{option} {text!r} is not a list of numbers; write them as {example}."
        ) from None


def wholes(texts: Sequence[str], option: str, what: str) -> list[float]:
    """Return the whole numbers of ``29``, ``20,40`` and ``5:80:5``, each once; the last included.

    >>> wholes(["29", "5:15:5", "1e6"], "--people", "60")
    [29.0, 5.0, 10.0, 15.0, 1000000.0]
    """
    numbers: dict[float, None] = {}
    for part in (part for text in texts for part in text.split(",")):
        for number in _range(part.strip(), option, what):
            if not (number >= 1 and number.is_integer()):
                raise BadChoice(f"{option} must be a whole number of 1 or more, not {number:g}.")
            numbers[number] = None
    return list(numbers)


def _range(part: str, option: str, example: str) -> list[float]:
    ends = part.split(":")
    try:
        numbers = [float(end) for end in ends]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3:
        raise BadChoice(
            f"{option} {part!r} is no number; write {example}, several as 20,40,60, or from, to "
            "and step as 5:80:5."
        )
    if len(numbers) == 1:
        return numbers
    first, last, step = (*numbers, 1.0)[:3]
    if not (all(map(isfinite, (first, last, step))) and step > 0 and first <= last):
        raise BadChoice(
            f"{option} {part!r} goes nowhere; write from, to and a step above 0, as 5:80:5."
        )
    if (last - first) / step >= _MOST_NUMBERS:
        raise BadChoice(f"{option} {part!r} has more than {_MOST_NUMBERS:,} numbers; give fewer.")
    return [first + step * index for index in range(int((last - first) / step) + 1)]


def numbers_of_people(texts: Sequence[str] | None) -> list[int]:
    """Return how many people there will be, once or several times."""
    if not texts:
        raise BadChoice("Say with --people how many people there will be, as --people 1000.")
    numbers = wholes(texts, "--people", "60")
    largest = max(numbers)
    if largest > MOST_PEOPLE:
        raise BadChoice(
            f"--people must be at most 10^12, more than ever lived, not {largest:,.0f}."
        )
    return [int(number) for number in numbers]
