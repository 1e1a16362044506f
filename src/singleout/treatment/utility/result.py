"""What an analyst still finds in the treated table, beside what was there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.core.text import printable
from singleout.core.wording import figure
from singleout.io.names import pick
from singleout.report.say import say
from singleout.treatment.losses import Losses
from singleout.treatment.utility.margins import ColumnUtility, Numbers
from singleout.treatment.utility.pairs import CorrelationChange, PairChange
from singleout.treatment.utility.propensity import Propensity
from singleout.treatment.utility.regression import Regression

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Bar", "Utility"]

_SHOWN = 12  # columns in a picture
_WORST = 10  # pairs listed


@dataclass(frozen=True)
class Bar:
    """A category of a column, and the share of the records in it before and after."""

    label: str
    before: float
    after: float


@dataclass(frozen=True)
class Utility(Result):
    """Two versions of a table compared by what is computed from them.

    Parameters
    ----------
    records_before, records_after
        How many records there are.
    columns
        Each column before and after.
    pairs
        Pairs of columns of which one changed, the most changed first.
    compared_pairs
        How many pairs were compared, those that nobody touched included.
    correlations
        Pairs of columns of numbers, the most changed first.
    regression
        A regression before and after; None where no outcome is known or it cannot be computed.
    propensity
        How well treated records can be told from original ones.
    losses
        Measures of loss; None where the records are not known to be the same.
    bars
        The distributions of columns for pictures.
    notes
        What a reader should know, one sentence each.
    """

    records_before: int
    records_after: int
    columns: tuple[ColumnUtility, ...] = field(repr=False)
    pairs: tuple[PairChange, ...] = field(repr=False)
    compared_pairs: int
    correlations: tuple[CorrelationChange, ...] = field(repr=False)
    regression: Regression | None = field(repr=False)
    propensity: Propensity
    losses: Losses | None = field(repr=False)
    bars: Mapping[str, tuple[Bar, ...]] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def mean_variation(self) -> float:
        """The mean over columns of the total variation."""
        return float(np.mean([column.total_variation for column in self.columns]))

    @property
    def mean_pair_variation(self) -> float:
        """The mean over the compared pairs of the total variation; 0 without pairs."""
        total = sum(pair.total_variation for pair in self.pairs)
        return total / self.compared_pairs if self.compared_pairs else 0.0

    @property
    def worst_pairs(self) -> tuple[PairChange, ...]:
        """The ten pairs that changed most."""
        return self.pairs[:_WORST]

    @property
    def largest_correlation_change(self) -> float:
        """The largest change of a correlation, linear or by ranks; 0 without numbers."""
        return max((pair.change for pair in self.correlations), default=0.0)

    # ---- ways to look at it

    def to_frame(self) -> Frame:
        """Return one row for each column."""
        from singleout.core.frames import pl

        rows = [_flat(column) for column in self.columns]
        kinds = {"column": pl.String, "changed": pl.Boolean}
        kinds |= dict.fromkeys(["values", "categories"], pl.Int64)
        schema = {name: kinds.get(name, pl.Float64) for name in rows[0]}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        regression = None
        if self.regression is not None:
            regression = {**asdict(self.regression), "overlap": self.regression.overlap}
        return {
            "records_before": self.records_before,
            "records_after": self.records_after,
            "columns": [_flat(column) for column in self.columns],
            "mean_variation": self.mean_variation,
            "compared_pairs": self.compared_pairs,
            "mean_pair_variation": self.mean_pair_variation,
            "worst_pairs": [asdict(pair) for pair in self.worst_pairs],
            "correlations": [asdict(pair) for pair in self.correlations],
            "regression": regression,
            "propensity": {**asdict(self.propensity), "ratio": self.propensity.ratio},
            "losses": None if self.losses is None else self.losses.to_dict(),
            "notes": list(self.notes),
        }

    def plot(self, columns: Sequence[str] | str | None = None) -> alt.VConcatChart:
        """Return the distribution of columns before and after, side by side.

        Parameters
        ----------
        columns
            The columns to show; if not given, the dozen that changed most.
        """
        from singleout.treatment.utility.chart import side_by_side

        if columns is None:
            ordered = sorted(self.columns, key=lambda one: (not one.changed, -one.total_variation))
            names = [column.name for column in ordered[:_SHOWN]]
        else:
            names = pick(columns, [column.name for column in self.columns])
        return side_by_side({name: self.bars[name] for name in names})

    def __str__(self) -> str:
        worst = max(self.columns, key=lambda column: column.total_variation)
        parts = [
            say(
                "utility.margins",
                n=sum(column.changed for column in self.columns),
                columns=len(self.columns),
                mean=self.mean_variation,
                worst=printable(worst.name),
                most=worst.total_variation,
            )
        ]
        if self.pairs:
            pair = self.pairs[0]
            parts.append(
                say(
                    "utility.pairs",
                    n=self.compared_pairs,
                    mean=self.mean_pair_variation,
                    first=printable(pair.first),
                    second=printable(pair.second),
                    most=pair.total_variation,
                )
            )
        if self.correlations:
            change = figure(self.largest_correlation_change, ".3f")
            parts.append(say("utility.correlations", change=change))
        if self.regression is not None:
            parts.append(
                say(
                    "utility.regression",
                    outcome=printable(self.regression.outcome),
                    overlap=self.regression.overlap,
                )
            )
        ratio = self.propensity.ratio
        if ratio is not None:
            parts.append(
                say(
                    "utility.propensity",
                    pmse=figure(self.propensity.pmse, ".4g"),
                    ratio=figure(ratio, ".3g"),
                )
            )
        return " ".join(parts)


def _flat(column: ColumnUtility) -> dict[str, Any]:
    """Return a column as one row of plain values."""
    row: dict[str, Any] = {
        "column": column.name,
        **{
            name: getattr(column, name)
            for name in ColumnUtility.__dataclass_fields__
            if name not in ("name", "before", "after")
        },
    }
    for when, numbers in (("before", column.before), ("after", column.after)):
        row |= {f"{name}_{when}": value for name, value in _numbers(numbers).items()}
    return row


def _numbers(numbers: Numbers | None) -> dict[str, float | None]:
    names = ["q05", "q25", "median", "q75", "q95"]
    if numbers is None:
        return dict.fromkeys(["mean", "sd", *names])
    quantiles = dict(zip(names, numbers.quantiles, strict=True))
    return {"mean": numbers.mean, "sd": numbers.sd, **quantiles}
