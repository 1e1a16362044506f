"""What a disclosure could cost, under the assumptions that the result states."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import singleout as so
from run_command import singleout
from singleout.errors import BadChoice

KNOWN = ["PUMA", "AGEP", "SEX", "MSP", "RAC1P", "EDU", "NOC"]


@pytest.fixture(scope="module")
def risk() -> so.DatasetRisk:
    return so.qar(so.demo(), KNOWN, alpha=0.1, tail=0.2)


def test_records_at_stake_are_groups_and_money_is_proportional(risk: so.DatasetRisk) -> None:
    stake = risk.exposure(cost_per_record=150, probability=0.02)
    counts = sorted(risk.distinct.tolist())
    assert stake.expected_records == pytest.approx(sum(counts) / len(counts))
    assert stake.expected_loss == pytest.approx(0.02 * 150 * stake.expected_records)
    assert stake.tail_records == pytest.approx(risk.risk * risk.records)
    assert stake.tail_loss == pytest.approx(150 * stake.tail_records)
    assert stake.worst_records == counts[-1]
    assert stake.beyond_records == pytest.approx(sum(counts[-4:]) / 4)  # a tenth of 35
    twice = risk.exposure(cost_per_record=300, probability=0.02)
    assert twice.to_frame()["loss"].to_list() == pytest.approx(
        [2 * loss for loss in stake.to_frame()["loss"]]
    )


def test_every_result_says_that_it_rests_on_an_assumption(risk: so.DatasetRisk) -> None:
    stake = risk.exposure(150, 0.02)
    assert stake.assumption in str(stake)
    assert "gives no formula" in stake.to_dict()["assumption"]


def test_the_curve_falls_with_alpha_and_meets_the_risk(risk: so.DatasetRisk) -> None:
    curve = risk.by_alpha()
    assert curve["risk"].is_sorted()  # from the tail to a thousandth
    assert curve["alpha"][0] == pytest.approx(0.2)
    assert curve["alpha"][-1] == pytest.approx(0.001)
    again = so.qar(so.demo(), KNOWN, alpha=float(curve["alpha"][7]), tail=0.2)
    assert again.risk == pytest.approx(curve["risk"][7], rel=1e-12)
    assert "mark" in risk.exposure(1).plot().to_json()


@pytest.mark.parametrize("cost", [-1, float("nan"), float("inf"), "much", True])
def test_a_cost_is_an_amount(risk: so.DatasetRisk, cost: object) -> None:
    with pytest.raises(BadChoice, match="cost_per_record must be"):
        risk.exposure(cost)  # type: ignore[arg-type]


def test_a_probability_is_a_share(risk: so.DatasetRisk) -> None:
    with pytest.raises(BadChoice, match="probability must be a share from 0 to 1, not 2"):
        risk.exposure(150, 2)


def test_the_command_shows_what_is_at_stake(tmp_path: Path) -> None:
    singleout("demo", "--save", tmp_path / "demo.csv", "--save-plan", tmp_path / "plan.yaml")
    asked = ["qar", tmp_path / "demo.csv", "--qi", ",".join(KNOWN), "--cost", 150]
    done = singleout(*asked, "--probability", 0.02)
    assert "What a disclosure could cost (an assumption)" in done.stdout
    plain = json.loads(singleout(*asked, "--json").stdout)["results"][0]["exposure"]
    assert plain["probability"] == 1
    assert plain["tail_loss"] == pytest.approx(150 * plain["tail_records"])
    alone = singleout(*asked[:4], "--probability", 0.1)
    assert alone.returncode == 2
    assert alone.stderr.startswith("--probability goes with --cost")


def test_the_report_shows_it_before_and_after_a_treatment(tmp_path: Path) -> None:
    plan = {
        "columns": {
            **{name: {"role": "quasi-identifier"} for name in KNOWN},
            "DVET": {"role": "sensitive", "moral": 3},
        },
        "methods": {"qar": {"cost_per_record": 150, "probability": 0.02}},
    }
    known = so.demo().select([*KNOWN, "DVET"])
    assessed = so.assess(known, plan).report(tmp_path / "before.html").read_text("utf-8")
    assert "What a disclosure could cost (an assumption)" in assessed
    treated = so.treat(known, {"drop": ["AGEP"]}, plan=plan)
    after = treated.report(tmp_path / "after.html", plan).read_text("utf-8")
    assert "Cost of an attack with the combination at T (assumed)" in after
