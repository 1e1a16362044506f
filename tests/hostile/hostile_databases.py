"""Hostile databases of SQLite, and addresses of databases."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hostile_case import NOISE, PEOPLE, Case, Make, counted, cut, files, refused, sets


def database(script: str, *values: tuple[str, tuple[Any, ...]]) -> Make:
    """Return what makes a database of SQLite."""

    def make(folder: Path) -> None:
        connection = sqlite3.connect(folder / "x.db")
        with connection:
            connection.executescript(script)
            for statement, row in values:
                connection.execute(statement, row)
        connection.close()

    return make


TABLE = "create table t (a integer, b text);"
FILL = tuple(
    ("insert into t values (?, ?)", row) for row in [(1, "x"), (1, "x"), (2, "y"), (3, None)]
)


def cases() -> Iterator[Case]:
    """Databases of SQLite with hostile names, values and addresses."""
    here = "sqlite:///x.db"
    yield counted("sqlite-in-this-folder", database(TABLE, *FILL), f"{here}#t")
    yield counted("sqlite-by-its-whole-path", database(TABLE, *FILL), "sqlite:///{folder}/x.db#t")
    yield refused("sqlite-that-is-not-there", *sets("sqlite:///no.db#t"), says=("no.db",))
    yield refused(
        "sqlite-that-is-text", *sets(f"{here}#t"), make=files({"x.db": PEOPLE}), says=("x.db",)
    )
    yield refused(
        "sqlite-of-noise",
        *sets(f"{here}#t"),
        make=files({"x.db": b"SQLite format 3\0" + NOISE}),
        says=("x.db",),
    )
    yield refused("sqlite-of-nothing", *sets(f"{here}#t"), make=files({"x.db": b""}), says=("t",))
    yield refused(
        "sqlite-cut-off",
        *sets(f"{here}#t"),
        make=cut(database(TABLE, *FILL), "x.db", 0.5),
        says=("x.db",),
    )
    yield refused(
        "sqlite-without-that-table",
        *sets(f"{here}#nosuch"),
        make=database(TABLE, *FILL),
        says=("nosuch",),
    )
    yield refused(
        "sqlite-without-a-table-named",
        *sets(here),
        make=database(TABLE, *FILL),
        says=("#",),
        may_refuse=False,
    )
    yield refused(
        "sqlite-that-is-a-folder",
        *sets(f"{here}#t"),
        make=lambda folder: (folder / "x.db").mkdir(),
        says=("x.db",),
    )
    yield refused(
        "sqlite-table-as-an-attack",
        *sets(f"{here}#t; drop table t"),
        make=database(TABLE, *FILL),
        says=("address",),
    )
    hostile = 'x"; drop table t; --'
    quoted = '"' + hostile.replace('"', '""') + '"'
    yield counted(
        "sqlite-table-called-like-an-attack",
        database(
            f"{TABLE} create table {quoted} as select 1 as a, 'x' as b union all select 2, 'y';",
            *FILL,
        ),
        f"{here}#{hostile}",
        expected={"records": 2, "unique": 2},
        may_refuse=True,
    )
    column = '"b""; drop table t; --"'
    yield counted(
        "sqlite-column-called-like-an-attack",
        database(f"create table t (a integer, {column} text);", *FILL),
        f"{here}#t",
        'a+b"; drop table t; --',
    )
    wrong = ("insert into t values (1, cast(? as text))", (b"\xff\xfe",))
    # counts alone need no text: the values of groups do
    yield refused(
        "sqlite-with-text-that-is-not-utf-8",
        *("sets", f"{here}#t", "--qi", "a", "--by", "b"),
        make=database(TABLE, *FILL, wrong),
        says=("utf-8",),
    )
    mixed = tuple(
        ("insert into t values (?, ?)", row)
        for row in [("1", 1), (1, "1"), (1.5, b"x"), (None, None)]
    )
    yield counted(
        "sqlite-of-mixed-kinds",
        database("create table t (a, b);", *mixed),
        f"{here}#t",
        expected={"records": 4},
        may_refuse=True,
    )
    yield refused(
        "sqlite-view-of-nothing",
        *sets(f"{here}#v"),
        make=database("create view v as select * from gone;"),
        says=("v",),
    )
    yield refused(
        "sqlite-endless-view",
        *sets(f"{here}#v", "--timeout", "2"),
        make=database(
            "create view v as with recursive r(a, b) as "
            "(select 1, 2 union all select a + 1, b from r) select * from r;"
        ),
        says=("2",),
        alone=True,
    )
    yield refused(
        "sqlite-address-with-a-zero-byte",
        *sets(f"{here}\0#t"),
        make=database(TABLE),
        says=(),
    )
    for name, address in (
        ("unknown-database", "nosuch://x/y#t"),
        ("address-of-nothing", "sqlite://"),
        ("address-with-odd-port", "postgresql://host:port/x#t"),
        ("address-of-a-web-page", "https://example.org/x.csv"),
        ("address-of-a-bucket", "s3://bucket/x.csv"),
        ("address-of-a-file", "file:///etc/passwd"),
    ):
        yield refused(
            name, *sets(address), says=("address" if "port" in address else address.split(":")[0],)
        )
