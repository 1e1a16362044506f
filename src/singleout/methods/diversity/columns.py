"""The diversity of one sensitive column: its measures for each class, and the worst of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arguments import whole
from singleout.core.arrays import F64, I64, total
from singleout.core.results import ResultPart, read_only
from singleout.methods.diversity import closeness, measure
from singleout.methods.diversity.pairs import Pairs
from singleout.methods.diversity.scales import Scale

__all__ = ["HIGHER_IS_WORSE", "MEASURES", "WHOLE", "ColumnDiversity", "worst", "worst_of"]

# whether a class with a higher number gives away more
HIGHER_IS_WORSE = {
    "distinct_l": False,
    "entropy_l": False,
    "recursive_l": False,
    "alpha": True,
    "t": True,
    "beta": True,
    "enhanced_beta": True,
    "delta": True,
}
MEASURES = tuple(HIGHER_IS_WORSE)
WHOLE = ("distinct_l", "recursive_l")


@dataclass(frozen=True, eq=False)
class ColumnDiversity(ResultPart):
    """How diverse one sensitive column is: the worst class, and every class.

    Parameters
    ----------
    name
        The sensitive column.
    scale
        How far two of its values are apart, for ``t``.
    c
        The c that ``recursive_l`` is for.
    pairs
        The counts that everything is made of.
    class_records
        How many records each class has of its own; where a missing value is a wildcard it matches
        more.
    """

    name: str
    scale: Scale
    c: float
    pairs: Pairs = field(repr=False)
    class_records: I64 = field(repr=False)

    @cached_property
    def per_class(self) -> Mapping[str, NDArray[Any]]:
        """Each measure by its name: a number for each class, infinite where none is enough."""
        pairs = self.pairs
        found: dict[str, NDArray[Any]] = {
            "distinct_l": pairs.distinct,
            "entropy_l": measure.entropy_l(pairs),
            "recursive_l": measure.recursive_l(pairs, Fraction(self.c)),
            "alpha": measure.alphas(pairs),
            "t": closeness.closeness(pairs, self.scale),
            "beta": closeness.betas(pairs),
            "enhanced_beta": closeness.enhanced_betas(pairs),
            "delta": closeness.deltas(pairs),
        }
        return {name: read_only(numbers) for name, numbers in found.items()}

    # ---- the worst class; None where there are no records

    @property
    def distinct_l(self) -> int | None:
        """The fewest different values in a class."""
        return self._worst_count("distinct_l")

    @property
    def entropy_l(self) -> float | None:
        """The smallest exp(entropy) of a class: every class has entropy l-diversity for this l."""
        return worst("entropy_l", self.per_class["entropy_l"])

    @property
    def recursive_l(self) -> int | None:
        """The largest l for which every class has recursive (c, l)-diversity, with the given c."""
        return self._worst_count("recursive_l")

    @property
    def alpha(self) -> float | None:
        """The largest share of one value in a class: the alpha of (alpha, k)-anonymity."""
        return worst("alpha", self.per_class["alpha"])

    @property
    def t(self) -> float | None:
        """The largest distance of a class from the table: the t of t-closeness."""
        return worst("t", self.per_class["t"])

    @property
    def beta(self) -> float | None:
        """The largest relative gain of a value in a class: basic beta-likeness."""
        return worst("beta", self.per_class["beta"])

    @property
    def enhanced_beta(self) -> float | None:
        """The smallest beta of enhanced beta-likeness; None if no beta will do."""
        return worst("enhanced_beta", self.per_class["enhanced_beta"])

    @property
    def delta(self) -> float | None:
        """The largest |ln(q / p)|: delta-disclosure; None if a class lacks a value."""
        return worst("delta", self.per_class["delta"])

    @property
    def occurring_delta(self) -> float | None:
        """The same over the values that occur in each class, which is always a number."""
        return worst("delta", closeness.occurring_deltas(self.pairs))

    def recursive_c(self, l: int) -> float | None:  # noqa: E741 - the name that the paper gives it
        """Return the bound that c has to exceed for recursive (c, l)-diversity; None if no c does.

        Parameters
        ----------
        l
            How many well-represented values are wanted.
        """
        return worst("beta", measure.recursive_c(self.pairs, whole(l, "l", of="values")))

    # ---- of records

    @property
    def values(self) -> int:
        """How many different values the column has, missing included where it is a value."""
        return len(self.pairs.of_value)

    @cached_property
    def certain(self) -> int:
        """Records in classes with one value only: who knows the class knows the value."""
        return int(self.class_records[self.pairs.distinct == 1].sum())

    @property
    def certain_share(self) -> float:
        """Records in classes with one value only / records counted."""
        records = int(self.class_records.sum())
        return self.certain / records if records else 0.0

    @cached_property
    def means(self) -> dict[str, float | None]:
        """The mean of each measure over records; None where it is infinite for one of them."""
        return {name: self._mean(numbers) for name, numbers in self.per_class.items()}

    def _mean(self, numbers: NDArray[Any]) -> float | None:
        if not len(numbers):
            return None
        return finite(float(total(numbers, self.class_records) / self.class_records.sum()))

    def _worst_count(self, name: str) -> int | None:
        number = worst(name, self.per_class[name])
        return None if number is None else int(number)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of the column as plain values."""
        return {
            "scale": str(self.scale),
            "values": self.values,
            **{name: getattr(self, name) for name in MEASURES},
            "occurring_delta": self.occurring_delta,
            "certain": self.certain,
            "certain_share": self.certain_share,
            "means": dict(self.means),
        }


def worst(name: str, numbers: NDArray[Any]) -> float | None:
    """Return the worst number of a measure; None if it is infinite, or if there are no classes."""
    if not len(numbers):
        return None
    return finite(float(numbers.max() if HIGHER_IS_WORSE[name] else numbers.min()))


def finite(number: float) -> float | None:
    """Return a number, None if it is infinite."""
    return number if np.isfinite(number) else None


def worst_of(name: str, columns: list[F64]) -> F64:
    """Return for each class the worst over several columns."""
    pick = np.maximum if HIGHER_IS_WORSE[name] else np.minimum
    return np.asarray(pick.reduce(columns))
