"""Addresses of tables in databases, and how to speak of them without giving a password away.

``postgresql://user:password@host:5432/database#schema.table``: what a browser would call the
fragment names the table. Names with dots or other marks go between double quotes, as in SQL:
``#"a.b"."c;d"``. Whatever is wrong with an address, the address itself is never repeated, since it
may hold a password.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from singleout.core.paths import expanded
from singleout.core.text import printable
from singleout.errors import BadChoice
from singleout.io.files import scheme_of, without_secrets

__all__ = [
    "KINDS",
    "Address",
    "is_database_url",
    "read_url",
    "table_words",
    "without_secrets",
]

# the schemes that ibis knows, and what people call what is behind them
KINDS: Mapping[str, str] = {
    "postgres": "PostgreSQL",
    "postgresql": "PostgreSQL",
    "mysql": "MySQL",
    "mariadb": "MariaDB",
    "sqlite": "SQLite",
    "duckdb": "DuckDB",
    "mssql": "SQL Server",
    "snowflake": "Snowflake",
    "bigquery": "BigQuery",
    "trino": "Trino",
    "databricks": "Databricks",
    "clickhouse": "ClickHouse",
    "oracle": "Oracle",
    "athena": "Athena",
    "druid": "Druid",
    "exasol": "Exasol",
    "impala": "Impala",
    "materialize": "Materialize",
    "risingwave": "RisingWave",
    "singlestoredb": "SingleStoreDB",
}
_IN_A_FILE = ("sqlite", "duckdb")
_PART = r'(?:"(?:[^"]|"")+"|[^".]+)'
_QUOTED = re.compile(r'"[^"]*"')
# where files are, on the web or for a cluster
_OF_FILES = frozenset(
    (
        *("http", "https", "ftp", "ftps", "sftp", "file", "s3", "s3a", "s3n", "gs", "gcs", "az"),
        *("hdfs", "webhdfs", "swebhdfs", "viewfs", "har", "ofs", "o3fs", "dbfs", "abfs", "abfss"),
        *("wasb", "wasbs", "adl", "oss", "cosn", "obs", "maprfs", "alluxio"),
    )
)
_EXAMPLE = "postgresql://user:password@host/database#table"
_ENCODE = (
    "The address of the database cannot be read: write special characters in the user name and the "
    "password as percent codes (%40 for @, %3A for :, %2F for /, %3F for ?, %23 for #)."
)
_SEPARATE = (
    "The address of the database cannot be read: options such as user and password come after one "
    "question mark and are joined by &, as in postgresql://host/database?user=…&password=…#table; "
    "in any other place, write percent codes (%26 for &, %3B for ;, %3D for =, %3F for ?)."
)


@dataclass(frozen=True)
class Address:
    """A table in a database, taken apart.

    Parameters
    ----------
    scheme
        The scheme in lower case, without a driver: ``postgresql+psycopg`` is ``postgresql``.
    host, port, user, database
        Where the server is and what to open there; in a file-based database the path.
    table
        The name of the table with what it is in, from the outside in; empty if none was given.
    password, options, connection
        Whatever may hold a secret: never shown.
    """

    scheme: str
    host: str = ""
    port: int | None = None
    user: str = field(default="", repr=False)
    database: str = ""
    table: tuple[str, ...] = ()
    password: str | None = field(default=None, repr=False)
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    connection: str = field(default="", repr=False)

    @property
    def words(self) -> str:
        """What the database is, in words for people."""
        kind = KINDS.get(self.scheme, self.scheme)
        if self.scheme in _IN_A_FILE:
            name = re.split(r"[/\\]", self.database)[-1]
            return f"the {kind} database {printable(name)}".rstrip()
        name = f" {printable(self.database)}" if self.database else ""
        host = f" on {printable(self.host)}" if self.host else ""
        return f"the {kind} database{name}{host}"

    @property
    def source(self) -> str:
        """The table, in words for people."""
        return f"table {table_words(self.table)} of {self.words}"

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that may be meant: ``///a/b`` is ``/a/b``, or ``a/b`` if only that is there."""
        given = self.database
        if self.scheme not in _IN_A_FILE or not given.strip("/"):
            return ()
        path = expanded(given)
        return (path, Path(given[1:])) if given.startswith("/") else (path,)

    def __reduce__(self) -> Any:
        raise TypeError("an address may hold a password, so it cannot be pickled")


def is_database_url(text: object) -> bool:
    """Whether a text is meant as the address of a database, right or wrong.

    >>> is_database_url("postgresql://db.example/hospital#people")
    True
    >>> is_database_url("people.csv"), is_database_url("https://example.org/people.csv")
    (False, False)
    """
    scheme = scheme_of(text) if isinstance(text, str) else None
    return scheme is not None and scheme not in _OF_FILES


