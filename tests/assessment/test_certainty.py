"""The rating by certainty: files are told apart, by the numbers of the specification."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_certainty as naive
import singleout as so
from naive_assess import FIGURE_1, FIGURE_2
from singleout.errors import BadChoice, SingleoutError

QUICK: dict[str, Any] = {
    "qar": {"enabled": False},
    "contributions": {"enabled": False},
    "suda": {"enabled": False},
    "attackers": {"enabled": False},
    "attributes": {"enabled": False},
    "individual": {"enabled": False},
    "diversity": {"enabled": False},
    "population_uniqueness": {"enabled": False},
}
SHARED = Path(__file__).parents[3] / "shared" / "data"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")


def plan(known: dict[str, str], sensitive: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Known columns with their exposure, and sensitive ones with what the plan says of them."""
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier", "exposure": exposure} for name, exposure in known.items()
    }
    columns |= {name: {"role": "sensitive", **says} for name, says in sensitive.items()}
    weight = more.get("population", {}).get("weights")
    if weight:
        columns[weight] = {"role": "weight"}
    return {"columns": columns, "methods": QUICK, **more}


# ---- worked examples of the specification


PATIENTS = {
    "class": [1, 1, 1, 2, 2, 2, 3, 3, 3],
    "ill": ["Colds"] * 3 + ["Colds", "Flu", "HIV"] + ["Diabetes", "Cancer", "HIV"],
}
ILL = {"moral": 4, "values": {"Colds": 1, "Flu": 1, "Diabetes": 3, "HIV": 4, "Cancer": 4}}


def test_nine_patients() -> None:
    found = so.assess(PATIENTS, plan({"class": "EE"}, {"ill": ILL}))
    assert found.records["risk"].to_list() == [2, 2, 2, 2, 2, 4, 3, 4, 4]
    assert found.records["exploitability"].to_list() == [4] * 3 + [3] * 6
    assert found.records["identity"].to_list() == pytest.approx([1 / 3] * 9)
    assert found.records["gain"].to_list() == pytest.approx(
        [5 / 9] * 3 + [0, 2 / 9, 1 / 9, 2 / 9, 2 / 9, 1 / 9]
    )
    assert (found.level, found.if_member, found.highest, found.range) == (4, 4, 4, (4, 4))
    assert found.shares == pytest.approx({1: 0, 2: 5 / 9, 3: 1 / 9, 4: 3 / 9})


def test_nine_patients_of_ninety() -> None:
    for population in ({"sampling_fraction": 0.1}, {"size": 90}):
        found = so.assess(PATIENTS, plan({"class": "EE"}, {"ill": ILL}, population=population))
        assert found.records["risk"].to_list() == [2, 2, 2, 1, 1, 2, 2, 2, 2]
        assert (found.level, found.if_member, found.highest) == (2, 4, 2)
        assert found.records["identity"].to_list() == pytest.approx([1 / 30] * 9)
        assert found.verdict.startswith(
            "Significant risk (2 of 4) for a person of the population, where nobody knows who is "
            "in the file; Critical (4 of 4) if somebody knows that the person is in it. None of 9 "
            "records is at severe or critical risk."
        )


def test_a_class_of_one_disease_beside_a_healthy_one() -> None:
    people = {
        "class": ["n"] * 5 + ["s"] * 15,
        "ill": ["HIV"] * 5 + ["none"] * 14 + ["HIV"],
    }
    says = {"moral": 4, "values": {"none": 1}}
    for population in ({}, {"population": {"sampling_fraction": 0.1}}):
        found = so.assess(people, plan({"class": "EE"}, {"ill": says}, **population))
        assert found.records["risk"].to_list() == [4] * 5 + [1] * 14 + [2]


@needs_shared
@pytest.mark.parametrize(
    ("population", "by_risk", "identity", "gain"),
    [
        ({}, (0, 27858, 2110, 194), 0.017505, 0.110018),
        ({"sampling_fraction": 0.01}, (0, 28517, 1645, 0), 0.000175, 0.100551),
    ],
)
def test_numbers_on_adult(
    population: dict[str, Any], by_risk: tuple[int, ...], identity: float, gain: float
) -> None:
    known = dict.fromkeys(["sex", "age", "race"], "EE")
    stated = {"population": population} if population else {}
    given = plan(known, {"salary-class": {"moral": 3}}, **stated)
    found = so.assess(SHARED / "adult.csv", given)
    assert found.record_risks.by_level == by_risk
    assert found.records["identity"].mean() == pytest.approx(identity, abs=5e-7)
    assert found.records["gain"].mean() == pytest.approx(gain, abs=5e-7)


