"""The rows of an assessment: what an attacker could know together, and what follows from it.

Sondeck and Laurent take all attributes of one exposure level together, and each alone. Beyond the
paper there is a row for each level with all that is easier to get, and one for each combination
that the plan names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.assessment.rating.question import Question, Target
from singleout.assessment.rating.scales import Exposure, inference_level
from singleout.core.arrays import F64, I64
from singleout.core.choices import MissingPolicy
from singleout.core.progress import track
from singleout.core.results import ResultPart
from singleout.core.table import Table
from singleout.engines.local import counting as local
from singleout.kernels.grouping.group import Groups
from singleout.methods.discrimination.measure import Variant, inference_within

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Combination",
    "Kind",
    "Measured",
    "Meter",
    "Row",
    "combinations_of",
    "rate_rows",
    "rows_frame",
    "sizes_of_records",
]


class Kind(StrEnum):
    """Why columns are taken together."""

    EXPOSURE = "exposure"  # all of one exposure level
    ATTRIBUTE = "attribute"  # one alone
    CUMULATIVE = "cumulative"  # all of one exposure level or easier to get
    NAMED = "named"  # the plan says so


@dataclass(frozen=True)
class Combination:
    """Columns that an attacker may know together.

    Parameters
    ----------
    kind
        Why they are taken together.
    name
        What the row is called.
    columns
        The columns, in the order of the table.
    exposure
        How easily they are found: as easily as the hardest of them.
    """

    kind: Kind
    name: str
    columns: tuple[str, ...]
    exposure: int


def combinations_of(question: Question) -> list[Combination]:
    """Return what is rated: by exposure, easiest first, by attribute, cumulative, as named."""
    return [
        *_by_exposure(question),
        *(
            Combination(Kind.ATTRIBUTE, name, (name,), level)
            for name, level in question.exposures.items()
        ),
        *_cumulative(question),
        *(
            Combination(Kind.NAMED, title, tuple(members), min(members.values()))
            for title, members in question.named.items()
        ),
    ]


def _by_exposure(question: Question) -> Iterator[Combination]:
    for exposure in sorted(set(question.exposures.values()), reverse=True):
        names = [name for name, level in question.exposures.items() if level == exposure]
        yield Combination(Kind.EXPOSURE, Exposure(exposure).name, tuple(names), exposure)


def _cumulative(question: Question) -> Iterator[Combination]:
    """Yield all of a level or easier; for the easiest level that is the row by exposure."""
    for exposure in sorted(set(question.exposures.values()), reverse=True)[1:]:
        names = [name for name, level in question.exposures.items() if level >= exposure]
        title = f"{Exposure(exposure).name} or easier"
        yield Combination(Kind.CUMULATIVE, title, tuple(names), exposure)


# ---- measuring


@dataclass(frozen=True, eq=False)
class Measured:
    """What a combination of columns tells about a target.

    Parameters
    ----------
    rate
        The discrimination rate; for the identity, how often a match is right on average.
    mutual_information, worst_value
        The other readings of the rate; None for the identity.
    combinations
        How many value combinations occur.
    k
        How many records share the rarest one; a missing value matches what the table lets it.
    unique_share
        Records alone with their combination / all records.
    per_record
        The rate of each record, where it was asked for.
    """

    rate: float
    mutual_information: float | None
    worst_value: float | None
    combinations: int
    k: int
    unique_share: float
    per_record: F64 | None = field(default=None, repr=False)


class Meter:
    """Measures combinations of columns, and remembers those of the table as it is.

    A changed table shares the columns that did not change, so that what rests on these alone is not
    counted again.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[int, ...], tuple[list[Any], list[Measured]]] = {}

    def measure(
        self,
        question: Question,
        columns: Sequence[str],
        targets: Sequence[Target],
        *,
        with_records: bool = False,
        keep: bool = False,
    ) -> list[Measured]:
        """Return what columns tell about each of some targets.

        Parameters
        ----------
        question
            The table and how to read the rate.
        columns
            What is known.
        targets
            What is to be guessed.
        with_records
            Whether to give the rate of each record.
        keep
            Whether to remember the answer.
        """
        table = question.table
        used = [table[name] for name in columns]
        aims = [table[target.name] for target in targets if target.name is not None]
        # objects that live as long as the answer, so that their numbers are not used again
        alive = [*used, None, *aims, question.variant]
        key = (*map(id, alive), int(with_records))
        if key in self._found:
            return self._found[key][1]
        groups = local.group(table, columns)
        alike = sizes_of_records(table, columns) if _matches_all(table, columns) else None
        answers = [_measured(question, groups, target, with_records, alike) for target in targets]
        if keep:
            self._found[key] = (alive, answers)
        return answers


