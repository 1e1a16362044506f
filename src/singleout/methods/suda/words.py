"""SUDA in words: why a record stands out, and scores from a few units to eighty digits."""

from __future__ import annotations

from collections.abc import Sequence

from singleout.core.choices import Role
from singleout.core.table import Column
from singleout.core.wording import in_figures

__all__ = ["in_percent", "reason", "reasons_in_words"]


def reason(columns: Sequence[Column], place: int) -> str:
    """Return the values of one record that single it out: ``age=97 with marital=widowed``."""
    first, *others = [_cell(column, place) for column in columns]
    if not others:
        return first
    *between, last = others
    rest = f"{', '.join(between)} and {last}" if between else last
    return f"{first} with {rest}"


def _cell(column: Column, place: int) -> str:
    if column.role == Role.DIRECT_IDENTIFIER:
        return column.name  # its values are nobody's business
    return f"{column.name}={column.label(column.value(int(column.codes[place])))}"


def reasons_in_words(shown: Sequence[str], more: int) -> str:
    """Return why a record stands out, as one sentence.

    >>> reasons_in_words(["age=97 with marital=widowed", "job=vicar"], 2)
    'age=97 with marital=widowed alone identifies this record; so do job=vicar; and 2 more sets'
    """
    first, *others = shown
    said = f"{first} alone identifies this record"
    if more:
        others.append(f"{more:,} more {'set' if more == 1 else 'sets'}")
    if not others:
        return said
    if len(others) == 1:
        return f"{said}; so {'do' if more > 1 else 'does'} {others[0]}"
    return f"{said}; so do {'; '.join(others[:-1])}; and {others[-1]}"


def in_percent(share: float) -> str:
    """Return a share as a percentage with three significant digits.

    >>> in_percent(0.006689), in_percent(1.0)
    ('0.669%', '100%')
    """
    return f"{in_figures(100 * share, 3)}%"
