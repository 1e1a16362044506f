"""Derive the tables of the ledger: what records cost, and how large their populations are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, insert, select, update

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.values import text_of
from singleout.repository.gate.tiers import TIERS
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.entries import BudgetCharge
from singleout.repository.store.kept.lookup import Address, address_of
from singleout.repository.store.kept.pending import PendingRows
from singleout.repository.store.kept.statements import Prepared

__all__ = ["COSTS", "EXPOSED", "SIZES", "LedgerTables", "readers_of"]

_charges, _populations, _exposures = tables.charges, tables.populations, tables.exposures


def readers_of(tier: str) -> list[str]:
    """Return the tiers whose readers see the records of a tier.

    >>> readers_of("public"), readers_of("registered")
    (['public', 'registered'], ['registered'])
    """
    return [one.name for one in TIERS.values() if one.total >= TIERS[tier].total]


class LedgerTables:
    """Write what a record costs.

    Parameters
    ----------
    connection
        A connection within a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pending = PendingRows.of(connection)
        self._exposures: dict[str, dict[tuple[str, int], float]] = {}  # by shape

    def charge(
        self, index: int, charge: BudgetCharge, population: DeclaredPopulation | None = None
    ) -> None:
        """Keep the charge of an entry; ``population`` is its own, if it was read already."""
        population = population or DeclaredPopulation.of(charge.population)
        address = address_of(population)
        before = COSTS.rows(self._connection, shape=address.shape, equal=address.equal)
        row = {"population": population.key, "tier": charge.tier, "cost": charge.cost}
        self._size(population, charge, address)
        self._pending.add(_CHARGE, {"index": index, **row})
        self._expose(address.shape, [*before, (charge.tier, charge.cost)])

    def _size(self, population: DeclaredPopulation, charge: BudgetCharge, address: Address) -> None:
        """Keep the size of a population, if it is better known than before."""
        known: dict[str, float] = dict(SIZES.rows(self._connection, wanted=population.key))
        size = {"people": charge.people, "sd": charge.sd}
        if charge.tier in known:
            if charge.sd < known[charge.tier]:
                _BETTER.run(self._connection, wanted=population.key, at=charge.tier, **size)
            return
        row = {
            "population": population.key,
            "tier": charge.tier,
            "terms": _in_order(population.root),
            "shape": address.shape,
            "equal": address.equal,
            **size,
        }
        self._pending.add(_POPULATION, row)
        if not known:
            self._terms(population)

    def _terms(self, population: DeclaredPopulation) -> None:
        for name, term in population.root.items():
            if not isinstance(term, dict):
                row = {"attribute": name, "value": text_of(term), "population": population.key}
                self._pending.add(_TERM, row)

    def _expose(self, shape: str, costs: Sequence[tuple[Any, ...]]) -> None:
        """Raise what the dearest records of a shape cost anybody, where it rose.

        Populations of one shape with different single values exclude each other, so that a person
        bears the costs of one of these groups only, the dearest in each rank at worst.
        """
        known = self._exposures.get(shape)
        if known is None:
            rows = EXPOSED.rows(self._connection, shape=shape)
            known = self._exposures[shape] = {(r, k): cost for r, k, cost in rows}
        for readers in TIERS:
            seen = sorted((cost for tier, cost in costs if readers in _READERS[tier]), reverse=True)
            for rank, cost in enumerate(seen):
                place = {"shape": shape, "readers": readers, "rank": rank}
                if (readers, rank) not in known:
                    self._pending.add(_EXPOSURE, {**place, "cost": cost})
                elif cost > known[readers, rank]:
                    at = {f"at_{name}": value for name, value in place.items()}
                    _DEARER.run(self._connection, **at, cost=cost)
                known[readers, rank] = max(cost, known.get((readers, rank), cost))


_in_order = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_WANTED: BindParameter[Any] = bindparam("wanted")
_READERS = {tier: readers_of(tier) for tier in TIERS}
_CHARGE = Prepared(insert(_charges))
_POPULATION = Prepared(insert(_populations))
_TERM = Prepared(insert(tables.population_terms))
_EXPOSURE = Prepared(insert(_exposures))
SIZES = Prepared(
    select(_populations.c.tier, _populations.c.sd).where(_populations.c.population == _WANTED)
)
_BETTER = Prepared(
    update(_populations)
    .where(_populations.c.population == _WANTED, _populations.c.tier == bindparam("at"))
    .values(people=bindparam("people"), sd=bindparam("sd"))
)
COSTS = Prepared(
    select(_charges.c.tier, _charges.c.cost)
    .join(
        _populations,
        (_populations.c.population == _charges.c.population)
        & (_populations.c.tier == _charges.c.tier),
    )
    .where(_populations.c.shape == bindparam("shape"), _populations.c.equal == bindparam("equal"))
)
EXPOSED = Prepared(
    select(_exposures.c.readers, _exposures.c.rank, _exposures.c.cost).where(
        _exposures.c.shape == bindparam("shape")
    )
)
_DEARER = Prepared(
    update(_exposures)
    .where(
        _exposures.c.shape == bindparam("at_shape"),
        _exposures.c.readers == bindparam("at_readers"),
        _exposures.c.rank == bindparam("at_rank"),
    )
    .values(cost=bindparam("cost"))
)
