"""How identifying a rounded number is, against how it is rounded. Koot (2012), 6.3.

Weight in kilograms, age in years, income in thousands: the wider the interval, the more people
share it. `interval_width` says how many of k people are alone in theirs, and `width_for` how wide
the intervals must be for no more than a given share to be alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import F64
from singleout.core.choices import choose
from singleout.core.frame_kinds import Frame, framed
from singleout.core.progress import track
from singleout.core.results import Result
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.predict.distribution.distribution import check_people
from singleout.predict.distribution.people import is_real_number, readable
from singleout.predict.intervals.line import Line, check_size
from singleout.predict.intervals.line_sources import as_line
from singleout.predict.intervals.methods import WidthMethod, shares_by
from singleout.predict.intervals.width_search import WidthFor, find_width
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["IntervalWidths", "interval_width", "width_for"]


_CURVE = 40  # widths along the line of the picture


@dataclass(frozen=True, eq=False)
class IntervalWidths(Result):
    """How many people are alone in their interval, for each width.

    Parameters
    ----------
    source
        What is rounded, in words.
    people
        k: how many people there are.
    widths
        How wide the intervals are.
    shares
        For each width the share of people in sets of 1, 2 and 3; of all k people.
    offset
        Where an interval begins; None if the shares are means over all offsets.
    method
        How the shares were computed.
    notes
        What a reader should know, one sentence each.
    warnings
        Why the numbers may not be trusted, one sentence each.
    """

    source: str
    people: int
    widths: F64
    shares: F64
    offset: float | None
    method: str
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    _line: Line | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for array in (self.widths, self.shares):
            array.flags.writeable = False

    @property
    def share_unique(self) -> F64:
        """For each width the share of all people that are alone in their interval."""
        return self.shares[:, 0]

    @property
    def singletons(self) -> F64:
        """For each width how many people are expected to be alone in their interval."""
        return self.people * self.shares[:, 0]

    @property
    def share_up_to_3(self) -> F64:
        """For each width the share of all people in sets of at most 3."""
        together: F64 = np.minimum(self.shares.sum(axis=1), 1.0)
        return together

    def width_for(self, share_unique: float) -> WidthFor:
        """Return how wide the intervals must be for at most this share to be unique.

        Parameters
        ----------
        share_unique
            Of all people, between 0 and 1.
        """
        return find_width(self._lined, share_unique, self.people, self.offset, self.notes)

    @property
    def _lined(self) -> Line:
        if self._line is None:
            raise UndefinedMeasure(
                "This result does not hold what was rounded; ask interval_width again."
            )
        return self._line

    # ---- ways to look at it

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "source": self.source,
            "people": self.people,
            "offset": "average" if self.offset is None else self.offset,
            "method": self.method,
            "widths": self._polars_frame().to_dicts(),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def to_frame(self) -> Frame:
        """Return a polars frame with one row for each width."""
        from singleout.core.frames import pl

        return pl.DataFrame(
            {
                "width": self.widths,
                "singletons": self.singletons,
                "share_unique": self.share_unique,
                "share_in_sets_of_2": self.shares[:, 1],
                "share_in_sets_of_3": self.shares[:, 2],
            }
        )

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: the share of unique people against the width."""
        from singleout.predict.intervals.chart import share_against_width

        low, high = self.widths.min(), self.widths.max()
        margin = 10.0 if low == high else 1.5
        fine = np.geomspace(low / margin, high * margin, _CURVE)
        answers = [self._lined.shares(width, self.people, self.offset) for width in fine.tolist()]
        curve = zip(fine.tolist(), (float(answer.shares[0]) for answer in answers), strict=True)
        asked = zip(self.widths.tolist(), self.share_unique.tolist(), strict=True)
        return share_against_width(list(curve), list(asked), people=self.people, source=self.source)

    def __str__(self) -> str:
        parts = [
            say(
                "predict.intervals.at_width",
                singletons=readable(singletons),
                share=share,
                width=width,
            )
            for width, singletons, share, *_ in self._polars_frame().iter_rows()
        ]
        shown = parts if len(parts) <= 4 else [*parts[:2], "…", parts[-1]]
        return say("predict.intervals.alone", people=self.people, widths=", ".join(shown))


