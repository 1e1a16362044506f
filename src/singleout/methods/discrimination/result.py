"""The discrimination rate as a result: in all, for each value and for each record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arguments import whole
from singleout.core.arrays import F64, I64, Flags
from singleout.core.choices import MissingPolicy
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result, read_only, records_not_held
from singleout.core.table import Column
from singleout.core.wording import figure
from singleout.errors import UndefinedMeasure
from singleout.methods.discrimination.measure import Inference, Variant
from singleout.methods.discrimination.told import RARE, Severities, in_words, told_frame
from singleout.methods.groups import Grouped
from singleout.methods.levels import (
    DIGITS,
    inference_level,
    inference_levels,
    level_name,
)
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["Combinations", "DiscriminationRate"]

_MEASURES = ("records", "share", "rate", "level")


@dataclass(frozen=True, eq=False)
class Combinations:
    """The value combinations that an `Inference` is about, with their values."""

    columns: Sequence[Column]  # what an attacker knows, one entry for each combination
    inference: Inference  # in the same order
    target: Column  # the sensitive one, one entry for each pair of a combination and a value
    pair_parents: I64  # the combination of each pair
    pair_sizes: I64  # records of each pair


@dataclass(frozen=True, eq=False)
class DiscriminationRate(Grouped, Result):
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
    by
        The columns of the groups.
    groups
        The same for the records of each group, by its value.
    notes
        What a reader should know, one sentence each.
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: str
    inference: Inference = field(repr=False)
    variant: Variant = Variant.PAPER
    missing: MissingPolicy = MissingPolicy.VALUE
    dropped: int = 0
    by: tuple[str, ...] = ()
    groups: Mapping[Any, DiscriminationRate] = field(default_factory=dict, repr=False)
    group_labels: Mapping[Any, str] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()
    _combinations: Callable[[], Combinations] | None = field(default=None, repr=False)
    # the combination of each record that was counted, and which were, None for all
    _groups: Callable[[], tuple[NDArray[Any], Flags | None]] | None = field(
        default=None, repr=False
    )

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
        if self._groups is None:
            raise records_not_held("The rate of each record")
        ids, counted = self._groups()
        rates: F64 = self.value_rates[ids]
        if counted is not None:
            every = np.full(len(counted), np.nan)
            every[counted] = rates
            rates = every
        return read_only(rates)

    @cached_property
    def _looked_up(self) -> Combinations:
        """The value combinations with their values, which are looked up when first asked for."""
        if self._combinations is None:
            raise UndefinedMeasure("The values are not known here: only counts of them were given.")
        return self._combinations()

    @cached_property
    def _worst_first(self) -> I64:
        """The value combinations: highest rate first, then most records, then by their values."""
        combinations = self._looked_up
        # rates that differ by the rounding of sums only are the same on every engine
        rates = np.round(combinations.inference.value_rates(self.variant), DIGITS)
        codes = [column.codes for column in reversed(combinations.columns)]
        return np.lexsort((*codes, -combinations.inference.sizes, -rates))

    @cached_property
    def values(self) -> pl.DataFrame:
        """One row for each value combination: its values in words, records, share and rate."""
        return self._values(len(self._worst_first))

    def _values(self, limit: int) -> pl.DataFrame:
        from singleout.core.frames import pl

        order = self._worst_first[:limit]
        combinations = self._looked_up
        rates = combinations.inference.value_rates(self.variant)[order]
        shown = {
            (f"{c.name} (value)" if c.name in _MEASURES else c.name): in_words(c, c.codes[order])
            for c in combinations.columns
        }
        sizes = combinations.inference.sizes[order]
        return pl.DataFrame(
            {
                **shown,
                "records": sizes,
                "share": sizes / self.records,
                "rate": rates,
                "level": inference_levels(rates),
            }
        )

    def told(
        self,
        severities: Severities | None = None,
        *,
        show_records: bool = False,
        rare: int = RARE,
    ) -> pl.DataFrame:
        """Return the values that give someone away: what is inferred from each, the surest first.

        Parameters
        ----------
        severities
            How severe the sensitive values are, 1 to 4: by value, or as a function of its text and
            its label, such as ``plan.columns["disease"].severity_of``.
        show_records
            Whether rare values are shown. If not they are masked, and those that tell the same are
            taken together: ``values`` says how many.
        rare
            A value that fewer records have is rare.
        """
        combinations = self._looked_up
        return told_frame(
            combinations,
            combinations.inference.value_rates(self.variant),
            severities=severities,
            show_records=show_records,
            rare=whole(rare, "rare", at_least=1, of="records"),
        )

    # ---- ways to look at it

    @property
    def name(self) -> str:
        """The quasi-identifier as it is written on the command line."""
        return "+".join(self.quasi_identifiers)

    def to_frame(self) -> Frame:
        """Return the value combinations, worst first: the same as ``values``."""
        return self.values

    def to_dict(self, top: int = 10) -> dict[str, Any]:
        """Return the rate and the worst values as plain values that JSON can hold.

        Parameters
        ----------
        top
            How many of the worst value combinations to give.
        """
        top = whole(top, "top", at_least=0, of="values")
        answer: dict[str, Any] = {
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
        return self._with_groups(answer, top)

    def plot(
        self, top: int = 20, *, told: pl.DataFrame | None = None
    ) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: the rates of the worst values, with the bounds of the levels.

        Parameters
        ----------
        top
            How many of the worst value combinations to draw.
        told
            What `told` returned, to draw that: with rare values masked, and what is inferred.
        """
        from singleout.methods.discrimination.chart import value_bars

        most = whole(top, "top", of="values")
        if told is None:
            told = self.told(show_records=True)
        rows = [
            {
                "value": say("discrimination.tells", value=row["value"], inferred=row["inferred"]),
                "rate": row["rate"],
                "records": row["records"],
            }
            for row in told.head(most).to_dicts()
        ]
        return value_bars(
            rows,
            name=self.name,
            sensitive=self.sensitive,
            rate=self.rate,
            left_out=told.height - len(rows),
        )

    def __str__(self) -> str:
        return say(
            "discrimination.summary",
            known=self.name,
            sensitive=self.sensitive,
            rate=figure(self.rate, ".3f"),
            variant=self.variant,
            level=self.level,
            word=level_name("inference", self.level),
        )
