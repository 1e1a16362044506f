"""How many cells a quasi-identifier can have in a population (C1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from singleout.repository.documents.values import EVERYTHING

if TYPE_CHECKING:
    from singleout.repository.documents.population import DeclaredPopulation
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["cells_of"]


def cells_of(
    vocabulary: Vocabulary, quasi_identifier: Sequence[Any], population: DeclaredPopulation
) -> int | None:
    """Return the number of possible combinations of codes, or None if it cannot be known."""
    left = vocabulary.closed(
        {**dict.fromkeys(vocabulary.attributes, EVERYTHING), **population.sets}
    )
    total = 1
    for given in quasi_identifier:
        name = given if isinstance(given, str) else given.attribute
        size = left[name].size if name in left else None
        if size is None:
            return None
        total *= size
    return total