@needs_shared
@pytest.mark.parametrize(
    ("population", "values", "by_risk", "identity", "gain"),
    [
        ({}, {}, (0, 5655, 0, 1979), 0.211816, 0.127057),
        ({"weights": "PWGTP"}, {}, (0, 7328, 0, 306), 0.002474, 0.091639),
        ({"weights": "PWGTP"}, {"2": 1, "N": 1}, (6900, 734, 0, 0), 0.002474, 0.091639),
    ],
)
def test_numbers_on_the_survey(
    population: dict[str, Any],
    values: dict[str, int],
    by_risk: tuple[int, ...],
    identity: float,
    gain: float,
) -> None:
    known = dict.fromkeys(["PUMA", "AGEP", "SEX", "RAC1P"], "EE")
    says = {"moral": 4, **({"values": values} if values else {})}
    stated = {"population": population} if population else {}
    found = so.assess(SHARED / "ma2019.csv", plan(known, {"DREM": says}, **stated))
    assert found.record_risks.by_level == by_risk
    assert found.records["identity"].mean() == pytest.approx(identity, abs=5e-7)
    assert found.records["gain"].mean() == pytest.approx(gain, abs=5e-7)


# ---- files that must be told apart


def independent(k: int = 250, classes: int = 24) -> dict[str, list[Any]]:
    """Classes of k people, with a disease that is independent of them."""
    rng = np.random.default_rng(5)
    diseases = rng.choice(["none", "flu", "HIV"], k * classes, p=[0.7, 0.25, 0.05])
    return {
        "region": np.repeat(np.arange(classes), k).tolist(),
        "ill": diseases.tolist(),
    }


SAYS = {"moral": 4, "values": {"none": 1}}


def test_an_independent_disease_in_large_classes_is_no_severe_risk() -> None:
    for k in (50, 250):
        found = so.assess(independent(k), plan({"region": "EE"}, {"ill": SAYS}))
        assert found.level == found.highest == 2
        assert found.shares[3] == found.shares[4] == 0


def test_a_homogeneous_class_of_three_percent_with_the_worst_value_is_critical() -> None:
    people = independent(50, 100)
    for at in range(150):
        people["ill"][at] = "HIV"
    found = so.assess(people, plan({"region": "EE"}, {"ill": SAYS}))
    assert found.level == 4
    assert found.shares[4] == pytest.approx(0.03)


def test_a_healthy_class_alarms_nobody() -> None:
    people = independent(50, 100)
    for at in range(200):
        people["ill"][at] = "none"
    found = so.assess(people, plan({"region": "EE"}, {"ill": SAYS}))
    assert found.highest == 2


def test_a_fully_unique_table_is_critical_by_identity() -> None:
    people = {"who": list(range(500)), "ill": (["none"] * 4 + ["HIV"]) * 100}
    found = so.assess(people, plan({"who": "EE"}, {"ill": {"moral": 4}}))
    assert (found.level, found.shares[4]) == (4, 1.0)
    assert "picks the right record in 100% of the guesses" in found.verdict


@needs_shared
@pytest.mark.parametrize(
    ("file", "known", "sensitive"),
    [
        (
            "adult.csv",
            ["sex", "age", "race", "marital-status", "education", "workclass"],
            "salary-class",
        ),
        ("census_income_kdd_299285.csv.gz", ["AAGE", "ASEX", "ARACE", "AMARITL", "GRINST"], None),
    ],
)
def test_a_shuffled_value_of_a_sample_puts_hardly_anybody_at_risk(
    file: str, known: list[str], sensitive: str | None
) -> None:
    table = so.read(SHARED / file)
    target = sensitive or table.columns[-1]
    names = [name for name in known if name in table.columns] or list(table.columns[:6])
    frame = pl.DataFrame({name: table[name].codes for name in (*names, target)})
    given = plan(
        dict.fromkeys(names, "EE"),
        {target: {"moral": 4}},
        population={"sampling_fraction": 0.01},
    )
    for seed in range(20):
        shuffled = frame.with_columns(pl.col(target).shuffle(seed))
        found = rated_only(shuffled, given)
        assert found[3] + found[4] < 0.005


def rated_only(data: Any, given: dict[str, Any]) -> dict[int, float]:
    """The shares of an assessment without advice."""
    from singleout.assessment.plan.plan import Plan
    from singleout.assessment.rating.question import question_of
    from singleout.assessment.rating.records import certain_risks
    from singleout.assessment.rating.rows import RatingCache, rate_by_certainty

    table = so.read(data)
    question, _ = question_of(table, Plan.of(given))
    pairs = rate_by_certainty(question, RatingCache(), only_deciding=True).pairs
    risks = certain_risks(question, [stated for stated, _ in pairs], np.arange(table.rows))
    return {level: held / table.rows for level, held in enumerate(risks.by_level, start=1)}


