"""The columns of a table to guess about; those of data that is elsewhere are known by counts."""

from __future__ import annotations

import numpy as np

from singleout.assessment.guess.harmless import MOST_VALUES
from singleout.assessment.guess.looking import look_of, look_of_all
from singleout.assessment.guess.subject import Subject
from singleout.core.progress import track
from singleout.core.table import Column, smallest_codes
from singleout.engines.counter import Counter
from singleout.engines.suspected import step_of
from singleout.report.say import say

__all__ = ["subjects_of"]


def subjects_of(counter: Counter) -> list[Subject]:
    """Return the columns of a table with what their values look like.

    No record of data that is elsewhere is fetched: what is asked is how many records share each
    value of a column, and of a column with very many values a sample of them.
    """
    if counter.held is not None:
        return [
            Subject.of(column)
            for column in track(list(counter.held.table), say("progress.columns"))
        ]
    names = counter.columns
    missing = counter.missing(names)
    profiles = counter.profiles([[name] for name in names])
    return [
        _counted(counter, name, profile.number_of_sets - bool(missing[name]), missing[name])
        for name, profile in track(list(zip(names, profiles, strict=True)), say("progress.columns"))
    ]


def _counted(counter: Counter, name: str, distinct: int, missing: int) -> Subject:
    records = counter.rows - missing
    few = distinct <= MOST_VALUES
    counts = counter.values(name, step=1 if few else step_of(records), records=records)
    order = np.argsort(counts.codes[0])
    held = counts.sizes[order]
    values = [counts.values[0][code] for code in counts.codes[0][order].tolist()]
    if few:
        look = look_of_all(values, held)
    else:
        look = look_of(values, held, records=records, distinct=distinct)
    facts = counter.facts(name)
    column = Column(
        name,
        smallest_codes(np.arange(len(values)), len(values)),
        values,
        role=facts.role,
        labels=facts.labels,
        description=facts.description,
    )
    return Subject.of(column, look)
