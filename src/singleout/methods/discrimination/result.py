"""The discrimination rate: how far some attributes tell a sensitive one. Sondeck and Laurent, 4.2.

X is the sensitive attribute and Y one quasi-identifier or several together. What is left to guess
about X once y is known is the entropy H(X | Y=y); the rate sets it against H(X), what there was to
guess before. The rate of one value is, as the paper's tables have it,

    DR(y) = 1 - p(y) H(X | Y=y) / H(X)

and that of Y is the mean over its values. Two more readings are offered: the share of H(X) that Y
takes away on average (mutual information), and that which its worst value takes away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.choices import MissingPolicy
from singleout.core.finite import finite_result
from singleout.core.table import Column
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.kernels.grouping.group import Groups, group_records
from singleout.methods.discrimination.levels import (
    DIGITS,
    INFERENCE_BOUNDS,
    INFERENCES,
    inference_level,
    inference_levels,
)

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = [
    "Combinations",
    "DiscriminationRate",
    "Inference",
    "Variant",
    "inference_of",
    "inference_within",
]

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]


class Variant(StrEnum):
    """How the rates of values become one rate."""

    PAPER = "paper"  # the mean of 1 - p(y) H(X | y) / H(X) over values
    MUTUAL_INFORMATION = "mutual-information"  # 1 - H(X | Y) / H(X)
    WORST_VALUE = "worst-value"  # the largest 1 - H(X | y) / H(X)


@dataclass(frozen=True, eq=False)
class Inference:
    """What is left to guess about a sensitive attribute, for each value of others.

    Parameters
    ----------
    sizes
        How many records have each value (combination) y.
    left
        H(X | Y=y): the bits that are left to guess once y is known.
    entropy
        H(X): the bits that there are to guess.
    """

    sizes: I64
    left: F64
    entropy: float

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.sizes.sum())

    def value_rates(self, variant: Variant) -> F64:
        """Return the rate of each value.

        Other than in the paper's reading a rate can be below 0: who has the value is harder to
        guess than anybody.
        """
        if self.entropy == 0:  # everything is known already
            return np.ones(len(self.sizes))
        share_left = self.left / self.entropy
        if variant == Variant.PAPER:
            # at most 1, but for rounding: the shares add up to H(X | Y) / H(X)
            return 1 - np.minimum(share_left * self.sizes / self.records, 1.0)
        rates: F64 = 1 - share_left
        return rates

    def rate(self, variant: Variant) -> float:
        """Return the rate of all values together, within [0, 1]."""
        rates = self.value_rates(variant)
        if variant == Variant.PAPER:
            return float(rates.mean())
        if variant == Variant.WORST_VALUE:
            # the largest is not below the mean, which is not below 0, but for rounding
            return max(0.0, float(rates.max()))
        return min(1.0, max(0.0, float(rates @ self.sizes / self.records)))


def inference_of(
    sizes: I64, joint_sizes: I64, parents: NDArray[Any], of_sensitive: I64
) -> Inference:
    """Return what is left to guess from counts alone.

    Parameters
    ----------
    sizes
        How many records have each value y.
    joint_sizes
        How many records have each pair of a value y and a value x that occurs.
    parents
        For each pair the place of its y among ``sizes``.
    of_sensitive
        How many records have each value x; those that do not occur may be 0.
    """
    shares = joint_sizes / sizes[parents]
    left = np.bincount(parents, -shares * np.log2(shares), minlength=len(sizes))
    occurring = of_sensitive[of_sensitive > 0]
    prior = occurring / occurring.sum()
    # adding zero turns minus zero into zero
    entropy = float(-(prior * np.log2(prior)).sum()) + 0.0
    return Inference(sizes, np.asarray(left + 0.0, dtype=np.float64), entropy)


def inference_within(groups: Groups, codes: NDArray[Any], levels: int) -> Inference:
    """Return what is left to guess about a column within groups of records.

    Parameters
    ----------
    groups
        The records by what is known of them.
    codes
        The sensitive column, a code for each record.
    levels
        A number above its largest code.
    """
    joint = group_records([groups.ids, codes], [len(groups.sizes), levels])
    of_sensitive = np.bincount(codes, minlength=levels)
    return inference_of(groups.sizes, joint.sizes, groups.ids[joint.first], of_sensitive)


@dataclass(frozen=True, eq=False)
class Combinations:
    """The value combinations that an `Inference` is about, with their values.

    Parameters
    ----------
    columns
        The columns that an attacker knows, with one entry for each combination.
    inference
        What is left to guess, in the same order.
    """

    columns: Sequence[Column]
    inference: Inference


@finite_result
@dataclass(frozen=True, eq=False)
class DiscriminationRate:
    """How far some attributes tell a sensitive one: in all, for each value and for each record.

    Parameters
    ----------
    quasi_identifiers
        Y: the columns that an attacker knows.
    sensitive
        X: the column that they want to know.
    inference
        What is left to guess for each value combination of Y.
    variant
        How the rates of values become one rate.
    missing
        What a missing value meant.
    dropped
        Records left out because a value is missing (policy ``drop``).
    notes
        What a reader should know, one sentence each.
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: str
    inference: Inference = field(repr=False)
    variant: Variant = Variant.PAPER
    missing: MissingPolicy = MissingPolicy.VALUE
    dropped: int = 0
    notes: tuple[str, ...] = ()
    _combinations: Callable[[], Combinations] | None = field(default=None, repr=False)
    _ids: NDArray[Any] | None = field(default=None, repr=False)
    _kept: NDArray[np.bool_] | None = field(default=None, repr=False)

    @cached_property
    def rate(self) -> float:
        """The discrimination rate, at most 1 (all is learnt).

        Where nothing is learnt it is 0, but in the paper's reading 1 - 1/c for c values.
        """
        return self.inference.rate(self.variant)

    @property
    def level(self) -> int:
        """The inference level of the rate, 1 (Weak) to 4 (Critical)."""
        return inference_level(self.rate)

    @property
    def entropy(self) -> float:
        """H(X): how many bits there are to guess without knowing anything."""
        return self.inference.entropy

    @property
    def records(self) -> int:
        """How many records were counted; those dropped are not among them."""
        return self.inference.records

    @cached_property
    def value_rates(self) -> F64:
        """The rate of each value combination, in no particular order."""
        return self.inference.value_rates(self.variant)

    @cached_property
    def per_record(self) -> F64:
        """For each record the rate of its value combination; NaN for a record left out."""
        if self._ids is None:
            raise UndefinedMeasure(
                "The rate of each record is not known here: only counts were taken where the data "
                'is; measure with engine="local", which fetches the data, to have it.'
            )
        rates: F64 = self.value_rates[self._ids]
        if self._kept is not None:
            whole = np.full(len(self._kept), np.nan)
            whole[self._kept] = rates
            rates = whole
        rates.flags.writeable = False
        return rates

    @cached_property
    def _found(self) -> Combinations:
        """The value combinations with their values, which are looked up when first asked for."""
        if self._combinations is None:
            raise UndefinedMeasure("The values are not known here: only counts of them were given.")
        return self._combinations()

    @cached_property
    def _worst_first(self) -> I64:
        """The value combinations: highest rate first, then most records, then by their values."""
        found = self._found
        # rates that differ by the rounding of sums only are the same on every engine
        rates = np.round(found.inference.value_rates(self.variant), DIGITS)
        codes = [column.codes for column in reversed(found.columns)]
        return np.lexsort((*codes, -found.inference.sizes, -rates))

    @cached_property
    def values(self) -> pl.DataFrame:
        """One row for each value combination: its values in words, records, share and rate."""
        return self._values(len(self._worst_first))

    def _values(self, limit: int) -> pl.DataFrame:
        from singleout.core.frames import pl

        order = self._worst_first[:limit]
        taken = {"records", "share", "rate", "level"}
        rates = self._found.inference.value_rates(self.variant)[order]
        shown = {
            (f"{c.name} (value)" if c.name in taken else c.name): _in_words(c, order)
            for c in self._found.columns
        }
        sizes = self._found.inference.sizes[order]
        return pl.DataFrame(
            {
                **shown,
                "records": sizes,
                "share": sizes / self.records,
                "rate": rates,
                "level": inference_levels(rates),
            }
        )

    # ---- ways to look at it

    @property
    def name(self) -> str:
        """The quasi-identifier as it is written on the command line."""
        return "+".join(self.quasi_identifiers)

    def to_frame(self) -> pl.DataFrame:
        """Return the value combinations, worst first: the same as ``values``."""
        return self.values

    def to_dict(self, top: int = 10) -> dict[str, Any]:
        """Return the rate and the worst values as plain values that JSON can hold.

        Parameters
        ----------
        top
            How many of the worst value combinations to give.
        """
        if isinstance(top, bool) or not isinstance(top, int) or top < 0:
            raise BadChoice(f"top must be a whole number of values, 0 or more, not {top!r}.")
        return {
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": self.sensitive,
            "variant": str(self.variant),
            "missing": str(self.missing),
            "records": self.records,
            "dropped": self.dropped,
            "combinations": len(self.inference.sizes),
            "entropy_bits": self.entropy,
            "rate": self.rate,
            "level": self.level,
            "rates": {str(variant): self.inference.rate(variant) for variant in Variant},
            "values": self._values(top).to_dicts() if top else [],
            "notes": list(self.notes),
        }

    def plot(self, top: int = 20) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: the rates of the worst values, with the bounds of the levels.

        Parameters
        ----------
        top
            How many of the worst value combinations to draw.
        """
        from singleout.methods.discrimination.chart import value_bars

        if isinstance(top, bool) or not isinstance(top, int) or top < 1:
            raise BadChoice(f"top must be a whole number of values, 1 or more, not {top!r}.")
        frame = self._values(top)
        named = [
            name for name in frame.columns if name not in ("records", "share", "rate", "level")
        ]
        labels = [", ".join(row) for row in frame.select(named).rows()]
        return value_bars(
            [
                {"value": label, "rate": rate, "records": records}
                for label, rate, records in zip(
                    labels, frame["rate"].to_list(), frame["records"].to_list(), strict=True
                )
            ],
            name=self.name,
            sensitive=self.sensitive,
            rate=self.rate,
            left_out=len(self.inference.sizes) - frame.height,
            bounds=INFERENCE_BOUNDS,
            levels=INFERENCES,
        )

    def __str__(self) -> str:
        return (
            f"{self.name} tells {self.sensitive}: rate {self.rate:.3f} ({self.variant}), "
            f"level {self.level} {INFERENCES[self.level - 1]}"
        )

    def _repr_html_(self) -> str:
        frame: str = self.to_frame()._repr_html_()
        return frame


def _in_words(column: Column, places: NDArray[Any]) -> pl.Series:
    """Return the values at some places of a column, in words."""
    from singleout.core.frames import pl

    codes = column.codes[places]
    found, places = np.unique(codes, return_inverse=True)
    words = [column.label(column.value(code)) for code in found.tolist()]
    return pl.Series(words, dtype=pl.String).gather(places)
