"""Why a record stands out, in words."""

from __future__ import annotations

from collections.abc import Sequence

from singleout.core.choices import Role
from singleout.core.table import Column
from singleout.report.say import in_a_row, say

__all__ = ["reason", "reasons_in_words"]


def reason(columns: Sequence[Column], record: int) -> str:
    """Return the values that single a record out: ``age=97 with marital=widowed``."""
    first, *others = [_cell(column, record) for column in columns]
    if not others:
        return first
    *between, last = others
    if not between:
        return say("suda.reasons.with", first=first, last=last)
    return say("suda.reasons.with_several", first=first, others=", ".join(between), last=last)


def _cell(column: Column, record: int) -> str:
    if column.role == Role.DIRECT_IDENTIFIER:
        return column.name  # results never hold its values
    return f"{column.name}={column.label(column.value(int(column.codes[record])))}"


def reasons_in_words(shown: Sequence[str], more: int) -> str:
    """Return why a record stands out, as one sentence.

    >>> reasons_in_words(["age=97 with marital=widowed", "job=vicar"], 2)
    'age=97 with marital=widowed alone identifies this record; so do job=vicar; and 2 more sets'
    """
    first, *others = shown
    alone = say("suda.reasons.alone", first=first)
    if more:
        others.append(say("suda.reasons.more", n=more))
    if not others:
        return alone
    *between, last = others
    if between:
        return say("suda.reasons.so_do_several", alone=alone, others=in_a_row(between), last=last)
    return say(
        "suda.reasons.so_do" if more > 1 else "suda.reasons.so_does", alone=alone, other=last
    )
