"""What an assessment asks of a table: who could know what, and what would hurt.

The plan says for each column what it is for, how easily it is found elsewhere and how severe its
disclosure is. Here this meets the table: severity by value becomes severity by code, and what the
plan leaves open is rated on the safe side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.rating.bands import bands_of
from singleout.assessment.rating.owners import Owners, owners_of
from singleout.assessment.rating.sampling import Sampling, sampling_of
from singleout.core.arrays import I64
from singleout.core.choices import choose
from singleout.core.table import Codes, Column, Table
from singleout.engines.local import counting as local
from singleout.errors import BadChoice
from singleout.kernels.grouping.group import Groups
from singleout.methods.discrimination.measure import Variant
from singleout.methods.levels import INFERENCE_BOUNDS, level_name
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import ColumnPlan, Plan

__all__ = ["RatingQuestion", "Target", "question_of"]

Levels = NDArray[np.int8]

_SAFE = 4  # what is not stated is rated as high as can be
_IDENTITY = 3  # of being found, where no column says what is learnt by it


@dataclass(frozen=True, eq=False)
class Target:
    """What an attacker wants to know: a sensitive attribute, or who a record is.

    Parameters
    ----------
    name
        The sensitive column; None if it is the identity alone.
    by_code
        The severity of each code of the column; one number if it is the identity.
    bands
        For each code the band in which it is guessed, where a number is guessed in bands.
    """

    name: str | None
    by_code: Levels = field(repr=False)
    bands: Codes | None = field(default=None, repr=False)

    def outcomes(self, table: Table) -> tuple[NDArray[Any], Levels]:
        """Return what is guessed of each record, as an index, and the severity of each outcome."""
        assert self.name is not None  # the identity is not guessed by values
        codes = table[self.name].codes
        if self.bands is None:
            return codes, self.by_code
        severities = np.zeros(int(self.bands.max()) + 1, dtype=np.int8)
        np.maximum.at(severities, self.bands, self.by_code)
        return self.bands[codes], severities

    def recoded(self, before: Column, after: Column) -> Target:
        """Return the target where its column is coarser: the highest severity of each new value."""
        by_code = np.ones(after.levels, dtype=np.int8)
        np.maximum.at(by_code, after.codes, self.by_code[before.codes])
        return Target(self.name, by_code)

    def severities(self, table: Table) -> Levels:
        """Return the severity of each record: that of its value."""
        if self.name is None:
            return np.full(table.rows, self.by_code[0], dtype=np.int8)
        return self.by_code[table[self.name].codes]

    def highest(self, table: Table) -> int:
        """Return the highest severity among the values that occur."""
        if self.name is None:
            return int(self.by_code[0])
        column = table[self.name]
        occurs = np.bincount(column.codes, minlength=column.levels) > 0
        return int(self.by_code[occurs].max())


@dataclass(frozen=True, eq=False)
class RatingQuestion:
    """A table and what to rate on it.

    Parameters
    ----------
    table
        The quasi-identifiers, the sensitive columns and those of named combinations.
    exposures
        For each quasi-identifier how easily it is found elsewhere, 1 to 4.
    targets
        The sensitive attributes; the identity if there are none.
    named
        Combinations that the plan names: columns and exposure.
    exploitability, risk
        The two matrices, rows and columns from level 1.
    variant
        How the discrimination rate is read.
    population
        How the records were drawn from a population.
    tolerated
        The share of the records that may exceed the level of the table.
    by_certainty
        Whether records are rated by certainty, and not by the discrimination rate.
    individual
        Whether, with weights, a match is right by the individual risk, and not by one over the sum
        of the weights of a class.
    counts
        How many records each row of the table stands for, where equal ones are taken together;
        None if each row is a record. The weights of the population are sums then.
    bounds
        The rates from which on inference is of level 2, 3 and 4.
    owners
        The person of each record, where a person may have several: people are counted then; None
        if each record is a person.
    """

    table: Table
    exposures: Mapping[str, int]
    targets: tuple[Target, ...]
    named: Mapping[str, Mapping[str, int]]
    exploitability: Levels = field(repr=False)
    risk: Levels = field(repr=False)
    variant: Variant = Variant.PAPER
    population: Sampling = field(default_factory=Sampling, repr=False)
    tolerated: Fraction = Fraction(0)
    by_certainty: bool = True
    individual: bool = False
    counts: I64 | None = field(default=None, repr=False)
    bounds: tuple[float, ...] = INFERENCE_BOUNDS
    owners: Owners | None = field(default=None, repr=False)

    @property
    def known(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(self.exposures)

    @property
    def rated(self) -> int:
        """How many records of the table are rated, or how many people have them."""
        return self.table.rows if self.owners is None else self.owners.people

    def with_column(self, column: Column) -> RatingQuestion:
        """Return the question with another column of the same name."""
        columns = [column if old.name == column.name else old for old in self.table]
        old = self.table[column.name]
        targets = [t if t.name != column.name else t.recoded(old, column) for t in self.targets]
        return replace(
            self,
            table=_like(self.table, columns),
            targets=tuple(targets),
            population=self.population.without_table(self.table, self.known, self.owners),
        )

    def without(self, name: str) -> RatingQuestion:
        """Return the question without a quasi-identifier, also where it is sensitive too."""
        targets = tuple(target for target in self.targets if target.name != name)
        identity = Target(None, np.array([_IDENTITY], dtype=np.int8))
        return replace(
            self,
            targets=targets or (identity,),
            table=_like(self.table, [column for column in self.table if column.name != name]),
            exposures={known: level for known, level in self.exposures.items() if known != name},
            named={
                title: {column: level for column, level in members.items() if column != name}
                for title, members in self.named.items()
                if set(members) != {name}
            },
        )

    @property
    def are_records(self) -> bool:
        """Whether each row is one record of a person of their own."""
        return self.counts is None and self.owners is None

    def classes(self, columns: Sequence[str]) -> Groups:
        """Return the rows that share a combination, with the number of records of each.

        People are counted in place of records where records have owners.
        """
        return self.counted(local.group(self.table, columns))

    def counted(self, groups: Groups) -> Groups:
        """Return groups of rows with the number of records of each, or of people."""
        if self.owners is not None:
            return self.owners.counted(groups)
        if self.counts is None:
            return groups
        # sums of whole numbers below 2**53 are exact
        sizes = np.bincount(groups.ids, self.counts, minlength=len(groups.sizes))
        return replace(groups, sizes=sizes.astype(np.int64))

    def of_records(self, kept: NDArray[np.bool_]) -> RatingQuestion:
        """Return the question for some records only."""
        return replace(
            self,
            table=self.table.take(kept),
            population=self.population.take(kept),
            counts=None if self.counts is None else self.counts[kept],
            owners=None if self.owners is None else self.owners.take(kept),
        )


def _like(table: Table, columns: list[Column]) -> Table:
    return Table(columns, missing=table.missing, source=table.source, notes=table.notes)


def question_of(table: Table, plan: Plan) -> tuple[RatingQuestion, tuple[str, ...]]:
    """Return what the plan asks of a table, and notes on what it left open."""
    notes: list[str] = []
    exposures = _exposures(table, plan)
    sensitive = [name for name in table.columns if name in set(plan.sensitive)]
    paper = plan.methods.rating == "paper"
    if sensitive:
        targets = tuple(
            _target(table[name], plan.columns[name], notes, paper=paper) for name in sensitive
        )
    else:
        targets = (_identity(plan, notes, paper=paper),)
    named = {title: _named(table, plan, members) for title, members in plan.combinations.items()}
    wanted = {*exposures, *sensitive, *(name for members in named.values() for name in members)}
    # the rating of the paper is defined by entropies of records
    owners = None if paper else owners_of(table, plan.unit, tuple(exposures))
    question = RatingQuestion(
        table.select([name for name in table.columns if name in wanted]),
        exposures,
        targets,
        named,
        np.asarray(plan.matrices.exploitability, dtype=np.int8),
        np.asarray(plan.matrices.risk, dtype=np.int8),
        choose(Variant, plan.methods.discrimination.variant, "variant of the discrimination rate"),
        sampling_of(table, plan, tuple(exposures), notes, owners),
        Fraction(str(plan.policy.tolerated)),
        by_certainty=not paper,
        individual=plan.methods.identity == "individual",
        bounds=plan.matrices.inference,
        owners=owners,
    )
    if question.by_certainty and question.population.weights is not None:
        notes.append(say(f"assessment.identity.{plan.methods.identity}"))
    return question, tuple(notes)


# ---- what can be known


def _exposures(table: Table, plan: Plan) -> dict[str, int]:
    known = set(plan.quasi_identifiers)
    names = [name for name in table.columns if name in known]
    if not names:
        raise BadChoice(
            "The plan has no quasi-identifier, so there is nothing that others could know about a "
            "person; give at least one column the role quasi-identifier."
        )
    return {name: int(plan.exposure_of(name)) for name in names}


def _named(table: Table, plan: Plan, members: list[str]) -> dict[str, int]:
    names = table.require(dict.fromkeys(members))
    return {name: int(plan.exposure_of(name)) for name in names}


# ---- what would hurt


def _target(column: Column, stated: ColumnPlan, notes: list[str], *, paper: bool) -> Target:
    levels = _severities(column, stated)
    # a column without any severity is reported by the check of the plan
    occurs = np.bincount(column.codes, minlength=column.levels) > 0
    left_open = sum(level is None and occurs[code] for code, level in enumerate(levels))
    if stated.values and left_open:
        notes.append(say("assessment.open_values", n=left_open, column=repr(column.name)))
    severities, bands = as_guessed(column, stated, paper=paper)
    if bands is not None:
        how = "cuts" if stated.cuts else "frequency"
        notes.append(say(f"assessment.bands_by_{how}", column=column.name, n=int(bands.max()) + 1))
    return Target(column.name, severities, bands)


def as_guessed(
    column: Column, stated: ColumnPlan, *, paper: bool
) -> tuple[NDArray[np.int8], Codes | None]:
    """Return the severity of each code, and its band if the number is guessed in bands."""
    by_code = [level or _SAFE for level in _severities(column, stated)]
    if column.has_missing:
        # a missing value tells nothing, unless the plan says that it does
        by_code.append(stated.values.get(column.label(None), 1))
    severities = np.array(by_code, dtype=np.int8)
    return severities, None if paper else bands_of(column, severities, stated.cuts)


def _severities(column: Column, stated: ColumnPlan) -> list[int | None]:
    return [stated.severity_of(str(value), column.label(value)) for value in column.values]


def _identity(plan: Plan, notes: list[str], *, paper: bool) -> Target:
    severities = [
        column.severity for column in plan.columns.values() if column.severity is not None
    ]
    notes.append(say("assessment.identity_only"))
    default = _SAFE if paper else _IDENTITY
    if not severities:
        notes.append(
            say("assessment.identity_severity", level=default, name=level_name("severity", default))
        )
    return Target(None, np.array([max(severities, default=default)], dtype=np.int8))
