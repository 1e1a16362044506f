"""What matching inventories finds: what is touched, can be linked, adds up, and lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from singleout.core.results import Result, ResultPart
from singleout.core.wording import percent
from singleout.report.say import say
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.inventories.codings import CodedNames

if TYPE_CHECKING:
    import polars as pl

    from singleout.repository.documents.bodies import InventoryEntry

__all__ = [
    "DemandList",
    "InventoryMatch",
    "JointRisk",
    "KnownRisk",
    "LinkableData",
    "TouchedIdentifier",
    "UnansweredQuestion",
    "attribute_names",
]


def attribute_names(attributes: CodedNames) -> str:
    """Return a quasi-identifier as it is written: ``Age:width=5+PC4``."""
    return "+".join(map(str, attributes))


@dataclass(frozen=True)
class KnownRisk(ResultPart):
    """What the repository predicts for a quasi-identifier.

    Parameters
    ----------
    unique
        The expected share of people that are alone with their values.
    people
        How many people that is a share of.
    sign
        What the share stands for: ``=`` where a record is about just this quasi-identifier and
        population, ``≈`` where one is near it or several were put together, ``≥`` and ``≤`` where
        it is a bound, from a coarser or a finer one.
    """

    unique: float
    people: int
    sign: str = "="

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON can hold."""
        return vars(self).copy()

    def __str__(self) -> str:
        return percent(self.unique) if self.sign == "=" else f"{self.sign} {percent(self.unique)}"


def _risk(risk: KnownRisk | None) -> dict[str, Any]:
    return {"risk": None if risk is None else risk.to_dict()}


@dataclass(frozen=True)
class TouchedIdentifier(ResultPart):
    """A published quasi-identifier that an inventory reveals.

    Parameters
    ----------
    quasi_identifier
        As it is published.
    records
        How many records there are of it.
    finer
        Whether the inventory has an attribute of it in more detail than is published.
    risk
        What is predicted for it.
    """

    quasi_identifier: CodedNames
    records: int
    finer: bool
    risk: KnownRisk | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON can hold."""
        return {
            "quasi_identifier": [str(one) for one in self.quasi_identifier],
            "records": self.records,
            "finer": self.finer,
            **_risk(self.risk),
        }


@dataclass(frozen=True)
class LinkableData(ResultPart):
    """An identified data set that shares attributes and people with an inventory.

    Parameters
    ----------
    id, name, holder
        The data set, and who registered it.
    shared
        What the two can be linked by, each attribute in the coarser coding.
    population
        Who can be in both.
    risk
        What is predicted for the shared attributes in that population.
    """

    id: str
    name: str
    holder: str
    shared: CodedNames
    population: DeclaredPopulation
    risk: KnownRisk | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON can hold."""
        return {
            "id": self.id,
            "name": self.name,
            "holder": self.holder,
            "shared": [str(one) for one in self.shared],
            "population": self.population.to_dict(),
            **_risk(self.risk),
        }


@dataclass(frozen=True)
class JointRisk(ResultPart):
    """Inventories of one holder that are identifying together, and not one by one.

    Parameters
    ----------
    holder, names
        Who asks, and which of its inventories.
    quasi_identifier
        What they reveal together.
    together, alone
        What is predicted for all of them, and for the most identifying one alone.
    """

    holder: str
    names: tuple[str, ...]
    quasi_identifier: CodedNames
    together: KnownRisk
    alone: KnownRisk

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON can hold."""
        return {
            "holder": self.holder,
            "names": list(self.names),
            "quasi_identifier": [str(one) for one in self.quasi_identifier],
            "together": self.together.to_dict(),
            "alone": self.alone.to_dict(),
        }


@dataclass(frozen=True)
class InventoryMatch(Result):
    """How an inventory meets what is published and what others hold.

    Parameters
    ----------
    inventory
        The entry that was matched.
    touched
        The published quasi-identifiers that it reveals, the most identifying first.
    links
        The identified data sets that it can be linked to, the most identifying first.
    joint
        What becomes identifying together with other inventories of the same holder.
    """

    inventory: InventoryEntry
    touched: tuple[TouchedIdentifier, ...]
    links: tuple[LinkableData, ...]
    joint: tuple[JointRisk, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON can hold."""
        return {
            "inventory": self.inventory.name,
            "touched": [one.to_dict() for one in self.touched],
            "links": [one.to_dict() for one in self.links],
            "joint": [one.to_dict() for one in self.joint],
        }

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each quasi-identifier that is touched or can be linked by."""
        import polars as pl

        rows = [
            ("published", attribute_names(one.quasi_identifier), "", one.risk)
            for one in self.touched
        ]
        rows += [("link", attribute_names(one.shared), one.name, one.risk) for one in self.links]
        rows += [
            ("together", attribute_names(one.quasi_identifier), ", ".join(one.names), one.together)
            for one in self.joint
        ]
        schema = {
            "what": pl.String,
            "quasi_identifier": pl.String,
            "with": pl.String,
            "unique": pl.Float64,
        }
        return pl.DataFrame(
            [(*row[:3], None if row[3] is None else row[3].unique) for row in rows],
            schema=schema,
            orient="row",
        )

    def __str__(self) -> str:
        return say(
            "repository.client.match",
            name=self.inventory.name,
            touched=len(self.touched),
            links=len(self.links),
        )


@dataclass(frozen=True)
class UnansweredQuestion(ResultPart):
    """A combination that inventories ask for and no record is about.

    Parameters
    ----------
    quasi_identifier, population
        What a record would have to be about.
    names
        The inventories that ask for it.
    """

    quasi_identifier: CodedNames
    population: DeclaredPopulation
    names: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON can hold."""
        return {
            "quasi_identifier": [str(one) for one in self.quasi_identifier],
            "population": self.population.to_dict(),
            "asked_by": list(self.names),
        }


@dataclass(frozen=True)
class DemandList(Result):
    """What is asked for without a record, the most asked for first."""

    questions: tuple[UnansweredQuestion, ...]
    asked: tuple[Mapping[str, Any], ...] = ()  # in vain, of a service: attributes and how often

    def __iter__(self) -> Any:
        return iter(self.questions)

    def __len__(self) -> int:
        return len(self.questions)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON can hold."""
        demand = [one.to_dict() for one in self.questions]
        return {"demand": demand, "asked": [dict(one) for one in self.asked]}

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each combination."""
        import polars as pl

        return pl.DataFrame(
            [
                (attribute_names(one.quasi_identifier), str(one.population), len(one.names))
                for one in self.questions
            ],
            schema={"quasi_identifier": pl.String, "population": pl.String, "asked_by": pl.Int64},
            orient="row",
        )

    def __str__(self) -> str:
        return say("repository.client.demand", n=len(self.questions))


def most_identifying(risks: Iterable[KnownRisk | None]) -> KnownRisk | None:
    """Return the highest of several risks, where one is known."""
    return max(filter(None, risks), key=lambda risk: risk.unique, default=None)