# ---- against the naive twin, with several attackers and targets


def columns_of(records: list[tuple[int, int, int, int]]) -> dict[str, list[int]]:
    names = ["age", "zip", "ill", "w"]
    return {name: [record[at] for record in records] for at, name in enumerate(names)}


people = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.integers(1, 4)),
    min_size=1,
    max_size=20,
)
LEVELS = {0: 1, 1: 3, 2: 4}


@settings(max_examples=60)
@given(people, st.sampled_from(["nobody", "fraction", "weights"]))
def test_records_and_the_level_are_those_of_the_naive_twin(
    records: list[tuple[int, int, int, int]], population: str
) -> None:
    data = {
        name: [record[at] for record in records]
        for at, name in enumerate(["age", "zip", "ill", "w"])
    }
    stated = {
        "nobody": {},
        "fraction": {"population": {"sampling_fraction": 0.2}},
        "weights": {"population": {"weights": "w"}},
    }[population]
    given = plan(
        {"age": "EE", "zip": "IE"},
        {"ill": {"moral": 1, "values": {str(value): level for value, level in LEVELS.items()}}},
        **stated,
    )
    given["columns"].setdefault("w", {"role": "other"})
    found = so.assess(data, given)
    both = list(zip(data["age"], data["zip"], strict=True))
    attackers: list[tuple[list[Any], int]] = [(data["age"], 4), (both, 2)]
    rated = [
        naive.rate(
            known, data["ill"], LEVELS, exposure=exposure, people=people_of(known, data, population)
        )
        for known, exposure in attackers
    ]
    expected = [max(one[at].risk for one in rated) for at in range(len(records))]
    assert found.records["risk"].to_list() == expected
    assert found.level == naive.level(expected)
    assert found.highest == max(expected)
    member = [naive.rate(known, data["ill"], LEVELS, exposure=exp) for known, exp in attackers]
    expected = [max(one[at].risk for one in member) for at in range(len(records))]
    assert found.if_member == naive.level(expected)


def people_of(
    known: list[Any], data: dict[str, list[int]], population: str
) -> dict[Any, Fraction] | None:
    if population == "nobody":
        return None
    if population == "fraction":
        return {y: Fraction(known.count(y) * 5) for y in set(known)}
    return {
        y: Fraction(sum(w for k, w in zip(known, data["w"], strict=True) if k == y))
        for y in set(known)
    }


@settings(max_examples=40)
@given(people, st.sampled_from([0, 0.01, 0.1, 0.3]))
def test_level_shares_and_highest_never_contradict(
    records: list[tuple[int, int, int, int]], tolerated: float
) -> None:
    data = {
        name: [record[at] for record in records] for at, name in enumerate(["age", "zip", "ill"])
    }
    given = plan({"age": "EE", "zip": "ER"}, {"ill": {"moral": 4}}, policy={"tolerated": tolerated})
    found = so.assess(data, given)
    assert sum(found.shares.values()) == pytest.approx(1)
    reached = sum(found.shares[level] for level in range(found.level, 5))
    assert reached > 0
    assert reached >= tolerated - 1e-12
    beyond = sum(found.shares[level] for level in range(found.level + 1, 5))
    assert beyond < tolerated or beyond == 0
    assert found.highest == max(level for level, share in found.shares.items() if share)
    assert found.level <= found.highest


@settings(max_examples=30)
@given(people, st.sampled_from(["IR", "IE", "ER", "EE"]), st.integers(1, 4))
def test_risk_grows_with_severity_and_exposure(
    records: list[tuple[int, int, int, int]], exposure: str, severity: int
) -> None:
    data = {
        name: [record[at] for record in records] for at, name in enumerate(["age", "zip", "ill"])
    }
    known = dict.fromkeys(["age", "zip"], exposure)
    found = so.assess(data, plan(known, {"ill": {"moral": severity}})).records["risk"]
    graver = so.assess(data, plan(known, {"ill": {"moral": 4}})).records["risk"]
    easier = so.assess(data, plan(dict.fromkeys(known, "EE"), {"ill": {"moral": severity}}))
    assert (graver >= found).all()
    assert (easier.records["risk"] >= found).all()


def test_the_matrices_of_the_twin_are_those_of_the_paper() -> None:
    assert FIGURE_1[4] == (2, 3, 4, 4)
    assert FIGURE_2[2] == (1, 2, 2, 2)


# ---- tolerated


