"""Anonymity sets as a function of counts: Koot (2012), chapters 2 and 3."""

import json
from math import inf, log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from singleout.core.counts import SizeProfile
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.methods.anonymity.result import AnonymitySets, correlation

set_sizes = st.lists(st.integers(1, 50), min_size=1, max_size=60)


def of_sizes(*sizes: int) -> AnonymitySets:
    return AnonymitySets(("x",), SizeProfile.of(np.array(sizes, dtype=np.int64)))


@given(set_sizes)
def test_sizes_times_sets_add_up_to_the_records(sizes: list[int]) -> None:
    found = of_sizes(*sizes)
    assert sum(size * sets for size, sets in found.histogram.items()) == found.records
    assert found.records == sum(sizes) == found.at_most(found.maximum)
    assert found.sets == len(sizes)
    assert found.mean == pytest.approx(sum(sizes) / len(sizes))
    assert (found.minimum, found.k, found.maximum) == (min(sizes), min(sizes), max(sizes))
    assert found.unique == sizes.count(1)
    assert found.at_most(10) == sum(size for size in sizes if size <= 10)


@given(set_sizes)
def test_quartiles_are_those_of_rs_summary(sizes: list[int]) -> None:
    assert of_sizes(*sizes).quartiles == tuple(naive.quartile(sizes, q) for q in (1, 2, 3))


def test_quartiles_of_the_footnote_in_chapter_3() -> None:
    even, skewed = of_sizes(*[100] * 5), of_sizes(1, 1, 1, 1, 496)
    assert even.quartiles == (100, 100, 100)
    assert skewed.quartiles == (1, 1, 1)
    assert skewed.mean == even.mean == 100
    assert skewed.maximum == 496


@given(set_sizes, st.floats(0.1, 8).filter(lambda order: abs(order - 1) > 0.01))
def test_entropies_are_those_of_the_naive_twin(sizes: list[int], order: float) -> None:
    found = of_sizes(*sizes)
    assert found.shannon_entropy == pytest.approx(naive.shannon(sizes), abs=1e-12)
    assert found.renyi_entropy(order) == pytest.approx(naive.renyi(sizes, order), abs=1e-9)
    assert found.renyi_entropy(1) == found.shannon_entropy
    assert found.renyi_entropy(0) == pytest.approx(log2(len(sizes)))
    assert found.min_entropy == pytest.approx(-log2(max(sizes) / sum(sizes)))
    assert found.min_entropy == found.renyi_entropy(inf)


@given(set_sizes, st.integers(0, 100))
def test_the_distance_to_uniform_is_that_of_the_naive_twin(sizes: list[int], empty: int) -> None:
    cells = len(sizes) + empty
    found = of_sizes(*sizes)
    assert found.kl_distance(cells) == pytest.approx(naive.kl_to_uniform(sizes, cells), abs=1e-12)
    assert found.kl_distance() == pytest.approx(naive.kl_to_uniform(sizes, len(sizes)), abs=1e-12)


@given(set_sizes)
def test_power_sums_are_sums_of_powers(sizes: list[int]) -> None:
    shares = [size / sum(sizes) for size in sizes]
    expected = [sum(share**power for share in shares) for power in (2, 3, 4, 5)]
    assert of_sizes(*sizes).power_sums == pytest.approx(expected)


def test_a_renyi_entropy_of_high_order_does_not_underflow() -> None:
    assert of_sizes(*[1] * 1000).renyi_entropy(500.0) == pytest.approx(log2(1000))


def test_the_example_of_section_2_2_and_its_erratum() -> None:
    printed = of_sizes(9, *[1] * 9)  # p4 = 0.5 is nine times as likely as each other
    assert printed.shannon_entropy == pytest.approx(2.584962500721156)
    assert printed.degree_of_anonymity() == pytest.approx(0.7781512503836436)
    ten_times = of_sizes(10, *[1] * 9)  # what the sentence says (erratum E2)
    assert ten_times.shannon_entropy == pytest.approx(2.4995, abs=5e-5)
    assert ten_times.degree_of_anonymity() == pytest.approx(0.7524, abs=5e-5)


