"""`so.publishable`: the record of any data as it would become public, or why it may not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

from singleout.core.arguments import whole
from singleout.core.counts import SizeProfile
from singleout.core.frame_kinds import framed
from singleout.errors import BadChoice, NotPublishable
from singleout.io.yaml.file import Origin, checked
from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.population import PopulationLike
from singleout.repository.documents.record import Coverage, Record
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.gate.refusal import Refusal
from singleout.repository.gate.tiers import TIERS, price_of, tier_of
from singleout.repository.publishing.admission import refusals_in
from singleout.repository.publishing.batch import RecordBatch, RefusedRecord, shares_of
from singleout.repository.publishing.cells import PossibleCells, possible_cells
from singleout.repository.publishing.counted import CountedCells, Source, count_cells
from singleout.repository.publishing.numbers import PERSONAL, gated_numbers
from singleout.repository.publishing.question import (
    Question,
    batch_of,
    populations_of,
    quasi_identifiers_of,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["publishable"]


@overload
def publishable(
    data: Any,
    quasi_identifier: Sequence[str] | Mapping[str, str] | str,
    population: PopulationLike = None,
    vocabulary: Any = None,
    **options: Any,
) -> Record: ...
@overload
def publishable(
    data: Any,
    quasi_identifier: Sequence[Sequence[str] | Mapping[str, Any]] | Mapping[str, Any],
    population: Any = None,
    vocabulary: Any = None,
    **options: Any,
) -> RecordBatch: ...
@overload
def publishable(
    data: Any, *, batch: Any, vocabulary: Any = None, **options: Any
) -> RecordBatch: ...
@framed
def publishable(
    data: Any,
    quasi_identifier: Any = None,
    population: Any = None,
    vocabulary: Any = None,
    *,
    batch: Any = None,
    tier: str = "public",
    key: HolderKey | bytes | str | Path | None = None,
    counts: str | None = None,
    cells: int | None = None,
    coverage: Any = None,
    reference_date: date | str | None = None,
    price: float | None = None,
    columns: Mapping[str, str] | None = None,
    missing: str = "value",
    engine: Any = None,
    where: Any = None,
    repository: Any = None,
    **described: Any,
) -> Record | RecordBatch:
    """Compute what may become public about a quasi-identifier in a population.

    Only counts of counts are asked of the data. Every number gets noise scaled to the influence of
    one person before anybody sees it; nothing is sent or written.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; data that is elsewhere, see `read`; or a `SizeProfile`.
    quasi_identifier
        The attributes that others could know: names, ``"age:width=5"``, or a mapping of names to
        codings. A list of such, or several codings of a name, make a batch.
    population
        Whom the data is about, ``{"City": "Delft", "age": {"from": 18, "to": 64}}``. Terms on
        columns of the data select records; others are declarations. A list of them makes a batch.
    vocabulary
        A `Vocabulary`, a mapping or a file that says which values are possible. Without one the
        observed values are, and the record says so.
    batch
        In the place of both: a list of mappings with ``quasi_identifier`` and ``population``, or a
        YAML or JSON file that has it under ``records``.
    tier
        ``public`` or ``registered``; ``none`` for exact numbers in a personal file.
    key
        The holder's key, its file, or secret bytes; the user's own by default. It decides the
        noise.
    counts
        The column that says how many people a row stands for, in a table of counts.
    cells
        The number of possible cells, if no vocabulary says it.
    coverage
        ``census``, ``register``, ``sample``, or a mapping with the fields of `Coverage`.
    reference_date
        The day that the data is about.
    price
        What the record, or the batch together, costs each of its people; at most the tier's.
    columns
        What attributes are called in the data, where that is another name.
    missing
        ``value`` (a value like another) or ``drop`` (such records are left out).
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`.
    where
        The condition that records must meet, as text.
    repository
        The repository it is for: the budget of these people there is checked as well.
    **described
        ``licence``, ``norm``, ``access`` and ``supersedes`` of the record.

    Returns
    -------
    Record
        The record as it would become public, or a `RecordBatch`.

    Raises
    ------
    NotPublishable
        If it would reveal too much about single persons; it says what would pass.

    Examples
    --------
    >>> import singleout as so
    >>> record = so.publishable(so.demo(), ["AGEP:width=10", "SEX"], key=bytes(range(32)))
    >>> record.people, record.cells, record.numbers.cells_from
    (7650, 20, 'observed')
    """
    asked, several = _asked(quasi_identifier, population, batch)
    words = None if vocabulary is None else Vocabulary.of(vocabulary)
    if cells is not None:
        cells = whole(cells, "cells", of="possible cells")
        if sum(len(identifiers) for _, identifiers in asked) > 1:
            raise BadChoice("cells is for one record; give a batch a vocabulary instead.")
    if isinstance(data, SizeProfile):
        counted = _counted_already(data, asked, (counts, engine, where))
    else:
        source = Source(data, engine, where, counts, columns, missing)
        counted = count_cells(source, asked, words)
    maker = _Maker(
        vocabulary=words,
        tier=_tier(tier),
        key=key,
        price=price,
        cells=cells,
        coverage=coverage_of(coverage),
        described={**described, "reference_date": reference_date},
        repository=repository,
    )
    if not several:
        return maker.one(counted[0])
    return maker.batch(counted, shares_of(asked, words))


def _asked(quasi_identifier: Any, population: Any, batch: Any) -> tuple[list[Question], bool]:
    """Return what is wanted of each population, and whether that is a batch."""
    if batch is not None:
        if quasi_identifier is not None or population is not None:
            raise BadChoice(
                "A batch has its quasi-identifiers and populations in it; give the batch only."
            )
        return batch_of(batch), True
    identifiers, several = quasi_identifiers_of(quasi_identifier)
    populations, many = populations_of(population)
    return [(one, identifiers) for one in populations], several or many


def coverage_of(given: Any) -> Coverage:
    """Return a coverage from its kind, a mapping or a `Coverage`."""
    if isinstance(given, Coverage):
        return given
    values = {} if given is None else {"kind": given} if isinstance(given, str) else given
    return checked(Coverage, values, Origin("coverage"))


def _tier(name: Any) -> str:
    if name not in (*TIERS, PERSONAL):
        raise BadChoice(f"{name!r} is no tier; choose one of {', '.join((*TIERS, PERSONAL))}.")
    return str(name)


def _counted_already(
    profile: SizeProfile, asked: Sequence[Question], unused: Any
) -> list[CountedCells]:
    population, identifiers = asked[0]
    if len(asked) * len(identifiers) > 1:
        raise BadChoice("Counts of counts are those of one record; give one quasi-identifier.")
    if any(option is not None for option in unused):
        raise BadChoice("counts, engine and where have no meaning for counts of counts.")
    return [CountedCells(identifiers[0], population, profile, None)]


class _Maker:
    """Makes records of one kind."""

    def __init__(
        self,
        *,
        vocabulary: Vocabulary | None,
        tier: str,
        key: Any,
        price: Any,
        cells: int | None,
        coverage: Coverage,
        described: Mapping[str, Any],
        repository: Any,
    ) -> None:
        self.vocabulary = vocabulary
        self.tier = tier
        self.price = None if tier == PERSONAL else price_of(tier_of(tier), price)
        self.cells = cells
        self.coverage = coverage
        self.described = _described(described, tier)
        self.repository = repository
        self.noise, self.holder = _secret(key, tier)

    def one(self, counted: CountedCells) -> Record:
        """Return a record, or raise `NotPublishable`."""
        found = self._record(counted, self.price)
        if isinstance(found, Record):
            found = self._admitted(found, ())
        if isinstance(found, Refusal):
            raise NotPublishable(str(found), (found,))
        return found

    def batch(self, counted: Sequence[CountedCells], shares: int) -> RecordBatch:
        """Return all records that pass, each at its share of the price."""
        price = None if self.price is None else self.price / shares
        records: list[Record] = []
        refused = []
        for each in counted:
            found = self._record(each, price)
            if isinstance(found, Record):
                found = self._admitted(found, records)
            if isinstance(found, Record):
                records.append(found)
            else:
                refused.append(RefusedRecord(each.attributes, each.population, found))
        if not records:
            reasons = tuple(dict.fromkeys(str(each.refusal) for each in refused))
            raise NotPublishable(reasons, [each.refusal for each in refused])
        return RecordBatch(tuple(records), tuple(refused))

    def _record(self, counted: CountedCells, price: float | None) -> Record | Refusal:
        possible = self._possible(counted)
        found = gated_numbers(
            counted.profile, possible, self.coverage, tier=self.tier, key=self.noise, price=price
        )
        if isinstance(found, Refusal):
            return found
        numbers, gate = found
        values = {
            "vocabulary": None if self.vocabulary is None else self.vocabulary.hash,
            "quasi_identifier": possible.attributes,
            "population": counted.population,
            "coverage": self.coverage,
            "numbers": numbers,
            "gate": gate,
            "holder": self.holder,
            "software": _software(),
            **self.described,
        }
        return checked(Record, values, Origin("record"))

    def _possible(self, counted: CountedCells) -> PossibleCells:
        possible = possible_cells(
            counted.attributes,
            counted.population,
            self.vocabulary,
            stated=self.cells,
            observed=counted.observed,
        )
        if possible is None:
            raise BadChoice(
                "How many cells are possible is not known from counts of counts; give cells, or a "
                "vocabulary that has all attributes."
            )
        return possible

    def _admitted(self, record: Record, before: Iterable[Record]) -> Record | Refusal:
        """Return the record, unless those of the repository or of the batch forbid it."""
        refusals = refusals_in(self.repository, record, self.vocabulary, before)
        return refusals[0] if refusals else record


def _described(described: Mapping[str, Any], tier: str) -> dict[str, Any]:
    allowed = ("licence", "norm", "access", "supersedes", "reference_date")
    unknown = [name for name in described if name not in allowed]
    if unknown:
        raise BadChoice(
            f"publishable has no option {unknown[0]!r}; a record has {', '.join(allowed[:-1])}."
        )
    access = {"public": "public", "registered": "registered"}.get(tier, "holder")
    given = {name: value for name, value in described.items() if value is not None}
    return {"access": access, **given}


def _secret(key: Any, tier: str) -> tuple[bytes, str]:
    """Return the secret of the noise, and the id of the holder if it is a holder's."""
    if tier == PERSONAL:
        return b"", ""
    if isinstance(key, bytes | bytearray):
        return bytes(key), ""
    if key is None:
        holder = HolderKey.default()
    elif isinstance(key, str | PathLike):
        holder = HolderKey.load(str(key))
    elif isinstance(key, HolderKey):
        holder = key
    else:
        raise BadChoice(f"key must be a key, its file or secret bytes, not a {type(key).__name__}.")
    return holder.noise, holder.id


def _software() -> str:
    from singleout import __version__

    return f"singleout {__version__}"
