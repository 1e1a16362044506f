"""`singleout qar` as a user meets it."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import naive_qar
from run_command import in_a_process, refused, singleout
from singleout import __version__
from singleout.cli.shared.options import column_names
from singleout.errors import BadChoice


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "golden.csv"
    records = np.array(naive_qar.golden_records())
    pl.DataFrame(records, schema=list("abcdefghijkl")).write_csv(path)
    return path


def test_it_says_what_the_risk_means_and_what_makes_it(table: Path) -> None:
    done = in_a_process("qar", table, "--alpha", "0.01", "--alpha", "0.001", "--top", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert "golden.csv: 400 records, 220 combinations of 3 of 12 columns" in done.stdout
    assert "0.6757" in done.stdout
    assert "0.7207" in done.stdout
    assert "the riskiest 0.1% of the combinations of 3 columns" in done.stdout
    assert "j+k+l" in done.stdout
    assert done.stdout.count("i+") == 2
    assert "(--missing value)" in done.stdout
    assert "Warning" not in done.stdout


def test_warnings_are_shown(table: Path) -> None:
    done = singleout("qar", table, "--qi", "a,b", "--qi", "c", "--top", "0")
    assert "400 records, 1 combination of 3 of 3 columns" in done.stdout
    assert "Warning: No combination lies above the threshold" in done.stdout
    assert "Worst" not in done.stdout
    assert "–" in done.stdout  # no fit, no interval


def test_json_is_the_result_and_nothing_else(table: Path) -> None:
    done = singleout("qar", table, "--json", "--top", "2", "--estimator", "unbiased")
    answer = json.loads(done.stdout)
    assert answer["singleout"] == __version__
    (result,) = answer["results"]
    assert result["risk"] == pytest.approx(0.6755157369987, abs=1e-12)
    assert result["estimator"] == "unbiased"
    assert [row["columns"] for row in result["quasi_identifiers"]] == ["j+k+l", "i+j+k"]


def test_csv_has_every_combination_and_the_picture_is_drawn(table: Path, tmp_path: Path) -> None:
    out, picture = tmp_path / "out.csv", tmp_path / "out.svg"
    words = ["qar", table, "--size", "2", "--csv", out, "--plot", picture]
    assert singleout(*words).returncode == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert len(rows) == 66
    assert rows[0]["columns"] == "k+l"
    assert picture.read_text().startswith("<svg")
    assert "exists already" in refused(singleout(*words))
    assert singleout(*words, "--force").returncode == 0


def test_missing_values_are_left_out_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n1,NA\n2,2\n")
    done = singleout("qar", path, "--size", "1", "--missing", "drop", "--na", "NA")
    assert "1 of 3 records lack a value in one of the columns and were left out." in done.stdout
    wild = singleout("qar", path, "--size", "1", "--missing", "wildcard", "--na", "NA")
    assert "records do not fall into groups" in refused(wild)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--size", "13"], "size is 13"),
        (["--alpha", "0.5"], "alpha is 0.5 and tail is 0.05"),
        (["--estimator", "best"], "'best' is not a known estimator"),
        (["--qi", "a,,b"], "has an empty column name"),
        (["--qi", "a,b,zz"], "Columns not found: ['zz']"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_a_sentence(
    table: Path, words: list[str], sentence: str
) -> None:
    assert sentence in refused(singleout("qar", table, *words))


def test_columns_are_separated_by_commas_and_a_comma_in_a_name_is_escaped() -> None:
    assert column_names(None) is None
    assert column_names(["a,b", "c", "a"]) == ["a", "b", "c"]
    assert column_names([r"a\,b,c"]) == ["a,b", "c"]
    with pytest.raises(BadChoice, match="empty column name"):
        column_names([""])


@pytest.mark.parametrize("command", ["qar", "suda", "records"])
def test_more_rows_than_a_number_holds_are_refused_in_a_sentence(table: Path, command: str) -> None:
    sentence = refused(singleout(command, table, "--top", 99999999999999999999))
    assert "--top" in sentence
