"""Counts of counts of every quasi-identifier in every population, and nothing else.

What is asked of the source: how many cells hold each number of people, and how many values each
column has. No value of a cell leaves it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from singleout.core.counts import SizeProfile
from singleout.engines.open import open_data
from singleout.engines.suspected import taken_as_said
from singleout.errors import BadChoice, UnusableTable
from singleout.io.names import pick
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.publishing.coded import column_of, recodings_of
from singleout.repository.publishing.people import condition_on, with_all_values
from singleout.repository.publishing.question import Attributes, Question

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["CountedCells", "Source", "count_cells"]

MISSING = ("value", "drop")


@dataclass(frozen=True)
class CountedCells:
    """One quasi-identifier in one population."""

    attributes: Attributes
    population: DeclaredPopulation
    profile: SizeProfile
    observed: tuple[int, ...] | None  # how many values each attribute has


@dataclass(frozen=True)
class Source:
    """The data, and how it is to be read.

    Parameters
    ----------
    data, engine, where
        As for every function that counts.
    counts
        The column that says how many people a row stands for.
    columns
        What attributes are called in the data.
    missing
        ``value`` or ``drop``: what becomes of records that lack a value.
    """

    data: Any
    engine: Any = None
    where: Any = None
    counts: str | None = None
    columns: Mapping[str, str] | None = None
    missing: str = "value"

    @property
    def names(self) -> Mapping[str, str]:
        """What attributes are called in the data."""
        return self.columns or {}


def count_cells(
    source: Source, asked: Sequence[Question], vocabulary: Vocabulary | None
) -> list[CountedCells]:
    """Return the counts of counts, population by population."""
    if source.missing not in MISSING:
        raise BadChoice(f"missing must be value or drop, not {source.missing!r}.")
    every = [attributes for _, identifiers in asked for attributes in identifiers]
    columns = _columns(source, every, [population for population, _ in asked])
    with taken_as_said(), open_data(source.data, source.engine, source.where, columns) as counter:
        _require(counter, source, every)
        people = counter if source.counts is None else counter.counted_by(source.counts)
        return [
            found
            for population, identifiers in asked
            for found in _in_population(people, source, identifiers, population, vocabulary)
        ]


def _columns(
    source: Source,
    quasi_identifiers: Sequence[Attributes],
    populations: Sequence[DeclaredPopulation],
) -> list[str] | None:
    """Return the columns to read; None for all, where terms of a population may be columns."""
    names = {
        source.names.get(one.attribute, one.attribute): None
        for attributes in quasi_identifiers
        for one in attributes
    }
    terms = {source.names.get(name, name) for one in populations for name in one.attributes}
    if not terms <= set(names):
        return None
    return [*names, *([] if source.counts is None else [source.counts])]


def _require(counter: Counter, source: Source, quasi_identifiers: Sequence[Attributes]) -> None:
    names = [
        source.names.get(one.attribute, one.attribute)
        for attributes in quasi_identifiers
        for one in attributes
    ]
    pick(list(dict.fromkeys(names)), counter.columns)
    if source.counts is not None:
        pick([source.counts], counter.columns)
        if source.counts in names:
            raise BadChoice(
                f"{source.counts!r} cannot be both a quasi-identifier and the number of people."
            )


def _in_population(
    counter: Counter,
    source: Source,
    quasi_identifiers: Sequence[Attributes],
    population: DeclaredPopulation,
    vocabulary: Vocabulary | None,
) -> list[CountedCells]:
    met = _selected(counter, source, quasi_identifiers, population)
    recodings = recodings_of(quasi_identifiers, vocabulary, source.names)
    coded = met.recoded(recodings) if recodings else met
    if vocabulary is not None and source.missing == "value":
        _refuse_missing(met, source, quasi_identifiers, vocabulary)
    sets = [
        tuple(column_of(one, source.names) for one in attributes)
        for attributes in quasi_identifiers
    ]
    singles = list(dict.fromkeys((name,) for names in sets for name in names))
    wanted = list(dict.fromkeys([*sets, *singles]))
    profiles = dict(zip(wanted, coded.profiles(wanted), strict=True))
    if not profiles[sets[0]].records:
        raise UnusableTable(f"{counter.source} has nobody in the population {population}.")
    return [
        CountedCells(
            attributes,
            population,
            profiles[names],
            tuple(profiles[name,].number_of_sets for name in names),
        )
        for attributes, names in zip(quasi_identifiers, sets, strict=True)
    ]


def _refuse_missing(
    counter: Counter,
    source: Source,
    quasi_identifiers: Sequence[Attributes],
    vocabulary: Vocabulary,
) -> None:
    """Refuse missing values where the vocabulary says what is possible: they are not in it."""
    names = {
        source.names.get(one.attribute, one.attribute): None
        for attributes in quasi_identifiers
        for one in attributes
        if all(other.attribute in vocabulary for other in attributes)
    }
    lacking = [name for name, rows in counter.missing(list(names)).items() if rows]
    if lacking:
        raise BadChoice(
            f"Column {lacking[0]!r} lacks values, which the vocabulary does not count among the "
            "possible ones; give missing='drop' to leave such records out."
        )


def _selected(
    counter: Counter,
    source: Source,
    quasi_identifiers: Sequence[Attributes],
    population: DeclaredPopulation,
) -> Counter:
    condition = condition_on(population, counter.columns, source.names)
    met = counter if condition is None else counter.filtered(condition)
    if source.missing == "value":
        return met
    names = {
        source.names.get(one.attribute, one.attribute): None
        for attributes in quasi_identifiers
        for one in attributes
    }
    return met.filtered(with_all_values(names))
