"""`singleout predict` with several places, numbers of people or numbers of cells."""

import csv
import io
import json
from pathlib import Path

import pytest

from run_command import refused, singleout

TOWNS = "town,age,n\nA,1,20\nA,2,20\nA,3,20\nB,1,50\nB,2,9\nB,3,1\nC,1,30\nC,2,20\nC,3,10\n"


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    path = tmp_path / "towns.csv"
    path.write_text(TOWNS)
    return path


def test_places_are_compared_with_one_command(towns: Path, tmp_path: Path) -> None:
    out, picture = tmp_path / "out.csv", tmp_path / "out.svg"
    words = ["predict", "--data", towns, "--qi", "age", "--by", "town", "--count", "n", "-k", 2]
    done = singleout(*words, "--cells", 3, "--csv", out, "--plot", picture)
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 people of each place, 3 cells" in done.stdout
    assert "66.7%" in done.stdout
    assert "R²" in done.stdout
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [(row["place"], row["population"]) for row in rows] == [
        ("A", "60"),
        ("B", "60"),
        ("C", "60"),
    ]
    assert "How many people would be unique in each place" in picture.read_text()
    found = json.loads(singleout(*words, "--sort", "distance", "--json").stdout)["predictions"]
    assert [row["place"] for row in found["places"]] == ["B", "C", "A"]
    assert {fit["measure"] for fit in found["fits"]} >= {"all-unique", "unique", "variance", "phi1"}


def test_many_places_are_a_table_with_numbers_of_people_across(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    rows = [f"town{t:03},{age},{t + age}" for t in range(70) for age in range(1, 4)]
    path.write_text("town,age,n\n" + "\n".join(rows))
    words = ["predict", "--data", path, "--qi", "age", "--by", "town", "--count", "n"]
    done = singleout(*words, "-k", "2,3", "--measure", "phi1")
    assert "town059" in done.stdout
    assert "town060" not in done.stdout
    assert "10 more places are not shown" in done.stdout
    assert "equally likely" in done.stdout


def test_two_numbers_of_people_are_both_answered() -> None:
    done = singleout("predict", "--cells", 95, "-k", 29, "-k", 40)
    assert (done.returncode, done.stderr) == (0, "")
    assert "21.56" in done.stdout
    assert "26.47" in done.stdout


def test_table_a1_is_one_command() -> None:
    done = singleout("predict", "--cells", "1:20", "-k", "1:50", "--measure", "none-unique")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert next(line for line in lines if line[:1] == ["people"])[1:] == [
        str(cells) for cells in range(1, 21)
    ]
    # k = 10 and 50 of Table A.1
    ten = next(line for line in lines if line[:1] == ["10"])
    assert ten[2:6] == ["0.980", "0.744", "0.378", "0.171"]
    fifty = next(line for line in lines if line[:1] == ["50"])
    assert fifty[10] == "0.738"


def test_summaries_make_curves(tmp_path: Path) -> None:
    words = ["predict", "--cells", 80, "--kl", "0.086,0.055", "-k", "20:80:20"]
    done = singleout(*words, "--measure", "phi1", "--plot", tmp_path / "f.svg")
    assert (done.returncode, done.stderr) == (0, "")
    assert "κ = 0.086" in done.stdout
    assert "equally likely" in done.stdout
    both = json.loads(
        singleout("predict", "--cells", "80,95", "--kl", "0.1,0.2", "-k", 9, "--json").stdout
    )
    names = [row["place"] for row in both["predictions"]["places"]]
    assert names == [f"κ = {kl}, N = {n}" for n in (80, 95) for kl in (0.1, 0.2)]


def test_possible_cells_of_data_can_be_stated(towns: Path) -> None:
    words = ["predict", "--data", towns, "--qi", "age", "--count", "n", "--where", "town = 'A'"]
    stated = json.loads(singleout(*words, "--cells", 6, "-k", 2, "--json").stdout)["distribution"]
    assert stated["cells"] == 6
    assert stated["kl_nats"] == pytest.approx(0.6931, abs=1e-4)
    assert "Predictions for 2 to 4 people." in singleout(*words, "-k", "2:4").stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--cells", "5", "--by", "a", "-k", "3"], "--by goes with --data"),
        (["--cells", "5", "-k", "3", "--measure", "phi1"], "--measure goes with --by or several"),
        (["--cells", "5", "-k", "3", "-k", "4", "--measure", "x"], "'x' is not a measure"),
        (["--cells", "5", "-k", "3:4", "--against", "x", "--plot", "x.svg"], "'people', not 'x'"),
        (["--cells", "5", "-k", "x"], "--people 'x' is no number; write 60"),
        (["--cells", "5", "-k", "9:2"], "--people '9:2' goes nowhere"),
        (["--cells", "5", "-k", "1:9:0"], "goes nowhere"),
        (["--cells", "5", "-k", "1:9999"], "more than 2,000 numbers"),
        (["--cells", "5", "-k", "2.5"], "whole number of 1 or more, not 2.5"),
        (["--cells", "5,6", "--power-sums", "0.3", "-k", "3"], "--cells is one number"),
        (["--normal", "5", "--width", "1", "-k", "3,4"], "Give one number of people"),
        (["--data", "T", "--qi", "age", "--cells", "5,6", "-k", "3"], "--cells is one number"),
        (["--data", "T", "--by", "town", "-k", "3"], "Say with --qi"),
        (["--data", "T", "--qi", "ag", "--by", "town", "-k", "3"], "Did you mean 'age'"),
        (["--data", "T", "--qi", "age", "--least", "3", "-k", "3"], "--least goes with --by"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(
    words: list[str], sentence: str, towns: Path
) -> None:
    given = [str(towns) if word == "T" else word for word in words]
    assert sentence in refused(singleout("predict", *given))
