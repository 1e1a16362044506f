"""Predicted shares beside observed ones, within areas: Koot (2012), 6.2.3 and Figure 6.1."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from run_command import refused, singleout
from singleout import predict
from singleout.errors import BadChoice, UnusableTable

PERSON = st.tuples(st.sampled_from("AB"), st.integers(0, 3), st.integers(0, 3))


@given(st.lists(PERSON, min_size=1, max_size=40))
def test_observed_shares_are_those_of_counting_one_by_one(
    people: list[tuple[str, int, int]],
) -> None:
    data = {name: [p[at] for p in people] for at, name in enumerate(("town", "street", "age"))}
    found = predict.validate(data, "age", "street", by="town", step=1, cells=4)
    streets = Counter((town, street) for town, street, _ in people)
    alike = Counter(people)
    for row in found.rows:
        inside = [p for p in people if p[0] == row.place and streets[p[:2]] == row.people]
        assert row.population == len(inside)
        for size in (1, 2, 3):
            seen = sum(alike[p] == size for p in inside) / len(inside)
            assert row.psi[size - 1] == pytest.approx(seen)
        ages = Counter(age for town, _, age in people if town == row.place)
        shares = np.array(list(ages.values())) / sum(ages.values())
        k = int(row.people)
        assert row.phi[0] == pytest.approx(float((shares * (1 - shares) ** (k - 1)).sum()))
        assert row.uniform[0] == pytest.approx(0.75 ** (k - 1))
    assert sum(row.population for row in found.rows) == len(people)


def test_people_who_live_anywhere_are_predicted_within_two_standard_deviations() -> None:
    rng = np.random.default_rng(7)
    shares = np.linspace(1.6, 0.4, 80) / 80
    ages = rng.choice(80, size=40_000, p=shares / shares.sum())
    people = {"age": ages, "postcode": np.repeat(np.arange(1000), 40)}
    (row,) = predict.validate(people, "age", "postcode", cells=80, step=1).rows
    assert row.sd is not None
    for seen, sd, phi in zip(row.psi, row.sd, row.phi, strict=True):
        assert abs(seen - phi) < 3 * sd
    assert abs(row.psi[0] - row.uniform[0]) > 4 * row.sd[0]  # uniformity is visibly wrong
    assert row.approximation[0] == pytest.approx(row.phi[0], abs=0.01)


def test_in_areas_of_people_alike_fewer_are_unique_than_predicted(real_data: Path) -> None:
    file = str(real_data / "ma2019.csv")
    found = predict.validate(file, "AGEP", ["INDP", "EDU"], by="PUMA", where="AGEP <= 79", cells=80)
    assert found.bias > 0.05
    assert found.error("phi") < found.error("uniform")


def test_counts_of_people_and_large_areas() -> None:
    data = {"street": ["a", "a", "b", "c"], "age": [1, 2, 1, 1], "n": [1, 2, 2, 500]}
    found = predict.validate(data, "age", "street", counts="n", step=1)
    assert [(row.people, row.areas, row.psi) for row in found.rows] == [
        (2, 1, (0, 1, 0)),
        (3, 1, (pytest.approx(1 / 3), pytest.approx(2 / 3), 0)),
    ]
    assert "1 area has more than 100 people and was left out." in found.notes
    assert all(row.sd is None for row in found.rows)
    with pytest.raises(UnusableTable, match="No area has at most 1 people"):
        predict.validate(data, "age", "street", counts="n", most=1)
    with pytest.raises(BadChoice, match="which column holds the areas"):
        predict.validate(data, "age")


def test_the_command_prints_draws_and_writes(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = [f"{t},{s},{(s * a) % 7}" for t in "AB" for s in range(9) for a in range(4)]
    path.write_text("town,street,age\n" + "\n".join(rows))
    words = ["predict", "validate", path, "--qi", "age", "--within", "street", "--by", "town"]
    done = singleout(*words, "--plot", tmp_path / "f.svg", "--csv", tmp_path / "f.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "observed (psi) and predicted (phi)" in done.stdout
    assert "Predicted and observed shares" in (tmp_path / "f.svg").read_text()
    answer = json.loads(singleout(*words, "--cells", 7, "--json").stdout)["validation"]
    assert answer["cells"] == 7
    assert {row["place"] for row in answer["rows"]} == {"A", "B"}
    assert "--within" in refused(singleout("predict", "validate", path, "--qi", "age"))
    assert "Did you mean 'street'" in refused(singleout(*words[:5], "--within", "stret"))