def test_a_few_records_beyond_do_not_decide_but_are_said() -> None:
    people = {"age": [1] * 996 + [2, 3, 4, 5], "ill": ["none"] * 992 + ["HIV"] * 8}
    given = plan({"age": "EE"}, {"ill": SAYS})
    found = so.assess(people, given)
    assert (found.level, found.highest) == (1, 4)
    assert "4 records (0.40%) are at Critical (4 of 4): fewer than the 1%" in found.verdict
    strict = so.assess(people, {**given, "policy": {"tolerated": "0.4 %"}})
    assert strict.level == strict.highest == 4


# ---- a population


def test_a_table_of_the_population_counts_the_people(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("class,n\n1,30\n2,300\n4,9\n", encoding="utf-8")
    (tmp_path / "plan.yaml").write_text(
        "columns:\n  class: {role: quasi-identifier}\n  ill: {role: sensitive, moral: 4}\n"
        "population: {table: people.csv}\n",
        encoding="utf-8",
    )
    found = so.assess(PATIENTS, tmp_path / "plan.yaml")
    # of the third class, which the table lacks, nobody is known but those in the file
    assert found.records["identity"].to_list() == pytest.approx(
        [1 / 30] * 3 + [1 / 300] * 3 + [1 / 3] * 3
    )
    (tmp_path / "people.csv").write_text("klass,n\n1,30\n", encoding="utf-8")
    with pytest.raises(BadChoice, match="has no column 'class'"):
        so.assess(PATIENTS, tmp_path / "plan.yaml")
    (tmp_path / "people.csv").write_text("class,n,m\n1,30,2\n", encoding="utf-8")
    with pytest.raises(BadChoice, match="must have one column besides"):
        so.assess(PATIENTS, tmp_path / "plan.yaml")


def test_weights_below_one_count_no_fewer_people_than_records() -> None:
    people = {**PATIENTS, "w": [0.5] * 9}
    given = plan({"class": "EE"}, {"ill": ILL}, population={"weights": "w"})
    assert so.assess(people, given).records["identity"].to_list() == pytest.approx([1 / 3] * 9)


# ---- a column that is both


def test_what_others_see_and_what_is_sensitive_is_rated_both_ways() -> None:
    people = {"age": [1] * 50 + [2] * 50, "faith": ["a"] * 50 + ["a"] * 25 + ["b"] * 25}
    columns = {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "faith": {"role": ["quasi-identifier", "sensitive"], "exposure": "EE", "moral": 4},
    }
    found = so.assess(people, {"columns": columns, "methods": QUICK})
    assert found.anonymity.quasi_identifiers == ("age", "faith")
    decides = found.rows.filter(pl.col("decides"))
    assert decides.select("columns", "sensitive").rows() == [(["age"], "faith")]
    assert found.records["attacker"].unique().to_list() == ["EE without faith"]
    again = so.Plan.parse(found.plan.to_yaml())
    assert again.columns["faith"].sensitive
    assert again.sensitive == ("faith",)
    assert again.quasi_identifiers == ("age", "faith")
    with pytest.raises(SingleoutError, match="two roles are taken only as"):
        so.Plan.of({"columns": {"x": {"role": ["other", "sensitive"]}}})


# ---- numbers in bands


def test_a_sensitive_number_is_guessed_in_bands() -> None:
    people = {"age": [1, 2] * 50, "income": [1000 + 7 * i for i in range(98)] + [0, 0]}
    found = so.assess(people, plan({"age": "EE"}, {"income": {"material": 3}}))
    assert any("income is guessed in 11 bands" in note for note in found.notes)
    # nobody is told apart by age, though all incomes are different
    assert found.highest == 2
    few = {**people, "income": [1, 2, 3, 4] * 25}
    assert not any("bands" in n for n in so.assess(few, plan({"age": "EE"}, {"income": {}})).notes)


def test_a_plan_may_cut_a_number_and_rate_its_ranges() -> None:
    people = {"age": [1] * 50 + [2] * 50, "income": list(range(0, 100_000, 1000))}
    says = {"values": {"< 50000": 1, ">= 50000": 3}, "cuts": [50_000]}
    found = so.assess(people, plan({"age": "EE"}, {"income": says}))
    assert found.records["severity"].to_list() == [1] * 50 + [3] * 50
    assert found.records["gain"].to_list() == pytest.approx([0.5] * 100)
    with pytest.raises(SingleoutError, match="in rising order"):
        so.Plan.of(plan({"age": "EE"}, {"income": {"cuts": [3, 1]}}))


# ---- what nobody has explained


def test_weights_do_not_hide_what_insiders_could_know_of_a_member() -> None:
    data = {"v1": list(range(100)) * 2, "v2": [i // 2 for i in range(200)], "weight": [90.0] * 200}
    found = so.assess(data, advice=False)
    assert found.range == (2, 2)  # one of 90 people of the population
    assert (found.if_member, found.range_if_member) == (2, (2, 4))
    said = found.to_dict()
    assert (said["range"], said["range_if_member"]) == ([2, 2], [2, 4])
    open_ = "between Significant (2 of 4) and Critical (4 of 4) if somebody knows that the person"
    assert open_ in found.verdict
    assert "depending on 2 columns whose role nobody has stated: v1 and v2." in found.verdict


def test_where_every_column_is_explained_the_level_of_a_member_is_no_range() -> None:
    columns = plan({"age": "EE"}, {"ill": {"moral": 3}})
    people = {"age": [1] * 50 + [2] * 50, "ill": ["flu", "none"] * 50}
    for stated in ({}, {"population": {"size": 10_000}}):
        found = so.assess(people, {**columns, **stated}, advice=False)
        assert found.range == (found.level, found.level)
        assert found.range_if_member == (found.if_member, found.if_member)


def test_a_name_in_the_file_finds_members_at_least_as_surely_as_people_of_the_population() -> None:
    data = {"name": [f"n{i}" for i in range(100)], "age": [1] * 50 + [2] * 50, "ill": ["a"] * 100}
    columns = plan({"age": "EE"}, {"ill": {"moral": 4}})["columns"]
    known = {**columns, "name": {"role": "direct-identifier"}}
    found = so.assess(data, {"columns": known, "population": {"size": 1_000_000}}, advice=False)
    assert (found.level, found.if_member, found.range_if_member) == (4, 4, (4, 4))


@pytest.mark.parametrize(
    ("sick", "words"),
    [
        (503, "hardly more firmly than by guessing (by less than 1 point)"),
        (520, "by 1 point more firmly"),
        (540, "by 2 points more firmly"),
    ],
)
def test_the_verdict_counts_points_in_the_singular_and_in_the_plural(sick: int, words: str) -> None:
    data = {
        "sex": ["f"] * 1000 + ["m"] * 1000,
        "ill": ["a"] * sick + ["b"] * 1000 + ["a"] * (1000 - sick),
    }
    found = so.assess(data, plan({"sex": "EE"}, {"ill": {"moral": 4}}), advice=False)
    assert words in found.verdict


def test_columns_that_nobody_explained_make_the_verdict_a_range() -> None:
    people = {
        "age": [1] * 50 + [2] * 50,
        "v17": list(range(100)),
        "ill": ["none", "HIV"] * 50,
    }
    given = plan({"age": "EE"}, {"ill": {"moral": 4}}, policy={"highest_risk": 2})
    found = so.assess(people, given)
    assert found.level == 2
    assert found.range == (2, 4)
    assert found.unexplained == ("v17",)
    assert found.verdict.startswith(
        "Risk between Significant (2 of 4) and Critical (4 of 4): it depends on one column whose "
        "role nobody has stated, v17."
    )
    assert found.met is False
    assert "may be 4, Critical, by one column whose role nobody has stated" in found.failures[0]
    stated = {**given, "columns": {**given["columns"], "v17": {"role": "other"}}}
    assert so.assess(people, stated).range == (2, 2)
    assert so.assess(people, stated).met is True


# ---- names


def test_a_column_that_identifies_people_finds_everybody() -> None:
    people = {**PATIENTS, "name": [f"N{i}" for i in range(9)]}
    given = plan({"class": "IR"}, {"ill": ILL})
    given["columns"]["name"] = {"role": "direct-identifier"}
    found = so.assess(people, given)
    assert found.records["identity"].to_list() == [1.0] * 9
    assert found.records["risk"].to_list() == [2, 2, 2, 2, 2, 4, 4, 4, 4]
    assert found.level == 4
    assert "Without this column the risk is Significant (2 of 4)." in found.verdict


# ---- the named rating of the paper


def test_the_rating_can_be_chosen_in_the_plan_and_in_the_call() -> None:
    given = plan({"class": "EE"}, {"ill": ILL})
    paper = so.assess(PATIENTS, given, rating="paper")
    assert paper.plan.methods.rating == "paper"
    assert (
        paper.verdict
        == so.assess(PATIENTS, {**given, "methods": {**QUICK, "rating": "paper"}}).verdict
    )
    assert so.assess(PATIENTS, given).plan.methods.rating == "certainty"
    with pytest.raises(BadChoice, match="'best' is not a rating; choose one of certainty, paper"):
        so.assess(PATIENTS, given, rating="best")
