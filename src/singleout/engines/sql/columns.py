"""Columns of a database made comparable: equal there exactly where they are equal in memory.

Text compares byte by byte, whatever the collation of the column; NaN is missing; minus zero is
zero. The columns get the names ``k0``, ``k1`` … as keys to count, and ``v0``, ``v1`` … as values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from singleout.engines.sql.kinds import plainly_typed
from singleout.engines.sql.parts import COUNT, all_there, column, named
from singleout.errors import BadChoice, UnknownColumns, UnusableColumn
from singleout.where.sql.functions import database_function, is_nan

if TYPE_CHECKING:
    import sqlglot.expressions as sge

    from singleout.where.condition import Condition

__all__ = ["Columns"]

_RAW = "singleout_records"
_SHORT = 255  # characters: MySQL may look at the first 1,024 bytes of a longer text only
_BYTES = {"mysql": "BINARY", "mssql": "VARBINARY(MAX)", "duckdb": "BLOB"}
_COLLATION = {"sqlite": ("BINARY", False), "postgres": ("C", True)}  # and whether it is quoted
_WITHOUT_NAN = frozenset(("mysql", "sqlite", "mssql", "singlestoredb"))
# what Python reads as a number of 0 or more; exponents beyond 299 might not fit
_WEIGHT = r"^[ \t]*(\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-2]?[0-9]?[0-9])?|-0+\.?0*)[ \t]*$"
_WHOLE = r"^[ \t]*(\+?[0-9]+\.?0*|-0+\.?0*)[ \t]*$"
_NEGATIVE = r"^[ \t]*-"
_TOO_MANY = 2.0**62  # records of one row, which would not fit into 64 bits


class Columns:
    """The columns of an ibis table, by the names that users know.

    ``names`` are in the order of the table's columns. ``collated``: some column may override the
    byte-wise collation of the database.
    """

    def __init__(
        self,
        table: Any,
        backend: Any,
        names: Sequence[str] | None = None,
        where: Condition | None = None,
        *,
        collated: bool = False,
    ) -> None:
        self._backend = backend
        self._collated = collated
        self.names = tuple(names if names is not None else table.columns)
        table = plainly_typed(table, backend.name)
        inside = dict(zip(self.names, table.columns, strict=True))
        self._table = table
        if where is not None:
            self._table = _filtered(table, inside, where, backend.name, collated=collated)
        renamed = dict(zip(table.columns, self._table.columns, strict=True))
        self._inside = {name: renamed[inner] for name, inner in inside.items()}
        self._index = {name: index for index, name in enumerate(self.names)}
        self.count: str | None = None

    def counted_by(self, count: str) -> Columns:
        """Return the columns without one that says how many records a row stands for."""
        self.require([count])
        others = copy(self)
        others.count = count
        others.names = tuple(name for name in self.names if name != count)
        others._index = {name: at for name, at in self._index.items() if name != count}
        return others

    def filtered(self, where: Condition) -> Columns:
        """Return the columns of the records that meet a condition."""
        met = Columns(
            self._table, self._backend, tuple(self._inside), where, collated=self._collated
        )
        return met if self.count is None else met.counted_by(self.count)

    def with_more(self, added: Mapping[str, Any]) -> Columns:
        """Return the columns and more, which are expressions by their names."""
        inside = {f"singleout_coded_{index}": one for index, one in enumerate(added.values())}
        more = Columns(
            self._table.mutate(**inside),
            self._backend,
            (*self._inside, *added),
            collated=self._collated,
        )
        return more if self.count is None else more.counted_by(self.count)

    @property
    def table(self) -> Any:
        """The ibis table, with the records that meet the condition."""
        return self._table

    @property
    def names_inside(self) -> Mapping[str, str]:
        """What the columns are called in the table, by the names that users know."""
        return self._inside

    @property
    def collated(self) -> bool:
        """Whether some column may override the byte-wise collation of the database."""
        return self._collated

    def require(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the names, unless the table lacks one."""
        if not isinstance(names, Iterable):
            raise BadChoice(f"Columns are given by their names, not as {names!r}.")
        wanted = (names,) if isinstance(names, str) else tuple(names)
        for name in wanted:
            if not isinstance(name, str):
                raise BadChoice(f"Columns are given by their names, which are text, not {name!r}.")
        absent = [name for name in wanted if name not in self._index]
        if absent:
            raise UnknownColumns(absent, self.names)
        return wanted

    def keys(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the names that columns have as keys in a base."""
        return tuple(f"k{self._index[name]}" for name in self.require(names))

    def values(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the names that columns have as values in a base."""
        return tuple(f"v{self._index[name]}" for name in self.require(names))

    def kind(self, name: str) -> Any:
        """Return the ibis type of a column."""
        return self._table[self._inside[name]].type()

    def is_its_key(self, name: str) -> bool:
        """Whether the key of a column is its value, and not only in one-to-one relation to it."""
        kind = self.kind(name)
        rounded = self._backend.name == "mysql" and kind.is_float32()
        return not (self._is_packed(kind) or rounded or kind.is_interval())

    def base(
        self,
        keys: Iterable[str],
        values: Iterable[str] = (),
        *,
        weight: str | None = None,
        complete: Iterable[str] = (),
    ) -> sge.Select:
        """Return the records as a SELECT of some columns as keys, some as values, and a weight.

        Records that lack a value in a column of ``complete`` are left out. In a table of counts
        each row has its count, too, and its weight is that of all its records.
        """
        import ibis
        import sqlglot as sg

        not_null = tuple(complete)
        names = tuple(dict.fromkeys([*keys, *not_null]))
        keyed = dict(zip(self.keys(names), names, strict=True))
        selected: dict[str, Any] = {key: self._key(name) for key, name in keyed.items()}
        for name in dict.fromkeys(values):
            selected[self.values([name])[0]] = self._value(name)
        if weight is not None:
            selected["w"] = self._weight(weight)
        if self.count is not None:
            times = self._weight(self.count)
            selected[COUNT] = times.cast("int64")
            if weight is not None:
                selected["w"] = selected["w"] * times
        if not selected:
            selected["one"] = ibis.literal(1)
        inner = self.compiled(self._table.select(**selected))
        common = inner.args.get("with_")
        inner.set("with_", None)
        packed = [named(self._packed(column(name), keyed.get(name)), name) for name in selected]
        base = sg.select(*packed).from_(inner.subquery(_RAW)).where(*all_there(self.keys(not_null)))
        if self.count is not None:
            base = base.where(column(COUNT) > 0)
        base.set("with_", common)
        return base

    def unfit_weights(self, name: str) -> sge.Select:
        """Return the statement for: how many records have no weight of 0 or more."""
        column = self._table[self._inside[name]]
        kind = column.type()
        if kind.is_boolean():
            unfit = column.isnull()
        elif kind.is_string():
            unfit = column.isnull() | ~column.re_search(_WEIGHT)
        elif kind.is_numeric():
            unfit = column.isnull() | (column < 0)
            if kind.is_floating() and self._backend.name not in _WITHOUT_NAN:
                unfit |= is_nan(column, self._backend.name) | column.isinf()
        else:
            raise UnusableColumn(f"Column {name!r} must hold numbers, but it holds {kind}.")
        return self.compiled(self._table.filter(unfit).count().name("n").as_table())

    def count_facts(self, name: str) -> sge.Select:
        """Return the statement for what `CountFacts` says of a column, in its order."""
        import ibis

        column = self._table[self._inside[name]]
        kind = column.type()
        if kind.is_string():
            whole, negative = column.re_search(_WHOLE), column.re_search(_NEGATIVE)
            number = ibis.cases((whole, column.cast("float64")), else_=ibis.null("float64"))
            missing, negative = column.isnull(), negative & ~whole
        elif kind.is_numeric() or kind.is_boolean():
            number = self._weight(name)
            missing = column.isnull()
            if kind.is_floating() and self._backend.name not in _WITHOUT_NAN:
                missing |= is_nan(column, self._backend.name)
            negative = number < 0
            whole = (number == number.floor()) & (number < _TOO_MANY)
        else:
            raise UnusableColumn(f"Column {name!r} must hold numbers, but it holds {kind}.")
        unknown = ~missing & ~negative & ~whole
        facts = {
            "n0": self._table.count(),
            "n1": _times(missing),
            "n2": _times(negative),
            "n3": _times(unknown),
            "n4": _times(number == 0),
            "n5": ibis.cases((whole & ~missing, number), else_=0.0).sum(),
        }
        return self.compiled(self._table.aggregate(**facts))

    def compiled(self, expression: Any) -> sge.Select:
        """Return an ibis expression as SQL."""
        compiled: sge.Select = self._backend.compiler.to_sqlglot(expression)
        return compiled

    # ---- one column

    def _plain(self, name: str) -> Any:
        column = self._table[self._inside[name]]
        kind = column.type()
        if kind.is_nested() or kind.is_geospatial():
            raise UnusableColumn(
                f"Column {name!r} holds lists or records ({kind}); "
                "singleout needs one plain value in each cell."
            )
        return column

    def _key(self, name: str) -> Any:
        """Return a column whose equal values compare equal and whose missing values are NULL."""
        column = self._plain(name)
        kind = column.type()
        if kind.is_floating():
            return _without_oddities(column, self._backend.name)
        if self._backend.name == "postgres":
            return _comparable_in_postgresql(column)
        # to DuckDB a month is 30 days
        return column.cast("string") if kind.is_json() or kind.is_interval() else column

    def _value(self, name: str) -> Any:
        """Return a column as its values are received."""
        column = self._plain(name)
        kind = column.type()
        if self._backend.name == "postgres":
            return _comparable_in_postgresql(column)
        if self._backend.name == "mysql" and kind.is_float32():
            return column.cast("float64")  # its text has six digits only
        return column.cast("string") if kind.is_json() or kind.is_interval() else column

    def _weight(self, name: str) -> Any:
        column = self._table[self._inside[name]]
        return (column.cast("int64") if column.type().is_boolean() else column).cast("float64")

    def _is_packed(self, kind: Any) -> bool:
        """Whether the key of a text is its bytes or a hash of them."""
        name, text = self._backend.name, kind.is_string() or kind.is_json()
        if name == "mysql":
            return bool(text or kind.is_binary())
        return bool(text) and (name == "mssql" or (name == "duckdb" and self._collated))

    def _packed(self, key: sge.Column, of: str | None) -> sge.Expression:
        """Return the key of a column such that the database compares the bytes of text."""
        import sqlglot.expressions as sge

        name = self._backend.name
        if of is None:
            return key
        kind = self.kind(of)
        if self._is_packed(kind):
            if name == "mysql" and not 0 < _length(kind) <= _SHORT:
                digest = sge.Anonymous(this="SHA2", expressions=[key, sge.convert(256)])
                return sge.Anonymous(this="UNHEX", expressions=[digest])
            return sge.cast(key, sge.DataType.build(_BYTES[name], dialect=self._backend.dialect))
        text = kind.is_string() or kind.is_unknown()
        if text and (name == "sqlite" or (name == "postgres" and self._collated)):
            # an enumeration is text to ibis, but has no collation
            plain = sge.cast(key, sge.DataType.build("text")) if name == "postgres" else key
            return sge.Collate(this=plain, expression=sge.to_identifier(*_COLLATION[name]))
        return key


def _filtered(
    table: Any, inside: Mapping[str, str], where: Condition, backend: str, *, collated: bool
) -> Any:
    """Return the records that meet a condition on the names that users know."""
    from singleout.where.sql.expression import as_ibis

    absent = [name for name in where.columns if name not in inside]
    if absent:
        raise UnknownColumns(absent, tuple(inside))
    renamed = {name: inside[name] for name in where.columns if inside[name] != name}
    if renamed:
        table = table.rename(renamed)
    if collated and backend == "duckdb":
        table = table.mutate(**_without_collation(table, where.columns))
    return table.filter(as_ibis(where, table, backend=backend))


def _without_collation(table: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the text columns of DuckDB, decoded from their bytes so that no collation is left."""
    encode = database_function("encode", ("string",), "binary")
    decode = database_function("decode", ("binary",), "string")
    return {name: decode(encode(table[name])) for name in names if table[name].type().is_string()}


def _times(condition: Any) -> Any:
    """Return how many rows meet a condition; unknown is no."""
    import ibis

    one, none = ibis.literal(1, "int64"), ibis.literal(0, "int64")
    return ibis.cases((condition, one), else_=none).sum()


def _length(kind: Any) -> int:
    """Return the maximal length of a text column, 0 if it is unknown or has none."""
    return (kind.length or 0) if kind.is_string() else 0


def _without_oddities(column: Any, backend: str) -> Any:
    """Return floating-point numbers with NaN as NULL, and minus zero as zero."""
    import ibis

    nan = [] if backend in _WITHOUT_NAN else [is_nan(column, backend)]
    missing = [(unknown, ibis.null(column.type())) for unknown in nan]
    zero = ibis.literal(0.0, column.type())
    return ibis.cases(*missing, (column == 0, zero), else_=column)


def _comparable_in_postgresql(column: Any) -> Any:
    """Return a column that PostgreSQL can compare; its decimals can be NaN as well."""
    import ibis

    kind = column.type()
    if kind.is_decimal():
        return ibis.cases((column.cast("string") == "NaN", ibis.null(column.type())), else_=column)
    known = kind.is_numeric() or kind.is_boolean() or kind.is_temporal() or kind.is_binary()
    return column if known or kind.is_uuid() else column.cast("string")
