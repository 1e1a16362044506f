"""Which classes break a wanted value of a measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arguments import share, whole
from singleout.core.arrays import I64, Flags
from singleout.core.results import ResultPart
from singleout.errors import BadChoice
from singleout.methods.diversity.columns import HIGHER_IS_WORSE, ColumnDiversity
from singleout.methods.levels import DIGITS

if TYPE_CHECKING:
    import polars as pl

__all__ = ["WANTED", "Breaking", "breaks", "checked_wanted"]

# the words for a wanted value, and the measure of each
WANTED = {
    "k": "k",
    "l": "distinct_l",
    "entropy_l": "entropy_l",
    "recursive_l": "recursive_l",
    "alpha": "alpha",
    "t": "t",
    "beta": "beta",
    "enhanced_beta": "enhanced_beta",
    "delta": "delta",
}
_COUNTS = ("k", "l", "recursive_l")
_SHARES = ("alpha", "t")


@dataclass(frozen=True, eq=False)
class Breaking(ResultPart):
    """The classes that break what is wanted, in any sensitive column.

    Parameters
    ----------
    wanted
        What is wanted, by its word: ``{"l": 3, "t": 0.2}``.
    classes
        How many classes break it.
    records
        How many records these have.
    share
        These records / records counted.
    """

    wanted: Mapping[str, float]
    classes: int
    records: int
    share: float
    _rows: Callable[[], pl.DataFrame] = field(repr=False)

    @property
    def met(self) -> bool:
        """Whether no class breaks anything."""
        return self.classes == 0

    def to_frame(self) -> pl.DataFrame:
        """Return one row for each class and sensitive column that breaks something, worst first."""
        return self._rows()

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values, without the classes themselves."""
        return {
            "wanted": dict(self.wanted),
            "met": self.met,
            "classes": self.classes,
            "records": self.records,
            "share": self.share,
        }


def checked_wanted(wanted: Mapping[str, Any]) -> dict[str, float]:
    """Return the wanted values that were given, or refuse one that cannot be wanted."""
    given = {word: value for word, value in wanted.items() if value is not None}
    if not given:
        raise BadChoice(f"Say what is wanted: one or more of {', '.join(WANTED)}.")
    return {word: _checked(word, value) for word, value in given.items()}


def _checked(word: str, value: Any) -> float:
    if word in _COUNTS:
        return whole(value, word)
    if word in _SHARES:
        return share(value, word, zero=True, one=True)
    if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= 0:
        raise BadChoice(f"{word} must be a number of 0 or more, not {value!r}.")
    return float(value)


def breaks(column: ColumnDiversity, matches: I64, wanted: Mapping[str, float]) -> dict[str, Flags]:
    """Return for each wanted value which classes break it; ``matches`` are the sizes for k."""
    found = {}
    for word, bound in wanted.items():
        name = WANTED[word]
        numbers = matches if name == "k" else column.per_class[name]
        # a number that misses the bound by the rounding of sums keeps it
        rounded = np.round(numbers, DIGITS)
        found[word] = rounded > bound if HIGHER_IS_WORSE.get(name, False) else rounded < bound
    return found
