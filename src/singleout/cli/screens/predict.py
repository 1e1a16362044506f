"""How predictions are shown: for people, for programs and as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isfinite, log
from typing import TYPE_CHECKING, Any

from singleout.cli.shared.output import number, show_table, tell
from singleout.core.wording import figure, percent
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.distribution.distribution import Distribution
    from singleout.predict.intervals.intervals import IntervalWidths
    from singleout.predict.set_sizes.result import GroupSizes
    from singleout.predict.singletons.singletons import Singletons
    from singleout.predict.uniqueness.uniqueness import UniquenessProbability

__all__ = ["Shown", "cells", "chance", "limits_of", "widths"]

_EXACT_LAW = 30_000_000  # different probabilities times people: about a second
_LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class _Cells:
    """What is predicted for people who spread over cells."""

    distribution: Distribution
    uniqueness: UniquenessProbability
    singletons: Singletons
    sizes: GroupSizes
    interval: tuple[int, int]
    interval_error: float  # by which the probability of the interval can be off; 0 if exact
    limits: tuple[float, float] | None = None  # of the mean, where only a summary is known

    @property
    def notes(self) -> tuple[str, ...]:
        notes = [*self.uniqueness.notes, *self.singletons.notes, *self.sizes.notes]
        if self.interval_error:
            notes.append(say("screen.predict.approximate", error=self.interval_error))
        if self.limits is not None:
            low, high = self.limits
            notes.append(say("screen.predict.limits", low=low, high=high))
        return tuple(notes)

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self.uniqueness.warnings, *self.singletons.warnings, *self.sizes.warnings)

    def to_dict(self) -> dict[str, Any]:
        return {
            "distribution": self.distribution.to_dict(),
            "uniqueness": self.uniqueness.to_dict(),
            "singletons": {
                **self.singletons.to_dict(),
                "interval": list(self.interval),
                "interval_level": _LEVEL,
                "interval_error": self.interval_error,
                "range": None if self.limits is None else list(self.limits),
            },
            "sizes": self.sizes.to_dict(),
        }

    def rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.sizes.to_frame().to_dicts()
        return rows

    def chart(self) -> Any:
        return self.sizes.plot()

    def show(self) -> None:
        people = self.singletons
        spread = str(self.distribution)
        tell(say("screen.predict.about", people=people.people, spread=spread))
        low, high = self.interval
        show_table(
            "screen.predict.prediction",
            [
                [
                    say("screen.predict.unique_people"),
                    number(round(people.mean, 2)),
                    percent(people.share),
                    figure(people.sd, ",.2f"),
                    f"{figure(low)} – {figure(high)}",
                ]
            ],
        )
        show_table(
            "screen.predict.sets",
            [
                [
                    figure(size),
                    number(round(float(self.sizes.sets[size]), 2)),
                    percent(float(self.sizes.share_of_people[size])),
                    percent(self.sizes.at_most(size)),
                ]
                for size in range(1, len(self.sizes.sets))
            ],
        )
        chances = {"everybody": chance(self.uniqueness.log_probability)}
        key = "screen.predict.everybody"
        if people.to_dict()["probability_none"] is not None:
            key = "screen.predict.everybody_or_nobody"
            chances["nobody"] = chance(people.log_probability_none)
        tell(say(key, **chances), f"{people}.", warnings=self.warnings, notes=self.notes)


@dataclass(frozen=True, eq=False)
class _Widths:
    """What is predicted for a quantity that is rounded to intervals."""

    result: IntervalWidths

    def to_dict(self) -> dict[str, Any]:
        return {"widths": self.result.to_dict()}

    def rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.result.to_frame().to_dicts()
        return rows

    def chart(self) -> Any:
        return self.result.plot()

    def show(self) -> None:
        show_table(
            "screen.predict.widths",
            [
                [
                    figure(row["width"], "g"),
                    number(round(row["singletons"], 2)),
                    percent(row["share_unique"]),
                    percent(row["share_in_sets_of_2"]),
                    percent(row["share_in_sets_of_3"]),
                ]
                for row in self.rows()
            ],
            people=self.result.people,
        )
        tell(f"{self.result}.", warnings=self.result.warnings, notes=self.result.notes)


Shown = _Cells | _Widths


def limits_of(
    cells: float | None, kl: float | None, power_sums: Sequence[float] | None, people: int
) -> tuple[float, float] | None:
    """Return the limits of the number of unique people, if only a summary is known."""
    from singleout.predict.singletons.bounds import singleton_bounds, singleton_range

    if cells is None:
        return None
    if kl is not None:
        return singleton_range(cells, kl, people)
    if power_sums is not None:
        return singleton_bounds(cells, power_sums, people)
    return None


def cells(
    spread: Distribution,
    people: int,
    up_to: int,
    without_replacement: bool | None,
    limits: tuple[float, float] | None = None,
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


def chance(log_probability: float) -> str:
    """Return a probability as people read it, also where it is next to nothing."""
    if not isfinite(log_probability):
        return "0"
    if log_probability > log(1e-4):
        return percent(exp(log_probability))
    return f"10^{log_probability / log(10):.1f}"
