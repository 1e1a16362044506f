"""`singleout discrimination`, and how lists of columns are written on every command."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import singleout as so
from run_command import refused, singleout
from singleout.cli.shared.options import quasi_identifier
from singleout.errors import BadChoice

PEOPLE = {
    "age": ["2*", "2*", "2*", "3*", "3*", "3*"],
    "sex": ["f", "f", "m", "m", "f", "f"],
    "disease": ["flu", "flu", "flu", "flu", "cancer", ""],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "people.csv"
    rows = [",".join(cells) for cells in zip(*PEOPLE.values(), strict=True)]
    found.write_text("\n".join([",".join(PEOPLE), *rows]) + "\n")
    return found


@pytest.mark.parametrize("variant", ["paper", "mutual-information", "worst-value"])
@pytest.mark.parametrize("missing", ["value", "drop"])
@pytest.mark.parametrize("engine", ["local", "database"])
def test_the_command_prints_what_the_function_returns(file, variant, missing, engine):
    expected = so.discrimination_rate(file, ["age", "sex"], "disease", variant, missing)
    done = singleout(
        "discrimination", file, "--qi", "age,sex", "--sensitive", "disease", "--variant", variant,
        "--missing", missing, "--engine", engine, "--json", "--show-records",
    )  # fmt: skip
    (result,) = json.loads(done.stdout)["results"]
    assert result["rate"] == pytest.approx(expected.rate, abs=1e-12)
    assert (result["level"], result["dropped"]) == (expected.level, int(missing == "drop"))
    assert result["values"] == [
        {**row, "rate": pytest.approx(row["rate"], abs=1e-12)} for row in expected.values.to_dicts()
    ]


def test_people_read_the_rates_and_the_worst_values(file, tmp_path):
    out, picture = tmp_path / "values.csv", tmp_path / "values.svg"
    done = singleout(
        "discrimination", file, "--qi", "age", "--sensitive", "disease", "--top", "1",
        "--csv", out, "--plot", picture,
    )  # fmt: skip
    assert done.returncode == 0
    assert "How far age tells disease" in done.stdout
    assert "mutual-information" in done.stdout
    assert "2*" in done.stdout
    assert "3*" not in done.stdout
    with out.open() as stream:
        assert [row["value"] for row in csv.DictReader(stream)] == ["2*", "3*"]
    assert picture.read_text().startswith("<svg")


def test_a_column_that_is_known_is_not_what_there_is_to_learn(file):
    done = singleout("discrimination", file, "--qi", "age,sex", "--sensitive", "age")
    assert "nothing left to guess" in refused(done)


def test_lists_of_columns_are_written_with_commas_or_plus_signs():
    assert quasi_identifier("a,b,c") == quasi_identifier("a+b+c") == ("a", "b", "c")
    assert quasi_identifier(r"a\,b,c\+d") == ("a,b", "c+d")
    with pytest.raises(BadChoice, match="empty column name"):
        quasi_identifier("a,,b")


def test_contributions_and_its_old_name_are_one_command(file):
    words = (file, "--size", "2", "--tail", "0.5", "--json")
    assert singleout("contributions", *words).stdout == singleout("records", *words).stdout
