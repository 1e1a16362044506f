"""The encoded table: every column as small integers with a codebook, so that counting is cheap."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.choices import MissingPolicy, Role, choose
from singleout.core.frame_kinds import Framed, FrameKind, framed, kind_of
from singleout.errors import BadChoice, UnknownColumns, UnusableColumn, UnusableTable

__all__ = ["MAX_ROWS", "Codes", "Column", "Table", "smallest_codes"]

Codes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]

# Record numbers are kept in four bytes; one bit is left free to mark empty slots.
MAX_ROWS = 2**31 - 1


def smallest_codes(codes: NDArray[Any], levels: int) -> Codes:
    """Return the codes in the smallest of 1, 2 or 4 bytes that holds ``levels`` different ones."""
    if levels <= 1 << 8:
        return codes.astype(np.uint8, copy=False)
    if levels <= 1 << 16:
        return codes.astype(np.uint16, copy=False)
    return codes.astype(np.uint32, copy=False)


@dataclass(frozen=True, eq=False)
class Column:
    """One column: a code for every record, and the value that each code stands for.

    Code ``i`` means ``values[i]``; the code ``len(values)``, used only if ``has_missing``,
    means that the value is missing.

    Parameters
    ----------
    name
        The column's name, as in the source.
    codes
        One unsigned integer of 1, 2 or 4 bytes for each record; made read-only.
    values
        The codebook, in sorted order where values can be compared.
    has_missing
        Whether any record has no value here.
    role
        What the column is for.
    labels
        What values mean in words, for sources that say so (SPSS, Stata, SAS).
    description
        What the column means in words, if the source says so.
    """

    name: str
    codes: Codes
    values: Sequence[Any]
    has_missing: bool = False
    role: Role = Role.OTHER
    labels: Mapping[Any, str] = field(default_factory=dict)
    description: str = ""

    def __post_init__(self) -> None:
        codes = self.codes.view()  # the caller's own array stays as it is
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)
        if codes.dtype not in (np.uint8, np.uint16, np.uint32) or codes.ndim != 1:
            raise UnusableColumn(
                f"The codes of column {self.name!r} are {codes.ndim}-dimensional {codes.dtype}; "
                "give one unsigned integer of 1, 2 or 4 bytes for each record."
            )
        # kernels index by code and trust it; longer columns are refused by the table
        if 0 < len(codes) <= MAX_ROWS and int(codes.max()) >= self.levels:
            raise UnusableColumn(
                f"Column {self.name!r} has the code {int(codes.max())}, but its codebook has "
                f"{self.levels} entries."
            )

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def levels(self) -> int:
        """How many different codes there can be, the one for missing included."""
        return len(self.values) + self.has_missing

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many records have each code, the one for missing last."""
        return np.bincount(self.codes, minlength=self.levels).astype(np.int64, copy=False)

    @property
    def missing_code(self) -> int | None:
        """The code that means missing, or None if no value is missing."""
        return len(self.values) if self.has_missing else None

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """For each record, whether its value is missing."""
        if not self.has_missing:
            return np.zeros(len(self.codes), dtype=np.bool_)
        return np.asarray(self.codes == len(self.values), dtype=np.bool_)

    @property
    def all_missing(self) -> bool:
        """Whether no record has a value."""
        return self.has_missing and len(self.values) == 0

    def value(self, code: int) -> Any:
        """Return what a code stands for; None for missing."""
        return None if code == self.missing_code else self.values[code]

    def label(self, value: object) -> str:
        """Return a value in words: its label if it has one, otherwise itself."""
        if value in self.labels:
            return self.labels[value]
        if isinstance(value, float) and value.is_integer():
            return str(int(value))  # SPSS and Excel know no whole numbers
        return "(missing)" if value is None else str(value)

    def numbers(self) -> NDArray[np.float64]:
        """Return the column as numbers, missing as NaN; text must read as numbers.

        Raises
        ------
        UnusableColumn
            If a value does not read as a number.
        """
        # a long codebook of numbers has them all at once
        at_once = getattr(self.values, "numbers", None)
        book = None if at_once is None else at_once()
        if book is None:
            values = list(self.values)
            if not {int, float}.issuperset(map(type, values)):  # text is read one by one
                values = [self._number(value) for value in values]
            book = np.array(values, dtype=np.float64)
        if self.has_missing:
            book = np.append(book, np.nan)
        answer: NDArray[np.float64] = book[self.codes]
        return answer

    def _number(self, value: Any) -> float:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise UnusableColumn(
                f"Column {self.name!r} must hold numbers, but one value is {value!r}."
            ) from None

    def take(self, rows: NDArray[Any]) -> Column:
        """Return the column for some records only, with the same codebook."""
        return replace(self, codes=self.codes[rows])

    def only(self, rows: NDArray[Any]) -> Column:
        """Return the column for some records only, with the values that they have and no others."""
        codes = self.codes[rows]
        used = np.bincount(codes, minlength=self.levels) > 0
        new = (np.cumsum(used) - 1).astype(np.uint32)
        old = np.flatnonzero(used[: len(self.values)])
        values = list(self.values)
        has_missing = self.has_missing and bool(used[-1])
        return replace(
            self,
            codes=smallest_codes(new[codes], len(old) + has_missing),
            values=[values[code] for code in old.tolist()],
            has_missing=has_missing,
        )