def read_url(text: str) -> Address:
    """Take the address of a table apart.

    Raises
    ------
    BadChoice
        If it cannot be understood. The sentence does not repeat the address.
    """
    scheme = (scheme_of(text) or ":").partition("+")[0]
    colon, slashes, after = text.strip().partition("://")
    # with another colon it may be a user and a password that look like a scheme
    if ":" in scheme or not slashes or ":" in colon:
        raise BadChoice(f"That is no address of a database; give one such as {_EXAMPLE}.")
    if scheme not in KINDS:
        raise BadChoice(
            f"{scheme}:// is no database that singleout knows; it knows "
            f"{', '.join(KINDS)}, each as in {_EXAMPLE}."
        )
    rest, table = _without_table(after)
    if scheme in _IN_A_FILE:
        return _file_address(scheme, rest, table)
    return _server_address(scheme, rest, table)


def _without_table(text: str) -> tuple[str, tuple[str, ...]]:
    """Cut the name of the table off."""
    rest, _, fragment = text.partition("#")
    if "@" in _QUOTED.sub("", fragment):
        raise BadChoice(_ENCODE)  # what seems to be the table may be half of a password
    return rest, _names(fragment)


def _names(fragment: str) -> tuple[str, ...]:
    """Return the parts of a name, separated by dots that are not between quotes."""
    if '"' not in fragment and "%22" in fragment:
        fragment = unquote(fragment)
    if not fragment.strip():
        return ()
    _refuse_options(_QUOTED.sub("", fragment))
    if not re.fullmatch(rf"{_PART}(?:\.{_PART}){{0,2}}", fragment):
        raise BadChoice(
            "The name of the table, after the # of the address, cannot be read: give #table or "
            '#schema.table, and put names with dots or quotes between double quotes: #"a.b"."c".'
        )
    return tuple(_name(part) for part in re.findall(_PART, fragment))


def _name(part: str) -> str:
    return unquote(part[1:-1].replace('""', '"') if part.startswith('"') else part)


def _refuse_options(text: str) -> None:
    """Refuse options where there can be none: what is there is shown, and may be a password."""
    if re.search("[&;=?]", text):
        raise BadChoice(_SEPARATE)


def _file_address(scheme: str, rest: str, table: tuple[str, ...]) -> Address:
    path, _, query = rest.partition("?")
    if query:
        raise BadChoice(
            f"The address of a {KINDS[scheme]} database has no options after a question mark; "
            "a question mark in the name of the file is written %3F."
        )
    if without_secrets(path) != path:
        raise BadChoice(
            f"The address of a {KINDS[scheme]} database has no user and no password: give "
            f"{scheme}:///path/of/the/file#table; in the name of the file, write percent codes "
            "(%3A for :, %40 for @, %3D for =)."
        )
    return Address(scheme, database=unquote(path), table=table)


def _server_address(scheme: str, rest: str, table: tuple[str, ...]) -> Address:
    before, _, query = rest.partition("?")
    authority, _, path = before.partition("/")
    if "@" in path or "@" in query:
        raise BadChoice(_ENCODE)  # what seems to be the database may be half of a password
    login, _, place = authority.rpartition("@")
    _refuse_options(place + path)
    if re.search("[;?]", query):
        raise BadChoice(_SEPARATE)
    user, colon, password = login.partition(":")
    host, port = _place(place)
    options = dict(parse_qsl(query, keep_blank_values=True))
    hidden = options.pop("password", None) or options.pop("passwd", None)
    return Address(
        scheme,
        host=options.pop("host", "") or unquote(host),
        port=port,
        user=options.pop("user", "") or unquote(user),
        database=unquote(path.strip("/")),
        table=table,
        password=unquote(password) if colon else hidden,
        options=options,
        connection=f"{scheme}://{rest}",
    )


def _place(place: str) -> tuple[str, int | None]:
    """Return the host and the port; the address of a host may be in brackets."""
    found = re.fullmatch(r"(\[[0-9A-Fa-f:.%]+\]|[^:@\[\]]*)(?::([0-9]{0,5}))?", place)
    port = int(found[2]) if found and found[2] else None
    if found is None or (port is not None and not 0 < port < 1 << 16):
        raise BadChoice(_ENCODE)
    return found[1].strip("[]"), port


def table_words(table: tuple[str, ...]) -> str:
    """Return the name of a table as it is written after the # of an address.

    >>> table_words(("a.b", "people"))
    '"a.b".people'
    """
    return ".".join(
        name
        if re.fullmatch(r"[^\W\d]\w*", name)
        else '"' + printable(name.replace('"', '""')) + '"'
        for name in table
    )