def test_a_single_cell_has_degree_zero_and_no_entropy() -> None:
    found = of_sizes(7)
    assert found.degree_of_anonymity() == 0
    assert found.shannon_entropy == found.kl_distance() == 0


def test_every_golden_entropy_and_distance(golden: Path) -> None:
    cases = json.loads((golden / "predict-golden.json").read_text())["discrete"]
    assert len(cases) == 23
    for case in cases:
        found = of_sizes(*(weight for weight in case["weights"] if weight))
        exact = pytest.approx
        assert found.sets == case["support"]
        assert found.shannon_entropy == exact(case["H_shannon_bits"], rel=1e-12)
        assert found.renyi_entropy(0) == exact(case["H0_bits"], rel=1e-12)
        assert found.renyi_entropy(2) == exact(case["H2_bits"], rel=1e-12)
        assert found.min_entropy == exact(case["Hinf_bits"], rel=1e-12)
        assert found.degree_of_anonymity(case["N"]) == exact(case["degree"], rel=1e-12)
        assert found.kl_distance(case["N"]) == exact(case["kappa"], rel=1e-11)
        assert found.power_sums[:3] == exact([case["s2"], case["s3"], case["s4"]], rel=1e-12)


def test_table_3_3_for_qid_a_with_its_erratum(golden: Path) -> None:
    published = json.loads((golden / "predict-golden.json").read_text())["qid_A"]
    small = SizeProfile(np.arange(1, 6), np.array(published["sets_k1_5"]))
    found = AnonymitySets(("PC4", "gender", "YoB", "MoB"), small)
    assert found.unique == 137_035
    records = [found.at_most(k) - found.at_most(k - 1) for k in range(1, 6)]
    assert records == published["citizens_k1_5"] == [137_035, 212_536, 260_244, 282_644, 279_100]
    # the printed "k <= 5" is the count of k = 5 alone (erratum E6)
    assert found.at_most(5) == published["le5_corrected"] == 1_171_559


TABLE_3_4 = {
    766_656: 5, 591_046: 4, 18_158: 4, 24_679: 4, 487_582: 3, 305_845: 3, 156_761: 3, 161_882: 3,
    147_091: 3, 5_915: 3, 11_019: 3, 26_097: 2, 45_548: 2, 21_457: 2, 4_751: 1,
}  # fmt: skip
TABLE_3_5 = {
    766_656: 310, 591_046: 259, 487_582: 219, 305_845: 110, 156_761: 71, 161_882: 68, 147_091: 66,
    45_548: 21, 26_097: 12, 24_679: 11, 21_457: 10, 18_158: 8, 11_019: 5, 5_915: 3, 4_751: 2,
}  # fmt: skip


@pytest.mark.parametrize(("table", "printed"), [(TABLE_3_4, 0.605), (TABLE_3_5, 0.997)])
def test_correlation_of_group_size_with_median(table: dict[int, int], printed: float) -> None:
    assert correlation(list(table), list(table.values())) == pytest.approx(printed, abs=5e-4)


def test_table_3_1_sums_to_eleven_more_than_printed() -> None:
    assert sum(TABLE_3_4) == sum(TABLE_3_5) == 2_774_487 == 2_774_476 + 11  # erratum E4


def test_a_correlation_without_variation_is_undefined() -> None:
    assert correlation([1, 1], [1, 2]) is None
    assert correlation([1], [2]) is None


def test_fewer_cells_than_observed_get_a_sentence() -> None:
    with pytest.raises(BadChoice, match="cells is 1, but 2 different combinations were observed"):
        of_sizes(1, 2).kl_distance(1)


@pytest.mark.parametrize("order", [-1, float("nan")])
def test_a_negative_order_gets_a_sentence(order: float) -> None:
    with pytest.raises(BadChoice, match="order of a Rényi entropy is 0 or more"):
        of_sizes(1).renyi_entropy(order)


def test_counts_of_counts_alone_do_not_know_the_records() -> None:
    with pytest.raises(UndefinedMeasure, match="only counts of counts"):
        _ = of_sizes(1).per_record
    with pytest.raises(UndefinedMeasure, match="no weight column"):
        _ = of_sizes(1).weighted_per_record
