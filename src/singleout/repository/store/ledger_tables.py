"""Derive the tables of the ledger: what records cost, and how large their populations are."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, insert, select, update

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.values import text_of
from singleout.repository.gate.tiers import TIERS
from singleout.repository.store import tables
from singleout.repository.store.entries import BudgetCharge
from singleout.repository.store.lookup import address_of

__all__ = ["LedgerTables", "readers_of"]

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

    def charge(self, index: int, charge: BudgetCharge) -> None:
        """Keep the charge of an entry."""
        population = DeclaredPopulation.of(charge.population)
        row = {
            "index": index,
            "population": population.key,
            "tier": charge.tier,
            "cost": charge.cost,
        }
        self._connection.execute(insert(_charges), row)
        self._size(population, charge)
        self._expose(address_of(population).shape, address_of(population).equal)

    def _size(self, population: DeclaredPopulation, charge: BudgetCharge) -> None:
        """Keep the size of a population, if it is better known than before."""
        place = {"wanted": population.key, "of_tier": charge.tier}
        known = self._connection.execute(_SIZES, {"wanted": population.key}).all()
        size = {"people": charge.people, "sd": charge.sd}
        for old in known:
            if old.tier == charge.tier:
                if charge.sd < old.sd:
                    self._connection.execute(
                        _BETTER, {**place, **{f"new_{k}": v for k, v in size.items()}}
                    )
                return
        address = address_of(population)
        row = {
            "population": population.key,
            "tier": charge.tier,
            "terms": json.dumps(population.root, ensure_ascii=False, sort_keys=True),
            "shape": address.shape,
            "equal": address.equal,
            **size,
        }
        self._connection.execute(insert(_populations), row)
        if not known:
            self._terms(population)

    def _terms(self, population: DeclaredPopulation) -> None:
        rows = [
            {"attribute": name, "value": text_of(term), "population": population.key}
            for name, term in population.root.items()
            if not isinstance(term, dict)
        ]
        if rows:
            self._connection.execute(insert(tables.population_terms), rows)

    def _expose(self, shape: str, equal: str) -> None:
        """Raise what the dearest records of a shape cost anybody, where it rose.

        Populations of one shape with different single values exclude each other, so that a person
        bears the costs of one of these groups only, the dearest in each rank at worst.
        """
        costs = self._connection.execute(_COSTS, {"shape": shape, "equal": equal}).all()
        for readers in TIERS:
            seen = sorted((c.cost for c in costs if readers in readers_of(c.tier)), reverse=True)
            known = dict(
                self._connection.execute(_KNOWN, {"shape": shape, "readers": readers}).all()
            )
            for rank, cost in enumerate(seen):
                if rank not in known:
                    row = {"shape": shape, "readers": readers, "rank": rank, "cost": cost}
                    self._connection.execute(insert(_exposures), row)
                elif cost > known[rank]:
                    place = {"at_shape": shape, "at_readers": readers, "at_rank": rank}
                    self._connection.execute(_DEARER, {**place, "new_cost": cost})


_WANTED: BindParameter[Any] = bindparam("wanted")
_SIZES = select(_populations.c.tier, _populations.c.sd).where(_populations.c.population == _WANTED)
_BETTER = (
    update(_populations)
    .where(_populations.c.population == _WANTED, _populations.c.tier == bindparam("of_tier"))
    .values(people=bindparam("new_people"), sd=bindparam("new_sd"))
)
_COSTS = (
    select(_charges.c.tier, _charges.c.cost)
    .join(
        _populations,
        (_populations.c.population == _charges.c.population)
        & (_populations.c.tier == _charges.c.tier),
    )
    .where(_populations.c.shape == bindparam("shape"), _populations.c.equal == bindparam("equal"))
)
_KNOWN = select(_exposures.c.rank, _exposures.c.cost).where(
    _exposures.c.shape == bindparam("shape"), _exposures.c.readers == bindparam("readers")
)
_DEARER = (
    update(_exposures)
    .where(
        _exposures.c.shape == bindparam("at_shape"),
        _exposures.c.readers == bindparam("at_readers"),
        _exposures.c.rank == bindparam("at_rank"),
    )
    .values(cost=bindparam("new_cost"))
)
