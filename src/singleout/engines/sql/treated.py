"""A table elsewhere with recoded columns: as SQL text, and streamed into a file.

Records never are in this process's memory all at once: DuckDB writes files itself, and from other
databases batches of records go to a temporary folder, and from there into the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import polars as pl

from singleout.core.progress import working_on
from singleout.engines.sql.counter import DatabaseCounter
from singleout.engines.sql.errors import answered
from singleout.engines.sql.parquet import quoted
from singleout.errors import BadChoice
from singleout.io.values import identity, series_of

if TYPE_CHECKING:
    from singleout.engines.counter import Counter
    from singleout.engines.sql.session import Session

__all__ = ["DIALECTS", "Selected", "selected"]

Pairs = Sequence[tuple[Any, Any]]

# those that ibis writes SQL for
DIALECTS = (
    *("duckdb", "postgres", "mysql", "sqlite", "mssql", "snowflake", "bigquery", "trino"),
    *("databricks", "clickhouse", "oracle", "athena", "druid", "exasol", "impala"),
    *("materialize", "risingwave"),
)
_MOST_BRANCHES = 5000  # of a CASE; databases refuse much longer ones
_ROWS_AT_ONCE = 50_000
_IGNORE_CASE = ("mysql", "mssql", "singlestoredb")
_FORMATS = {".parquet": "PARQUET", ".pq": "PARQUET", ".csv": "CSV", ".tsv": "CSV"}


class Selected:
    """A selection from a table elsewhere, with the connection that can run it.

    Parameters
    ----------
    counter
        The table.
    names
        The columns, in their order.
    rules
        What the values of some columns become.
    """

    def __init__(
        self, counter: DatabaseCounter, names: Sequence[str], rules: Mapping[str, Pairs]
    ) -> None:
        self._session = counter.session
        self._counter = counter
        self._names = names
        self._rules = rules

    def _expression(self, *, ranges: bool) -> Any:
        """Return the selection; ``ranges``: where it runs, text is compared byte by byte."""
        table, inside = self._counter.table, self._counter.names_inside
        ignores_case = self._session.name in _IGNORE_CASE or self._counter.collated
        chosen = []
        for name in self._names:
            column = table[inside[name]]
            if name in self._rules:
                if ignores_case and column.type().is_string():
                    _refuse_cases(name, self._rules[name])
                column = _recoded(name, column, self._rules[name], ranges=ranges)
            chosen.append(column.name(name))
        return table.select(chosen)

    def check(self) -> None:
        """Refuse what could not be run."""
        self._to_run()

    def _to_run(self) -> Any:
        bytewise = self._session.name == "duckdb" and not self._counter.collated
        return self._expression(ranges=bytewise)

    def sql(self, dialect: str | None = None) -> str:
        """Return the statement in the dialect of the database, or in another one."""
        import ibis

        if dialect is not None and dialect not in DIALECTS:
            raise BadChoice(
                f"{dialect!r} is no dialect that is known; choose one of {', '.join(DIALECTS)}."
            )
        expression = self._expression(ranges=False)
        if dialect is None:
            return str(self._session.backend.compile(expression, pretty=True))
        return str(ibis.to_sql(expression, dialect=dialect))

    def stream(self, to: Path, *, target: str) -> None:
        """Write the records to a Parquet or CSV file; ``target`` is its final name."""
        extension = Path(target).suffix.lower()
        if extension not in _FORMATS:
            raise BadChoice(
                f"Data that is not in memory can be written as {', '.join(_FORMATS)}, not as "
                f"{target!r}."
            )
        working_on(f"Writing {target}")
        delimiter = "\t" if extension == ".tsv" else ","
        text = self._session.backend.compile(self._to_run())
        if self._session.name == "duckdb":
            # written in place: what replaces the file would be taken for an abandoned one
            options = f"FORMAT {_FORMATS[extension]}, USE_TMP_FILE false"
            if _FORMATS[extension] == "CSV":
                options += f", HEADER, DELIMITER {quoted(delimiter)}"
            with _order_kept(self._session):
                self._session.execute(f"COPY ({text}) TO {quoted(str(to))} ({options})")
            return
        with TemporaryDirectory(prefix="singleout-") as folder:
            parts = answered(
                lambda: self._parts(text, Path(folder)),
                self._session.source,
                timeout=self._session.timeout,
            )
            whole = pl.concat(parts, how="vertical_relaxed")
            if _FORMATS[extension] == "CSV":
                whole.sink_csv(to, separator=delimiter)
            else:
                whole.sink_parquet(to)

    def _parts(self, text: str, folder: Path) -> list[pl.LazyFrame]:
        parts = []
        for number, frame in enumerate(_batches(self._session, text)):
            path = folder / f"{number}.parquet"
            frame.write_parquet(path, compression="lz4")
            parts.append(pl.scan_parquet(path))
            working_on(f"Fetching {self._session.source}", (number + 1) * _ROWS_AT_ONCE)
        return parts


@contextmanager
def _order_kept(session: Session) -> Iterator[None]:
    """Keep DuckDB from turning a long list into a join, which changes the order of the records."""
    setting = "disabled_optimizers"
    before = session.receive(f"SELECT current_setting('{setting}') AS v")["v"][0] or ""
    session.execute(f"SET {setting} = {quoted(','.join(filter(None, [before, 'in_clause'])))}")
    try:
        yield
    finally:
        session.execute(f"SET {setting} = {quoted(before)}")


def _batches(session: Session, text: str) -> Iterator[pl.DataFrame]:
    """Yield the records of a statement, some at a time; an empty frame if there are none."""
    cursor = _cursor(session, text)
    try:
        names = [str(part[0]) for part in cursor.description]
        rows = cursor.fetchmany(_ROWS_AT_ONCE)
        while True:
            values = zip(*rows, strict=True) if rows else ([] for _ in names)
            yield pl.DataFrame(
                [_plain(series_of(name, list(v))) for name, v in zip(names, values, strict=True)]
            )
            rows = cursor.fetchmany(_ROWS_AT_ONCE)
            if not rows:
                return
    finally:
        if hasattr(cursor, "close"):  # not with every driver
            cursor.close()


def _cursor(session: Session, text: str) -> Any:
    """Send a statement whose answer stays on the server until it is fetched."""
    connection = session.backend.con
    if session.name == "postgres":
        cursor = connection.cursor(name="singleout", withhold=True)
    elif session.name == "mysql":
        from pymysql.cursors import SSCursor

        cursor = connection.cursor(SSCursor)
    else:
        return session.backend.raw_sql(text)
    cursor.execute(text)
    return cursor


def _plain(series: pl.Series) -> pl.Series:
    """Return a column that a file can hold: mixed values as text."""
    if series.dtype != pl.Object:
        return series
    return pl.Series(series.name, [None if v is None else str(v) for v in series.to_list()])


def selected(counter: Counter, names: Sequence[str], rules: Mapping[str, Pairs]) -> Selected:
    """Return the columns of a table, some with other values, as a selection that can be run."""
    inner = getattr(counter, "_counter", counter)
    # a counter on a cluster is a subclass, and answers in another way
    if type(inner) is not DatabaseCounter:
        raise BadChoice(
            f"{counter.source} cannot be treated where it is; give engine='local' to fetch it, or "
            "engine='database' for files."
        )
    return Selected(inner, names, rules)


# ---- one column


def _recoded(name: str, column: Any, pairs: Pairs, *, ranges: bool) -> Any:
    """Return a column with other values: a CASE of as few branches as there can be."""
    import ibis

    kind = column.type()
    news = _of_one_kind([new for _, new in pairs])
    pairs = [(old, new) for (old, _), new in zip(pairs, news, strict=True)]
    # what the statement does not know becomes NULL: a value that came meanwhile must not get out
    same_kind = {_family(new) for _, new in pairs} <= {_family(old) for old, _ in pairs}
    ordered = kind.is_numeric() or kind.is_date() or kind.is_timestamp()
    in_ranges = ordered or (ranges and kind.is_string())
    conditions = list((_runs if in_ranges else _lists)(column, pairs))
    if len(conditions) > _MOST_BRANCHES:
        raise BadChoice(
            f"Recoding {name!r} would take a statement of {len(conditions):,} cases, and databases "
            f"take {_MOST_BRANCHES:,}; make it coarser, or give engine='local'."
        )
    if not conditions:
        return column
    exact = _exact_kind(news, kind)
    return ibis.cases(
        *(
            (condition, _new(column, pair, exact, stays=same_kind and _stays(pair)))
            for condition, pair in conditions
        )
    )


def _new(column: Any, pair: tuple[Any, Any], exact: Any, *, stays: bool) -> Any:
    """Return what a branch gives: the column or a new value; exact numbers in one type."""
    given = column if stays else _literal(pair[1])
    return given if exact is None or pair[1] is None else given.cast(exact)


def _runs(column: Any, pairs: Pairs) -> Iterator[tuple[Any, tuple[Any, Any]]]:
    """Yield a condition for each run of neighbouring values that become the same, or stay."""
    in_order = sorted(pairs, key=lambda pair: _as_bytes(pair[0]))
    for _, run in groupby(in_order, key=lambda pair: "stays" if _stays(pair) else _key(pair[1])):
        members = list(run)
        first, last = members[0][0], members[-1][0]
        condition = column == _literal(first, column)
        if len(members) > 1:
            condition = column.between(_literal(first, column), _literal(last, column))
        yield condition, members[0]


def _as_bytes(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def _lists(column: Any, pairs: Pairs) -> Iterator[tuple[Any, tuple[Any, Any]]]:
    """Yield a condition for each new value, with the list of the old ones; one if they stay."""
    olds: dict[Any, list[tuple[Any, Any]]] = {}
    for pair in pairs:
        olds.setdefault("stays" if _stays(pair) else _key(pair[1]), []).append(pair)
    for members in olds.values():
        yield column.isin([_literal(old, column) for old, _ in members]), members[0]


def _stays(pair: tuple[Any, Any]) -> bool:
    return bool(_key(pair[0]) == _key(pair[1]))


def _literal(value: Any, like: Any = None) -> Any:
    import ibis

    if value is None:
        return ibis.null()
    if isinstance(value, datetime):
        return ibis.timestamp(value.isoformat(sep=" "))
    if isinstance(value, date):
        return ibis.date(value.isoformat())
    kind = None if like is None else like.type()
    if isinstance(value, Decimal):
        return ibis.literal(value, _exact_kind([value], kind))
    return (
        ibis.literal(value, kind) if kind is not None and kind.is_string() else ibis.literal(value)
    )


def _exact_kind(values: Iterable[Any], kind: Any = None) -> Any:
    """Return a type for exact numbers with all their digits, and those of the column.

    Without digits, databases would round to digits of their choice. None if there are no such
    numbers.
    """
    import ibis.expr.datatypes as types

    exact = [value for value in values if isinstance(value, Decimal) and value.is_finite()]
    if not exact:
        return None
    whole = max(1, *(value.adjusted() + 1 for value in exact))
    scale = max(0, *(-int(value.as_tuple().exponent) for value in exact))
    if kind is not None and kind.is_decimal() and None not in (kind.precision, kind.scale):
        whole, scale = max(whole, kind.precision - kind.scale), max(scale, kind.scale)
    return types.Decimal(whole + scale, scale)


def _key(value: Any) -> Any:
    return None if value is None else identity(value)


def _family(value: Any) -> str:
    return "nothing" if value is None else identity(value)[0]


def _of_one_kind(values: list[Any]) -> list[Any]:
    """Return values that one column can hold: all as text where they differ in kind."""
    if len({_family(value) for value in values if value is not None}) <= 1:
        return values
    return [None if value is None else _spelled(value) for value in values]


def _spelled(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, date) else str(value)


def _refuse_cases(name: str, pairs: Pairs) -> None:
    """Refuse values that the database cannot tell apart and that become different ones."""
    became: dict[str, Any] = {}
    for old, new in pairs:
        folded = str(old).casefold().rstrip()
        if folded in became and _key(became[folded]) != _key(new):
            raise BadChoice(
                f"{name!r} has values such as {old!r} that differ from others only in upper and "
                "lower case or blanks at the end, which this database does not tell apart; give "
                "engine='local'."
            )
        became[folded] = new
