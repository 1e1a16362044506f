"""`so.hipaa` finds the same wherever the data is."""

from datetime import date, datetime

import polars as pl
import tables
from stores import Put

import singleout as so

SIZE = 120
FIRST = ("James", "Mary", "Susan", "Peter")
LAST = ("Smith", "Jones", "Brown", "Davis", "Clark")
PATIENTS = pl.DataFrame(
    {
        "person": [f"{FIRST[i % 4]} {LAST[i % 5]}" for i in range(SIZE)],
        "code": [f"QX{7919 * i % 100_000:05}" for i in range(SIZE)],
        "row_number": range(1, SIZE + 1),
        "age": [20 + i % 80 for i in range(SIZE)],
        "born": [1930 + i % 60 for i in range(SIZE)],
        "seen": [date(2021, 1 + i % 12, 1 + i % 28) for i in range(SIZE)],
        "stamp": [datetime(2021, 1 + i % 12, 1 + i % 28, 3, 4) for i in range(SIZE)],
        "zip": [f"{2100 + i % 30:05}" for i in range(SIZE)],
        "zip3": [["021", "036", "100"][i % 3] for i in range(SIZE)],
        "q1": [f"617-555-01{i % 90:02}" if i % 3 else None for i in range(SIZE)],
        "note": [f"call a{i}@example.org" if i % 10 == 0 else "nothing" for i in range(SIZE)],
        "ssn": [f"{123 + i}-45-{6789 - i}" for i in range(SIZE)],
        "length": [150 + i / 4 for i in range(SIZE)],
        "smoker": [i % 2 == 0 for i in range(SIZE)],
        "state": [["MA", "NY", "TX", "CA"][i % 4] for i in range(SIZE)],
    }
)
FOUND = {
    ("A", "person"),
    ("B", "zip"),
    ("B", "zip3"),
    ("C", "age"),
    ("C", "born"),
    ("C", "seen"),
    ("C", "stamp"),
    ("D", "q1"),
    ("F", "note"),
    ("G", "ssn"),
    ("R", "code"),
    ("R", "row_number"),
}


def test_findings_are_the_same(there: Put) -> None:
    data = there(PATIENTS, "patients")
    found, expected = so.hipaa(data), so.hipaa(PATIENTS)
    assert {(f.identifier, f.column) for f in found.findings} == FOUND
    assert found.findings == expected.findings
    assert found.records == expected.records == SIZE


def test_people_without_identifiers_but_a_postcode(there: Put) -> None:
    frame = tables.people()
    found = so.hipaa(there(frame, "people"), where="age < 50")
    assert found.findings == so.hipaa(frame, where="age < 50").findings
    assert found.identifiers == ("B",)


def test_hostile_names_are_examined(there: Put) -> None:
    frame = pl.DataFrame(
        {name: ["a@example.org", "b@example.org"] for name in tables.HOSTILE_NAMES}
    )
    found = so.hipaa(there(frame, "hostile"))
    assert [f.column for f in found.findings] == list(tables.HOSTILE_NAMES)
    assert found.identifiers == ("F",)
