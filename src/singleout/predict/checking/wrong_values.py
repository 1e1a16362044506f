"""What wrong values in a register do to sets of people: Koot (2012), 3.2.3 and 3.3.2.

A register may have a wrong value in one of a hundred fields. An error moves a person to another
combination: somebody who was alone is no longer found there, and may be alone where nobody is. The
data is taken as right, and each value is replaced with the chance given by another value of its
column, as common as that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arguments import share as checked_share
from singleout.core.arguments import whole
from singleout.core.arrays import I64
from singleout.core.frame_kinds import Frame, framed
from singleout.core.progress import track
from singleout.core.results import Result
from singleout.predict.comparing.counted import CountedCells, counted_cells, names_of
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["WrongValues", "wrong_values"]


@dataclass(frozen=True, eq=False)
class WrongValues(Result):
    """What a share of wrong values does to sets, in simulated registers.

    Parameters
    ----------
    columns
        The columns whose combinations make sets.
    share
        The chance of each value to be wrong.
    people
        How many people the data has.
    unique
        How many of them are unique by their right values.
    wrong, apparent, right
        For each simulated register: people with a wrong value, records that are unique in it, and
        those of them whose values are right, so that they lead to the right person.
    notes
        What a reader should know, one sentence each.
    """

    columns: tuple[str, ...]
    share: float
    people: int
    unique: int
    wrong: I64 = field(repr=False)
    apparent: I64 = field(repr=False)
    right: I64 = field(repr=False)
    notes: tuple[str, ...] = ()

    def _summary(self) -> dict[str, dict[str, float]]:
        numbers = {"wrong": self.wrong, "apparent": self.apparent, "right": self.right}
        return {
            name: {"mean": float(each.mean()), "sd": float(each.std(ddof=1))}
            for name, each in numbers.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "columns": list(self.columns),
            "share": self.share,
            "people": self.people,
            "unique": self.unique,
            "repeats": len(self.wrong),
            **self._summary(),
            "notes": list(self.notes),
        }

    def to_frame(self) -> Frame:
        """Return one row for each simulated register."""
        from singleout.core.frames import pl

        return pl.DataFrame({"wrong": self.wrong, "apparent": self.apparent, "right": self.right})

    def plot(self) -> alt.Chart:
        """Return the unique people by right values beside those of the register with errors."""
        from singleout.predict.checking.wrong_chart import unique_with_errors

        return unique_with_errors(self)

    def __str__(self) -> str:
        numbers = self._summary()
        return say(
            "predict.wrong_values.says",
            share=self.share,
            people=self.people,
            unique=self.unique,
            wrong=numbers["wrong"]["mean"],
            apparent=numbers["apparent"]["mean"],
            sd=2 * numbers["apparent"]["sd"],
            right=numbers["right"]["mean"],
        )


@framed
def wrong_values(
    data: Any,
    columns: Sequence[str] | str | None = None,
    share: float = 0.01,
    *,
    counts: str | None = None,
    repeats: int = 20,
    seed: int = 1,
    engine: Any = None,
    where: Any = None,
) -> WrongValues:
    """Simulate what wrong values of a register do to sets of people.

    Parameters
    ----------
    data, counts, engine, where
        As for `places`.
    columns
        The columns whose combinations make sets.
    share
        The chance of each value to be wrong: 0.01 is what an audit of Dutch registers allows.
    repeats
        How many registers are simulated.
    seed
        Of the random numbers: the same seed gives the same answer.

    Examples
    --------
    >>> from singleout import predict
    >>> people = {"age": list(range(50)) * 2, "sex": ["f"] * 50 + ["m"] * 50}
    >>> found = predict.wrong_values(people, ["age", "sex"], share=0.1)
    >>> found.unique, bool((found.right < found.unique).all())
    (100, True)
    """
    chance = checked_share(share, "share", zero=True, one=True)
    times = whole(repeats, "repeats", at_least=2)
    names = names_of(columns, "columns")
    counted = counted_cells(data, names, [], counts=counts, engine=engine, where=where)
    random = np.random.default_rng(whole(seed, "seed", at_least=0))
    found = [
        _register(counted, chance, random) for _ in track(range(times), say("progress.registers"))
    ]
    wrong, apparent, right = np.array(found, dtype=np.int64).T
    return WrongValues(
        counted.counts.columns,
        chance,
        int(counted.people.sum()),
        int((counted.people == 1).sum()),
        wrong,
        apparent,
        right,
        counted.notes,
    )


def _register(
    counted: CountedCells, chance: float, random: np.random.Generator
) -> tuple[int, int, int]:
    """Return people with wrong values, unique records, and unique records of right values."""
    codes = [np.asarray(column, dtype=np.int64) for column in counted.counts.codes]
    some = 1 - (1 - chance) ** len(codes)
    moved = random.binomial(counted.people, some)
    rows = np.repeat(np.arange(len(moved)), moved)
    changed = _which_are_wrong(len(rows), len(codes), chance, random)
    staying = counted.people - moved
    group = np.zeros(len(staying) + len(rows), dtype=np.int64)
    for index, column in enumerate(codes):
        levels = int(column.max()) + 1
        people = np.bincount(column, counted.people, levels).astype(np.int64)
        there = np.where(changed[:, index], _other(column[rows], people, random), column[rows])
        key = group * levels + np.concatenate([column, there])
        _, group = np.unique(key, return_inverse=True)  # dense, so that keys stay small
    ones = np.ones(len(rows), dtype=np.int64)
    sizes = np.bincount(group, np.concatenate([staying, ones]))
    kept = np.bincount(group, np.concatenate([staying, 0 * ones]))
    return len(rows), int((sizes == 1).sum()), int(((sizes == 1) & (kept == 1)).sum())


def _which_are_wrong(
    people: int, columns: int, chance: float, random: np.random.Generator
) -> NDArray[Any]:
    """Return which values of people are wrong who have at least one wrong value."""
    if people == 0:
        return np.zeros((0, columns), dtype=np.bool_)
    first = chance * (1 - chance) ** np.arange(columns)
    at = random.choice(columns, size=people, p=first / first.sum())
    later = random.random((people, columns)) < chance
    order = np.arange(columns)[None, :]
    return np.asarray((order == at[:, None]) | ((order > at[:, None]) & later))


def _other(own: I64, people: I64, random: np.random.Generator) -> I64:
    """Return another value than one's own, as common as it is; one's own if there is no other."""
    ends = np.cumsum(people)
    rest = ends[-1] - people[own]
    draw = random.integers(0, np.maximum(rest, 1))
    draw = draw + np.where(draw >= ends[own] - people[own], people[own], 0)
    drawn = np.searchsorted(ends, draw, side="right")
    return np.asarray(np.where(rest > 0, drawn, own), dtype=np.int64)
