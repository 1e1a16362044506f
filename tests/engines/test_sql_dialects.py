"""The SQL for databases that cannot run here, as text: it parses, and asks the same."""

from functools import cache
from typing import Any

import pytest
import sqlglot
import sqlglot.expressions as sge

from singleout.engines.sql import groups as database_groups
from singleout.engines.sql import statements as database_sql
from singleout.engines.sql.columns import Columns
from singleout.engines.sql.statements import SetsStatement

ibis = pytest.importorskip("ibis")

REMOTE = ["mssql", "snowflake", "bigquery", "trino", "databricks"]
LOCAL = ["duckdb", "postgres", "mysql", "sqlite"]
NAMES = ["text", "real", "whole", "x'); DROP TABLE t; --", 'quo"ted`]\\']
KINDS = ["string", "float64", "int64", "date", "decimal(10, 2)"]


class Backend:
    """What `Columns` needs of a connection, without one."""

    def __init__(self, name: str) -> None:
        from ibis.backends.sql import compilers

        self.name = name
        self.compiler: Any = getattr(compilers, name).compiler
        self.dialect = self.compiler.dialect


def columns_on(name: str) -> Columns:
    table = ibis.table(dict(zip(NAMES, KINDS, strict=True)), name="people")
    return Columns(table, Backend(name))


@cache
def statements(name: str) -> dict[str, sge.Select]:
    columns = columns_on(name)
    first, second = columns.keys(NAMES[:3]), columns.keys(NAMES[2:])
    base, counted = columns.base(NAMES), columns.counted_by(NAMES[4])
    statement = SetsStatement(base, (first, second), name, drop=True)
    rolled = SetsStatement(base, (first, second), name, rolled=True)
    return {
        "profiles": statement.profiles(),
        "distinct": rolled.distinct(),
        "rows": database_sql.row_count(columns.base(())),
        "completeness": database_sql.completeness(base, first),
        "sizes": database_sql.sizes(base, first),
        "joint": database_sql.joint_sizes(columns.base(NAMES, complete=NAMES), first, second[1]),
        "ranks": database_sql.ranks(base, first),
        "sums": SetsStatement(counted.base(NAMES[:3]), (first[:2],), name).profiles(),
        "sums of weights": database_groups.combinations(counted, NAMES[:3], "whole"),
        "combinations": database_groups.combinations(columns, NAMES),
        "groups": database_groups.group_profiles(columns, NAMES[:2], NAMES[3:], drop=True),
        "weights": database_groups.group_weights(columns, NAMES[:2], "whole", NAMES[3:], drop=True),
        "values": database_groups.sampled_values(columns, NAMES[0], 10, 25_000),
        "records": database_groups.records(columns, NAMES),
    }


QUESTIONS = list(statements("duckdb"))


@pytest.mark.parametrize("name", [*REMOTE, *LOCAL])
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_statement_is_one_select_that_parses_back(name: str, question: str) -> None:
    dialect = Backend(name).dialect
    text = statements(name)[question].sql(dialect=dialect)
    parsed = sqlglot.parse(text, dialect=dialect)
    assert len(parsed) == 1
    (tree,) = parsed
    assert isinstance(tree, sge.Select)
    assert not list(tree.find_all(sge.Drop, sge.Insert, sge.Delete, sge.Update, sge.Create))
    assert {table.name for table in tree.find_all(sge.Table)} - {
        part.alias for part in tree.find_all(sge.CTE)
    } == {"people"}


@pytest.mark.parametrize("name", [*REMOTE, "duckdb", "postgres"])
def test_sets_share_a_pass_where_the_database_can(name: str) -> None:
    tree = sqlglot.parse_one(
        statements(name)["profiles"].sql(dialect=Backend(name).dialect),
        dialect=Backend(name).dialect,
    )
    (sets,) = tree.find_all(sge.GroupingSets)
    assert [len(part.expressions) for part in sets.expressions] == [3, 3]
    assert len([table for table in tree.find_all(sge.Table) if table.name == "people"]) == 1
    grouping = next(tree.find_all(sge.Grouping))
    many = name in ("duckdb", "postgres", "trino", "snowflake")
    assert (len(grouping.expressions) > 1) is many


@pytest.mark.parametrize("name", ["mysql", "sqlite"])
def test_sets_follow_each_other_where_it_cannot(name: str) -> None:
    tree = statements(name)["profiles"]
    assert not list(tree.find_all(sge.GroupingSets))
    assert len(list(tree.find_all(sge.Union))) == 1


@pytest.mark.parametrize("question", QUESTIONS)
def test_sql_server_has_one_with_and_counts_beyond_32_bits(question: str) -> None:
    text = statements("mssql")[question].sql(dialect=Backend("mssql").dialect)
    assert text.count("WITH ") == 1
    assert text.startswith("WITH ")
    assert "COUNT(" not in text


def test_text_is_compared_by_its_bytes_where_it_would_not_be() -> None:
    def text(name: str) -> str:
        return statements(name)["sizes"].sql(dialect=Backend(name).dialect)

    assert "AS VARBINARY(MAX)) AS [k0]" in text("mssql")
    assert "UNHEX(SHA2(`k0`, 256)) AS `k0`" in text("mysql")
    assert '"k0" COLLATE BINARY AS "k0"' in text("sqlite")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("snowflake", "NaN"),
        ("bigquery", "IS_NAN"),
        ("trino", "IS_NAN"),
        ("databricks", "ISNAN"),
        ("duckdb", "ISFINITE"),
        ("postgres", "NaN"),
    ],
)
def test_not_a_number_is_missing_where_there_is_such_a_thing(name: str, words: str) -> None:
    text = statements(name)["sizes"].sql(dialect=Backend(name).dialect)
    assert words.lower() in text.lower()


# BigQuery has no such names, so ibis changes them
@pytest.mark.parametrize("name", ["mssql", "snowflake", "trino", "databricks", *LOCAL])
def test_no_name_breaks_out_of_its_quotes(name: str) -> None:
    dialect = Backend(name).dialect
    tree = sqlglot.parse_one(statements(name)["records"].sql(dialect=dialect), dialect=dialect)
    found = {column.name for column in tree.find_all(sge.Column)}
    assert set(NAMES) <= found
