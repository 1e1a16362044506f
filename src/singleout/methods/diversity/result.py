"""Diversity as a result: the worst class, every class and every record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, Flags
from singleout.core.choices import MissingPolicy
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result, records_not_held
from singleout.core.table import Column
from singleout.core.wording import count
from singleout.errors import UndefinedMeasure
from singleout.io.names import pick
from singleout.methods.diversity.breaking import Breaking, breaks, checked_wanted
from singleout.methods.diversity.columns import MEASURES, ColumnDiversity, worst_of
from singleout.methods.diversity.listing import (
    figure,
    frame_of,
    head_of,
    in_words,
    listed_numbers,
    worst_first,
)
from singleout.methods.groups import Grouped
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["ClassList", "Diversity"]


@dataclass(frozen=True, eq=False)
class ClassList:
    """The classes: records that are equal in what is known."""

    records: I64  # of each class
    matches: I64  # as many, or more where a missing value matches everything
    known: Sequence[Column] | None = None  # the quasi-identifiers, one entry for each class
    ids: NDArray[Any] | None = None  # the class of each record that was counted
    counted: Flags | None = None  # which records were, None for all


@dataclass(frozen=True, eq=False)
class Diversity(Grouped, Result):
    """How much a class of records that look alike gives away about sensitive columns.

    Measures of the whole are those of the worst class; with several sensitive columns, of the
    worst of these, each of which is looked at alone. They are in ``columns`` by name.

    Parameters
    ----------
    quasi_identifiers
        What an attacker knows: records that are equal in it form a class.
    columns
        The diversity of each sensitive column, by its name.
    c
        The c that ``recursive_l`` is for.
    missing
        What a missing value meant.
    dropped
        Records left out because a value is missing (policy ``drop``).
    by
        The columns by which records were grouped.
    groups
        The same measures for each group, by its value (values, if there are several columns).
    unit
        The column that says which records are of one person, where people are counted in each
        class in place of records; None if records are.
    notes
        What a reader should know, one sentence each.
    """

    quasi_identifiers: tuple[str, ...]
    columns: Mapping[str, ColumnDiversity]
    c: float = 2.0
    missing: MissingPolicy = MissingPolicy.VALUE
    dropped: int = 0
    by: tuple[str, ...] = ()
    groups: Mapping[Any, Diversity] = field(default_factory=dict, repr=False)
    group_labels: Mapping[Any, str] = field(default_factory=dict, repr=False)
    unit: str | None = None
    notes: tuple[str, ...] = ()
    _classes: ClassList = field(
        default_factory=lambda: ClassList(*np.zeros((2, 0), dtype=np.int64)), repr=False
    )
    # asks for the values of data that is not in memory
    _valued: Callable[[], Diversity] | None = field(default=None, repr=False)

    # ---- the worst class

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(self.columns)

    @property
    def records(self) -> int:
        """How many records were counted; those dropped are not among them."""
        return int(self._classes.records.sum())

    @property
    def classes(self) -> int:
        """How many classes there are: distinct combinations of the quasi-identifiers."""
        return len(self._classes.records)

    @property
    def k(self) -> int:
        """The fewest records in a class: the k of k-anonymity."""
        return int(self._classes.matches.min(initial=self.records))

    @property
    def distinct_l(self) -> int | None:
        """The fewest different values in a class: distinct l-diversity."""
        return self._worst_count("distinct_l")

    @property
    def entropy_l(self) -> float | None:
        """The smallest exp(entropy) of a class: every class has entropy l-diversity for this l."""
        return self._worst("entropy_l")

    @property
    def recursive_l(self) -> int | None:
        """The largest l for which every class has recursive (c, l)-diversity, with the given c."""
        return self._worst_count("recursive_l")

    @property
    def alpha(self) -> float | None:
        """The largest share of one value in a class: the alpha of (alpha, k)-anonymity."""
        return self._worst("alpha")

    @property
    def t(self) -> float | None:
        """The largest distance of a class from the table: the t of t-closeness."""
        return self._worst("t")

    @property
    def beta(self) -> float | None:
        """The largest relative gain (q - p) / p of a value in a class: basic beta-likeness."""
        return self._worst("beta")

    @property
    def enhanced_beta(self) -> float | None:
        """The smallest beta of enhanced beta-likeness; None if no beta will do.

        It also asks for (q - p) / p <= -ln p, whatever beta is. Where a class breaks this, as each
        class with a single value does, there is no beta.
        """
        return self._worst("enhanced_beta")

    @property
    def delta(self) -> float | None:
        """The largest |ln(q / p)|: delta-disclosure; None if a class lacks a value of the table.

        Then q is 0 and the logarithm infinite: who knows the class can rule the value out.
        ``occurring_delta`` leaves such values aside.
        """
        return self._worst("delta")

    @property
    def occurring_delta(self) -> float | None:
        """The largest |ln(q / p)| over the values that occur in each class, as pycanon has it."""
        known = [column.occurring_delta for column in self.columns.values()]
        return max((delta for delta in known if delta is not None), default=None)

    def _worst(self, name: str) -> float | None:
        numbers = [getattr(column, name) for column in self.columns.values()]
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers) or not known:
            return None
        return float(worst_of(name, [np.array([number]) for number in known])[0])

    def _worst_count(self, name: str) -> int | None:
        number = self._worst(name)
        return None if number is None else int(number)

    # ---- every record

    @cached_property
    def per_record(self) -> pl.DataFrame:
        """For each record the measures of its class, the worst over the sensitive columns.

        Null for records that were left out, and where no number is large enough.
        """
        ids, counted = self._require_records()
        numbers: dict[str, NDArray[Any]] = {"k": self._classes.matches}
        for name in MEASURES:
            numbers[name] = worst_of(name, [c.per_class[name] for c in self.columns.values()])
        return frame_of(numbers, ids, counted)

    def record_measures(self, sensitive: str) -> pl.DataFrame:
        """Return for each record the measures of its class, for one sensitive column.

        Parameters
        ----------
        sensitive
            The name of the column.
        """
        ids, counted = self._require_records()
        per_class = self.columns[sensitive].per_class
        return frame_of({"k": self._classes.matches, **per_class}, ids, counted)

    def _require_records(self) -> tuple[NDArray[Any], Flags | None]:
        if self._classes.ids is None:
            raise records_not_held("The diversity around each record")
        return self._classes.ids, self._classes.counted

    # ---- every class

    @cached_property
    def per_class(self) -> pl.DataFrame:
        """One row for each class and sensitive column, worst first: its values and measures."""
        from singleout.core.frames import pl

        frames = [self._class_rows(name, None) for name in self.columns]
        return pl.concat(frames)

    def breaking(
        self,
        *,
        k: int | None = None,
        l: int | None = None,  # noqa: E741 - the name that everybody gives it
        entropy_l: float | None = None,
        recursive_l: int | None = None,
        alpha: float | None = None,
        t: float | None = None,
        beta: float | None = None,
        enhanced_beta: float | None = None,
        delta: float | None = None,
    ) -> Breaking:
        """Return which classes break one or more wanted values.

        Parameters
        ----------
        k, l, entropy_l, recursive_l
            The least that is wanted; ``l`` is that of distinct l-diversity.
        alpha, t, beta, enhanced_beta, delta
            The most that is accepted.

        Examples
        --------
        >>> import singleout as so
        >>> people = {"age": ["2*", "2*", "3*", "3*"], "disease": ["flu", "flu", "flu", "cold"]}
        >>> found = so.diversity(people, "age", "disease").breaking(l=2)
        >>> found.classes, found.records, found.to_frame()["age"].to_list()
        (1, 2, ['2*'])
        """
        wanted = checked_wanted(
            {
                "k": k,
                "l": l,
                "entropy_l": entropy_l,
                "recursive_l": recursive_l,
                "alpha": alpha,
                "t": t,
                "beta": beta,
                "enhanced_beta": enhanced_beta,
                "delta": delta,
            }
        )
        broken = np.zeros(self.classes, dtype=np.bool_)
        for column in self.columns.values():
            broken |= np.any(list(breaks(column, self._classes.matches, wanted).values()), axis=0)
        records = int(self._classes.records[broken].sum())
        return Breaking(
            wanted,
            int(broken.sum()),
            records,
            records / self.records if self.records else 0.0,
            lambda: self._broken_rows(wanted),
        )

    def _broken_rows(self, wanted: Mapping[str, float]) -> pl.DataFrame:
        from singleout.core.frames import pl

        return pl.concat([self._class_rows(name, wanted) for name in self.columns])

    def _class_rows(self, name: str, wanted: Mapping[str, float] | None) -> pl.DataFrame:
        """Return the classes as rows of a frame; of ``wanted``, those that break something."""
        from singleout.core.frames import pl

        listed = self._with_values
        classes, column = listed._classes, listed.columns[name]
        assert classes.known is not None
        order = worst_first(classes.known, classes.records, column)
        broken = {} if wanted is None else breaks(column, classes.matches, wanted)
        if wanted is not None:
            order = order[np.any(list(broken.values()), axis=0)[order]]
        known = {head_of(c.name): in_words(c, order) for c in classes.known}
        numbers = {key: listed_numbers(key, v[order]) for key, v in column.per_class.items()}
        rows = pl.DataFrame(
            {
                **known,
                "sensitive": pl.Series([name] * len(order), dtype=pl.String),
                "records": classes.records[order],
                "k": classes.matches[order],
                **numbers,
            }
        )
        if wanted is None:
            return rows
        words = [
            ", ".join(word for word, flags in broken.items() if flags[index])
            for index in order.tolist()
        ]
        return rows.with_columns(pl.Series("breaks", words, dtype=pl.String))

    @cached_property
    def _with_values(self) -> Diversity:
        """The same result, or that from counts with the values of the quasi-identifiers."""
        if self._classes.known is not None:
            return self
        if self._valued is None:
            raise UndefinedMeasure(
                "The values of classes are not known here: only counts were given."
            )
        return self._valued()

    # ---- ways to look at it

    @property
    def name(self) -> str:
        """The quasi-identifier as it is written on the command line."""
        return "+".join(self.quasi_identifiers)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but single classes as plain values that JSON can hold."""
        answer: dict[str, Any] = {
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": list(self.sensitive),
            "missing": str(self.missing),
            "records": self.records,
            "unit": self.unit,
            "dropped": self.dropped,
            "classes": self.classes,
            "k": self.k,
            "c": self.c,
            **{name: getattr(self, name) for name in MEASURES},
            "columns": {name: column.to_dict() for name, column in self.columns.items()},
            "notes": list(self.notes),
        }
        return self._with_groups(answer)

    def to_frame(self) -> Frame:
        """Return one row for each sensitive column, and more for each group."""
        from singleout.core.frames import pl

        rows = self._rows(None)
        for value, part in self.groups.items():
            rows += part._rows(self.group_name(value))
        frame = pl.DataFrame(rows, infer_schema_length=None)
        return frame if self.by else frame.drop("group")

    def _rows(self, group: str | None) -> list[dict[str, Any]]:
        return [
            {
                "group": group,
                "quasi_identifier": self.name,
                "sensitive": name,
                "scale": str(column.scale),
                "records": self.records,
                "dropped": self.dropped,
                "classes": self.classes,
                "values": column.values,
                "k": self.k,
                **{key: getattr(column, key) for key in MEASURES},
                "certain": column.certain,
                "certain_share": column.certain_share,
            }
            for name, column in self.columns.items()
        ]

    def plot(self, sensitive: Sequence[str] | str | None = None) -> alt.VConcatChart:
        """Return the pictures: records by how many values their class has, and by its t.

        Parameters
        ----------
        sensitive
            The columns to draw; all if not given.
        """
        from singleout.methods.diversity.chart import values_and_distances

        wanted = [sensitive] if isinstance(sensitive, str) else sensitive
        columns = [self.columns[name] for name in pick(wanted, self.sensitive)]
        return values_and_distances(
            [(c.name, c.pairs.distinct, c.per_class["t"], c.class_records) for c in columns],
            self.name,
        )

    def __str__(self) -> str:
        return say(
            "diversity.summary",
            known=self.name,
            sensitive=", ".join(self.sensitive),
            k=count(self.k),
            distinct_l=figure(self.distinct_l),
            entropy_l=figure(self.entropy_l),
            t=figure(self.t),
            beta=figure(self.beta),
        )