def _matches_all(table: Table, columns: Sequence[str]) -> bool:
    """Whether some missing value matches everything, so that records do not fall into groups."""
    if table.missing != MissingPolicy.WILDCARD:
        return False
    return not local.complete_records(table, columns).all()


def sizes_of_records(table: Table, columns: Sequence[str]) -> I64:
    """Return how many records each record cannot be told from, by the table's missing values.

    Parameters
    ----------
    table
        The records.
    columns
        What is known of them.
    """
    count = local.match_totals if _matches_all(table, columns) else local.set_totals
    return count(table, columns).astype(np.int64)


def _measured(
    question: Question, groups: Groups, target: Target, with_records: bool, alike: I64 | None
) -> Measured:
    sizes = groups.sizes
    records = question.table.rows
    held = sizes if alike is None else alike
    counted = (len(sizes), int(held.min()), int((held == 1).sum()) / records)
    if target.name is None:
        by_value = 1 / sizes
        right = by_value[groups.ids] if with_records else None
        return Measured(len(sizes) / records, None, None, *counted, right)
    column = question.table[target.name]
    inference = inference_within(groups, column.codes, column.levels)
    rates = {variant: inference.rate(variant) for variant in Variant}
    per_record = None
    if with_records:
        per_record = inference.value_rates(question.variant)[groups.ids]
    return Measured(
        rates[question.variant],
        rates[Variant.MUTUAL_INFORMATION],
        rates[Variant.WORST_VALUE],
        *counted,
        per_record,
    )


# ---- rating


@dataclass(frozen=True)
class Row(ResultPart):
    """A combination of columns rated against a sensitive attribute.

    Parameters
    ----------
    combination
        What an attacker may know.
    sensitive
        What they want to know; None if it is the identity alone.
    measured
        How far the one tells the other.
    inference, exploitability, severity, risk
        The levels, 1 to 4.
    """

    combination: Combination
    sensitive: str | None
    measured: Measured
    inference: int
    exploitability: int
    severity: int
    risk: int

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values that JSON can hold."""
        measured = self.measured
        return {
            "kind": str(self.combination.kind),
            "name": self.combination.name,
            "columns": list(self.combination.columns),
            "exposure": self.combination.exposure,
            "sensitive": self.sensitive,
            "rate": measured.rate,
            "inference": self.inference,
            "exploitability": self.exploitability,
            "severity": self.severity,
            "risk": self.risk,
            "mutual_information": measured.mutual_information,
            "worst_value": measured.worst_value,
            "combinations": measured.combinations,
            "k": measured.k,
            "unique_share": measured.unique_share,
        }


def rate_rows(question: Question, meter: Meter, *, keep: bool = False) -> list[Row]:
    """Return one row for each combination and target.

    Parameters
    ----------
    question
        The table and what to rate on it.
    meter
        What measures, and remembers.
    keep
        Whether it should remember.
    """
    severities = {target: target.highest(question.table) for target in question.targets}
    wanted = combinations_of(question)
    rows = []
    for combination in track(wanted, "Rating what can be known") if keep else wanted:
        # a column that is known is not to be guessed
        targets = [t for t in question.targets if t.name not in combination.columns]
        found = meter.measure(
            question,
            combination.columns,
            targets,
            with_records=combination.kind == Kind.EXPOSURE,
            keep=keep,
        )
        rows += [
            _rated(question, combination, target, measured, severities[target])
            for target, measured in zip(targets, found, strict=True)
        ]
    return rows


def _rated(
    question: Question, combination: Combination, target: Target, measured: Measured, severity: int
) -> Row:
    inference = inference_level(measured.rate)
    exploitability = int(question.exploitability[inference - 1, combination.exposure - 1])
    risk = int(question.risk[exploitability - 1, severity - 1])
    return Row(combination, target.name, measured, inference, exploitability, severity, risk)


def rows_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """Return the rows as a polars frame."""
    from singleout.core.frames import pl

    kinds: dict[str, Any] = {
        "kind": pl.String,
        "name": pl.String,
        "columns": pl.List(pl.String),
        "exposure": pl.Int64,
        "sensitive": pl.String,
        "rate": pl.Float64,
        "inference": pl.Int64,
        "exploitability": pl.Int64,
        "severity": pl.Int64,
        "risk": pl.Int64,
        "mutual_information": pl.Float64,
        "worst_value": pl.Float64,
        "combinations": pl.Int64,
        "k": pl.Int64,
        "unique_share": pl.Float64,
    }
    return pl.DataFrame([row.to_dict() for row in rows], schema=kinds)
