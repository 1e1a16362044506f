"""Names, lists and charts as a report shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from singleout.core.wording import count
from singleout.report.content import Cell, Figure, Message, ReportTable, TableColumn
from singleout.report.say import meaning, say
from singleout.report.svg import panels, picture

__all__ = [
    "figures",
    "first_of",
    "group_name",
    "head",
    "listed",
    "messages",
    "shortened",
    "table",
    "without_pictures",
]

_LONGEST = 72  # characters of a name; the plan at the end has it whole
_LAST = 20
_NAMES = 6
_SENTENCES = 25

_Item = TypeVar("_Item")
_pictures: ContextVar[bool] = ContextVar("pictures", default=True)


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
    """Return sentences that a reader should not miss, the first of very many."""
    shown, more = first_of(sentences, _SENTENCES)
    return Message(title, (*shown, more) if more else tuple(shown), urgent=urgent)


def head(key: str, kind: str = "text", **values: str) -> TableColumn:
    """Return the head of a column by its key, with its meaning if it is a term of the trade."""
    return TableColumn(say(key, **values), kind, meaning(key))


def table(caption: str, heads: Mapping[str, str], rows: Iterable[tuple[Cell, ...]]) -> ReportTable:
    """Return a table; caption and headings, each with the kind of its column, are keys."""
    columns = tuple(head(key, kind) for key, kind in heads.items())
    return ReportTable(say(caption), columns, tuple(rows))


@contextmanager
def without_pictures() -> Iterator[None]:
    """Draw no figures meanwhile: for who shows the text beside charts of its own."""
    before = _pictures.set(False)
    try:
        yield
    finally:
        _pictures.reset(before)


def figures(draw: Callable[[], Any], name: str, wanted: slice = slice(None)) -> Iterator[Figure]:
    """Yield the panels of a chart as figures; no other chart of the report may have its name.

    A panel with a single bar of records is left out: the text says the same in a number. The chart
    is made only if pictures are wanted.
    """
    if not _pictures.get():
        return
    # checking a chart against its schema takes longer than drawing it
    spec = draw().to_dict(validate=False)
    for number, panel in enumerate(list(panels(spec))[wanted], start=1):
        if not _has_one_bar(panel):
            yield Figure(picture(panel, f"{name}-{number}"))


def _has_one_bar(panel: Mapping[str, Any]) -> bool:
    """Whether a panel is a chart of bars that count records, with one bar."""
    mark = panel.get("mark")
    kind = mark["type"] if isinstance(mark, dict) else mark
    data = panel.get("data", {})
    rows = data.get("values") or panel.get("datasets", {}).get(data.get("name"), ())
    bars = [row for row in rows if row.get("records")]
    return kind == "bar" and len(bars) == 1


def group_name(value: Any, labels: Mapping[Any, str]) -> str:
    """Return the value or values of a group in words.

    >>> group_name((1, None), {})
    '1, (missing)'
    >>> group_name(1, {1: "north"})
    '1: north'
    """
    if isinstance(value, tuple):
        return ", ".join(group_name(part, {}) for part in value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = say("anonymity.missing") if value is None else str(value)
    return f"{text}: {labels[value]}" if value in labels else text
