"""How predictions are shown: for people, for programs and as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isfinite, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout import __version__
from singleout.cli.funnel import percentage
from singleout.cli.output import number, print_json, print_table, save_chart, screen, write_csv
from singleout.core.text import printable
from singleout.errors import BadChoice

if TYPE_CHECKING:
    from singleout.predict.distribution.distribution import Distribution
    from singleout.predict.intervals.intervals import IntervalWidths
    from singleout.predict.set_sizes.result import GroupSizes
    from singleout.predict.singletons.singletons import Singletons
    from singleout.predict.uniqueness.uniqueness import UniquenessProbability

__all__ = ["Limits", "Shown", "cells", "limits_of", "show", "widths", "write"]

_EXACT_LAW = 30_000_000  # different probabilities times people: about a second
_LEVEL = 0.95


@dataclass(frozen=True)
class Limits:
    """Between which numbers of unique people the truth lies, where only a summary is known."""

    low: float
    high: float

    @property
    def sentence(self) -> str:
        """What that means."""
        return (
            f"Every distribution with this summary has between {self.low:,.2f} and "
            f"{self.high:,.2f} unique people on average."
        )


@dataclass(frozen=True, eq=False)
class _Cells:
    """What is predicted for people who spread over cells."""

    distribution: Distribution
    uniqueness: UniquenessProbability
    singletons: Singletons
    sizes: GroupSizes
    interval: tuple[int, int]
    interval_error: float  # by which the probability of the interval can be off; 0 if exact
    limits: Limits | None = None  # of the mean, where only a summary is known

    @property
    def notes(self) -> tuple[str, ...]:
        found = [*self.uniqueness.notes, *self.singletons.notes, *self.sizes.notes]
        if self.interval_error:
            found.append(
                "The interval is that of an approximation, whose probabilities can be off by "
                f"{self.interval_error:.2g}."
            )
        if self.limits is not None:
            found.append(self.limits.sentence)
        return tuple(dict.fromkeys(found))

    @property
    def warnings(self) -> tuple[str, ...]:
        found = (*self.uniqueness.warnings, *self.singletons.warnings, *self.sizes.warnings)
        return tuple(dict.fromkeys(found))

    def to_dict(self) -> dict[str, Any]:
        return {
            "distribution": self.distribution.to_dict(),
            "uniqueness": self.uniqueness.to_dict(),
            "singletons": {
                **self.singletons.to_dict(),
                "interval": list(self.interval),
                "interval_level": _LEVEL,
                "interval_error": self.interval_error,
                "range": None if self.limits is None else [self.limits.low, self.limits.high],
            },
            "sizes": self.sizes.to_dict(),
        }

    def rows(self) -> list[dict[str, Any]]:
        return self.sizes.to_frame().to_dicts()

    def chart(self) -> Any:
        return self.sizes.plot()

    def show(self) -> None:
        spread, found = self.distribution, self.singletons
        screen().print(f"{found.people:,} people; {printable(spread)}\n", soft_wrap=True)
        low, high = self.interval
        print_table(
            "Prediction",
            ["", "expected", "share", "standard deviation", "95% interval"],
            [
                [
                    "unique people",
                    number(round(found.mean, 2)),
                    percentage(found.share),
                    f"{found.sd:,.2f}",
                    f"{low:,} – {high:,}",
                ]
            ],
        )
        print_table(
            "Sets of people who look the same",
            ["size", "sets", "share of people", "up to this size"],
            [
                [
                    f"{size:,}",
                    number(round(float(self.sizes.sets[size]), 2)),
                    percentage(float(self.sizes.share_of_people[size])),
                    percentage(self.sizes.at_most(size)),
                ]
                for size in range(1, len(self.sizes.sets))
            ],
        )
        chances = f"Everybody is unique with probability {_chance(self.uniqueness.log_probability)}"
        none = found.to_dict()["probability_none"]
        if none is not None:
            chances += f", and nobody with {_chance(found.log_probability_none)}"
        _say([f"{chances}.", f"{found}."], self)


@dataclass(frozen=True, eq=False)
class _Widths:
    """What is predicted for a quantity that is rounded to intervals."""

    found: IntervalWidths

    @property
    def notes(self) -> tuple[str, ...]:
        return self.found.notes

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.found.warnings

    def to_dict(self) -> dict[str, Any]:
        return {"widths": self.found.to_dict()}

    def rows(self) -> list[dict[str, Any]]:
        return self.found.to_frame().to_dicts()

    def chart(self) -> Any:
        return self.found.plot()

    def show(self) -> None:
        print_table(
            f"People alone in their interval, of {self.found.people:,}",
            ["width", "unique people", "share", "in sets of 2", "in sets of 3"],
            [
                [
                    f"{row['width']:g}",
                    number(round(row["singletons"], 2)),
                    percentage(row["share_unique"]),
                    percentage(row["share_in_sets_of_2"]),
                    percentage(row["share_in_sets_of_3"]),
                ]
                for row in self.rows()
            ],
        )
        _say([f"{self.found}."], self)


Shown = _Cells | _Widths


def limits_of(
    cells: float | None, kl: float | None, power_sums: Sequence[float] | None, people: int
) -> Limits | None:
    """Return the limits of the number of unique people, if only a summary is known."""
    from singleout.predict.singletons.bounds import singleton_bounds, singleton_range

    if cells is None:
        return None
    if kl is not None:
        return Limits(*singleton_range(cells, kl, people))
    if power_sums is not None:
        return Limits(*singleton_bounds(cells, power_sums, people))
    return None


def cells(
    spread: Distribution,
    people: int,
    up_to: int,
    without_replacement: bool | None,
    limits: Limits | None = None,
) -> _Cells:
    """Predict for people who spread over cells."""
    from singleout.predict.set_sizes.group_sizes import group_sizes
    from singleout.predict.singletons.singletons import singletons
    from singleout.predict.uniqueness.uniqueness import uniqueness_probability

    found = singletons(spread, people, without_replacement)
    interval, error = _interval(found, len(spread.probabilities) * people)
    return _Cells(
        spread,
        uniqueness_probability(spread, people, without_replacement=without_replacement),
        found,
        group_sizes(spread, people, up_to, without_replacement=without_replacement),
        interval,
        error,
        limits,
    )


def _interval(found: Singletons, work: int) -> tuple[tuple[int, int], float]:
    """Return where the number of unique people probably lies, and how wrong its chance can be."""
    if found.sd == 0:  # as with far more people than cells: the number is certain
        return (round(found.mean), round(found.mean)), 0.0
    if work <= _EXACT_LAW and found.distribution.has_whole_cells:
        return found.interval(_LEVEL), 0.0
    law = found.approximation()
    return law.interval(_LEVEL), law.error


def widths(
    people: int,
    normal: float | None,
    exponential: float | None,
    wide: Sequence[float],
    without_replacement: bool | None,
) -> _Widths:
    """Predict for a quantity that is rounded to intervals of some widths."""
    from scipy import stats

    from singleout.predict.intervals.intervals import interval_width

    option, size = ("--normal", normal) if normal is not None else ("--exponential", exponential)
    if size is None or not isfinite(size) or size <= 0:
        raise BadChoice(f"{option} must be a number above 0, not {size}.")
    if not wide:
        raise BadChoice(f"Say with --width how {option} is rounded, as --width 5.")
    law = stats.norm(0, size) if normal is not None else stats.expon(scale=size)
    found = interval_width(
        law, list(wide), people, offset="average", without_replacement=without_replacement
    )
    return _Widths(found)


def write(found: Shown, *, csv: Path | None, plot: Path | None, force: bool) -> None:
    """Write the files that were asked for."""
    if plot is not None:
        save_chart(plot, found.chart(), force=force)
    if csv is not None:
        write_csv(csv, found.rows(), force=force)


def show(found: Shown, *, as_json: bool) -> None:
    """Print a prediction for people or for programs."""
    plain = found.to_dict()  # first, so that nothing is shown of what is refused
    if as_json:
        print_json({"singleout": __version__, **plain})
    else:
        found.show()


def _say(lines: Sequence[str], found: Shown) -> None:
    out = screen()
    for line in lines:
        out.print(printable(line), soft_wrap=True)
    for warning in found.warnings:
        out.print(f"Warning: {printable(warning)}", soft_wrap=True)
    for note in found.notes:
        out.print(f"Note: {printable(note)}", soft_wrap=True)


def _chance(log_probability: float) -> str:
    """Return a probability as people read it, also where it is next to nothing."""
    if not isfinite(log_probability):
        return "0"
    if log_probability > log(1e-4):
        return f"{exp(log_probability):.2%}"
    return f"10^{log_probability / log(10):.1f}"
