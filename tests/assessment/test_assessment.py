"""An assessment as a whole: what it says about any table, and what it never says."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_assess
from singleout.assessment.advice.action import ActionKind
from singleout.assessment.advice.coarsen import coarser, merged_with_neighbour
from singleout.assessment.assess import assess
from singleout.core.choices import MissingPolicy
from singleout.core.progress import listening
from singleout.core.table import Column
from singleout.errors import BadChoice, InputError, UnusableTable
from singleout.io.read import read
from singleout.methods.discrimination.function import discrimination_rate

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
PAPER = {**QUICK, "rating": "paper"}


def plan(**more: Any) -> dict[str, Any]:
    return {
        "columns": {
            "age": {"role": "quasi-identifier", "exposure": "EE"},
            "zip": {"role": "quasi-identifier", "exposure": "IE"},
            "ill": {"role": "sensitive", "moral": 4, "values": {"colds": 1, "flu": 2}},
        },
        "methods": QUICK,
        **more,
    }


PEOPLE = {
    "age": [30, 30, 30, 41, 41, 52],
    "zip": ["a", "a", "b", "b", "b", "c"],
    "ill": ["flu", "colds", "hiv", "flu", "flu", "colds"],
}

tables = st.lists(
    st.tuples(
        st.sampled_from([30, 41, 52]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["colds", "flu", "hiv", "tb"]),
    ),
    min_size=2,
    max_size=25,
)


@settings(max_examples=25)
@given(records=tables)
def test_rows_and_records_are_those_of_the_definition(records: list[tuple[Any, ...]]) -> None:
    frame = pl.DataFrame(records, schema=["age", "zip", "ill"], orient="row")
    found = assess(frame, plan(methods=PAPER))
    ages, zips, ills = ([record[place] for record in records] for place in range(3))
    severity = {"colds": 1, "flu": 2, "hiv": 4, "tb": 4}
    highest = max(severity[ill] for ill in ills)
    for exposure, known in ((4, ages), (2, zips)):
        row = found.rows.filter(pl.col("kind") == "exposure", pl.col("exposure") == exposure)
        rate = naive_assess.rate(known, ills, "paper")
        exploitability = naive_assess.FIGURE_1[naive_assess.level(rate)][exposure - 1]
        assert row["rate"].item() == pytest.approx(rate)
        assert row["exploitability"].item() == exploitability
        assert row["risk"].item() == naive_assess.FIGURE_2[exploitability][highest - 1]
    expected = naive_assess.record_risks({4: ages, 2: zips}, ills, severity)
    assert found.records["risk"].to_list() == expected
    assert found.level == found.rows["risk"].max()


def test_rates_of_rows_are_those_of_the_public_function() -> None:
    found = assess(PEOPLE, plan(methods={**PAPER, "discrimination": {"variant": "worst-value"}}))
    for row in found.rows.to_dicts():
        alone = discrimination_rate(PEOPLE, row["columns"], "ill", variant="worst-value")
        assert row["rate"] == row["worst_value"] == alone.rate
        assert row["inference"] == alone.level
        assert row["combinations"] == alone.values.height


# ---- which rows there are


def test_rows_come_by_exposure_by_attribute_cumulative_and_as_named() -> None:
    found = assess(PEOPLE, plan(combinations={"at the counter": ["zip", "age"]}))
    assert found.rows.select("kind", "name", "exposure").rows() == [
        ("exposure", "EE", 4),
        ("exposure", "IE", 2),
        ("attribute", "age", 4),
        ("attribute", "zip", 2),
        ("cumulative", "IE or easier", 2),
        ("named", "at the counter", 2),
    ]
    assert found.rows["columns"].to_list()[-1] == ["zip", "age"]


def test_one_exposure_level_has_no_cumulative_row() -> None:
    given = plan()
    del given["columns"]["zip"]
    assert assess(PEOPLE, given).rows["kind"].to_list() == ["exposure", "attribute"]


def test_several_sensitive_attributes_have_rows_each_and_the_level_is_the_highest() -> None:
    given = plan()
    given["columns"]["pay"] = {"role": "sensitive", "material": 1}
    people = {**PEOPLE, "pay": [1, 2, 3, 1, 2, 3]}
    found = assess(people, given)
    assert found.rows.filter(pl.col("kind") == "exposure")["sensitive"].to_list() == [
        "ill",
        "pay",
        "ill",
        "pay",
    ]
    by_target = found.rows.group_by("sensitive").agg(pl.col("risk").max()).rows()
    assert found.level == max(risk for _, risk in by_target)
    alone = assess(PEOPLE, plan())
    # who has a colds is at higher risk through their pay only if that is rated higher
    assert (found.records["risk"] >= alone.records["risk"]).all()
    assert set(found.records["sensitive"].to_list()) <= {"ill", "pay"}
    assert found.records["sensitive"][2] == "ill"


def test_a_named_combination_may_hold_one_of_several_sensitive_attributes() -> None:
    given = plan(combinations={"with pay": ["age", "pay"]})
    given["columns"]["pay"] = {"role": "sensitive", "material": 1}
    found = assess({**PEOPLE, "pay": [1, 2, 3, 1, 2, 3]}, given)
    named = found.rows.filter(pl.col("kind") == "named")
    assert named["sensitive"].to_list() == ["ill", "pay"]
    assert named["columns"].to_list() == [["age", "pay"], ["age"]]  # pay is learnt by who lacks it
    paper = assess({**PEOPLE, "pay": [1, 2, 3, 1, 2, 3]}, {**given, "methods": PAPER})
    assert paper.rows.filter(pl.col("kind") == "named")["sensitive"].to_list() == ["ill"]


def test_without_a_sensitive_column_the_identity_is_rated() -> None:
    given = plan()
    given["columns"]["ill"] = {"role": "other"}
    found = assess(PEOPLE, given)
    assert any("only the disclosure of identity is rated" in note for note in found.notes)
    assert found.rows["sensitive"].to_list() == [None] * found.rows.height
    ages = found.rows.filter(pl.col("name") == "age")
    assert ages["identity"].item() == 3 / 6  # three different ages among six people
    assert set(found.records["severity"]) == {3}
    assert "picks the right record" in found.verdict
    json.dumps(found.to_dict())
    paper = assess(PEOPLE, {**given, "methods": PAPER})
    assert paper.rows.filter(pl.col("name") == "age")["rate"].item() == 3 / 6
    assert paper.records["rate_EE"].to_list() == pytest.approx([1 / 3] * 3 + [1 / 2] * 2 + [1])
    assert set(paper.records["severity"]) == {4}
    assert "single a person out" in paper.verdict
    assert paper.level == paper.rows["risk"].max()


def test_what_the_plan_leaves_open_is_rated_on_the_safe_side() -> None:
    given = plan()
    given["columns"]["age"] = {"role": "quasi-identifier"}
    given["columns"]["ill"] = {"role": "sensitive"}
    found = assess(PEOPLE, given)
    assert found.rows.filter(pl.col("name") == "age")["exposure"].item() == 4
    assert found.records["severity"].unique().to_list() == [4]
    assert any("counts as EE" in note for note in found.notes)
    assert any("counts as 4, Maximum" in note for note in found.notes)


def test_values_that_the_plan_does_not_rate_have_the_severity_of_the_column() -> None:
    assert assess(PEOPLE, plan()).records["severity"].to_list() == [2, 1, 4, 2, 2, 1]
    given = plan()
    given["columns"]["ill"] = {"role": "sensitive", "values": {"colds": 1, "hiv": 3}}
    # without impacts nothing is known of flu: on the safe side
    found = assess(PEOPLE, given)
    assert found.records["severity"].to_list() == [4, 1, 3, 4, 4, 1]
    assert any("of a value of 'ill' is, which counts as 4, Maximum" in n for n in found.notes)


def test_values_can_be_rated_by_their_labels() -> None:
    table = read({"age": [1, 2], "ill": [1.0, 2.0]}).with_descriptions(
        {}, {"ill": {1.0: "colds", 2.0: "hiv"}}
    )
    given = plan()
    del given["columns"]["zip"]
    assert assess(table, given).records["severity"].to_list() == [1, 4]


def test_matrices_of_the_plan_replace_those_of_the_paper() -> None:
    lowest = [[1, 1, 1, 1]] * 4
    assert assess(PEOPLE, plan(matrices={"risk": lowest})).level == 1
    assert assess(PEOPLE, plan()).level == 4


# ---- missing values


def with_gaps() -> dict[str, list[Any]]:
    return {**PEOPLE, "age": [30, None, 30, 41, 41, 52], "ill": [*PEOPLE["ill"][:5], None]}


def test_missing_is_a_value_by_default_and_a_missing_secret_is_negligible() -> None:
    found = assess(with_gaps(), plan())
    assert found.records.height == 6
    assert found.records["severity"].to_list() == [2, 1, 4, 2, 2, 1]


def test_records_with_gaps_are_dropped_and_counted() -> None:
    found = assess(with_gaps(), plan(missing="drop"))
    assert found.records["record"].to_list() == [1, 3, 4, 5]
    assert (found.facts.rows, found.facts.dropped) == (6, 2)
    assert any("2 of 6 records lack a value" in warning for warning in found.warnings)


def test_wildcards_never_crash_and_say_what_is_left_out() -> None:
    given = plan(missing="wildcard")
    given["methods"] = {"qar": {"size": 2}}
    found = assess(with_gaps(), given)
    assert (found.qar, found.contributions, found.suda) == (None, None, None)
    said = " ".join(found.notes)
    assert "QaR and contributions were left out: where a missing value matches everything" in said
    assert "SUDA was left out: where a missing value matches everything" in said
    assert "take missing as a value like another" in said
    assert found.anonymity.missing == MissingPolicy.WILDCARD
    json.dumps(found.to_dict())
    given["methods"]["suda"] = {"missing": "never"}
    assert assess(with_gaps(), given).suda is not None


def test_a_table_that_loses_every_record_is_refused() -> None:
    people = {"age": [None, 30], "zip": ["a", None], "ill": ["flu", "flu"]}
    with pytest.raises(UnusableTable, match="none is left to assess"):
        assess(people, plan(missing="drop"))


# ---- direct identifiers and the policy


def with_names(**more: Any) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    given = plan(**more)
    given["columns"]["name"] = {"role": "direct-identifier"}
    return {**PEOPLE, "name": [f"Zebulon{place}" for place in range(6)]}, given


def test_direct_identifiers_are_to_be_removed_and_never_shown() -> None:
    found = assess(*with_names(methods={}))
    assert found.warnings == ("Column 'name' identifies people directly and is still in the data.",)
    first = found.actions_frame().row(0, named=True)
    assert (first["kind"], first["column"], first["computed"]) == (
        "remove-identifier",
        "name",
        False,
    )
    everything = json.dumps(found.to_dict()) + str(found.records) + str(found.actions)
    assert "Zebulon" not in everything
    assert "hold name, which identifies people directly" in found.verdict
    assert set(found.records["identity"]) == {1.0}
    paper = assess(*with_names(methods=PAPER))
    assert "hold a column that identifies people directly" in paper.verdict


def test_a_policy_is_kept_or_says_where_it_is_not() -> None:
    assert assess(PEOPLE, plan()).met is None
    lenient = assess(PEOPLE, plan(policy={"highest_risk": 4, "k": 1, "unique_share": 0.5}))
    assert (lenient.met, lenient.failures) == (True, ())
    assert lenient.verdict.endswith("The policy is met.")
    strict = assess(PEOPLE, plan(policy={"highest_risk": 2, "k": 2, "unique_share": 0.1}))
    assert strict.met is False
    assert strict.failures == (
        "The risk is 4, Critical; at most 2, Significant, is accepted.",
        "k is 1: some combination of the quasi-identifiers is shared by 1 record only; at least 2 "
        "must share each.",
        "33.3% of the records are unique; at most 10% are accepted.",
    )
    assert strict.verdict.endswith("The policy is not met.")


def test_no_policy_is_kept_with_names_in_the_data() -> None:
    found = assess(*with_names(policy={"highest_risk": 4, "unique_share": 0.99}))
    assert found.failures == ("The data hold what identifies people directly: name.",)


# ---- what to do first


def crowd() -> dict[str, list[Any]]:
    chance = np.random.default_rng(1)
    age = chance.integers(18, 90, 400)
    return {
        "age": age.tolist(),
        "zip": chance.choice(list("abcdefgh"), 400, p=[0.4, 0.3, 0.2, 0.05, 0.02, 0.01, 0.01, 0.01])
        .astype(str)
        .tolist(),
        "ill": chance.choice(["colds", "flu", "hiv"], 400, p=[0.6, 0.3, 0.1]).astype(str).tolist(),
    }


def test_every_effect_is_what_the_changed_table_has() -> None:
    given = plan()
    people = crowd()
    found = assess(people, given)
    drop = next(a for a in found.actions if a.kind == "drop" and a.column == "age")
    changed = {
        **given,
        "columns": {name: said for name, said in given["columns"].items() if name != "age"},
    }
    without = assess({name: part for name, part in people.items() if name != "age"}, changed)
    assert drop.after is not None
    assert drop.before is not None
    assert drop.after.level == without.level
    assert drop.after.at_risk == without.record_risks.at_risk
    assert drop.after.unique_share == without.anonymity.unique_share
    assert drop.after.k == without.anonymity.k
    assert drop.after.rate == pytest.approx(without.records["rate"].mean())
    assert drop.before.unique_share == found.anonymity.unique_share


def test_coarser_ages_have_the_effect_of_the_table_with_coarser_ages() -> None:
    given = plan()
    people = crowd()
    found = assess(people, given)
    halved = next(a for a in found.actions if a.what.startswith("Halve") and a.column == "age")
    values = sorted(set(people["age"]))
    pairs = {value: place // 2 for place, value in enumerate(values)}
    coarse = assess({**people, "age": [pairs[age] for age in people["age"]]}, given)
    assert halved.after is not None
    assert halved.after.unique_share == coarse.anonymity.unique_share
    assert halved.after.k == coarse.anonymity.k
    assert halved.after.at_risk == coarse.record_risks.at_risk


def test_a_few_of_many_records_that_are_not_at_risk_need_not_be_taken_out() -> None:
    rng = np.random.default_rng(3)
    data = {
        "sex": rng.choice(["f", "m"], 2000),
        "region": rng.choice(["north", "south"], 2000),
        "disease": rng.choice(["none", "flu", "HIV"], 2000, p=[0.6, 0.3, 0.1]),
    }
    found = assess(data)
    assert found.level == 2
    assert ActionKind.REMOVE_RECORDS not in {action.kind for action in found.actions}


def test_taking_out_the_riskiest_records_has_the_effect_of_the_table_without_them() -> None:
    given, people = plan(), crowd()
    found = assess(people, given)
    action = next(a for a in found.actions if a.kind == "remove-records")
    out = set(found.riskiest(4)["record"].to_list())  # one in a hundred
    rest = [place for place in range(400) if place + 1 not in out]
    without = assess({n: [part[p] for p in rest] for n, part in people.items()}, given)
    assert action.after is not None
    assert action.after.at_risk == without.record_risks.at_risk
    assert action.after.unique_share == without.anonymity.unique_share


def test_actions_come_best_first_and_all_help() -> None:
    found = assess(crowd(), plan())
    assert len(found.actions) > 3
    worth = []
    for action in found.actions:
        assert action.before is not None
        assert action.after is not None
        assert action.after.at_risk <= action.before.at_risk
        assert action.before.risk_removed(action.after) > 0
        worth.append(action.before.risk_removed(action.after) / max(action.loss or 0, 0.005))
    # the last may be the riskiest records, and a column is coarsened before it is left out
    drops = [a.kind == "drop" for a in found.actions]
    ranked = [w for w, drop in zip(worth, drops, strict=True) if not drop]
    assert ranked[:-1] == sorted(ranked[:-1], reverse=True)
    kinds = {str(action.kind) for action in found.actions}
    assert {"drop", "coarsen", "remove-records"} <= kinds


def test_values_that_few_records_have_are_not_named() -> None:
    people = {
        "age": [*([30] * 40), *([40] * 40), 97],
        "zip": [*("ab" * 40), "a"],
        "ill": [*(["colds"] * 80), "hiv"],
    }
    found = assess(people, plan())
    merged = [action for action in found.actions if action.kind == "merge-value"]
    assert merged
    assert "97" not in "".join(action.what for action in found.actions)
    assert "the rarest value of 'age' (1 of the records)" in merged[0].what


def test_progress_is_shown() -> None:
    heard: set[str] = set()
    with listening(lambda what, _done, _total: heard.add(what)):
        assess(crowd(), plan())
    assert {"Rating what can be known", "Trying out what lowers the risk"} <= heard


# ---- coarsening


def column(values: list[Any], codes: list[int], *, gap: bool = False) -> Column:
    return Column("x", np.array(codes, dtype=np.uint8), values, has_missing=gap)


def test_dates_become_months_and_years() -> None:
    days = ["2019-01-01", "2019-01-09", "2019-02-01", "2020-02-01"]
    ways = coarser(column(days, [0, 1, 2, 3]), ordered=False)
    assert [(way.how, way.column.codes.tolist()) for way in ways] == [
        ("give only the month of", [0, 0, 1, 2]),
        ("give only the year of", [0, 0, 0, 1]),
    ]


def test_missing_values_stay_missing() -> None:
    (way,) = coarser(column([1, 2, 3], [0, 1, 2, 3], gap=True), ordered=True)
    assert way.column.codes.tolist() == [0, 0, 1, 2]
    assert way.column.is_missing.tolist() == [False, False, False, True]


def test_codes_lose_their_last_character() -> None:
    codes = [f"0{place:03d}" for place in range(30)]
    (way,) = coarser(column(codes, list(range(30))), ordered=False)
    assert way.how == "drop the last character of"
    assert way.column.codes.tolist() == [place // 10 for place in range(30)]


def test_rare_values_become_other() -> None:
    codes = [0] * 50 + [1] * 46 + [2] * 2 + [3, 4]
    (way,) = coarser(column(["a", "b", "c", "d", "e"], codes), ordered=False)
    assert way.how == 'merge the 3 rarest values (4.0% of the records) into "other" in'
    assert np.bincount(way.column.codes).tolist() == [50, 46, 4]


def test_two_values_cannot_be_coarser() -> None:
    assert coarser(column(["m", "f"], [0, 1, 1]), ordered=False) == []
    # a value that does not occur does not count
    assert coarser(column(["m", "f", "x"], [0, 1, 1]), ordered=False) == []


def test_a_value_is_merged_with_the_one_beside_it_where_there_is_an_order() -> None:
    ages = column([20, 30, 40], [0, 0, 0, 1, 2, 2])
    assert merged_with_neighbour(ages, 1, ordered=True).codes.tolist() == [0, 0, 0, 1, 1, 1]
    names = column(["a", "b", "c"], [0, 0, 0, 1, 2, 2])
    assert merged_with_neighbour(names, 0, ordered=False).codes.tolist() == [0, 0, 0, 0, 1, 1]


# ---- data, plans and other measures


def test_other_measures_run_where_they_apply() -> None:
    given = plan(methods={"qar": {"size": 2}})
    found = assess(PEOPLE, given)
    assert found.qar is not None
    assert found.contributions is not None
    assert found.suda is not None
    assert found.qar is found.contributions.dataset
    assert found.qar.columns == ("age", "zip")
    assert found.anonymity.quasi_identifiers == ("age", "zip")
    few = assess(PEOPLE, plan(methods={}))
    assert few.qar is None
    assert any("they combine 3 columns, and there are 2" in note for note in few.notes)


def test_the_population_gives_suda_its_sampling_fraction() -> None:
    def fraction(**population: Any) -> float | None:
        found = assess(PEOPLE, plan(methods={}, population=population))
        assert found.suda is not None
        return found.suda.sampling_fraction

    assert fraction(sampling_fraction=0.1) == 0.1
    assert fraction(size=60) == 0.1
    assert fraction() is None
    assert fraction(size=5) is None


def test_weights_of_the_population_reach_the_anonymity_sets() -> None:
    given = plan(methods={}, population={"weights": "w"})
    given["columns"]["w"] = {"role": "weight"}
    found = assess({**PEOPLE, "w": [10.0] * 6}, given)
    assert found.anonymity.weighted_total == 60
    assert found.suda is not None
    assert found.suda.sampling_fraction == pytest.approx(0.1)


def test_work_that_would_take_too_long_is_limited_and_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (
        "qar.section._MOST_FOR_QAR",
        "qar.contribution_section._MOST_FOR_CONTRIBUTIONS",
        "suda.section._MOST_FOR_SUDA",
    ):
        monkeypatch.setattr(f"singleout.methods.{name}", 6 * 10)
    names = [f"q{place}" for place in range(6)]
    people = {name: [place, 1, 2, 3, 4, 5] for place, name in enumerate(names)}
    people["q0"] = [1] * 6  # no information: the first to go
    given = {"columns": {name: {"role": "quasi-identifier", "exposure": 4} for name in names}}
    found = assess(people, given)
    assert found.qar is not None
    assert found.qar.columns == tuple(names[1:])  # C(5, 3) is 10
    said = " ".join(found.notes)
    for what in ("QaR", "Contributions", "SUDA"):
        were = "were" if what == "Contributions" else "was"
        assert f"{what} {were} limited to 5 of 6 quasi-identifiers" in said


def test_a_method_without_room_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_needed: int, what: str) -> None:
        raise UnusableTable(f"{what} needs about 3 TB of memory.")

    monkeypatch.setattr("singleout.engines.local.counter.require_memory", refuse)
    found = assess(PEOPLE, plan(methods={"qar": {"size": 2}, "suda": {"enabled": False}}))
    assert (found.qar, found.contributions) == (None, None)
    said = [note for note in found.notes if re.search("(was|were) left out", note)]
    assert len(said) == 2
    assert all("of memory" in note for note in said)


def test_more_columns_than_suda_combines_are_limited_and_said() -> None:
    names = [f"q{place}" for place in range(66)]
    people = {name: [0, 1, 1] for name in names} | {"q7": [1, 1, 1], "q9": [1, 1, 1]}
    given = {
        "columns": {name: {"role": "quasi-identifier", "exposure": 4} for name in names},
        "methods": {**QUICK, "suda": {"max_size": 1}},
    }
    found = assess(people, given)
    assert found.suda is not None
    assert found.suda.columns == tuple(name for name in names if name not in ("q7", "q9"))
    assert any("SUDA was limited to 64 of 66 quasi-identifiers" in note for note in found.notes)


def test_more_attributes_than_can_be_tried_are_limited_and_said() -> None:
    names = [f"q{place}" for place in range(14)]
    chance = np.random.default_rng(2)
    people = {name: chance.integers(0, 4, 50).tolist() for name in names}
    given = {
        "columns": {name: {"role": "quasi-identifier", "exposure": 4} for name in names},
        "methods": QUICK,
    }
    found = assess(people, given)
    assert any("tried out for 10 of 14 quasi-identifiers" in note for note in found.notes)


def test_a_file_is_known_by_its_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    pl.DataFrame(PEOPLE).write_csv(path)
    found = assess(path, plan())
    assert found.facts.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.facts.columns == ("age", "zip", "ill")
    assert assess(PEOPLE, plan()).facts.sha256 is None


def test_the_plan_may_name_the_data(tmp_path: Path) -> None:
    pl.DataFrame(PEOPLE).write_csv(tmp_path / "people.csv")
    file = tmp_path / "plan.yaml"
    file.write_text(json.dumps(plan(data="people.csv")), encoding="utf-8")
    assert assess(plan=file).level == assess(PEOPLE, plan()).level


def test_without_a_plan_it_is_guessed_and_that_is_said() -> None:
    people = {"age": PEOPLE["age"], "sex": ["f", "m", "f", "m", "f", "m"], "disease": PEOPLE["ill"]}
    found = assess(people)
    assert found.guessed
    assert any("was guessed from their names and values" in note for note in found.notes)
    assert found.plan.sensitive == ("disease",)
    assert not assess(PEOPLE, plan()).guessed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "There is nothing to assess"),
        ((None, {"columns": {}}), "There are no data to assess"),
        ((PEOPLE, {"columns": {"ill": {"role": "sensitive"}}}), "no quasi-identifier"),
        ((PEOPLE, {"columns": {"agee": {"role": "quasi-identifier"}}}), "no column 'agee'"),
        ((PEOPLE, 3), "A plan cannot be made of a int"),
    ],
)
def test_what_cannot_be_assessed_is_refused(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        assess(*arguments)


def test_riskiest_needs_a_number() -> None:
    with pytest.raises(BadChoice, match="n must be a whole number of records"):
        assess(PEOPLE, plan()).riskiest(-1)


# ---- ways to look at it


def test_everything_but_records_can_be_written_as_json() -> None:
    found = assess(PEOPLE, plan(methods={"qar": {"size": 2}}))
    answer = json.loads(json.dumps(found.to_dict()))
    assert answer["level"] == found.level
    assert answer["records"]["by_risk"] == {
        "Minor": 0,
        "Significant": 3,
        "Severe": 2,
        "Critical": 1,
    }
    assert answer["rows"][0]["columns"] == ["age"]
    assert "risky" not in answer["suda"]
    assert answer["contributions"]["top"] == []


def test_the_picture_places_every_row() -> None:
    drawn = json.dumps(assess(PEOPLE, plan()).plot().to_dict())
    for name in ("all of EE", "all of IE", "age", "zip", "IE or easier"):
        assert name in drawn


def test_hostile_names_are_made_visible() -> None:
    people = {"\x1b[31mage": PEOPLE["age"], "ill": PEOPLE["ill"]}
    given = {
        "columns": {
            "\x1b[31mage": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "moral": 2},
        },
        "methods": QUICK,
    }
    found = assess(people, given)
    assert "\x1b" not in found.verdict
    assert "\x1b" not in json.dumps(found.plot().to_dict())


def test_a_note_says_where_the_papers_rate_cannot_be_low() -> None:
    many = {**PEOPLE, "age": [1, 2, 3, 4, 5, 6]}
    assert any("1 - 1/c" in note for note in assess(many, plan(methods=PAPER)).notes)
    assert not any("1 - 1/c" in note for note in assess(many, plan()).notes)
    other = plan(methods={**PAPER, "discrimination": {"variant": "mutual-information"}})
    assert not any("1 - 1/c" in note for note in assess(many, other).notes)
    # two values are Severe already, one is not
    two = {**PEOPLE, "age": [1, 1, 1, 2, 2, 2]}
    assert any("1 - 1/c" in n for n in assess(two, plan(methods=PAPER)).notes)
    one = {**PEOPLE, "age": [1] * 6, "zip": ["a"] * 6}
    assert not any("1 - 1/c" in note for note in assess(one, plan(methods=PAPER)).notes)
