"""`singleout diversity`: what it prints and writes, and how it ends."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import singleout as so
from run_command import refused, singleout

PEOPLE = {
    "name": ["Ann", "Bob", "Cy", "Di", "Ed", "Flo", "Gus"],
    "age": ["2*", "2*", "2*", "3*", "3*", "3*", ""],
    "sex": ["f", "f", "m", "m", "f", "f", "m"],
    "disease": ["flu", "flu", "flu", "flu", "cancer", "", "cold"],
    "visits": ["1", "2", "10", "9", "2", "3", "4"],
}
ASK = ("--qi", "age", "--sensitive", "disease")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "people.csv"
    rows = [",".join(cells) for cells in zip(*PEOPLE.values(), strict=True)]
    found.write_text("\n".join([",".join(PEOPLE), *rows]) + "\n")
    return found


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("missing", ["value", "drop", "wildcard"])
@pytest.mark.parametrize("engine", ["local", "database"])
def test_the_command_prints_what_the_function_returns(
    file: Path, missing: str, engine: str
) -> None:
    sensitive = ["disease", "visits"]
    expected = so.diversity(file, ["age", "sex"], sensitive, missing=missing).to_dict()
    done = singleout(
        "diversity", file, "--qi", "age,sex", "--sensitive", ",".join(sensitive),
        "--missing", missing, "--engine", engine, "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)["results"]
    assert close(result) == close(expected)


def close(answer: dict[str, Any]) -> dict[str, Any]:
    """Leave out what differs by the engine: notes, and the last digits."""
    kept = {name: value for name, value in answer.items() if name != "notes"}
    return json.loads(json.dumps(kept), parse_float=lambda text: round(float(text), 9))  # type: ignore[no-any-return]


def test_people_read_the_numbers_of_the_worst_class(file: Path, tmp_path: Path) -> None:
    out, picture = tmp_path / "records.csv", tmp_path / "classes.svg"
    done = singleout("diversity", file, *ASK, "--csv", out, "--id", "name", "--plot", picture)
    assert done.returncode == 0
    assert "How many values a class has" in done.stdout
    assert "4 of 7 records (57.1%) are in a class with one value of disease only" in done.stdout
    assert picture.read_text().startswith("<svg")
    written = rows_of(out)
    assert [row["id"] for row in written] == PEOPLE["name"]
    assert [row["distinct_l"] for row in written] == ["1", "1", "1", "3", "3", "3", "1"]


def test_classes_that_break_a_wanted_value_are_listed_and_fail_the_command(
    file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "classes.csv"
    done = singleout("diversity", file, *ASK, "--l", "2", "--alpha", "0.9", "--classes", out)
    assert done.returncode == 1
    assert "2 classes with 4 records (57.1%) break l = 2, alpha = 0.9." in done.stdout
    assert [row["age"] for row in rows_of(out)] == ["(missing)", "2*"]
    done = singleout("diversity", file, *ASK, "--l", "2", "--json")
    assert done.returncode == 1
    (result,) = json.loads(done.stdout)["results"]
    assert result["breaking"]["classes"] == 2
    assert result["breaking"]["worst"][1]["breaks"] == "l"


def test_a_table_that_keeps_what_is_wanted_passes(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "classes.csv"
    done = singleout("diversity", file, *ASK, "--k", "1", "--t", "1", "--classes", out)
    assert done.returncode == 0
    assert "Every class keeps k = 1, t = 1." in done.stdout
    assert rows_of(out) == []


def test_groups_scales_and_c_can_be_given(file: Path) -> None:
    done = singleout(
        "diversity", file, "--qi", "age", "--sensitive", "visits,disease", "--by", "sex",
        "--scale", "visits=nominal", "--c", "3", "--json",
    )  # fmt: skip
    (result,) = json.loads(done.stdout)["results"]
    assert result["columns"]["visits"]["scale"] == "nominal"
    assert [part["group"] for part in result["groups"]] == ["f", "m"]
    assert result["c"] == 3
    done = singleout("diversity", file, "--qi", "age", "--sensitive", "visits", "--by", "sex")
    assert "visits, f" in done.stdout


def test_what_cannot_be_asked_is_refused_in_a_sentence(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "records.csv"
    assert "--engine local" in refused(
        singleout("diversity", file, *ASK, "--csv", out, "--engine", "database")
    )
    assert "l must be a whole number" in refused(singleout("diversity", file, *ASK, "--l", "0"))
    assert "nominal, ordinal" in refused(singleout("diversity", file, *ASK, "--scale", "interval"))
    assert "both a quasi-identifier" in refused(
        singleout("diversity", file, "--qi", "age", "--sensitive", "age")
    )
