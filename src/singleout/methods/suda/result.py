"""Special uniques as a result to look at. Elliot, Manning, Mayes, Gurd and Bane (2005).

A record that is alone with its values in a few columns is riskier than one that is alone only when
all columns are combined: it is a special unique. Every smallest set of columns that singles it out,
a minimal sample unique (MSU), adds to its score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import I64
from singleout.core.frame_kinds import Frame
from singleout.core.wording import count, in_figures, percent
from singleout.methods.suda.ranking import Ranked
from singleout.methods.suda.status import Kind
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["Suda"]


_DIS = {"dis_score"}


@dataclass(frozen=True, eq=False)
class Suda(Ranked):
    """The minimal sample uniques (MSUs) of a table: scores, contributions and reasons.

    Parameters
    ----------
    table
        The columns that were combined, without the records that were dropped.
    record
        The number of each record in the data, from 1.
    found
        How many MSUs of each size each record has, and how many of them hold each column.
    max_size
        M: the largest size that was searched.
    unique
        U: records that are unique on all columns.
    in_pairs
        P: records whose combination of all columns one other record shares.
    scoring
        What an MSU of each size weighs.
    missing
        What a missing value meant.
    sampling_fraction
        f: the share of the population that is in the sample; None if it was not given.
    chosen
        Whether M was chosen by what is quick, and not by the user.
    threshold
        The DIS-SUDA above which a record is too risky; None if it was not given.
    validation
        How right the scores are, where a population or samples were asked for.
    listed
        Whether the MSUs themselves were kept, and not only counted.
    dropped
        Records left out because a value is missing.
    by
        The columns of the groups.
    groups
        The same within the records of each group, by its value; records keep their numbers.
    notes
        What a reader should know, one sentence each.
    people
        In a table of counts, how many records each row is for: 0 for the copies of a row that
        stand for the others of its kind.
    """

    # ---- ways to look at it

    def _measures(self, indexes: I64 | slice) -> pl.DataFrame:
        """Return what there is to say about records, without the single columns."""
        from singleout.core.frames import pl

        parts: dict[str, Any] = {
            "record": self.record[indexes],
            "score": self.score[indexes],
            "max_size": np.full(len(self.record[indexes]), self.max_size),
            "proportion_of_lattice": self.proportion_of_lattice[indexes],
        }
        if self.has_dis_score:
            parts["dis_score"] = self.dis_score[indexes]
        parts["unique"] = self.is_unique[indexes]
        parts["kind"] = [str(kind) or None for kind in self.kind[indexes]]
        smallest = pl.Series(self.smallest_size[indexes])
        parts["smallest_size"] = smallest.set(smallest == 0, None)
        if self.threshold is not None:
            parts["above_threshold"] = self.above_threshold[indexes]
        for size in range(1, self.max_size + 1):
            parts[f"uniques_of_size_{size}"] = self.counts_by_size[indexes, size - 1]
        if self.people is not None:
            parts["people"] = self.people[indexes]
        frame = pl.DataFrame(parts, schema_overrides={"kind": pl.String})
        return self._without_unknown(frame, "score", "proportion_of_lattice", *_DIS & set(parts))

    def _without_unknown(self, frame: pl.DataFrame, *names: str) -> pl.DataFrame:
        """Return a frame with null where M was chosen and a unique record was not reached."""
        from singleout.core.frames import pl

        if not (self.chosen and self.undecided):
            return frame
        unknown = pl.col("kind") == Kind.UNDECIDED
        cells = [pl.when(unknown.fill_null(False)).then(None).otherwise(pl.col(n)) for n in names]
        return frame.with_columns(cell.alias(name) for cell, name in zip(cells, names, strict=True))

    def to_frame(self, *, in_percent: bool = False) -> Frame:
        """Return one row for each record: its number from 1, scores, status, MSUs, contributions.

        The largest size that was searched stands beside the score. The contribution of a column is
        its share of the record's score. Where M was chosen by what is quick, scores of unique
        records that it did not reach are null.

        Parameters
        ----------
        in_percent
            Whether contributions and the proportion of the lattice are percentages, as in the
            paper, and not shares.
        """
        from singleout.core.frames import pl

        names = [f"contribution of {name}" for name in self.columns]
        parts = [pl.Series(n, part) for n, part in zip(names, self.contributions.T, strict=True)]
        frame = self._without_unknown(self._measures(slice(None)).with_columns(parts), *names)
        if self.people is not None:  # a row of the table of counts once
            frame = frame.filter(pl.col("people") > 0)
        if in_percent:
            frame = frame.with_columns(pl.col("proportion_of_lattice", *names) * 100)
        return frame

    @property
    def summary(self) -> dict[str, Any]:
        """The run in plain values that JSON can hold; None where undefined."""
        sizes = range(1, self.max_size + 1)
        totals = self.counts_by_size.sum(axis=0, dtype=np.int64).tolist()
        return {
            "records": self.records,
            "dropped": self.dropped,
            "columns": list(self.columns),
            "max_size": self.max_size,
            "scoring": str(self.scoring),
            "weights": self.weights.tolist(),
            "missing": str(self.missing),
            "sampling_fraction": self.sampling_fraction,
            "dis": None if self.sampling_fraction is None else self.dis,
            "unique": self.unique,
            "in_pairs": self.in_pairs,
            "special_uniques": len(self.special_uniques),
            "random_uniques": self.with_uniques - len(self.special_uniques),
            "undecided_uniques": self.undecided,
            "records_with_uniques": self.with_uniques,
            "uniques_by_size": {str(k): n for k, n in zip(sizes, totals, strict=True)},
            "highest_score": float(self.score.max()),
            "total_score": self.total_score,
            "dis_intervals": dict(self.dis_intervals.rows()) if self.has_dis_score else None,
            "threshold": self.threshold,
            "above_threshold": None if self.threshold is None else int(self.above_threshold.sum()),
            "notes": list(self.notes),
        }

    def to_dict(self, top: int = 10) -> dict[str, Any]:
        """Return everything but the single records as plain values that JSON can hold.

        Parameters
        ----------
        top
            How many of the riskiest records, and of the values that contribute most, to give.
        """
        risky = self.risky(top).to_dicts()
        values = self.value_contributions.sort("share", descending=True, maintain_order=True)
        answer = {
            **self.summary,
            "variable_contributions": self.variable_contributions.to_dicts(),
            "value_contributions": values.head(min(top, len(values))).to_dicts(),
            "set_contributions": self.set_contributions.head(top).to_dicts(),
            "validation": None if self.validation is None else self.validation.to_dict(),
            "risky": risky,
        }
        return self._with_groups(answer, top)

    def plot(self) -> alt.VConcatChart:
        """Return the pictures: scores, what columns contribute, at which sizes, and which sets."""
        from singleout.methods.suda.chart import DrawnScores, pictures

        drawn = pictures(
            DrawnScores(
                self.score,
                self.max_size,
                self.columns,
                self.variable_contributions["share"].to_numpy(),
                self.counts_by_variable,
                self.counts_by_size.sum(axis=0, dtype=np.int64),
                self.set_contributions.select("set", "share", "records").rows(),
                self.records,
            )
        )
        return drawn if self.validation is None else drawn & self.validation.plot()

    def __str__(self) -> str:
        sentence = say(
            "suda.summary",
            with_uniques=count(self.with_uniques),
            records=count(self.records),
            searched=say("suda.searched", n=self.max_size, columns=len(self.columns)),
            special=self.special_in_words,
        )
        if len(self._order):
            first = self._order[0]
            sentence += say(
                "suda.summary_highest",
                size=self.max_size,
                score=in_figures(self.score[first]),
                record=self.record[first],
            )
        if self.sampling_fraction is not None:
            sentence += say("suda.summary_dis", dis=percent(self.dis))
        return sentence

    def _shown(self) -> pl.DataFrame:
        return self.risky()
