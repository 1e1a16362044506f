"""Population filters: which people a question is about, in a small language of its own.

The same text selects the same records on every engine. Missing values follow the three-valued logic
of SQL: a comparison with a missing value is unknown, and a record is selected only where the
condition is true.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from singleout.core.table import Table
from singleout.errors import BadChoice
from singleout.where.mask import selected
from singleout.where.parser import read_condition
from singleout.where.tree import Part, columns_of, part_text

__all__ = ["Condition", "parse"]


@dataclass(frozen=True)
class Condition:
    """A condition that each record meets or does not.

    Its text, ``str(condition)``, can be read back and gives an equal condition.

    Parameters
    ----------
    part
        The outermost part of the condition; see `singleout.where.tree`.
    """

    part: Part

    def __str__(self) -> str:
        return part_text(self.part)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are tested, in order of appearance, each once."""
        return columns_of(self.part)

    def mask(self, table: Table) -> NDArray[np.bool_]:
        """Return for each record of a table whether the condition is true for it.

        Parameters
        ----------
        table
            The encoded table.

        Raises
        ------
        UnknownColumns
            If the table lacks a column of the condition.
        BadChoice
            If a column cannot be compared with a value, such as a number with a text.
        """
        return selected(self.part, table)


def parse(text: str | Condition) -> Condition:
    """Return the condition that a text says.

    Parameters
    ----------
    text
        Such as ``age >= 18 and region in ('north', 'south')``: comparisons (``=``, ``!=``, ``<``,
        ``<=``, ``>``, ``>=``), ``in``, ``between``, ``is null``, joined by ``and``, ``or``, ``not``
        and brackets. Names that are no plain words go in double quotes, texts and dates in single
        quotes. A `Condition` is returned as it is.

    Raises
    ------
    BadChoice
        If the text cannot be read; the sentence says where, and what would work.

    Examples
    --------
    >>> condition = parse("AGE between 18 and 65 AND NOT (sex <> 'F' or `home town` is missing)")
    >>> condition.columns
    ('AGE', 'sex', 'home town')
    >>> print(condition)
    AGE between 18 and 65 and not (sex != 'F' or "home town" is null)
    """
    if isinstance(text, Condition):
        return text
    if not isinstance(text, str):
        raise BadChoice(f'A condition is a text such as "age >= 18", not a {type(text).__name__}.')
    return Condition(read_condition(text))
