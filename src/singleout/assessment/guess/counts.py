"""Refuse to take the rows of a table of counts for people where a plan is made or followed."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from singleout.core.table import Table
from singleout.engines.counter import Counter
from singleout.engines.suspected import counts_of_people
from singleout.errors import UnusableTable
from singleout.report.say import say

__all__ = ["counts_of_people", "refuse_counts", "what_would_work"]


def refuse_counts(data: Table | Counter, roles: Mapping[str, str]) -> None:
    """Refuse to take the rows of a table of counts for people."""
    counted = counts_of_people(data, roles)
    if counted:
        raise UnusableTable(what_would_work(counted))


def what_would_work(counted: Sequence[str]) -> str:
    """Return that a table is one of counts, and what to do about it."""
    return say("guess.notes.counts", column=repr(counted[0]), option=shlex.quote(counted[0]))
