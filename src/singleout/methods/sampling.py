"""The population that records are from, as a user states it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, WithJsonSchema, model_validator

from singleout.core.choices import Role
from singleout.core.text import printable
from singleout.errors import BadChoice
from singleout.io.yaml.errors import Mistake
from singleout.methods.options import Count, Part, Share

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["Population", "as_population", "population_of"]


class Population(Part):
    """How many people the records stand for: one of four ways to say it, or none.

    Parameters
    ----------
    sampling_fraction
        Which share of the population is in the data.
    size
        How many people there are in all.
    weights
        The column that says for how many people a record stands.
    table
        The population counted by the same quasi-identifiers: a file or a data frame with their
        columns and one of numbers.

    Examples
    --------
    >>> import singleout as so
    >>> so.Population(size=60_000).size
    60000
    """

    what: ClassVar[str] = "population"

    sampling_fraction: Annotated[Share, Field(gt=0, le=1)] | None = Field(
        default=None, description="Which share of the population is in the data."
    )
    size: Count | None = Field(default=None, description="How many people there are in all.")
    weights: str | None = Field(
        default=None,
        min_length=1,
        description="The column that says for how many people a record stands.",
    )
    table: Annotated[Any, WithJsonSchema({"type": "string", "minLength": 1})] | None = Field(
        default=None,
        description="A file that counts the population by the same quasi-identifiers: their "
        "columns and one of numbers; a relative path starts at the plan's folder.",
    )

    @model_validator(mode="after")
    def _once(self) -> Population:
        given = [name for name, value in self if value is not None]
        if len(given) > 1:
            raise Mistake(
                (given[1],),
                f"the population is given more than once, as {' and as '.join(given)}; keep one.",
            )
        if isinstance(self.table, str) and not self.table:
            raise Mistake(("table",), "'table' must be the name of a file, not ''.")
        return self

    @property
    def basis(self) -> str | None:
        """Which way it is stated, by the name of the argument; None if it is not."""
        return next((name for name, value in self if value is not None), None)


def population_of(value: Any, counter: Counter) -> Population:
    """Return the population that a user states, or else the only column with the role weight."""
    from singleout.methods.selection import only_with_role

    if value is not None:
        return as_population(value)
    return Population(weights=only_with_role(counter, Role.WEIGHT))


def as_population(value: Any) -> Population:
    """Return the population that a user states: a number is its size."""
    if isinstance(value, Population):
        return value
    if isinstance(value, Mapping):
        return Population(**value)
    if value is None:
        return Population()
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        stated: dict[str, Any] = {"size": value}
        return Population(**stated)
    given = printable(repr(value)) if isinstance(value, str | bool) else type(value).__name__
    raise BadChoice(
        "population must be a whole number of people, or a Population with size, "
        f"sampling_fraction, weights or table, not {given}."
    )
