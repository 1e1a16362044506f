"""`singleout covered`: whom one published row gives away, in tables that any tool made."""

import csv
import json
from pathlib import Path

import pytest

import singleout as so
from run_command import refused, singleout


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    """Return the pair that wildcard counting takes for 2-anonymous."""
    before, after = tmp_path / "before.csv", tmp_path / "after.csv"
    before.write_text("who,a,b\nann,1,1\nbob,1,2\n")
    after.write_text("a,b\n1,*\n1,2\n")
    return before, after


def test_it_finds_whom_one_row_covers(tables: tuple[Path, Path]) -> None:
    done = singleout("covered", *tables, "--qi", "a,b", "--k", 2)
    assert done.returncode == 0, done.stderr
    assert "before.csv: 2 records, of which after.csv publishes 2 rows; 2 columns" in done.stdout
    assert (
        "1 of 2 records is covered by fewer than 2 published rows; 1 by exactly one" in done.stdout
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["1", "1", "50.0%"] in rows
    assert ["2", "or", "more", "1", "50.0%"] in rows


def test_json_and_records_with_their_ids(tables: tuple[Path, Path]) -> None:
    out, picture = tables[0].parent / "out.csv", tables[0].parent / "out.svg"
    words = ["--qi", "a,b", "--k", 2, "--json", "--csv", out, "--id", "who", "--plot", picture]
    answer = json.loads(singleout("covered", *tables, *words).stdout)
    found = so.covered(tables[0], tables[1], ["a", "b"], k=2)
    assert (answer["below"], answer["single"]) == (found.below, found.single) == (1, 1)
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["id"], row["covered_by"]) for row in rows] == [("ann", "1"), ("bob", "2")]
    assert "<svg" in picture.read_text()


def test_labels_of_a_hierarchy_are_read(tables: tuple[Path, Path]) -> None:
    before, after = tables
    after.write_text("a,b\n1,low\n1,low\n")
    hierarchy = before.parent / "b.csv"
    hierarchy.write_text("1;low;*\n2;low;*\n3;high;*\n")
    words = ["--qi", "a,b", "--k", 2, "--json", "--hierarchy", f"b={hierarchy}"]
    assert json.loads(singleout("covered", before, after, *words).stdout)["below"] == 0


def test_what_cannot_be_done_is_refused(tables: tuple[Path, Path]) -> None:
    assert "Did you mean" in refused(singleout("covered", *tables, "--qi", "a,whoo"))
    said = refused(singleout("covered", *tables, "--qi", "a", "--id", "who"))
    assert said == "--id names the records of a file that --csv writes; add --csv OUT."
    said = refused(singleout("covered", *tables, "--qi", "a", "--csv", tables[1], "--force"))
    assert "is the data itself" in said