class Table(Framed):
    """A table ready for counting: encoded columns, their roles and the missing-value policy.

    Immutable: methods that change something return a new table and share the columns.

    Parameters
    ----------
    columns
        The columns, all of the same length.
    missing
        What a missing value means: ``value``, ``wildcard`` or ``drop``.
    source
        Where the data came from, in words for people.
    notes
        What a reader should know, one sentence each.
    """

    __slots__ = ("_columns", "_frames", "_rows", "missing", "notes", "source")

    _rows: int
    missing: MissingPolicy
    source: str
    notes: tuple[str, ...]

    def __init__(
        self,
        columns: Iterable[Column],
        *,
        missing: str = MissingPolicy.VALUE,
        source: str = "table",
        notes: Iterable[str] = (),
    ) -> None:
        members = tuple(columns)
        if not members:
            raise UnusableTable(f"{source} has no columns; at least one is needed.")
        duplicates = [name for name, times in Counter(c.name for c in members).items() if times > 1]
        if duplicates:
            raise UnusableTable(
                f"{source} has more than one column called {duplicates[0]!r}; "
                "column names must be different."
            )
        lengths = {len(column) for column in members}
        if len(lengths) > 1:
            raise UnusableTable(f"{source} has columns of different lengths: {sorted(lengths)}.")
        rows = lengths.pop()
        if rows == 0:
            raise UnusableTable(f"{source} has no rows: there is nobody to single out.")
        if rows > MAX_ROWS:
            raise UnusableTable(
                f"{source} has {rows:,} rows; one table in memory may have at most {MAX_ROWS:,}. "
                "Count parts of it with so.count, and merge the counts."
            )
        set_field = object.__setattr__
        set_field(self, "_columns", {column.name: column for column in members})
        set_field(self, "missing", choose(MissingPolicy, missing, "missing-value policy"))
        set_field(self, "_rows", rows)
        set_field(self, "source", source)
        set_field(self, "notes", tuple(notes))

    _columns: Mapping[str, Column]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Table cannot be changed: {name!r} was not set")

    def __reduce__(self) -> tuple[Callable[..., Table], tuple[Any, ...]]:
        frames = str(kind_of(self))
        return _rebuild, (tuple(self), str(self.missing), self.source, self.notes, frames)

    def __len__(self) -> int:
        return self.rows

    def __iter__(self) -> Iterator[Column]:
        return iter(self._columns.values())

    def __getitem__(self, name: str) -> Column:
        self.require([name])
        return self._columns[name]

    def __repr__(self) -> str:
        return f"Table({self.source}: {self.rows:,} records x {len(self._columns)} columns)"

    def _repr_html_(self) -> str:
        body = "".join(
            f"<tr><th scope='row'>{html.escape(column.name)}</th><td>{column.role}</td>"
            f"<td>{len(column.values):,}</td><td>{int(column.is_missing.sum()):,}</td></tr>"
            for column in self
        )
        return (
            f"<table><caption>{html.escape(repr(self))}</caption><thead><tr>"
            "<th scope='col'>column</th><th scope='col'>role</th>"
            "<th scope='col'>different values</th><th scope='col'>missing</th>"
            f"</tr></thead><tbody>{body}</tbody></table>"
        )

    @property
    def rows(self) -> int:
        """How many records there are."""
        return self._rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(self._columns)

    @property
    def memory(self) -> int:
        """Bytes held by the codes."""
        return sum(column.codes.nbytes for column in self)

    def require(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the names if the table has them all, otherwise say which it does not have."""
        wanted = tuple(names)
        absent = [name for name in wanted if name not in self._columns]
        if absent:
            raise UnknownColumns(absent, self.columns)
        return wanted

    def with_role(self, role: str) -> tuple[str, ...]:
        """Return the names of the columns that have a role."""
        wanted = choose(Role, role, "role")
        return tuple(column.name for column in self if column.role == wanted)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns whose role is quasi-identifier."""
        return self.with_role(Role.QUASI_IDENTIFIER)

    @property
    def weight(self) -> str | None:
        """The column whose role is weight, if there is one."""
        names = self.with_role(Role.WEIGHT)
        if len(names) > 1:
            raise BadChoice(f"Only one column can be the weight, not {list(names)}.")
        return names[0] if names else None

    def select(self, names: Iterable[str]) -> Table:
        """Return the table with these columns only, in this order."""
        return self._with([self._columns[name] for name in self.require(names)])

    def with_roles(self, roles: Mapping[str, str]) -> Table:
        """Return the table with other roles for some columns: ``{"age": "quasi-identifier"}``."""
        self.require(roles)
        chosen = {name: choose(Role, role, "role") for name, role in roles.items()}
        return self._with(replace(c, role=chosen.get(c.name, c.role)) for c in self)

    @framed
    def with_missing(self, policy: str) -> Table:
        """Return the table with another missing-value policy."""
        return Table(self, missing=policy, source=self.source, notes=self.notes)

    def with_descriptions(
        self, descriptions: Mapping[str, str], labels: Mapping[str, Mapping[Any, str]]
    ) -> Table:
        """Return the table with words for its columns and values."""
        return self._with(
            replace(
                column,
                description=descriptions.get(column.name, column.description),
                labels=labels.get(column.name, column.labels),
            )
            for column in self
        )

    def take(self, rows: NDArray[Any]) -> Table:
        """Return some records only, by number or by mask, with the same codebooks."""
        return self._with(column.take(rows) for column in self)

    @framed
    def _with(self, columns: Iterable[Column]) -> Table:
        return Table(columns, missing=self.missing, source=self.source, notes=self.notes)


def _rebuild(
    columns: tuple[Column, ...], missing: str, source: str, notes: tuple[str, ...], frames: str
) -> Table:
    table = Table(columns, missing=missing, source=source, notes=notes)
    object.__setattr__(table, "_frames", FrameKind(frames))
    return table