@framed
def interval_width(
    distribution_or_data: Any,
    widths: float | Sequence[float],
    people: int,
    offset: float | str = "average",
    *,
    without_replacement: bool | None = None,
    method: str = "exact",
) -> IntervalWidths:
    """Predict how many people are alone in their interval, for one or several widths.

    Parameters
    ----------
    distribution_or_data
        What is rounded: a frozen distribution of scipy such as ``scipy.stats.norm(75, 12)``,
        observed values (a list, an array, a column of a data frame), or a mapping from values to
        how many people have them.
    widths
        How wide the intervals are: a number or several.
    people
        How many people there will be.
    offset
        Where one of the intervals begins; ``average`` for the mean over all offsets. Values rounded
        to multiples of a width w lie in intervals that begin at -w/2.
    without_replacement
        Whether nobody is drawn twice from observed values. If not given, so above 1 % of them.
    method
        ``exact``; ``closed``, the closed form for a normal distribution; ``order1`` or ``order2``,
        the polynomials of the thesis. They warn, and then refuse, where they do not hold.

    Returns
    -------
    IntervalWidths

    Examples
    --------
    >>> from scipy import stats
    >>> from singleout.predict import interval_width
    >>> weights = stats.norm(75, 5.289)
    >>> found = interval_width(weights, [0.5, 1, 2], people=10)
    >>> found.singletons.round(3).tolist()
    [7.875, 6.223, 3.964]
    >>> print(found.width_for(share_unique=0.1))
    At most 10% of 10 people are alone in their interval from a width of 6.309 on
    """
    k = check_people(people, least=1)
    chosen = choose(WidthMethod, method, "method of interval_width")
    asked = _checked_widths(widths)
    begin = _checked_offset(offset)
    line, notes = as_line(distribution_or_data, k, without_replacement)
    answers = [
        shares_by(chosen, line, width, k, begin)
        for width in track(asked.tolist(), say("progress.widths"))
    ]
    return IntervalWidths(
        source=line.name,
        people=k,
        widths=asked,
        shares=np.array([each.shares for each in answers]),
        offset=begin,
        method=str(chosen),
        notes=tuple(dict.fromkeys([*notes, *(note for each in answers for note in each.notes)])),
        warnings=tuple(dict.fromkeys(warning for each in answers for warning in each.warnings)),
        _line=line,
    )


def width_for(
    distribution_or_data: Any,
    share_unique: float,
    people: int,
    offset: float | str = "average",
    *,
    without_replacement: bool | None = None,
) -> WidthFor:
    """Find how wide intervals must be for at most a share of the people to be alone in theirs.

    Parameters
    ----------
    distribution_or_data, people, offset, without_replacement
        As for `interval_width`.
    share_unique
        The largest share of all people that may be alone, between 0 and 1.

    Returns
    -------
    WidthFor

    Examples
    --------
    >>> from scipy import stats
    >>> from singleout.predict import width_for
    >>> round(width_for(stats.norm(75, 5.665), share_unique=0.8, people=10).width, 3)
    0.5
    """
    k = check_people(people, least=1)
    begin = _checked_offset(offset)
    line, notes = as_line(distribution_or_data, k, without_replacement)
    return find_width(line, share_unique, k, begin, notes)


# ---- checks of arguments


def _checked_widths(widths: Any) -> F64:
    try:
        asked = np.atleast_1d(np.array(widths, dtype=np.float64))
    except (TypeError, ValueError):
        asked = np.empty(0)
    if asked.ndim != 1 or len(asked) == 0:
        raise BadChoice(f"widths must be a number or a list of numbers, not {widths!r}.")
    wrong = ~((asked > 0) & np.isfinite(asked))
    if wrong.any():
        raise BadChoice(f"A width must be a positive number, not {asked[wrong][0]:g}.")
    for width in asked.tolist():
        check_size(width, "A width")
    return asked


def _checked_offset(offset: Any) -> float | None:
    """Return where an interval begins; None for the mean over all offsets."""
    if isinstance(offset, str):
        if offset == "average":
            return None
    elif is_real_number(offset) and np.isfinite(offset):
        return float(offset)
    raise BadChoice(
        f"offset must be 'average' or a number, where an interval begins, not {offset!r}."
    )
