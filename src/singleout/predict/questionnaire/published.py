"""Questions of which only a summary is published, in the file or as a record of a repository.

A stand-in with the same summary takes the place of the shares: its cells are the options, named by
their rank, the most common first. A record is read by whoever reads the questionnaire, since
repositories are not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from singleout.core.arrays import F64
from singleout.errors import BadChoice
from singleout.io.yaml.file import Location, Mistake
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.questionnaire.file import MOST_OPTIONS, CodingEntry, SummaryEntry
from singleout.report.say import say

__all__ = ["RecordReader", "read_record", "shares_of_summary"]

# from what a file says of a record to its cells, kl and power_sums, and notes
RecordReader = Callable[[Mapping[str, Any]], tuple[Mapping[str, Any], tuple[str, ...]]]


def read_record(
    entry: CodingEntry,
    path: Location,
    whose: str,
    records: RecordReader | None,
    notes: list[str],
) -> CodingEntry:
    """Return the coding with the summary of the record that it names, or as it is."""
    if entry.record is None:
        return entry
    where = (*path, "record")
    if entry.summary is not None:
        raise Mistake(where, f"{whose} has a summary and a record; give one of them.")
    if records is None:
        raise Mistake(
            where,
            f"{whose} names a record of a repository, which is not read here; read the file with "
            "singleout.repository.read_questionnaire or by the command line, or give its summary.",
        )
    try:
        summary, said = records(entry.record)
    except BadChoice as error:
        raise Mistake(where, str(error)) from None
    if not 1 <= summary["cells"] <= MOST_OPTIONS:
        raise Mistake(
            where,
            f"the record of {whose} has {summary['cells']:,} possible cells; a question has at "
            f"most {MOST_OPTIONS:,}.",
        )
    notes.extend(said)
    return entry.model_copy(update={"record": None, "summary": SummaryEntry(**summary)})


def shares_of_summary(entry: SummaryEntry, path: Location, whose: str, notes: list[str]) -> F64:
    """Return the shares of the options of a stand-in, the most common first."""
    try:
        stand_in = Distribution.from_summary(
            cells=entry.cells, kl=entry.kl, power_sums=entry.power_sums
        )
    except BadChoice as error:
        raise Mistake(path, str(error)) from None
    notes.append(say("predict.questionnaire.stand_in", question=whose))
    many = np.append(stand_in.multiplicity, max(0.0, entry.cells - float(stand_in.support)))
    likely = np.append(stand_in.probabilities, 0.0)
    upto = np.concatenate([[0.0], np.cumsum(many)])
    mass = np.concatenate([[0.0], np.cumsum(many * likely)])
    # parts of cells are put together: an option has its part of the people in order
    shares: F64 = np.diff(np.interp(np.arange(entry.cells + 1), upto, mass))
    return np.asarray(shares / shares.sum())
