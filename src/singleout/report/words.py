"""Numbers, names and charts as a report shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from singleout.report.content import Figure, Message
from singleout.report.say import say
from singleout.report.svg import panels, picture

__all__ = ["count", "figures", "first_of", "listed", "messages", "percent", "shortened"]

_LONGEST = 72  # characters of a name; the plan at the end has it whole
_LAST = 20
_NAMES = 6
_SENTENCES = 25

_Item = TypeVar("_Item")


def count(number: int) -> str:
    """Return a number with its thousands apart.

    >>> count(299285)
    '299,285'
    """
    return f"{number:,}"


def percent(share: float) -> str:
    """Return a share in percent; what is not nothing is not shown as nothing.

    >>> percent(0.25), percent(0.00001), percent(0.0), percent(0.99999), percent(1.0)
    ('25.0%', '<0.1%', '0.0%', '>99.9%', '100.0%')
    """
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 <= share < 1:
        return ">99.9%"
    return f"{share:.1%}"


def shortened(name: str) -> str:
    """Return a name that fits a table, its end kept: long names often differ there.

    >>> len(shortened("x" * 400))
    72
    """
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - _LAST - 1]}…{name[-_LAST:]}"


def listed(names: Sequence[str]) -> str:
    """Return names in a row, the first few of many."""
    shown = [shortened(name) for name in names[:_NAMES]]
    if len(names) > _NAMES:
        shown.append(say("report.more_columns", more=count(len(names) - _NAMES)))
    return ", ".join(shown)


def first_of(items: Sequence[_Item], most: int) -> tuple[Sequence[_Item], str]:
    """Return the first items, and a sentence on how many there are besides."""
    left = len(items) - most
    return items[:most], say("report.more_rows", more=count(left)) if left > 0 else ""


def messages(title: str, sentences: Sequence[str], *, urgent: bool) -> Message:
    """Return sentences to be noticed, the first of very many.

    Parameters
    ----------
    title
        What kind of sentences they are.
    sentences
        The sentences.
    urgent
        Whether something is wrong.
    """
    shown, more = first_of(sentences, _SENTENCES)
    return Message(title, (*shown, more) if more else tuple(shown), urgent=urgent)


def figures(chart: Any, name: str, wanted: slice = slice(None)) -> Iterator[Figure]:
    """Yield the panels of a chart as figures of their own.

    Parameters
    ----------
    chart
        The chart.
    name
        A word that no other chart of the report has.
    wanted
        Which of the panels.
    """
    # checking a chart against its schema takes longer than drawing it
    spec = chart.to_dict(validate=False)
    for number, panel in enumerate(list(panels(spec))[wanted], start=1):
        yield Figure(picture(panel, f"{name}-{number}"))
