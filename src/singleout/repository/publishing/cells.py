"""How many cells are possible in a population: by a vocabulary, as stated, or as observed.

By a vocabulary or as stated, the number is no fact about the data. Observed values are: then the
record says so, and this one number has no noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from singleout.errors import BadChoice
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute
from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["PossibleCells", "possible_cells"]


@dataclass(frozen=True)
class PossibleCells:
    """The number of possible cells, where it is from, and the attributes with their numbers."""

    cells: int
    source: Literal["vocabulary", "observed", "stated"]
    attributes: tuple[CodedAttribute, ...]


def possible_cells(
    attributes: Sequence[CodedAttribute],
    population: DeclaredPopulation,
    vocabulary: Vocabulary | None,
    *,
    stated: int | None = None,
    observed: Sequence[int] | None = None,
) -> PossibleCells | None:
    """Return how many cells are possible; None if nothing says so.

    Parameters
    ----------
    attributes
        The quasi-identifier.
    population
        Whom the record is about: in one city there are only its postcodes.
    vocabulary
        What values are possible.
    stated
        The number of cells, if the holder says so.
    observed
        How many values of each attribute occur.
    """
    if stated is not None:
        return PossibleCells(stated, "stated", tuple(attributes))
    known = None if vocabulary is None else _known(attributes, population, vocabulary)
    if known is not None:
        _refuse_more(known, observed)
        return known
    if observed is None:
        return None
    counted = tuple(
        one.model_copy(update={"possible": values})
        for one, values in zip(attributes, observed, strict=True)
    )
    return PossibleCells(math.prod(observed), "observed", counted)


def _refuse_more(known: PossibleCells, observed: Sequence[int] | None) -> None:
    """Refuse data with more values than the vocabulary has."""
    for one, values in zip(known.attributes, observed or (), strict=False):
        if one.possible is not None and values > one.possible:
            raise BadChoice(
                f"{one.attribute!r} has {values:,} different values in the data, and the "
                f"vocabulary knows {one.possible:,} in this population; add the others to it, or "
                "leave these records out by where."
            )


def _known(
    attributes: Sequence[CodedAttribute], population: DeclaredPopulation, vocabulary: Vocabulary
) -> PossibleCells | None:
    if not all(one.attribute in vocabulary for one in attributes):
        return None
    cells = vocabulary.cells_possible(attributes, population)
    if cells is None:
        return None
    counted = tuple(
        one.model_copy(update={"possible": vocabulary.cells_possible([one], population)})
        for one in attributes
    )
    return PossibleCells(cells, "vocabulary", counted)
