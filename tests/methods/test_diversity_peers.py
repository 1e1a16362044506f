"""Diversity against other tools: equal where they are right, and right where they are not.

pycanon 1.0.1 and sdcMicro 5.8.1. Each number that differs is checked by hand.
"""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import naive_diversity as naive
import singleout as so

anonymity = pytest.importorskip("pycanon.anonymity")

# pandas 3 warns of how pycanon groups by one column
pytestmark = pytest.mark.filterwarnings("ignore:In a future version, the keys of `groups`")


def clean(seed: int) -> pd.DataFrame:
    """A table without gaps, whose index is 0, 1, 2 …, and whose classes have every value."""
    rng = np.random.default_rng(seed)
    people = 400
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], people),
            "area": rng.choice(["n", "s", "w"], people),
            "disease": rng.choice(
                ["flu", "cold", "cancer", "none"], people, p=[0.2, 0.3, 0.1, 0.4]
            ),
            "income": rng.integers(1, 9, people),
        }
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sensitive", [["disease"], ["income"], ["disease", "income"]])
def test_pycanon_has_the_same_numbers_on_clean_data(seed: int, sensitive: list[str]) -> None:
    data, known = clean(seed), ["sex", "area"]
    found = so.diversity(data, known, sensitive)
    assert found.k == anonymity.k_anonymity(data, known)
    assert found.distinct_l == anonymity.l_diversity(data, known, sensitive)
    assert found.entropy_l is not None
    # pycanon rounds it down to a whole number
    assert math.floor(found.entropy_l) == anonymity.entropy_l_diversity(data, known, sensitive)
    alpha, k = anonymity.alpha_k_anonymity(data, known, sensitive)
    assert (found.alpha, found.k) == (pytest.approx(alpha), k)
    assert found.t == pytest.approx(anonymity.t_closeness(data, known, sensitive))
    assert found.beta == pytest.approx(anonymity.basic_beta_likeness(data, known, sensitive))
    enhanced = anonymity.enhanced_beta_likeness(data, known, sensitive)
    assert found.enhanced_beta == pytest.approx(enhanced)
    assert found.delta == pytest.approx(anonymity.delta_disclosure(data, known, sensitive))


def test_a_record_that_a_missing_value_makes_unique_is_found() -> None:
    """By hand: the third record is alone with its missing area, and its disease is certain."""
    data = pd.DataFrame(
        {"area": ["n", "n", None, "s", "s"], "disease": ["flu", "cold", "flu", "flu", "cold"]}
    )
    found = so.diversity(data, "area", "disease")
    assert (found.k, found.distinct_l, found.alpha) == (1, 1, 1.0)
    # pycanon's classes lack the record
    assert anonymity.k_anonymity(data, ["area"]) == 2
    assert anonymity.l_diversity(data, ["area"], ["disease"]) == 2
    assert anonymity.alpha_k_anonymity(data, ["area"], ["disease"]) == (0.5, 2)


def test_the_index_of_a_data_frame_does_not_matter() -> None:
    """By hand: both records of the south have the flu, whatever they are called."""
    data = pd.DataFrame(
        {"area": ["n", "s", "n", "s"], "disease": ["cold", "flu", "cold", "flu"]},
        index=[1, 0, 2, 3],
    )
    found = so.diversity(data, "area", "disease")
    assert (found.distinct_l, found.alpha) == (1, 1.0)
    # pycanon takes labels of the index for positions, and so looks at other records
    assert anonymity.l_diversity(data, ["area"], ["disease"]) == 2
    assert anonymity.alpha_k_anonymity(data, ["area"], ["disease"]) == (0.5, 2)
    data = data.set_index(pd.Index([10, 11, 12, 13]))
    assert so.diversity(data, "area", "disease").to_dict() == found.to_dict()
    with pytest.raises(IndexError):
        anonymity.l_diversity(data, ["area"], ["disease"])


def test_recursive_diversity_is_about_the_most_frequent_value() -> None:
    """By hand: counts 5, 1, 1 and l = 3 ask for c above 5 / 1.

    pycanon sorts the counts upwards, and so puts the rarest value where the most frequent
    belongs: 1 / 5, which it rounds to c = 1. But 5 < 1 x 1 does not hold.
    """
    data = pd.DataFrame({"area": ["n"] * 7, "disease": ["flu"] * 5 + ["cold", "cancer"]})
    found = so.diversity(data, "area", "disease")
    values = data["disease"].tolist()
    assert found.columns["disease"].recursive_c(3) == 5.0
    assert anonymity.recursive_c_l_diversity(data, ["area"], ["disease"]) == (1, 3)
    assert not naive.is_recursive(values, Fraction(1), 3)
    assert found.recursive_l == naive.recursive_l(values, Fraction(2)) == 1


def test_no_beta_makes_up_for_a_gain_above_minus_the_logarithm() -> None:
    """By hand: p = 1/2 and q = 1, a gain of 1, which is above -ln(1/2) = 0.69.

    pycanon returns min(1, 0.69), with which the table does not have enhanced beta-likeness.
    """
    data = pd.DataFrame({"area": list("nnss"), "disease": ["flu", "flu", "cold", "cold"]})
    found = so.diversity(data, "area", "disease")
    assert (found.beta, found.enhanced_beta) == (1.0, None)
    given = anonymity.enhanced_beta_likeness(data, ["area"], ["disease"])
    assert given == pytest.approx(math.log(2))
    assert not naive.is_enhanced(["flu", "flu"], data["disease"].tolist(), given)
    assert not naive.is_enhanced(["flu", "flu"], data["disease"].tolist(), math.inf)


def test_a_value_that_a_class_lacks_is_disclosed_beyond_every_delta() -> None:
    """By hand: nobody in the south has cancer, so that q = 0 and ln(q / p) is minus infinite.

    pycanon leaves such values out, as ``occurring_delta`` does.
    """
    data = pd.DataFrame({"area": list("nnss"), "disease": ["flu", "cancer", "flu", "flu"]})
    found = so.diversity(data, "area", "disease")
    assert found.delta is None
    given = anonymity.delta_disclosure(data, ["area"], ["disease"])
    assert found.columns["disease"].occurring_delta == pytest.approx(given)
    assert found.occurring_delta == pytest.approx(given)
    assert given == pytest.approx(math.log(2))


def test_means_are_over_records_and_not_over_classes() -> None:
    """By hand: three records in a class with one value and one with a value of its own."""
    data = {"area": ["n", "n", "n", "s"], "disease": ["flu", "cold", "none", "flu"]}
    column = so.diversity(data, "area", "disease").columns["disease"]
    assert column.means["distinct_l"] == (3 + 3 + 3 + 1) / 4
    assert np.mean(column.per_class["distinct_l"]) == 2.0
    assert column.certain_share == 1 / 4


# ---- sdcMicro


def test_sdcmicro_has_the_same_l_for_every_record_of_its_test_data(real_data: Path) -> None:
    """Distinct, entropy and recursive l (c = 2) of age; keys as in the README of the goldens."""
    golden = pd.read_csv(real_data.parent / "goldens" / "sdcmicro_testdata_ldiversity_age.csv")
    known = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    found = so.diversity(real_data / "sdcmicro_testdata.csv", known, "age", c=2)
    columns: dict[str, Any] = {
        "distinct_l": "age_Distinct_Ldiversity",
        "entropy_l": "age_Entropy_Ldiversity",
        "recursive_l": "age_Recursive_Ldiversity",
    }
    for name, theirs in columns.items():
        ours = found.per_record[name].to_numpy()
        np.testing.assert_allclose(ours, golden[theirs], rtol=0, atol=1e-9)
