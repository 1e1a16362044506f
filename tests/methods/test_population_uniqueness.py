"""`so.population_uniqueness`: arguments, groups, missing values, populations, pictures."""

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import singleout as so
from run_command import singleout
from singleout.errors import BadChoice, SingleoutError

NAMES = ["zayatz", "pitman", "snb", "dankar", "loglinear", "predicted"]
KNOWN = ["age", "zip", "sex"]


def people(rows: int = 4000, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "zip": rng.zipf(1.6, rows) % 60,
            "sex": rng.choice(["f", "m"], rows),
            "region": rng.choice(["north", "south"], rows, p=[0.3, 0.7]),
            "w": rng.choice([5.0, 15.0], rows),
        }
    )


def test_all_estimators_by_name_and_one_to_believe() -> None:
    found = so.population_uniqueness(people(), KNOWN, 40_000)
    assert list(found.estimates) == NAMES
    assert found.records == 4000
    assert found.people == 40_000
    assert found.sampling_fraction == 0.1
    best = found.best
    assert found.estimates[best.name] is best
    assert best.converged
    assert best.low <= best.share <= best.high  # type: ignore[operator]
    assert best.count == pytest.approx(best.share * 40_000)  # type: ignore[operator]


@pytest.mark.parametrize("name", NAMES)
def test_one_estimator_alone_is_the_same_share(name: str) -> None:
    both = so.population_uniqueness(people(), KNOWN, 40_000)
    alone = so.population_uniqueness(people(), KNOWN, 40_000, estimator=name)
    assert list(alone.estimates) == [name]
    if name != "loglinear":  # whose sums over cells that are not stored are drawn
        assert alone.estimates[name].share == both.estimates[name].share


def test_the_population_is_stated_in_four_ways() -> None:
    data = people()
    total = float(data["w"].sum())
    counted = data.group_by(KNOWN).agg(n=10 * pl.len())
    shares = [
        so.population_uniqueness(data, KNOWN, population, "zayatz").best.share
        for population in (
            40_000,
            so.Population(size=40_000),
            so.Population(sampling_fraction=0.1),
            so.Population(table=counted),
        )
    ]
    assert shares == pytest.approx([shares[0]] * 4)
    by_weight = so.population_uniqueness(data, KNOWN, so.Population(weights="w"), "zayatz")
    assert by_weight.people == pytest.approx(total)


def test_a_table_of_the_population_says_who_is_alone() -> None:
    table = pl.DataFrame({"a": [1, 2, 3], "n": [5, 1, 94]})
    found = so.population_uniqueness(
        {"a": [1, 1, 2, 3, 3, 3, 3, 3, 3, 3]}, "a", so.Population(table=table), "zayatz"
    )
    assert found.people == 100
    assert any("1 people who are alone, 1.0000% of all" in note for note in found.notes)


def test_a_group_is_estimated_as_if_it_were_alone() -> None:
    data = people()
    found = so.population_uniqueness(data, KNOWN, so.Population(weights="w"), by="region")
    assert set(found.groups) == {"north", "south"}
    for region, part in found.groups.items():
        alone = so.population_uniqueness(
            data, KNOWN, so.Population(weights="w"), where=f"region = '{region}'"
        )
        assert part.people == alone.people
        for name in NAMES:
            assert part.estimates[name].share == pytest.approx(alone.estimates[name].share)
    by_size = so.population_uniqueness(data, KNOWN, 40_000, "zayatz", by="region")
    assert sum(part.people for part in by_size.groups.values()) == pytest.approx(40_000)


