"""Notice a table of counts that nobody has called one: its rows are not people."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from singleout.core.choices import Role
from singleout.io.names import Wanted
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["noticing_counts", "with_counts_of_people"]


def with_counts_of_people(columns: Sequence[str] | None) -> Sequence[str] | None:
    """Return columns to read, and those whose name says that they count people."""
    from singleout.assessment.guess.counts import named_for_people

    return None if columns is None else Wanted(columns, named_for_people)


def noticing_counts(
    counter: Counter, columns: Sequence[str] | None, whole: Callable[[], Counter]
) -> Counter:
    """Return the counter with a note if rows seem to stand for several people.

    ``columns`` are those asked about, and ``whole`` opens the table with all of its columns.
    """
    from singleout.assessment.guess.counts import counts_of_people, named_for_people
    from singleout.engines.base import OpenedCounter

    asked = tuple(columns or ())
    if not any(named_for_people(name) for name in counter.columns if name not in asked):
        return counter
    stated = dict.fromkeys(asked, Role.QUASI_IDENTIFIER)
    if columns is None or counter.held is None:  # all columns are there
        counted = counts_of_people(counter, stated)
    else:
        with whole() as everything:
            counted = counts_of_people(everything, stated)
    if not counted:
        return counter
    note = say("counts.suspected", column=counted[0], option=shlex.quote(counted[0]))
    return cast("Counter", OpenedCounter(counter, [note]))
