"""`so.publishable` gives the same record wherever the data is, and takes counts of counts only."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import polars as pl
import pytest
import stores
from stores import Put
from test_database_privacy import Wire

import singleout as so
from singleout.engines.sql.session import Session
from singleout.errors import UnusableColumn, UnusableTable
from singleout.repository.publishing.profile import print_sql, read_profile

KEY = bytes(range(32))
VOCABULARY = {
    "name": "test",
    "version": "1",
    "attributes": {
        "age": {"kind": "integer", "values": {"from": 18, "to": 97}},
        "place": {
            "values": ["Ab", "ab", "Cd", "Ef"],
            "codings": {
                "level=part": {"mapping": {"Ab": "x", "ab": "y", "Cd": "y", "Ef": "x"}},
                "level=half": {"mapping": {"Ab": "x", "ab": "y", "Cd": "y"}},
            },
        },
    },
}


def people() -> pl.DataFrame:
    rng = np.random.default_rng(7)
    ages = rng.integers(18, 78, 5000)
    return pl.DataFrame(
        {
            "age": ages,
            "weight": rng.normal(70, 15, 5000).round(1),
            # upper and lower case are different values, whatever a database thinks
            "place": rng.choice(["Ab", "ab", "Cd", "Ef"], 5000),
            "sex": [None if age == 40 else "fm"[age % 2] for age in ages.tolist()],
            "n": rng.integers(0, 4, 5000),
        }
    )


PEOPLE = people()
QUESTIONS: list[dict[str, Any]] = [
    {"quasi_identifier": ["age", "sex"]},
    {"quasi_identifier": ["place", "sex"], "population": {"age": range(20, 60), "City": "Delft"}},
    {"quasi_identifier": ["place", "sex"], "population": {"sex": {"not_in": ["f"]}}},
    {"quasi_identifier": {"age": ["width=5", "width=10,offset=3"], "sex": "identity"}},
    {"quasi_identifier": ["weight:width=20", "place:level=part"], "vocabulary": VOCABULARY},
    {"quasi_identifier": ["place", "sex"], "counts": "n", "where": "age < 60"},
    {"quasi_identifier": ["place", "sex"], "missing": "drop"},
    {"quasi_identifier": [["age:width=20"], ["sex"]], "population": [{"place": "Ab"}, {}]},
]


def test_records_are_the_same(there: Put) -> None:
    data = there(PEOPLE, "publishable")
    for question in QUESTIONS:
        expected = so.publishable(PEOPLE, key=KEY, tier="registered", **question)
        found = so.publishable(data, key=KEY, tier="registered", **question)
        assert found.to_dict() == expected.to_dict(), question


def test_values_without_a_group_and_populations_of_nobody_are_refused(there: Put) -> None:
    data = there(PEOPLE, "publishable")
    with pytest.raises(UnusableColumn, match="has values that level=half has no group for"):
        so.publishable(data, ["place:level=half"], vocabulary=VOCABULARY, key=KEY)
    with pytest.raises(UnusableTable, match="nobody"):
        so.publishable(data, ["place"], {"age": 200}, key=KEY)
    with pytest.raises(UnusableColumn, match="'weight' cannot say how many people"):
        so.publishable(data, ["place"], counts="weight", key=KEY)


def test_numbers_of_text_files_are_numbers_in_the_embedded_database_too(tmp_path: Path) -> None:
    for part in range(2):
        PEOPLE[part::2].write_csv(tmp_path / f"part{part}.csv")
    question: dict[str, Any] = {
        "quasi_identifier": {"age": ["width=5", "width=20"], "place": "level=part"},
        "population": {"age": {"from": 20, "below": 70}, "place": {"not_in": ["Ef"]}},
        "vocabulary": VOCABULARY,
        "key": KEY,
    }
    found = so.publishable(str(tmp_path / "part*.csv"), **question)
    assert found.to_dict() == so.publishable(PEOPLE, **question).to_dict()
    assert found.to_dict()["records"]


# ---- nothing but counts leaves the source


NAMES = [f"zebra{index}quagga" for index in range(6)]
NUMBERS = [8_675_309_001 + 1_000_003 * index for index in range(5)]
GROUPED = {
    "name": "private",
    "version": "1",
    "attributes": {
        "name": {
            "codings": {"level=g": {"mapping": {n: f"okapi{i % 2}" for i, n in enumerate(NAMES)}}}
        }
    },
}


def private() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": [NAMES[index % 6] for index in range(1500)],
            "number": [NUMBERS[index % 5] if index % 11 else None for index in range(1500)],
            "n": [1 + index % 2 for index in range(1500)],
        }
    )


def publish_everything(data: Any) -> None:
    options: dict[str, Any] = {"key": KEY, "tier": "registered"}
    so.publishable(data, [["name", "number"], ["number:width=1000000"]], **options)
    so.publishable(data, ["name"], {"number": {"from": NUMBERS[0], "to": NUMBERS[3]}}, **options)
    so.publishable(data, ["name", "number"], counts="n", missing="drop", **options)
    so.publishable(data, ["name:level=g"], vocabulary=GROUPED, **options)


@pytest.mark.parametrize("kind", ["duckdb", "sqlite", "postgresql", "mariadb"])
def test_every_cell_that_comes_in_is_a_count(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = getattr(stores, f"put_in_{kind}")
    servers = ("postgresql", "mariadb")
    store: Any = request.getfixturevalue(kind) if kind in servers else tmp_path / "p"
    data = put(store, private(), "private_people")
    received: list[pl.DataFrame] = []
    receive = Session.receive

    def watched(self: Session, text: str) -> pl.DataFrame:
        received.append(receive(self, text))
        return received[-1]

    monkeypatch.setattr(Session, "receive", watched)
    publish_everything(data)
    cells = [cell for frame in received for row in frame.rows() for cell in row]
    assert len(cells) > 20
    assert all(int(cell) == cell and 0 <= cell <= 2250 for cell in cells)


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_no_value_is_on_the_wire(kind: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(kind)
    parts = urlsplit(getattr(stores, f"put_in_{kind}")(url, private(), "private_people"))
    assert parts.hostname is not None
    assert parts.port is not None
    with closing(Wire(parts.hostname, parts.port)) as wire:
        there = url.replace(f"{parts.hostname}:{parts.port}", f"127.0.0.1:{wire.port}")
        plain = "?sslmode=disable" if kind == "postgresql" else ""
        publish_everything(f"{there}{plain}#private_people")
        sent = bytes(wire.sent)
        assert len(sent) > 500
        for secret in [*NAMES, *map(str, NUMBERS), "zebra", "quagga", "okapi"]:
            assert secret.encode() not in sent, secret


# ---- statements for holders who install nothing


@pytest.fixture
def answered(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A function that runs statements with the driver alone, and writes the first answer down."""

    def run(kind: str, text: str) -> tuple[Path, tuple[int, ...]]:
        url = urlsplit(request.getfixturevalue(kind))
        if kind == "postgresql":
            import psycopg

            connection: Any = psycopg.connect(request.getfixturevalue(kind))
        else:
            import pymysql

            connection = pymysql.connect(
                host=url.hostname,
                port=url.port or 3306,
                user=url.username or "",
                password=url.password or "",
                database=url.path.lstrip("/"),
            )
        answers = []
        with closing(connection), connection.cursor() as cursor:
            for statement in text.split(";\n\n"):
                cursor.execute(statement.rstrip(";"))
                answers.append(cursor.fetchall())
        file = tmp_path / "profile.csv"
        file.write_text("size,cells\n" + "".join(f"{size},{cells}\n" for size, cells in answers[0]))
        return file, tuple(int(number) for number in answers[1][0])

    return run


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_the_printed_statements_give_the_record_of_the_table(
    kind: str, request: pytest.FixtureRequest, answered: Any
) -> None:
    frame = PEOPLE.filter(pl.col("place") != "ab")  # MariaDB would take it for Ab
    getattr(stores, f"put_in_{kind}")(request.getfixturevalue(kind), frame, "to_print")
    dialect = "mysql" if kind == "mariadb" else kind
    known = ["age:width=10", "sex", "place:level=part"]
    population = {"age": {"from": 20, "to": 69}, "place": {"not_in": ["Ef"]}}
    text = print_sql("to_print", known, population, VOCABULARY, dialect=dialect)
    file, values = answered(kind, text)
    record = so.publishable(
        read_profile(file), known, population, cells=int(np.prod(values)), key=KEY
    )
    there = so.publishable(frame, known, population, VOCABULARY, cells=record.cells, key=KEY)
    assert record.numbers == there.numbers
