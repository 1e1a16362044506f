"""URLs of tables in databases, and descriptions of them that reveal no password.

``postgresql://user:password@host:5432/database#schema.table``: what a browser would call the
fragment names the table. Names with dots or other marks go between double quotes, as in SQL:
``#"a.b"."c;d"``. No error message repeats a URL, since it may hold a password.
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
    "DatabaseUrl",
    "is_database_url",
    "read_url",
    "table_words",
    "without_secrets",
]

# the schemes that ibis knows, and the names of the databases
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
# schemes of files, on the web or for a cluster
_OF_FILES = frozenset(
    (
        *("http", "https", "ftp", "ftps", "sftp", "file", "s3", "s3a", "s3n", "gs", "gcs", "az"),
        *("hdfs", "webhdfs", "swebhdfs", "viewfs", "har", "ofs", "o3fs", "dbfs", "abfs", "abfss"),
        *("wasb", "wasbs", "adl", "oss", "cosn", "obs", "maprfs", "alluxio"),
    )
)
_EXAMPLE = "postgresql://user:password@host/database#table"
_ENCODE = (
    "The URL of the database cannot be read: percent-encode reserved characters in the user name "
    "and the password (%40 for @, %3A for :, %2F for /, %3F for ?, %23 for #)."
)
_SEPARATE = (
    "The URL of the database cannot be read: options such as user and password come after one "
    "question mark and are joined by &, as in postgresql://host/database?user=…&password=…#table; "
    "elsewhere, percent-encode these characters (%26 for &, %3B for ;, %3D for =, %3F for ?)."
)


@dataclass(frozen=True)
class DatabaseUrl:
    """The parsed URL of a table in a database; its repr shows nothing that may be a secret."""

    scheme: str  # in lower case, without a driver: ``postgresql+psycopg`` is ``postgresql``
    host: str = ""
    port: int | None = None
    user: str = field(default="", repr=False)
    database: str = ""  # in a file-based database the path
    table: tuple[str, ...] = ()  # catalog, schema and name, as far as they are given
    password: str | None = field(default=None, repr=False)
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    connection: str = field(default="", repr=False)

    @property
    def words(self) -> str:
        """A description of the database for people."""
        kind = KINDS.get(self.scheme, self.scheme)
        if self.scheme in _IN_A_FILE:
            name = re.split(r"[/\\]", self.database)[-1]
            return f"the {kind} database {printable(name)}".rstrip()
        name = f" {printable(self.database)}" if self.database else ""
        host = f" on {printable(self.host)}" if self.host else ""
        return f"the {kind} database{name}{host}"

    @property
    def source(self) -> str:
        """A description of the table for people."""
        return f"table {table_words(self.table)} of {self.words}"

    @property
    def files(self) -> tuple[Path, ...]:
        """The candidate files: ``///a/b`` is ``/a/b``, or ``a/b`` if only that exists."""
        name = self.database
        if self.scheme not in _IN_A_FILE or not name.strip("/"):
            return ()
        path = expanded(name)
        return (path, Path(name[1:])) if name.startswith("/") else (path,)

    def __reduce__(self) -> Any:
        raise TypeError("a URL may hold a password, so it cannot be pickled")


def is_database_url(text: object) -> bool:
    """Whether a text is meant as the URL of a database, right or wrong.

    >>> is_database_url("postgresql://db.example/hospital#people")
    True
    >>> is_database_url("people.csv"), is_database_url("https://example.org/people.csv")
    (False, False)
    """
    scheme = scheme_of(text) if isinstance(text, str) else None
    return scheme is not None and scheme not in _OF_FILES


def read_url(text: str) -> DatabaseUrl:
    """Parse the URL of a table; the message of a `BadChoice` does not repeat the URL."""
    scheme = (scheme_of(text) or ":").partition("+")[0]
    colon, slashes, after = text.strip().partition("://")
    # with another colon it may be a user and a password that look like a scheme
    if ":" in scheme or not slashes or ":" in colon:
        raise BadChoice(f"That is no URL of a database; give one such as {_EXAMPLE}.")
    if scheme not in KINDS:
        raise BadChoice(
            f"{scheme}:// is no database that singleout knows; it knows "
            f"{', '.join(KINDS)}, each as in {_EXAMPLE}."
        )
    rest, table = _without_table(after)
    if scheme in _IN_A_FILE:
        return _file_url(scheme, rest, table)
    return _server_url(scheme, rest, table)


def _without_table(text: str) -> tuple[str, tuple[str, ...]]:
    """Split the name of the table off."""
    rest, _, fragment = text.partition("#")
    if "@" in _QUOTED.sub("", fragment):
        raise BadChoice(_ENCODE)  # the apparent table may be half of a password
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
            "The name of the table, after the # of the URL, cannot be read: give #table or "
            '#schema.table, and put names with dots or quotes between double quotes: #"a.b"."c".'
        )
    return tuple(_name(part) for part in re.findall(_PART, fragment))


def _name(part: str) -> str:
    return unquote(part[1:-1].replace('""', '"') if part.startswith('"') else part)


def _refuse_options(text: str) -> None:
    """Refuse options in parts of a URL that are shown: they may hold a password."""
    if re.search("[&;=?]", text):
        raise BadChoice(_SEPARATE)


def _file_url(scheme: str, rest: str, table: tuple[str, ...]) -> DatabaseUrl:
    path, _, query = rest.partition("?")
    if query:
        raise BadChoice(
            f"The URL of a {KINDS[scheme]} database has no options after a question mark; "
            "a question mark in the name of the file is written %3F."
        )
    if without_secrets(path) != path:
        raise BadChoice(
            f"The URL of a {KINDS[scheme]} database has no user and no password: give "
            f"{scheme}:///path/of/the/file#table; in the name of the file, percent-encode reserved "
            "characters (%3A for :, %40 for @, %3D for =)."
        )
    return DatabaseUrl(scheme, database=unquote(path), table=table)


def _server_url(scheme: str, rest: str, table: tuple[str, ...]) -> DatabaseUrl:
    before, _, query = rest.partition("?")
    authority, _, path = before.partition("/")
    if "@" in path or "@" in query:
        raise BadChoice(_ENCODE)  # the apparent database may be half of a password
    login, _, netloc = authority.rpartition("@")
    _refuse_options(netloc + path)
    if re.search("[;?]", query):
        raise BadChoice(_SEPARATE)
    user, colon, password = login.partition(":")
    host, port = _host_and_port(netloc)
    options = dict(parse_qsl(query, keep_blank_values=True))
    hidden = options.pop("password", None) or options.pop("passwd", None)
    return DatabaseUrl(
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


def _host_and_port(netloc: str) -> tuple[str, int | None]:
    """Return the host and the port; an IPv6 address is in brackets."""
    match = re.fullmatch(r"(\[[0-9A-Fa-f:.%]+\]|[^:@\[\]]*)(?::([0-9]{0,5}))?", netloc)
    port = int(match[2]) if match and match[2] else None
    if match is None or (port is not None and not 0 < port < 1 << 16):
        raise BadChoice(_ENCODE)
    return match[1].strip("[]"), port


def table_words(table: tuple[str, ...]) -> str:
    """Return the name of a table as it is written after the # of a URL.

    >>> table_words(("a.b", "people"))
    '"a.b".people'
    """
    return ".".join(
        name
        if re.fullmatch(r"[^\W\d]\w*", name)
        else '"' + printable(name.replace('"', '""')) + '"'
        for name in table
    )
