"""Compare the scores of a sample with the population, or draw samples to see how right they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arguments import whole
from singleout.core.arrays import I64
from singleout.core.counts import Counts
from singleout.core.progress import track
from singleout.core.table import Column, Table, smallest_codes
from singleout.engines.local.counted import CountedCounter
from singleout.engines.local.counting import counts as count_here
from singleout.engines.open import open_data
from singleout.errors import BadChoice
from singleout.kernels.grouping.group import group_records
from singleout.methods.suda.validation import Validation
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.suda.result import Suda

__all__ = [
    "against_population",
    "counted_population",
    "fraction_of",
    "people_alike",
    "samples_asked",
    "simulated",
    "validated",
]

_FEWEST = 2  # records of a sample


def samples_asked(simulate: int | None, fraction: float | None, population: Any) -> int | None:
    """Check how many samples are to be drawn, which needs a sampling fraction."""
    if simulate is None:
        return None
    number = whole(simulate, "simulate", of="samples")
    if fraction is None and population is None:
        raise BadChoice(
            "Samples can be drawn if their share of the population is known; give "
            "sampling_fraction, 0.05 for one person in twenty."
        )
    return number


def counted_population(population: Any, names: Sequence[str]) -> Counts:
    """Count the people of each combination where the population is."""
    with open_data(population, None, None, list(names)) as counter:
        return counter.counts(list(names))


def fraction_of(records: int, population: Counts) -> float:
    """Return the share of the population that is in the data."""
    if records > population.records:
        raise BadChoice(
            f"The population has {population.records:,} people, fewer than the {records:,} records "
            "of the data; give the population that the data is a sample of."
        )
    return records / population.records


def validated(
    found: Suda,
    population: Counts | None,
    samples: int | None,
    seed: int,
    measure: Callable[[Table], Suda],
) -> Validation | None:
    """Return how right the scores are, of samples or of the data; None if nobody asks."""
    if samples is not None:
        everybody = population or _everybody(found)
        fraction = found.sampling_fraction or 0.0
        rng = np.random.default_rng(whole(seed, "seed", at_least=0))
        return simulated(everybody, fraction, samples, measure, rng)
    return None if population is None else against_population(found, population)


def _everybody(found: Suda) -> Counts:
    """Return the data as a population."""
    if found.people is None:
        return count_here(found.table, found.columns)
    rows = found.people > 0
    return CountedCounter(found.table.take(rows), found.people[rows], "").counts(found.columns)


def against_population(found: Suda, population: Counts) -> Validation:
    """Compare the unique records of a sample with the people in the population."""
    alone = found.is_unique
    return Validation(
        1,
        simulated=False,
        fraction=found.sampling_fraction or found.records / population.records,
        people=population.records,
        kind=found.kind[alone],
        predicted=_predicted(found)[alone],
        people_alike=people_alike(found.table, population)[alone],
    )


def simulated(
    population: Counts,
    fraction: float,
    samples: int,
    measure: Callable[[Table], Suda],
    rng: np.random.Generator,
) -> Validation:
    """Draw samples without replacement, search each and compare it with the population.

    The population is only counted: how many people of each combination are in a sample follows a
    multivariate hypergeometric distribution.
    """
    people = population.records
    size = round(people * fraction)
    if not _FEWEST <= size < people:
        raise BadChoice(
            f"A sample of {fraction:g} of {people:,} people would have {size:,} records; choose a "
            "sampling_fraction that gives at least 2 and leaves some out."
        )
    kinds, predicted, alike = [], [], []
    for _ in track(range(samples), say("progress.suda_samples")):
        drawn = rng.multivariate_hypergeometric(population.sizes, size, method="marginals")
        cells = np.repeat(np.arange(len(drawn)), drawn)
        found = measure(_table_of(population, cells))
        alone = found.is_unique
        kinds.append(found.kind[alone])
        predicted.append(_predicted(found)[alone])
        alike.append(population.sizes[cells[alone]])
    return Validation(
        samples,
        simulated=True,
        fraction=fraction,
        people=people,
        kind=np.concatenate(kinds),
        predicted=np.concatenate(predicted),
        people_alike=np.concatenate(alike),
    )


def _predicted(found: Suda) -> Any:
    return found.dis_score if found.has_dis_score else np.full(found.table.rows, np.nan)


def _table_of(population: Counts, cells: I64) -> Table:
    columns = [
        Column(column.name, column.codes[cells], column.values, column.has_missing)
        for column in population.as_columns()
    ]
    return Table(columns)


def people_alike(table: Table, population: Counts) -> I64:
    """Return for each record how many people have its values; values are compared as text."""
    sample = count_here(table, population.columns)
    joined, levels = [], []
    for ours, theirs in zip(_texts(sample), _texts(population), strict=True):
        book = {text: code for code, text in enumerate(dict.fromkeys([*ours, *theirs]))}
        levels.append(len(book))
        joined.append(_recoded([ours, theirs], book))
    codes = [
        smallest_codes(np.concatenate([mine[a], theirs[b]]), level)
        for (mine, theirs), level, a, b in zip(
            joined, levels, sample.codes, population.codes, strict=True
        )
    ]
    groups = group_records(codes, levels)
    people = np.bincount(groups.ids[len(sample) :], population.sizes, len(groups.sizes))
    of_cells = people[groups.ids[: len(sample)]].astype(np.int64)
    return of_cells[group_records(*_codes_of(table, population.columns)).ids]


def _texts(counts: Counts) -> Iterator[list[str | None]]:
    """Yield for each column the texts of its values, and None for missing at the end."""
    for values in counts.values:
        yield [*(_text(value) for value in values), None]


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # SPSS and Excel know no whole numbers
    return str(value)


def _recoded(books: Sequence[list[str | None]], book: dict[str | None, int]) -> list[Any]:
    return [np.array([book[text] for text in texts], dtype=np.int64) for texts in books]


def _codes_of(table: Table, names: Sequence[str]) -> tuple[list[Any], list[int]]:
    chosen = [table[name] for name in names]
    return [column.codes for column in chosen], [column.levels for column in chosen]
