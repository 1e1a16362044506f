"""Hierarchies nobody wrote, for real files and for the columns that files really have."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import singleout as so
from singleout.core.table import Column
from singleout.errors import BadChoice, UnknownColumns
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.hierarchies.proposals import Hierarchies, file_names, hierarchies
from singleout.treatment.hierarchies.propose import Kind, proposal, propose
from singleout.treatment.hierarchies.read import read_hierarchy


def column(values: list[Any], name: str = "x") -> Column:
    return so.read({name: values})[name]


def row(hierarchy: Hierarchy, value: Any) -> list[Any]:
    (found,) = [row for row in hierarchy.rows if row[0] == value]
    return found


# ---- real files


def test_ages_become_5_10_20_and_40_years(real_data: Path) -> None:
    ages = propose(so.read(real_data / "adult.csv", ["age"])["age"])
    assert row(ages, "38") == ["38", "35-39", "30-39", "20-39", "<40", "*"]
    assert row(ages, "17") == ["17", "<20", "<20", "<20", "<40", "*"]
    assert row(ages, "90") == ["90", "70+", "70+", "60+", "40+", "*"]


def test_municipalities_and_postcodes_become_shorter_codes(real_data: Path) -> None:
    municipality = so.read(real_data / "be_municipality_age.csv", ["NIS"])["NIS"]
    assert row(propose(municipality), "11001") == ["11001", "1100*", "110**", "1****", "*"]
    path = real_data / "nl_pc4_age5_sex_2021.csv.gz"
    found = hierarchies(path, ["postcode", "leeftijd"])
    assert row(found["postcode"], "1012") == ["1012", "101*", "10**", "1***", "*"]
    assert row(found["leeftijd"], "5-9") == ["5-9", "0-9", "0-19", "0-39", "0-79", "*"]


@pytest.mark.parametrize(
    "file", ["ma2019.csv", "sdcmicro_testdata.csv", "eusilcS.csv", "tx2019.csv"]
)
def test_every_column_of_a_survey_gets_a_tree_of_few_levels(real_data: Path, file: str) -> None:
    table = so.read(real_data / file)
    found = hierarchies(table)
    assert tuple(found) == table.columns
    for name in found:
        tree = found[name].fit(table[name])
        assert 2 <= tree.levels <= 8
        counts = [len(labels) for labels in tree.labels]
        assert counts == sorted(counts, reverse=True)
        assert len(found.sentences) == len(found)


def test_columns_of_the_survey_get_the_kind_that_they_look_like(real_data: Path) -> None:
    found = hierarchies(real_data / "ma2019.csv", nominal="RAC1P")
    kinds = {name: found.proposals[name].kind for name in found}
    assert kinds["AGEP"] == kinds["PINCP"] == kinds["NOC"] == Kind.INTERVALS
    assert kinds["RAC1P"] == kinds["PUMA"] == Kind.MERGING
    assert kinds["SEX"] == Kind.FLAT
    assert row(found["NOC"], "N")[-2] == "N"


# ---- columns of files that nobody prepared

CASES: dict[str, tuple[list[Any], Kind, list[Any]]] = {
    "Geboortedatum": (
        [date(1950, 1, 1) + timedelta(days=17 * i) for i in range(1200)],
        Kind.DATES,
        [date(1950, 1, 1), "1950-01", "1950-Q1", "1950", "1950s", "1940-1959", "*"],
    ),
    "Date of visit (dd/mm/yyyy)": (
        [f"{1 + i % 28:02}/{1 + i % 12:02}/2021" for i in range(200)],
        Kind.DATES,
        ["01/01/2021", "2021-01", "2021-Q1", "*"],
    ),
    "Altersgruppe": (
        ["0-17", "18-24", "25-34", "35-49", "50-64", "65+"],
        Kind.ORDER,
        ["18-24", "0-24", "0-49", "*"],
    ),
    "PLZ": (
        [f"{10115 + 7 * i}" for i in range(300)],
        Kind.PREFIXES,
        ["10115", "1011*", "101**", "10***", "*"],
    ),
    "ICD-10": (
        [f"{letter}{i:02}.{j}" for letter in "EIJ" for i in range(10, 20) for j in range(3)],
        Kind.PREFIXES,
        ["E10.0", "E10.*", "E1***", "*"],
    ),
    "UK postcode area": (
        [f"{area}{i:02}" for area in ("AB", "BS", "LS") for i in range(10, 30)],
        Kind.PREFIXES,
        ["AB10", "AB1*", "AB**", "*"],
    ),
    "Household size": (
        [1] * 40 + [2] * 35 + [3] * 12 + [4] * 9 + [5] * 3 + [8],
        Kind.INTERVALS,
        [8, "4+", "3+", "2+", "*"],
    ),
    "birth year": (
        [1940 + i % 60 for i in range(600)],
        Kind.INTERVALS,
        [1962, "1960-1964", "1960-1969", "1960-1979", "1960+", "*"],
    ),
    "BMI": (
        [round(18 + (i * 37 % 200) / 10, 1) for i in range(200)],
        Kind.INTERVALS,
        [18.0, "<19", "<20", "<20", "*"],
    ),
    "Beruf": (
        ["Koch"] * 50 + ["Pfleger"] * 40 + ["Imker"] * 5 + ["Glaser"] * 3 + ["Abt"] * 2,
        Kind.MERGING,
        ["Abt", "Abt or Glaser", "Abt or Glaser or Imker or Pfleger", "*"],
    ),
    "Consent": ([True, False, True], Kind.FLAT, [True, "*"]),
    "Country": (["NL"] * 5, Kind.FLAT, ["NL", "*"]),
    "Remarks": ([f"patient said thing {i}" for i in range(600)], Kind.FLAT, []),
}


@pytest.mark.parametrize(("values", "kind", "path"), CASES.values(), ids=CASES.keys())
def test_a_column_is_coarsened_by_what_it_looks_like(
    request: pytest.FixtureRequest, values: list[Any], kind: Kind, path: list[Any]
) -> None:
    found = proposal(column(values, request.node.callspec.id))
    assert found.kind == kind
    if path:
        assert row(found.hierarchy, path[0]) == path


def test_a_column_without_any_value_is_missing_or_everything() -> None:
    empty = column([None, None])
    hierarchy = propose(empty)
    tree = hierarchy.fit(empty)
    assert hierarchy.rows == []
    assert [tree.labels[level][tree.maps[level, 0]] for level in (0, 1)] == [None, "*"]


def test_numbers_that_stand_for_words_are_merged_by_their_words() -> None:
    words = {1.0: "single", 2.0: "married", 3.0: "widowed", 4.0: "divorced"}
    values = [1.0] * 50 + [2.0] * 40 + [3.0] * 2 + [4.0] * 3
    labelled = so.read({"status": values}).with_descriptions({}, {"status": words})["status"]
    assert row(propose(labelled), 3.0)[1] == "widowed or divorced"
    assert row(propose(labelled), 1.0)[1] == "single"
    assert row(propose(labelled, ordered=True), 1.0)[1] == "single to married"


def test_numbers_that_stand_for_ranges_are_joined_in_their_order() -> None:
    words = {1.0: "65+", 2.0: "<18", 3.0: "18-39", 4.0: "40-64"}
    labelled = so.read({"age": [1.0, 2.0, 3.0, 4.0]}).with_descriptions({}, {"age": words})["age"]
    assert row(propose(labelled), 1.0) == [1.0, "40+", "*"]
    assert row(propose(labelled), 3.0) == [3.0, "<=39", "*"]


def test_skewed_numbers_are_cut_at_round_numbers_into_parts_of_like_size() -> None:
    incomes = np.exp(np.random.default_rng(1).normal(10, 1, 20_000)).round(2)
    found = column(incomes.tolist(), "income")
    tree = propose(found).fit(found)
    records = np.bincount(tree.maps[1], weights=found.sizes)
    assert tree.levels == 8
    assert len(records) > 40
    assert records.max() < 2 * len(found) / len(records)
    assert all(len(label) < 24 for label in tree.labels[1])


def test_many_different_values_keep_few_levels() -> None:
    rng = np.random.default_rng(1)
    table = so.read(
        {
            "number": rng.normal(size=30_000),
            "text": [f"text {i}" for i in range(30_000)],
            "time": [
                f"2021-01-01T{i // 3600:02}:{i // 60 % 60:02}:{i % 60:02}" for i in range(30_000)
            ],
        }
    )
    found = hierarchies(table)
    assert [found.proposals[name].kind for name in found] == ["intervals", "flat", "flat"]
    assert all(found[name].levels <= 8 for name in found)


# ---- the result


@pytest.fixture(scope="module")
def demo() -> Hierarchies:
    return hierarchies(so.demo())


def test_the_result_is_a_mapping_with_a_row_for_each_column(demo: Hierarchies) -> None:
    assert len(demo) == 24
    assert "AGEP" in demo
    assert dict(demo)["AGEP"] is demo["AGEP"]
    frame = demo.to_frame()
    assert frame.columns == ["column", "kind", "levels", "labels", "example"]
    assert frame.row(1)[:4] == ("AGEP", "intervals", 6, "93 → 19 → 10 → 5 → 3 → 1")
    assert frame.row(1)[4].endswith(" → *")
    with pytest.raises(UnknownColumns, match="AGE"):
        demo["AGE"]
    assert "<table" in demo._repr_html_()


def test_the_result_says_how_each_was_made(demo: Hierarchies) -> None:
    assert demo.sentences[1].startswith("'AGEP' holds numbers: wider and wider intervals, such as ")
    plain = json.loads(demo.to_json())
    assert plain["SEX"]["rows"] == [["1", "*"], ["2", "*"]]
    assert plain["AGEP"]["labels"] == [93, 19, 10, 5, 3, 1]


def test_what_is_saved_is_read_again(demo: Hierarchies, tmp_path: Path) -> None:
    files = demo.write(tmp_path / "new" / "folder")
    assert set(files) == set(demo)
    for name, path in files.items():
        found = read_hierarchy(path, name)
        assert found.rows == [[str(label) for label in labels] for labels in demo[name].rows]
        found.fit(so.demo()[name])
    with pytest.raises(BadChoice):
        demo.write(tmp_path / "new" / "folder")


def test_files_have_names_that_every_system_can_have(tmp_path: Path) -> None:
    names = ["../../etc/passwd", "CON", "a/b", "a\\b", "A/B", "", "…", "x" * 300, "a\0b", "-rf"]
    files = file_names(names)
    assert len({file.casefold() for file in files.values()}) == len(names)
    for file in files.values():
        assert len(file) < 100
        assert "/" not in file
        assert "\\" not in file
        assert file[0].isalnum()
    found = hierarchies({name: ["1", "2"] for name in names if name})
    written = found.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        p.name for p in written.values()
    )


def test_columns_and_records_can_be_chosen() -> None:
    found = hierarchies(so.demo(), "AGEP", where="AGEP < 20")
    assert list(found) == ["AGEP"]
    as_said = [hierarchies(so.demo(), "MSP"), hierarchies(so.demo(), "MSP", ordinal="MSP")]
    assert [one.proposals["MSP"].kind for one in as_said] == [Kind.MERGING, Kind.ORDER]
    with pytest.raises(UnknownColumns, match="AGE"):
        hierarchies(so.demo(), ["AGE"])
    with pytest.raises(UnknownColumns, match="Edu"):
        hierarchies(so.demo(), nominal=["Edu"])


def test_names_of_columns_cannot_do_harm_in_a_notebook() -> None:
    found = hierarchies({"<script>alert(1)</script>": ["<b>x</b>", "y", "z"]})
    assert "<script>" not in found._repr_html_()
    assert "<b>" not in found._repr_html_()
