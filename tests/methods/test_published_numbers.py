"""The numbers that others published for real tables, and the shapes of all of them."""

from pathlib import Path

import numpy as np
import pytest

import singleout as so

SHAPES = {
    "adult.csv": (30_162, 9),
    "ma2019.csv": (7_634, 24),
    "tx2019.csv": (9_276, 24),
    "sdcmicro_testdata.csv": (4_580, 15),
    "sdcmicro_francdat.csv": (8, 8),
    "socr_height_weight.csv": (25_000, 3),
    "nl_pc4_age5_sex_2021.csv.gz": (81_480, 8),
    "bevolking_leeftijd_NL.csv": (19_710, 4),
    "be_municipality_age.csv": (58_666, 3),
    "scotland_census_2011_1pct.csv": (63_388, 17),
    "census_income_kdd_299285.csv.gz": (299_285, 43),
    "nltcs.csv": (21_574, 16),
    "eusilcS.csv": (11_725, 18),
}


@pytest.mark.parametrize(("name", "shape"), SHAPES.items())
def test_every_table_is_read_whole(name: str, shape: tuple[int, int], real_data: Path) -> None:
    table = so.read(real_data / name)
    assert (table.rows, len(table.columns)) == shape


def test_every_table_of_the_folder_is_tested(real_data: Path) -> None:
    assert set(SHAPES) == {file.name for file in real_data.glob("*.csv*")}


def test_adult_has_the_classes_and_risks_that_arx_reports(real_data: Path) -> None:
    table = so.read(real_data / "adult.csv")
    found = so.anonymity_sets(table, table.columns)
    assert (found.sets, found.unique) == (19_502, 15_512)
    assert found.sets / found.records == pytest.approx(0.6465751608, abs=5e-11)
    assert found.unique_share == pytest.approx(0.5142895033, abs=5e-11)


@pytest.mark.parametrize(("name", "unique"), [("ma2019.csv", 7_626), ("tx2019.csv", 9_260)])
def test_nist_excerpts_are_nearly_unique(name: str, unique: int, real_data: Path) -> None:
    table = so.read(real_data / name)
    assert so.anonymity_sets(table, table.columns).unique == unique


def test_the_shipped_demo_is_the_nist_excerpt(real_data: Path) -> None:
    demo = so.demo()
    assert so.anonymity_sets(demo, demo.columns).unique == 7_626
    original = so.read(real_data / "ma2019.csv")
    for mine, theirs in zip(demo, original, strict=True):
        assert mine.name == theirs.name
        assert np.array_equal(mine.codes, theirs.codes)
        assert list(mine.values) == list(theirs.values)


def test_sdcmicro_testdata_violates_anonymity_as_sdcmicro_prints(real_data: Path) -> None:
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    found = so.anonymity_sets(real_data / "sdcmicro_testdata.csv", keys)
    assert found.unique == 157  # violate 2-anonymity
    assert found.at_most(2) == 281  # violate 3-anonymity


def test_sdcmicro_francdat_counts_per_record(real_data: Path) -> None:
    keys = ["Key1", "Key2", "Key3", "Key4"]
    found = so.anonymity_sets(real_data / "sdcmicro_francdat.csv", keys)
    assert found.per_record.tolist() == [2, 2, 2, 1, 1, 1, 1, 2]


def test_socr_has_the_spread_and_correlation_of_section_6_3_2(real_data: Path) -> None:
    table = so.read(real_data / "socr_height_weight.csv")
    height = table["Height(Inches)"].numbers() * 2.54
    weight = table["Weight"].numbers() * 0.45359237
    assert height.std(ddof=1) == pytest.approx(4.830, abs=5e-4)
    assert weight.std(ddof=1) == pytest.approx(5.289, abs=5e-4)
    assert np.corrcoef(height, weight)[0, 1] == pytest.approx(0.5028, abs=1e-4)


def test_scotlands_census_file(real_data: Path) -> None:
    table = so.read(real_data / "scotland_census_2011_1pct.csv")
    keys = [name for name in table.columns if name not in ("Record_Number", "Region")]
    assert len(keys) == 15
    found = so.anonymity_sets(table, keys)
    assert (found.sets, found.unique) == (37_513, 30_816)


def test_census_income_on_forty_columns(real_data: Path) -> None:
    table = so.read(real_data / "census_income_kdd_299285.csv.gz")
    keys = [name for name in table.columns if name not in ("MARSUPWT", "INCOME", "SPLIT")]
    assert len(keys) == 40
    found = so.anonymity_sets(table, keys)
    assert (found.sets, found.unique) == (224_816, 213_647)


def test_nltcs_cells(real_data: Path) -> None:
    table = so.read(real_data / "nltcs.csv")
    found = so.anonymity_sets(table, table.columns)
    assert found.histogram[1] == 1_729
    assert found.histogram[2] == 499
    assert found.maximum == 3_853