def test_missing_values_are_dropped_matched_or_values() -> None:
    data = people().with_columns(pl.when(pl.col("age") % 10 > 0).then("age"))
    found = {
        policy: so.population_uniqueness(data, KNOWN, 40_000, missing=policy)
        for policy in ("value", "drop", "wildcard")
    }
    missing = data["age"].null_count()
    assert found["drop"].dropped == missing
    assert found["drop"].records == 4000 - missing
    assert any("left out" in note for note in found["drop"].notes)
    assert "loglinear" not in found["wildcard"].estimates
    assert any("log-linear" in note for note in found["wildcard"].notes)
    assert found["wildcard"].sample_unique < found["value"].sample_unique


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs to know the population"),
        ({"population": 100}, "smaller than its sample of 4,000"),
        ({"population": 40_000, "estimator": "arx"}, "Unknown estimator: 'arx'"),
        ({"population": 40_000, "estimator": []}, "Unknown estimator"),
        ({"population": 40_000, "seed": -1}, "seed must be a whole number"),
        ({"population": "many"}, "population must be a whole number"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(SingleoutError, match=message):
        so.population_uniqueness(people(), KNOWN, **arguments)


def test_where_no_estimator_applies_there_is_no_share() -> None:
    found = so.population_uniqueness({"a": list(range(30))}, "a", 9000, ["pitman", "snb"])
    assert found.best.share is None
    assert not found.best.converged
    assert "No estimator applies" in found.best.notes[0]
    assert "no estimator tells" in str(found)
    found.to_json()
    found.to_frame()


def test_a_log_linear_model_of_one_column_is_refused() -> None:
    """It fits every count exactly; by hand: 500 numbers of people, all alone in the population."""
    found = so.population_uniqueness({"number": list(range(500))}, "number", 5_000)
    refused = found.estimates["loglinear"]
    assert (refused.share, refused.converged) == (None, False)
    assert "repeats the counts of the sample" in refused.notes[0]
    assert found.best.share is None
    constant = {"number": list(range(500)), "country": ["nl"] * 500}
    found = so.population_uniqueness(constant, ["number", "country"], 5_000)
    assert found.estimates["loglinear"].share is None


def test_a_log_linear_model_with_too_many_terms_is_not_believed() -> None:
    """Almost every person has a number for themselves, and a model has a term for each number."""
    rng = np.random.default_rng(3)
    data = {"number": rng.integers(0, 5_000, 500), "sex": rng.integers(0, 2, 500)}
    found = so.population_uniqueness(data, ["number", "sex"], 5_000)
    model = found.estimates["loglinear"]
    assert model.share is not None
    assert model.share < 0.05
    assert "too many terms" in model.notes[0]
    assert found.best.name != "loglinear"


@pytest.mark.parametrize("classes", [1, 2, 40])
def test_a_sample_without_uniques_leaves_some_open(classes: int) -> None:
    """By hand: 36 people are all missed by a sample of a tenth with probability 0.9^36 = 2.25%."""
    data = {"area": [number % classes for number in range(500)]}
    found = so.population_uniqueness(data, "area", 5_000)
    assert found.best.share == pytest.approx(0, abs=1e-6)
    assert found.best.low == 0
    assert found.best.high is not None
    assert 0.9 ** (found.best.high * 5_000) == pytest.approx(0.025)


def test_a_result_is_a_frame_json_and_a_picture() -> None:
    found = so.population_uniqueness(people(), KNOWN, 40_000, by="sex")
    frame = found.to_frame()
    assert frame.height == 18
    assert frame.filter("best").height == 3
    plain = json.loads(found.to_json())
    assert plain["estimates"]["loglinear"]["parameters"]["tau2"] > 0
    assert plain["model_search"][0]["pairs"] == []
    assert sum(step["chosen"] for step in plain["model_search"]) == 1
    assert found.plot().to_dict()
    assert "unique in the sample" in str(found)


def test_the_column_with_the_role_weight_states_the_population() -> None:
    table = so.read(people()).with_roles({"w": "weight"})
    assert so.population_uniqueness(table, KNOWN, estimator="zayatz").population == "weights"


def test_an_assessment_estimates_it_where_the_plan_states_the_population() -> None:
    data = people(600)
    columns = {
        "age": {"role": "quasi-identifier"},
        "zip": {"role": "quasi-identifier"},
        "sex": {"role": "sensitive"},
    }
    plan = so.Plan(columns=columns, population={"size": 6000})
    found = so.assess(data, plan)
    plain = json.loads(found.to_json())
    assert plain["population_uniqueness"]["people"] == 6000
    assert plain["population_uniqueness"]["estimates"]["zayatz"]["converged"]
    without = json.loads(so.assess(data, so.Plan(columns=columns)).to_json())
    assert without["population_uniqueness"] is None


def test_the_command(tmp_path: Any) -> None:
    people().write_csv(tmp_path / "people.csv")
    done = singleout(
        "population-uniqueness", str(tmp_path / "people.csv"), "--qi", "age,zip,sex",
        "--population", "40000", "--estimator", "zayatz", "--estimator", "pitman",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Zayatz" in done.stdout
    assert "4,000 records of a population of 40,000" in done.stdout


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(SingleoutError, match="nowhere"):
        so.population_uniqueness(people(), ["nowhere"], 40_000)
    with pytest.raises(BadChoice):
        so.population_uniqueness(people(), None, 40_000)
