"""The table of a record: how many may be asked before they can be told apart. Koot (2012), 4.1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import check_people
from singleout.report.say import say
from singleout.repository.answering.prediction import RepositoryPrediction, predict_from
from singleout.repository.answering.relations import named
from singleout.repository.documents.record import Record

__all__ = ["RecordTable", "table"]

_STEPS = (1, 2, 5)
_MOST_ROWS = 200
_FEW = 0.001  # share of unique people below which a table ends


@dataclass(frozen=True, eq=False)
class RecordTable(Result):
    """What a record predicts for several numbers of people.

    Parameters
    ----------
    record
        What is predicted from.
    predictions
        One for each number of people.
    """

    record: Record
    predictions: tuple[RepositoryPrediction, ...]

    @cached_property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """Each number of people, with what is predicted for it."""
        return tuple(_row(each) for each in self.predictions)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {"record": self.record.id, "rows": [dict(row) for row in self.rows]}

    def to_frame(self) -> Frame:
        """Return one row for each number of people."""
        from singleout.core.frames import pl

        return pl.DataFrame(list(self.rows))

    def __str__(self) -> str:
        lines = [
            say(
                "repository.answering.table.title",
                record=named(self.record),
                kappa=self.record.kappa,
            )
        ]
        lines += [say("repository.answering.table.row", **row) for row in self.rows]
        return "\n".join(lines)


def _row(prediction: RepositoryPrediction) -> dict[str, Any]:
    low, high = prediction.mean_interval()
    return {
        "people": prediction.people,
        "all_unique": prediction.uniqueness.probability,
        "unique": prediction.mean,
        "share": prediction.share,
        "low": low,
        "high": high,
    }


def table(
    record: Record, people: Sequence[int] | None = None, *, cells: int | None = None
) -> RecordTable:
    """Return the chance that all are unique, and how many are, for several numbers of people.

    Parameters
    ----------
    record
        A published record.
    people
        The numbers of people; if not given 2, 5, 10, 20, 50 and so on, until hardly anybody is
        unique.
    cells
        N: how many cells are possible, where the record does not say so.

    Examples
    --------
    >>> ages = table(Record.legacy_tuple(["age"], {"City": "Urk"}, 0.4011, cells=95), [10, 40])
    >>> [(row["people"], round(row["share"], 3)) for row in ages.rows]
    [(10, 0.837), (40, 0.506)]
    """
    if people is not None:
        numbers = [check_people(each, least=1) for each in people]
        if not 1 <= len(numbers) <= _MOST_ROWS:
            raise BadChoice(f"A table has 1 to {_MOST_ROWS} numbers of people, not {len(numbers)}.")
        found = [predict_from(record, each, cells=cells) for each in numbers]
        return RecordTable(record, tuple(found))
    found = []
    most = record.numbers.people or 10**9
    for power in range(9):
        for step in _STEPS:
            number = step * 10**power
            if number < 2 or number > most:
                continue
            found.append(predict_from(record, number, cells=cells))
            if found[-1].share < _FEW:
                return RecordTable(record, tuple(found))
    return RecordTable(record, tuple(found))
