"""`so.hipaa`: findings with evidence, on tables, files and real data; no value is ever repeated."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import singleout as so
from singleout.assessment.hipaa import function
from singleout.errors import BadChoice, UnknownColumns

PATIENTS = {
    "Full Name": ["James Smith", "Mary Jones", "Robert Brown", None],
    "zip": ["02139", "10001", "60601", "60601"],
    "age": [34, 93, 51, 90],
    "seen": [date(2021, 3, 4)] * 4,
    "mail": ["jane@example.org", "x@example.org", None, "y@example.org"],
    "ssn": ["123-45-6789", "223-45-6789", "323-45-6789", "423-45-6789"],
    "sex": ["f", "m", "f", "m"],
    "year": [2019, 2020, 2021, 2021],
}


def _found(result: so.SafeHarbor) -> dict[str, str]:
    """Return the identifiers of each column that has one."""
    found: dict[str, str] = {}
    for finding in result.findings:
        found[finding.column] = found.get(finding.column, "") + finding.identifier
    return found


def test_findings_have_evidence_and_shares() -> None:
    result = so.hipaa(PATIENTS)
    expected = {"Full Name": "A", "zip": "B", "age": "C", "seen": "C", "mail": "F", "ssn": "G"}
    assert _found(result) == expected
    assert result.identifiers == ("A", "B", "C", "F", "G")
    assert not result.clean
    (age,) = result.of("age")
    assert (age.records, age.share, age.evidence) == (2, 0.5, ("name", "values"))
    assert age.reason == "the name speaks of ages; 50.0% of the values are ages over 89"
    (mail,) = result.of("mail")
    assert (mail.records, mail.share) == (3, 1.0)  # of those that have a value
    assert mail.title == "E-mail addresses"
    (ssn,) = result.of("ssn")
    assert set(ssn.evidence) == {"name", "pattern"}


def test_no_value_appears_in_a_result() -> None:
    result = so.hipaa(PATIENTS)
    shown = f"{result!r}{result}{result.to_json()}{result.plot().to_json()}{result.to_frame()}"
    for values in (PATIENTS["Full Name"], PATIENTS["mail"], PATIENTS["ssn"], PATIENTS["zip"]):
        assert not any(value is not None and value in shown for value in values)


def test_a_result_is_a_frame_and_plain_values() -> None:
    result = so.hipaa(PATIENTS)
    frame = result.to_frame()
    assert frame["identifier"].to_list() == [finding.identifier for finding in result.findings]
    answer = json.loads(result.to_json())
    assert answer["clean"] is False
    assert [row["share"] for row in answer["findings"]] == frame["share"].to_list()
    assert str(result).startswith("5 of the 18 identifiers of Safe Harbor were recognised")


def test_data_without_identifiers_is_clean() -> None:
    result = so.hipaa({"sex": ["f", "m"], "year": [2019, 2020], "age": [30, 89]})
    assert result.clean
    assert result.to_frame().is_empty()
    assert str(result) == "None of the 18 identifiers of Safe Harbor was recognised in 3 columns"
    assert "actual knowledge" in result.notes[-1]
    assert "none was recognised" in result.plot().to_json()


def test_columns_and_records_can_be_chosen() -> None:
    assert so.hipaa(PATIENTS, "sex").clean
    assert _found(so.hipaa(PATIENTS, ["age", "zip"])) == {"age": "C", "zip": "B"}
    assert so.hipaa(PATIENTS, ["age"], where="age < 80").clean
    with pytest.raises(UnknownColumns):
        so.hipaa(PATIENTS, ["agee"])
    with pytest.raises(BadChoice):
        so.hipaa(PATIENTS, [])


def test_a_declared_identifier_is_a_finding_that_is_known() -> None:
    table = so.read({"q": ["a", "b", "b"], "mail": ["a@example.org"] * 3, "sex": ["f", "m", "f"]})
    table = table.with_roles({"q": "direct-identifier", "mail": "direct-identifier"})
    result = so.hipaa(table)
    assert [(f.identifier, f.column, f.declared) for f in result.findings] == [
        ("F", "mail", True),
        ("R", "q", True),
    ]
    assert result.undeclared == ()
    assert result.of("q")[0].evidence == ("role",)


def test_notes_say_what_to_think_of() -> None:
    text = [f"The patient felt well on day {i} and went home with her sister" for i in range(40)]
    codes = [f"QX{7919 * i % 100_000:05}" for i in range(40)]
    notes = so.hipaa({"remark": text, "code": codes, "age": [90, 50] * 20}).notes
    assert any("'remark' holds free text" in note for note in notes)
    assert any("164.514(c)" in note for note in notes)
    assert any("the only age over 89 is 90" in note for note in notes)


@pytest.mark.parametrize("engine", ["local", "database"])
def test_of_very_many_values_a_sample_is_examined(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: str
) -> None:
    file = tmp_path / "people.csv"
    lines = [f"QX{7919 * i % 100_000:05},{i}@example.org,{i % 2}" for i in range(300)]
    file.write_text("\n".join(["code,email,sex", *lines]) + "\n")
    monkeypatch.setattr(function, "MOST_VALUES", 50)
    result = so.hipaa(file, engine=engine)
    assert _found(result) == {"code": "R", "email": "F"}
    assert [finding.share for finding in result.findings] == [1.0, 1.0]
    assert any("300 different values, of which a sample of 51" in note for note in result.notes)


# ---- real data

REAL = {
    "adult.csv": {"age": "C"},  # 35 people are 90
    "ma2019.csv": {"PUMA": "B", "AGEP": "C"},
    "tx2019.csv": {"PUMA": "B", "AGEP": "C"},
    "nltcs.csv": {},
    "sdcmicro_francdat.csv": {},
    "sdcmicro_testdata.csv": {"age": "C", "ori_hid": "R"},
    "eusilcS.csv": {"age": "C", "db030": "R"},
    "scotland_census_2011_1pct.csv": {"Record_Number": "R"},
    "socr_height_weight.csv": {"Index": "R"},
    "be_municipality_age.csv": {"NIS": "B", "age": "C"},
    "bevolking_leeftijd_NL.csv": {"leeftijd": "C"},
    "census_income_kdd_299285.csv.gz": {"AAGE": "C"},
}


@pytest.mark.parametrize("name", REAL)
def test_real_data_has_what_really_applies(real_data: Path, name: str) -> None:
    assert _found(so.hipaa(real_data / name)) == REAL[name]


def test_adult_has_35_people_of_90(real_data: Path) -> None:
    (age,) = so.hipaa(real_data / "adult.csv").findings
    assert (age.records, age.share) == (35, 35 / 30_162)


# ---- hostile names and values

_VALUES = st.one_of(
    st.none(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=40),
    st.sampled_from(
        ["123-45-6789", "a@b.org", "90+", "021", "=1+1", "\x1b[31m", "1.2.3.4", "@", "."]
    ),
)


@given(name=st.text(min_size=1, max_size=30), values=st.lists(_VALUES, min_size=1, max_size=30))
def test_anything_can_be_examined(name: str, values: list[Any]) -> None:
    column = function.examined(name, [(value, 1) for value in values])
    signs = function.check(column)
    present = [value for value in values if value is not None]
    for finding in function._findings(name, signs, len(present), declared=False):
        assert finding.identifier in "ABCDEFGHIJKLMNOPQR"
        assert 0 < finding.share <= 1
        assert 0 < finding.records <= len(present)
        assert finding.evidence
        assert finding.reason


@pytest.mark.parametrize(
    "text",
    [
        "@" * 5000,
        "a." * 2500 + "@",
        "1-" * 2500,
        "1 " * 2500,
        "A " * 2500,
        "+1 " * 1700,
        ":" * 5000,
    ],
)
def test_long_hostile_text_is_examined_fast_enough(text: str) -> None:
    column = function.examined("q", [(f"{text}{i}", 1) for i in range(50)])
    function.check(column)  # a search that goes back and forth would not end


def test_names_that_steer_a_terminal_are_escaped_in_pictures() -> None:
    result = so.hipaa({"\x1b[31memail": ["a@example.org", "b@example.org"]})
    drawn = json.loads(result.plot().to_json())
    assert "\x1b" not in str(drawn)
    assert "x1b[31memail" in str(drawn)


def test_a_few_shared_values_are_found_if_name_and_form_say_so() -> None:
    patients = {
        "vin": ["1HGCM82633A004352", "1M8GDM9AXKP042788"] * 50,
        "credit_card": ["4111111111111111"] * 100,
        "patient_name": ["Mary Jones", "John Smith", "Anna Brown", "Peter Miller"] * 25,
        "doctor": ["Mary Jones", "John Smith", "Anna Brown", "Peter Miller"] * 25,
        "code": ["1HGCM82633A004352", "1M8GDM9AXKP042788"] * 50,
    }
    found = so.hipaa(patients)
    assert [(one.identifier, one.column, one.evidence) for one in found.findings] == [
        ("A", "patient_name", ("name",)),
        ("J", "credit_card", ("name", "check digits")),
        ("L", "vin", ("name", "check digits")),
    ]


GROUPED = {
    "region": ["n"] * 3 + ["s"] * 3 + [None],
    "year": [1] * 7,
    "contact": ["a@x.org", "b@x.org", "c@x.org", "-", "-", None, "-"],
}


@pytest.mark.parametrize("engine", ["local", "database"])
def test_each_group_is_examined_as_if_it_were_alone(engine: str, tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "people.parquet"
    pl.DataFrame(GROUPED).write_parquet(path)
    found = so.hipaa(path, by="region", engine=engine)
    assert list(found.groups) == ["n", "s", None]
    for value, part in found.groups.items():
        condition = "region is null" if value is None else f"region = '{value}'"
        alone = so.hipaa(path, where=condition)
        assert part.findings == alone.findings
        assert part.records == alone.records
    assert found.groups["n"].identifiers == ("F",)
    assert found.groups["s"].clean
    assert [one["group"] for one in found.to_dict()["groups"]] == ["n", "s", "(missing)"]
    assert found.to_frame()["group"].to_list() == ["all records", "n"]
    two = so.hipaa(path, "contact", by=["region", "year"], engine=engine)
    assert two.groups[("n", 1)].findings == found.groups["n"].findings


def test_groups_are_not_given_by_what_identifies_people() -> None:
    with pytest.raises(BadChoice, match="seems to identify people"):
        so.hipaa({"email": ["a@x.org", "b@x.org"], "sex": ["f", "m"]}, by="email")
