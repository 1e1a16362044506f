"""Population filters: which records a measure is about, in a small language of its own.

The same text selects the same records on every engine. Missing values follow the three-valued logic
of SQL: a comparison with a missing value is unknown, and a record is selected only where the
condition is true.
"""

from __future__ import annotations

from dataclasses import dataclass

from singleout.core.arrays import Flags
from singleout.core.table import Table
from singleout.errors import BadChoice
from singleout.where.mask import selected
from singleout.where.parser import read_condition
from singleout.where.tree import Part, columns_of, part_text

__all__ = ["Condition", "parse"]


@dataclass(frozen=True)
class Condition:
    """A condition that each record meets or does not; parsing its text gives an equal condition."""

    part: Part  # the root of the syntax tree

    def __str__(self) -> str:
        return part_text(self.part)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are tested, in order of appearance, each once."""
        return columns_of(self.part)

    def mask(self, table: Table) -> Flags:
        """Return for each record of a table whether the condition is true for it."""
        return selected(self.part, table)


def parse(text: str | Condition) -> Condition:
    """Parse a condition; a `Condition` is returned as it is.

    Such as ``age >= 18 and region in ('north', 'south')``: comparisons, ``in``, ``between``, ``is
    null``, joined by ``and``, ``or``, ``not`` and brackets. Names that are no plain words go in
    double quotes, texts and dates in single quotes.

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
