"""What is the same everywhere, and how nearly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import singleout as so
from coming_from.arx import population_uniqueness
from coming_from.pycanon_rows import adult_diversity, pycanon_adult
from coming_from.rows import (
    COLUMNS,
    KEYS,
    SHARED,
    TESTDATA,
    Cells,
    adult_table,
    golden,
    golden_numbers,
    row,
)
from coming_from.sdcmicro_counts import suda_of
from coming_from.sdcmicro_risk import individual


def nearly(differences: Any) -> tuple[str]:
    """Return the largest difference, rounded up to a power of ten from 1e-12 on."""
    largest = float(np.max(np.abs(differences)))
    if largest == 0:
        return ("0",)
    return (f"below 1e-{-max(-12, math.floor(math.log10(largest)) + 1):02d}",)


@row("ARX: classes, unique records, average and highest risk, prosecutor")
def same_arx() -> Cells:
    differences = []
    for line in golden("arx_adult_risk.csv"):
        sets = so.anonymity_sets(adult_table(), COLUMNS[line["qis"]])
        risk = so.attacker_risk(adult_table(), COLUMNS[line["qis"]]).prosecutor
        ours = [
            sets.sets, sets.unique / sets.records, risk.success, risk.highest, risk.at_risk,
            risk.success,
        ]  # fmt: skip
        names = "classes uniques avg_risk highest prosecutor_at_risk_0.2 prosecutor_success"
        differences += [
            one - float(line[name]) for one, name in zip(ours, names.split(), strict=True)
        ]
    return nearly(differences)


@row("ARX: population uniqueness by Zayatz and Pitman")
def same_uniqueness() -> Cells:
    return nearly(
        [
            population_uniqueness(line["qis"], int(line["N"])).estimates[name].share
            - float(line[name])
            for line in golden("arx_adult_risk.csv")
            for name in ("zayatz", "pitman")
        ]
    )


@row("sdcMicro: f and F of every record")
def same_counts() -> Cells:
    name = "sdcmicro_testdata_individual_risk_hh.csv"
    found = so.anonymity_sets(TESTDATA, KEYS, weight="sampling_weight")
    differences = [
        found.per_record - golden_numbers(name, "fk"),
        found.weighted_per_record - golden_numbers(name, "Fk"),
    ]
    return nearly(differences)


@row("sdcMicro: individual risk where f is 1 or 2")
def same_risk() -> Cells:
    theirs = golden_numbers("sdcmicro_testdata_individual_risk_hh.csv", "risk")
    few = individual().matches <= 2
    toy = so.individual_risk(
        SHARED / "data/sdcmicro_francdat.csv", ["Key1", "Key2", "Key3", "Key4"], "w"
    )
    francdat = golden_numbers("sdcmicro_francdat_freq_risk.csv", "risk")
    return nearly([*(individual().risk - theirs)[few], *(toy.risk - francdat)])


@row("sdcMicro: distinct, entropy and recursive l of every record")
def same_diversity() -> Cells:
    found = so.diversity(TESTDATA, KEYS, "age", c=2).per_record
    names = {"distinct_l": "Distinct", "entropy_l": "Entropy", "recursive_l": "Recursive"}
    return nearly(
        [
            found[ours].to_numpy()
            - golden_numbers("sdcmicro_testdata_ldiversity_age.csv", f"age_{theirs}_Ldiversity")
            for ours, theirs in names.items()
        ]
    )


@row("sdcMicro: SUDA scores, all sizes")
def same_suda() -> Cells:
    theirs = golden_numbers("sdcmicro_testdata_suda2.csv", "score")
    return nearly(suda_of("testdata", None).score - theirs)


@row("sdcMicro: DIS-SUDA, all sizes")
def same_dis() -> Cells:
    theirs = golden_numbers("sdcmicro_testdata_suda2.csv", "disScore")
    return nearly(suda_of("testdata", None).dis_score - theirs)


@row("pycanon: k, distinct l, α, t, basic β of Adult")
def same_pycanon() -> Cells:
    ours = adult_diversity("education")
    alpha, k = pycanon_adult("alpha_k_anonymity", "education")
    return nearly(
        [
            ours.k - k,
            ours.distinct_l - pycanon_adult("l_diversity", "education"),
            ours.alpha - alpha,
            ours.t - pycanon_adult("t_closeness", "education"),
            ours.beta - pycanon_adult("basic_beta_likeness", "education"),
        ]
    )
